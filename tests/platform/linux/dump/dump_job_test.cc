// SPDX-License-Identifier: Apache-2.0
// EmberSM: a dump waits for its sink, keeps to one moment of the subnet, and writes nowhere else.
#include "platform/linux/dump/dump_job.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>

#include "config/netlist/cuts.h"
#include "tests/platform/linux/dump/dump_harness.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class DumpJobTest : public DumpHarness {
protected:
    DumpJobTest() : DumpHarness(EMBER_SOURCE_DIR) {}
};

TEST_F(DumpJobTest, WaitsForASubnetAndForTheEndOfASweep) {
    SimWorld world(Ring());
    world.AddManager();
    EXPECT_EQ(Begin(world.sm()), DumpEnd::kNotUp);
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    world.sm().Step();
    ASSERT_EQ(world.sm().progress().stage, Stage::kDiscovering);
    EXPECT_EQ(Begin(world.sm()), DumpEnd::kNotResting);
    EXPECT_FALSE(job_.running());
}

TEST_F(DumpJobTest, IsGivenUpWhenTheSubnetMoves) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    for (int i = 0; i < 12; ++i) {  // Until the first file is begun.
        ASSERT_EQ(job_.Advance(world.sm(), 1), DumpEnd::kRunning);
    }
    const net::NetEnd end = net::TrunksOf(Ring()).front();
    world.Cut(end.node, end.port);
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    EXPECT_EQ(Finish(world.sm()), DumpEnd::kMoved);
    EXPECT_FALSE(job_.running());
    EXPECT_FALSE(fs::exists(folder_ / "opensm.fdbs"));
}

TEST_F(DumpJobTest, TellsOneMomentOfWhatClientsRegister) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    Groups& groups = world.sm().multicast().groups();
    Member who;
    who.port_guid = static_cast<Guid>(0x5555);
    who.join_state = join_state::kFull;
    const Result<GroupIndex> group = groups.Create({0xFF15A01C00000000, 7}, {}, {});
    ASSERT_TRUE(group.ok());
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    for (int i = 0; i < 100000 && !fs::exists(folder_ / "opensm-sa.dump.new"); ++i) {
        ASSERT_EQ(job_.Advance(world.sm(), 1), DumpEnd::kRunning);
    }
    constexpr std::uint64_t kFirst = 0x5550;
    constexpr std::uint64_t kMembers = 10;
    for (std::uint64_t i = 0; i < kMembers; ++i) {
        ASSERT_EQ(job_.Advance(world.sm(), 1), DumpEnd::kRunning);
        who.port_guid = static_cast<Guid>(kFirst + i);
        ASSERT_TRUE(groups.Join(group.value(), who, 0).ok());
    }
    ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    const std::string text = ReadFile(folder_ / "opensm-sa.dump");
    std::size_t members = 0;
    for (std::size_t at = text.find("mcm_port:"); at != std::string::npos;
         at = text.find("mcm_port:", at + 1)) {
        ++members;
    }
    EXPECT_EQ(members, kMembers) << text;

    // Clients that never rest end the dump; the file of before stays.
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    DumpEnd how = DumpEnd::kRunning;
    for (int i = 0; i < 100000 && how == DumpEnd::kRunning; ++i) {
        who.port_guid = static_cast<Guid>(0x6666);
        const Result<MemberIndex> other = groups.Join(group.value(), who, 0);
        ASSERT_TRUE(other.ok());
        groups.Leave(other.value(), join_state::kAll, 0);
        how = job_.Advance(world.sm(), 1);
    }
    EXPECT_EQ(how, DumpEnd::kMoved);
    EXPECT_EQ(ReadFile(folder_ / "opensm-sa.dump"), text);
}

TEST_F(DumpJobTest, SaysWhenTheDirectoryWillNotDo) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    EXPECT_EQ(sink_.Open((folder_ / "missing").c_str()), Status::kDevice);
    EXPECT_EQ(sink_.error(), ENOENT);
    fs::create_directory(folder_ / "guid2lid.new");  // In the way of the first file.
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    EXPECT_EQ(Finish(world.sm()), DumpEnd::kUnwritable);
    EXPECT_EQ(sink_.error(), EISDIR);
    EXPECT_FALSE(job_.running());
}

/// A user who may write into the directory must not have the manager write elsewhere, nor read
/// the keys of services.
TEST_F(DumpJobTest, FollowsNoLinkAndKeepsKeysToItsOwner) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    std::ofstream(folder_ / "mine") << "precious";
    fs::create_symlink(folder_ / "mine", folder_ / "opensm-subnet.lst.new");
    fs::create_hard_link(folder_ / "mine", folder_ / "opensm-lfts.dump.new");
    std::ofstream(folder_ / "opensm-sa.dump") << "of before, for all to read";
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    EXPECT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    EXPECT_EQ(ReadFile(folder_ / "mine"), "precious");
    for (const DumpFile& file : kDumpFiles) {
        if (!job_.Has(file)) continue;
        const fs::file_status status = fs::symlink_status(folder_ / file.name);
        EXPECT_TRUE(fs::is_regular_file(status)) << file.name;
        const bool is_open_to_others =
            (status.permissions() & (fs::perms::group_read | fs::perms::others_read)) !=
            fs::perms::none;
        if (file.holds_keys) {
            EXPECT_FALSE(is_open_to_others) << file.name;
        }
    }
    EXPECT_TRUE(kDumpFiles[8].holds_keys && kDumpFiles[8].name == "opensm-sa.dump");
}

/// Has room for a number of octets at a time, and then only for what it is given anew.
class TightSink final : public DumpSink {
public:
    std::size_t room = 0;
    std::map<std::string, std::string, std::less<>> files;
    std::string name;

    Status Begin(std::string_view file, bool /*holds_keys*/) override {
        if (room == 0) return Status::kBusy;
        name = file;
        files[name].clear();
        return Status::kOk;
    }
    Status Write(std::string_view& text) override {
        const std::size_t taken = std::min(room, text.size());
        files[name] += text.substr(0, taken);
        text.remove_prefix(taken);
        room -= taken;
        return text.empty() ? Status::kOk : Status::kBusy;
    }
    Status End() override { return room == 0 ? Status::kBusy : Status::kOk; }
};

TEST_F(DumpJobTest, WaitsForASinkThatTakesLittleAtATimeAndLosesNothing) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    TightSink sink;
    ASSERT_EQ(job_.Begin(world.sm(), sink), DumpEnd::kRunning);
    ASSERT_EQ(job_.Advance(world.sm(), 1'000'000), DumpEnd::kRunning);
    EXPECT_TRUE(job_.waits());
    EXPECT_TRUE(sink.files.empty());
    DumpEnd how = DumpEnd::kRunning;
    for (int i = 0; i < 100000 && how == DumpEnd::kRunning; ++i) {
        sink.room += 77;
        how = job_.Advance(world.sm(), 1'000'000);
    }
    ASSERT_EQ(how, DumpEnd::kWritten);
    for (const auto& [name, text] : sink.files) {
        EXPECT_EQ(text, ReadFile(folder_ / name)) << name;
    }
    EXPECT_GE(sink.files.size(), 7U);
}

/// A sweep follows each 1,500 octets; the files are those of a dump without sweeps.
TEST_F(DumpJobTest, IsNotEndedBySweepsThatChangeNothing) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    TightSink sink;
    ASSERT_EQ(job_.Begin(world.sm(), sink), DumpEnd::kRunning);
    const std::uint64_t sweeps = world.sm().progress().heavy_sweeps;
    DumpEnd how = DumpEnd::kRunning;
    for (int i = 0; i < 10000 && how == DumpEnd::kRunning; ++i) {
        world.sm().RequestSweep(SweepCue::kHeavyRequest);
        world.sm().Step();
        ASSERT_EQ(world.sm().progress().stage, Stage::kDiscovering);
        ASSERT_EQ(job_.Advance(world.sm(), 1'000'000), DumpEnd::kRunning);
        EXPECT_TRUE(job_.waits()) << "the tables are written meanwhile";
        ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
        sink.room += 1500;
        for (int turn = 0; turn < 50 && how == DumpEnd::kRunning; ++turn) {
            how = job_.Advance(world.sm(), 1'000'000);
        }
    }
    ASSERT_EQ(how, DumpEnd::kWritten);
    EXPECT_GE(world.sm().progress().heavy_sweeps, sweeps + 5);
    for (const auto& [name, text] : sink.files) {
        EXPECT_EQ(text, ReadFile(folder_ / name)) << name;
    }
    EXPECT_GE(sink.files.size(), 7U);
}

TEST_F(DumpJobTest, OfRegistrationsAloneDoesNotWaitForASweep) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    TightSink sink;
    ASSERT_EQ(job_.Begin(world.sm(), sink, DumpExtent::kRegistrations), DumpEnd::kRunning);
    ASSERT_EQ(job_.Advance(world.sm(), 1000), DumpEnd::kRunning);
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    world.sm().Step();
    EXPECT_EQ(job_.Advance(world.sm(), 1000), DumpEnd::kMoved);
}

TEST_F(DumpJobTest, WhileItWaitsIsGivenUpWhenTheSubnetMoves) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    TightSink sink;
    ASSERT_EQ(job_.Begin(world.sm(), sink), DumpEnd::kRunning);
    ASSERT_EQ(job_.Advance(world.sm(), 1'000'000), DumpEnd::kRunning);
    ASSERT_TRUE(job_.waits());
    const net::NetEnd end = net::TrunksOf(Ring()).front();
    world.Cut(end.node, end.port);
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    EXPECT_EQ(job_.Advance(world.sm(), 1'000'000), DumpEnd::kMoved);
}

}  // namespace
}  // namespace ember::testing
