// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the tests of emberc plan share.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/command_line.h"
#include "config/emberc/plan/planner.h"
#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"

namespace ember::plan {

inline net::Netlist Shape(std::string_view name) {
    std::string error;
    net::Netlist netlist = net::TopologyByName(name, error);
    EXPECT_FALSE(netlist.nodes.empty()) << error;
    return netlist;
}

/// A plan from the first seat, with settings that outlive it.
inline std::unique_ptr<Planned> PlanOf(const net::Netlist& netlist, const Settings& settings) {
    net::Part part = net::Reachable(netlist, net::FirstSeat(netlist));
    return std::make_unique<Planned>(std::move(part.netlist), part.from, settings);
}

/// A run of emberc: what the shell would see.
struct Answer {
    int status = 0;
    std::string out;
    std::string error;
};
inline Answer Emberc(const std::vector<std::string>& words) {
    std::vector<const char*> arguments = {"emberc"};
    for (const std::string& word : words) {
        arguments.push_back(word.c_str());
    }
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Answer run;
    run.status = emberc::Run(static_cast<int>(arguments.size()), arguments.data());
    std::fflush(nullptr);
    run.out = ::testing::internal::GetCapturedStdout();
    run.error = ::testing::internal::GetCapturedStderr();
    return run;
}

/// A folder that goes away with the test.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "emberXXXXXX").string();
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string File(std::string_view name) const { return path_ / name; }
    std::string Write(std::string_view name, std::string_view text) const {
        std::ofstream(File(name)) << text;
        return File(name);
    }
    [[nodiscard]] std::string Read(std::string_view name) const {
        std::ostringstream text;
        text << std::ifstream(File(name)).rdbuf();
        return text.str();
    }

private:
    std::filesystem::path path_;
};

}  // namespace ember::plan
