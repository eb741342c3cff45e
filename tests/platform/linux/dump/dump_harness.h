// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the tests of dumps share.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "platform/linux/dump/dump_directory.h"
#include "platform/linux/dump/dump_job.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

namespace fs = std::filesystem;

/// Files that OpenSM wrote are read below `source`, the tree of the source.
class DumpHarness : public ::testing::Test {
protected:
    explicit DumpHarness(const char* source) : golden_(fs::path(source) / "tests/golden/dumps") {
        std::string pattern = fs::temp_directory_path() / "ember-dump-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    ~DumpHarness() override { fs::remove_all(folder_); }

    static std::string ReadFile(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        EXPECT_TRUE(file.is_open()) << path;
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] net::Netlist Recorded(const std::string& name) const {
        net::NetErrors errors;
        const std::string text = ReadFile(golden_ / name / "fabric.net");
        net::Netlist netlist = net::ParseNetlist(text, "fabric.net", errors);
        for (net::NetNode& node : netlist.nodes) {
            for (net::NetPort& port : node.ports) {
                port.speed = link_speed::kSdr;
            }
        }
        EXPECT_TRUE(errors.empty()) << errors.front();
        return netlist;
    }
    [[nodiscard]] net::Netlist Ring() const { return Recorded("ring"); }

    DumpEnd Begin(const SubnetManager& sm) {
        EXPECT_EQ(sink_.Open(folder_.c_str()), Status::kOk);
        return job_.Begin(sm, sink_);
    }
    DumpEnd Finish(const SubnetManager& sm) {
        DumpEnd how = DumpEnd::kRunning;
        for (int i = 0; i < 10000 && how == DumpEnd::kRunning; ++i) {
            how = job_.Advance(sm, 1000);
        }
        return how;
    }

    fs::path golden_;
    fs::path folder_;
    std::array<NodeIndex, 1024> nodes_{};
    std::array<SwitchIndex, 1024> switches_{};
    alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kSimSmall)> scratch_{};
    DumpJob job_{DumpJob::Room{nodes_, switches_, scratch_}};
    DumpDirectory sink_;
};

}  // namespace ember::testing
