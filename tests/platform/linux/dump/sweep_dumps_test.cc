// SPDX-License-Identifier: Apache-2.0
// EmberSM: sa_db_dump writes by itself, says when it cannot, and keeps no client waiting.
#include "platform/linux/dump/sweep_dumps.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "board/sim_small/profile.h"
#include "tests/support/sim_world.h"

namespace ember {
namespace {

using testing::kSecond;
using testing::SimWorld;

class SweepDumpsTest : public ::testing::Test {
protected:
    SweepDumpsTest()
        : folder_(std::filesystem::path(::testing::TempDir()) /
                  ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    ~SweepDumpsTest() override { std::filesystem::remove_all(folder_); }

    /// Some time, in which the dump is considered as the main loop does.
    void Run(std::uint64_t time_us) {
        for (std::uint64_t done_us = 0; done_us < time_us; done_us += kSecond / 10) {
            world_.RunFor(kSecond / 10);
            dump_.Consider();
            while (job_.running()) {
                const DumpEnd how = job_.Advance(world_.sm(), 1'000'000);
                EXPECT_TRUE(how == DumpEnd::kRunning || dump_.Took(how));
            }
        }
    }
    void Join() {
        Groups& groups = world_.sm().multicast().groups();
        const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
        const Gid mgid{0xFF12A01C00000000ULL, 77};
        ASSERT_TRUE(groups.Create(mgid, values, {}).ok());
        Member who;
        who.port_guid = world_.sm().fabric().port(world_.sm().fabric().own_port()).guid;
        who.join_state = join_state::kFull;
        ASSERT_TRUE(groups.Join(groups.Find(mgid), who, world_.now_us()).ok());
        world_.Wake();
    }
    [[nodiscard]] std::string Written() const {
        std::ifstream file(folder_ / "opensm-sa.dump");
        return {(std::istreambuf_iterator<char>(file)), {}};
    }

    /// With a manager, before somebody asks for it.
    struct World : SimWorld {
        World() : SimWorld(net::FatTree2(4)) {
            Settings settings = testing::BriskSettings();
            settings.sa_db_dump = true;
            AddManager(settings);
        }
    };

    std::filesystem::path folder_;
    World world_;
    std::array<NodeIndex, kSimSmall.max_nodes> nodes_{};
    std::array<SwitchIndex, kSimSmall.max_switches> switches_{};
    alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kSimSmall)> scratch_{};
    DumpJob job_{{nodes_, switches_, scratch_}};
    SweepDumps dump_{world_.sm(), job_};
};

TEST_F(SweepDumpsTest, IsWrittenAfterTheFirstSweepAndAfterChanges) {
    ASSERT_EQ(dump_.Open(folder_.string()), "");
    Run(5 * kSecond);
    ASSERT_EQ(world_.Heard(Note::kSaDumped), 1U) << world_.Notes();
    const std::string first = Written();
    EXPECT_NE(first.find("MC Group 0xc000"), std::string::npos) << first;
    EXPECT_EQ(first.find("0x000000000000004d"), std::string::npos) << first;
    Join();
    Run(5 * kSecond);
    EXPECT_EQ(world_.sm().log().CountOf(Note::kSaDumped), 2U) << world_.Notes();
    EXPECT_NE(Written().find("0x000000000000004d"), std::string::npos) << Written();
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
        EXPECT_EQ(entry.path().filename(), "opensm-sa.dump");
        ++files;
    }
    EXPECT_EQ(files, 1U);
    Run(5 * kSecond);
    EXPECT_EQ(world_.sm().log().CountOf(Note::kSaDumped), 2U) << "nothing has changed";
}

TEST_F(SweepDumpsTest, SaysOnceThatItHasNowhereToWrite) {
    Run(5 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kSaDumpNowhere), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaDumped), 0U);
}

TEST_F(SweepDumpsTest, OfTheRoutingIsWrittenAfterEachRoutingWhenLogFlagsAskForIt) {
    ASSERT_EQ(dump_.Open(folder_.string()), "");
    Settings settings = testing::BriskSettings();
    settings.order = Order::kOpensm;
    settings.log_flags = 0x03 | kLogRouting;
    world_.sm().Configure(settings);
    Run(5 * kSecond);
    EXPECT_GE(world_.Heard(Note::kRoutingDumped), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaDumped), 0U) << "sa_db_dump is off";
    for (const char* const name : {"guid2lid", "opensm-subnet.lst", "opensm-lfts.dump",
                                   "opensm.fdbs", "opensm.mcfdbs", "opensm-lid-matrix.dump"}) {
        EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "opensm-sa.dump"));

    const std::uint64_t before = world_.sm().log().CountOf(Note::kRoutingDumped);
    const std::uint64_t runs = world_.sm().router().runs();
    std::filesystem::remove(folder_ / "opensm.fdbs");
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.Wake();
    Run(5 * kSecond);
    EXPECT_GT(world_.sm().router().runs(), runs);
    EXPECT_GT(world_.sm().log().CountOf(Note::kRoutingDumped), before) << world_.Notes();
    EXPECT_TRUE(std::filesystem::exists(folder_ / "opensm.fdbs"));
    const std::uint64_t after = world_.sm().log().CountOf(Note::kRoutingDumped);
    const std::uint64_t light = world_.sm().progress().light_sweeps;
    Run(5 * kSecond);
    EXPECT_GT(world_.sm().progress().light_sweeps, light);
    EXPECT_EQ(world_.sm().log().CountOf(Note::kRoutingDumped), after) << "nothing was routed";
}

TEST_F(SweepDumpsTest, OfTheRoutingSaysThatItHasNowhereToGo) {
    Settings settings = testing::BriskSettings();
    settings.log_flags = kLogRouting;
    world_.sm().Configure(settings);
    Run(5 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kRoutingDumpNowhere), 1U) << world_.Notes();
    ASSERT_EQ(dump_.Open(folder_.string()), "");
    std::filesystem::remove_all(folder_);
    Run(5 * kSecond);
    EXPECT_GE(world_.Heard(Note::kRoutingDumpFailed), 1U) << world_.Notes();
}

TEST_F(SweepDumpsTest, SaysThatItCannotWriteAndTriesAgain) {
    ASSERT_EQ(dump_.Open(folder_.string()), "");
    std::filesystem::remove_all(folder_);
    Run(5 * kSecond);
    EXPECT_GE(world_.Heard(Note::kSaDumpFailed), 2U) << world_.Notes();
    std::filesystem::create_directories(folder_);
    Run(3 * kSecond);
    EXPECT_NE(Written(), "");
    EXPECT_NE(dump_.Open((folder_ / "none").string()), "");
}

TEST_F(SweepDumpsTest, GivesWayAndIsDoneAfterTheNextSweep) {
    ASSERT_EQ(dump_.Open(folder_.string()), "");
    ASSERT_TRUE(world_.RunUntilUp(30 * kSecond));
    world_.RunUntil([&] { return world_.sm().stage() == Stage::kResting; }, 30 * kSecond);
    dump_.Consider();
    ASSERT_TRUE(job_.running());
    dump_.GiveWay();
    EXPECT_FALSE(job_.running());
    EXPECT_EQ(Written(), "");
    Run(3 * kSecond);
    EXPECT_NE(Written(), "");
}

}  // namespace
}  // namespace ember
