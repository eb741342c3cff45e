// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet manager on a simulated fabric whose configuration is read anew, for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/linux/configuration/reload.h"
#include "platform/sim/sim_store.h"
#include "tests/platform/linux/configuration/blobs.h"
#include "tests/support/sim_world.h"

namespace ember::test {

using ember::testing::kSecond;
using ember::testing::SimWorld;

/// A store like StoreWriter::strict(), with a thread that waits for Write().
class LateStore final : public Store {
public:
    explicit LateStore(Store& below) : below_(below) {}
    Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
        if (is_late) {
            const bool is_same = slot == slot_ && std::ranges::equal(octets, octets_);
            if (is_given_) return Status::kBusy;
            if (std::exchange(is_written_, false) && is_same) return result_;
            slot_ = slot;
            octets_.assign(octets.begin(), octets.end());
            is_given_ = true;
            return Status::kBusy;
        }
        return below_.Save(slot, octets);
    }
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
        if (is_given_ && slot == slot_) return Status::kBusy;
        return below_.Load(slot, octets);
    }
    /// Whether there was something to write.
    bool Write() {
        if (!std::exchange(is_given_, false)) return false;
        result_ = below_.Save(slot_, octets_);
        is_written_ = true;
        return true;
    }
    bool is_late = false;

private:
    Store& below_;
    StoreSlot slot_{};
    std::vector<std::byte> octets_;
    bool is_given_ = false;
    bool is_written_ = false;
    Status result_ = Status::kOk;
};

class ReloadTest : public ::testing::Test {
protected:
    static constexpr std::size_t kBytes = std::size_t{16} * 1024;

    ReloadTest() : world_(net::FatTree2(4)) {
        std::string pattern = ::testing::TempDir() + "reload.XXXXXX";
        folder_ = mkdtemp(pattern.data());
        key_ = folder_ + "/key";
        blob_ = folder_ + "/blob";
        std::ofstream(key_) << TrustedKeyPem();
        Put(BlobWithRoots(3, 5));
        const ConfigurationFiles files{blob_, key_};
        EXPECT_EQ(Configure(files, store_, memory_->room(), settings_, report_), "");
        world_.AddManager(settings_);
        reloader_ = std::make_unique<Reloader>(
            Reloader::Parts{world_.sm(), world_.sim().clock(), store_, memory_->room(),
                            memory_->other_tables(), report_, Reloader::kTrialUs, &late_});
        reloader_->Remember(files);
        reloader_->BeginTrial();
        EXPECT_TRUE(world_.RunUntilUp(60 * kSecond));
        reloader_->WatchTrial(false);
        world_.RunFor(TrialGuard::kSettleUs + kSecond);
        reloader_->WatchTrial(false);
        EXPECT_EQ(report_.confirmed_trials, 1U);
    }
    ~ReloadTest() override { std::filesystem::remove_all(folder_); }

    void Put(const std::vector<std::byte>& blob) const {
        std::ofstream file(blob_, std::ios::binary);
        for (const std::byte octet : blob) {
            file.put(static_cast<char>(octet));
        }
    }
    /// Empty: accepted; else why not.
    std::string Reload() {
        std::array<char, 512> room{};
        FixedText why(room);
        const bool accepted = reloader_->Reload(why);
        EXPECT_EQ(accepted, why.text().empty());
        return std::string(why.text());
    }
    [[nodiscard]] std::size_t RootsInForce() { return world_.sm().settings().tables.roots.size(); }
    bool Sweep() { return world_.RunUntilUp(60 * kSecond); }
    /// As the main loop does, until the judge has nothing more to say or for so long.
    void Watch(std::uint64_t seconds) {
        for (std::uint64_t i = 0; i < seconds; ++i) {
            world_.RunFor(kSecond);
            reloader_->WatchTrial(false);
        }
    }

    SimWorld world_;
    std::string folder_;
    std::string key_;
    std::string blob_;
    sim::SimStore store_;
    LateStore late_{store_};
    std::unique_ptr<ConfigurationMemory<kBytes>> memory_ =
        std::make_unique<ConfigurationMemory<kBytes>>();
    Settings settings_;
    ConfigurationReport report_;
    std::unique_ptr<Reloader> reloader_;
};

}  // namespace ember::test
