// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports hold the P_Keys that their partitions give them, and switches enforce them.
//
// Goal:   after a bring-up, a change of partitions and a restart the tables of all ports say what
//         the partitions say, with no datagram that is not needed; on the way there no pair
//         communicates that neither the old nor the new partitions allow, and none is cut off that
//         both allow; what a port does not take costs no other port anything.
// Method: partitions of hosts of a simulated fabric, whose tables are looked at after every write.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "tests/support/partition_world.h"

namespace ember::testing {
namespace {

constexpr std::uint16_t kLimitedDefault = kPKeyBase;
constexpr Membership kNone = Membership::kNone;
constexpr Membership kLimited = Membership::kLimited;
constexpr Membership kFull = Membership::kFull;

class PartitionTablesScenario : public ::testing::Test, public PartitionWorld {};

TEST_F(PartitionTablesScenario, ABringUpGivesEachPortItsPKeysBeforeItsLinkGoesToActive) {
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}, {GuidOf(2), kLimited}};
    file[2] = {{GuidOf(2), kFull}};
    std::size_t early = 0;
    world_.world().WatchPKeys([&](std::uint32_t row, std::uint32_t) {
        const sim::SimPort& port = world_.world().port(row);
        const bool has_link = port.number != 0 && row != RowOf(0);
        if (has_link && port.info.Get(PortInfo::kPortState) == PortState::kActive) ++early;
    });
    Start(file);
    EXPECT_EQ(TableOf(0), (PKeys{kDefaultPKey})) << "the subnet manager's own";
    EXPECT_EQ(TableOf(1), (PKeys{kLimitedDefault, 0x8001}));
    EXPECT_EQ(TableOf(2), (PKeys{kLimitedDefault, 1, 0x8002}));
    EXPECT_EQ(TableOf(3), (PKeys{kLimitedDefault}));
    ExpectTablesOf(file);
    EXPECT_EQ(early, 0U);
    EXPECT_EQ(StateOf(3), PortState::kActive);
    EXPECT_EQ(world_.sm().p_keys().outcome().failed, 0U) << world_.Notes();
}

TEST_F(PartitionTablesScenario, ARestartReadsAndWritesNothing) {
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}, {GuidOf(2), kLimited}};
    Start(file);
    std::size_t written = 0;
    world_.world().WatchPKeys([&](std::uint32_t, std::uint32_t) { ++written; });
    world_.Reconfigure(settings_);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    EXPECT_EQ(written, 0U);
    EXPECT_GT(world_.sm().p_keys().outcome().blocks_read, 0U);
    ExpectTablesOf(file);
}

TEST_F(PartitionTablesScenario, AChangeOfOneMembershipAsksOnePort) {
    settings_.scrub_interval = 0;  // The scrub reads tables too (scrub_tables_test.cc).
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}, {GuidOf(2), kLimited}};
    Start(file);
    const std::uint64_t sweeps = world_.sm().progress().heavy_sweeps;
    file[1][GuidOf(3)] = kLimited;
    Reconfigure(file);
    ExpectTablesOf(file);
    EXPECT_EQ(world_.sm().progress().heavy_sweeps, sweeps);
    EXPECT_EQ(world_.sm().progress().partition_changes, 1U);
    EXPECT_EQ(world_.Heard(Note::kPartitionsChange), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kPartitionsChanged), 1U) << world_.Notes();
    const PKeyOutcome& outcome = world_.sm().p_keys().outcome();
    EXPECT_EQ(outcome.blocks_set, 2U) << "the host's and its switch port's";
    EXPECT_EQ(outcome.ports_set, 0U);
    EXPECT_LE(outcome.blocks_read, 8U) << "once for each step that has work";
}

TEST_F(PartitionTablesScenario, AChangeOfPartitionsThatNoPortNoticesAsksNoPort) {
    settings_.scrub_interval = 0;
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}};
    Start(file);
    const std::uint64_t sent = world_.sm().exchange().statistics().sent;
    file[2] = {{Guid{0xABCDEF}, kFull}};  // This port is not there.
    Reconfigure(file);
    EXPECT_EQ(world_.sm().progress().partition_changes, 1U);
    EXPECT_EQ(world_.sm().exchange().statistics().sent, sent);
    EXPECT_EQ(world_.sm().settings().manager_tables.partitions.size(), 3U) << "they are in force";
}

TEST_F(PartitionTablesScenario, AChangeOfPartitionsAndAnotherKeyTogetherIsForASweep) {
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}};
    Start(file);
    const std::uint64_t sweeps = world_.sm().progress().heavy_sweeps;
    file[1][GuidOf(2)] = kFull;
    settings_.vl_stall_count = 3;
    Reconfigure(file);
    ExpectTablesOf(file);
    EXPECT_EQ(world_.sm().progress().heavy_sweeps, sweeps + 1);
    EXPECT_EQ(world_.sm().progress().partition_changes, 0U);
    EXPECT_EQ(world_.Heard(Note::kPartitionsChange), 0U) << world_.Notes();
}

TEST_F(PartitionTablesScenario, AnotherKeyThatFollowsAChangeOfPartitionsTakesBothIntoForce) {
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}};
    Start(file);
    file[1][GuidOf(2)] = kFull;
    file.Fill(settings_);
    world_.sm().Configure(settings_);
    settings_.vl_stall_count = 3;
    Reconfigure();
    ExpectTablesOf(file);
    EXPECT_EQ(world_.sm().settings(), settings_);
}

TEST_F(PartitionTablesScenario, IndexZeroFollowsTheLineThatIsLast) {
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}, {GuidOf(2), kFull}};
    file[2] = {{GuidOf(1), kFull}};
    file.index_zero = {{1, 5}, {2, 6}};
    Start(file);
    EXPECT_EQ(TableOf(1).front(), 0x8002);
    EXPECT_EQ(TableOf(2).front(), 0x8001);
    file.index_zero = {{1, 6}, {2, 5}};  // The lines have changed places.
    Reconfigure(file);
    EXPECT_EQ(TableOf(1).front(), 0x8001);
    EXPECT_EQ(TableOf(2).front(), 0x8001);
    file.index_zero = {{1, 7}, {2, 8}};
    settings_.vl_stall_count = 3;
    Reconfigure(file);  // By a sweep.
    EXPECT_EQ(TableOf(1).front(), 0x8002);
    ExpectTablesOf(file);
}

TEST_F(PartitionTablesScenario, NothingIsAskedWithoutPartitions) {
    world_.AddManager(settings_);
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.sm().exchange().statistics().GetsOf(AttributeId::kPKeyTable), 0U);
    EXPECT_EQ(EnforcementAt(GuardOf(1)), 0U);
}

TEST_F(PartitionTablesScenario, WithoutPartitionsAnyMorePortsGoBackToTheDefaultOne) {
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}, {GuidOf(2), kLimited}};
    Start(file);
    settings_.manager_tables = {};
    Reconfigure();
    for (std::size_t i = 0; i < hosts(); ++i) {
        EXPECT_EQ(TableOf(i), (PKeys{kDefaultPKey})) << "host " << i;
        EXPECT_EQ(EnforcementAt(GuardOf(i)), 0U) << "host " << i;
    }
}

TEST_F(PartitionTablesScenario, SwitchesEnforceInTheDirectionsThatPartEnforceNames) {
    PartitionFile file;
    file[1] = {{GuidOf(1), kFull}};
    settings_.part_enforce = PartEnforce::kIn;
    Start(file);
    EXPECT_EQ(EnforcementAt(GuardOf(1)), 2U);
    settings_.part_enforce = PartEnforce::kOut;
    Reconfigure();
    EXPECT_EQ(EnforcementAt(GuardOf(1)), 1U);
    settings_.part_enforce = PartEnforce::kOff;
    Reconfigure();
    EXPECT_EQ(EnforcementAt(GuardOf(1)), 0U);
    settings_.part_enforce = PartEnforce::kBoth;
    Reconfigure();
    ExpectTablesOf(file);
}

TEST_F(PartitionTablesScenario, APortThatTakesNoPKeysStaysBelowActiveAndIsTriedAgain) {
    PartitionFile file;
    settings_.sweep_interval = 10;
    file[1] = {{GuidOf(2), kFull}, {GuidOf(3), kFull}};
    Seat(file);
    LosePKeySets(2);
    ASSERT_TRUE(world_.RunUntilUp(30 * kSecond)) << world_.Notes();
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(TableOf(2), (PKeys{kDefaultPKey})) << "as from the factory";
    EXPECT_NE(StateOf(2), PortState::kActive) << "it could speak to everybody";
    EXPECT_EQ(StateOf(3), PortState::kActive);
    EXPECT_EQ(TableOf(3), (PKeys{kLimitedDefault, 0x8001}));
    EXPECT_GE(world_.Heard(Note::kPKeysUnset), 1U) << world_.Notes();
    gate_->LoseNothing();
    EXPECT_TRUE(world_.RunUntil([this] { return StateOf(2) == PortState::kActive; }, 120 * kSecond))
        << world_.Notes();
    ExpectTablesOf(file);
}

TEST_F(PartitionTablesScenario, ASilentPortThatLeavesIsEnforcedAndKeepsNobodyFromJoining) {
    PartitionFile file;
    settings_.sweep_interval = 10;
    file[1] = {{GuidOf(1), kFull}, {GuidOf(2), kFull}};
    Start(file);
    LosePKeySets(2);
    file[1].erase(GuidOf(2));
    file[1][GuidOf(3)] = kFull;
    file.Fill(settings_);
    world_.sm().Configure(settings_);
    world_.Wake();
    // Two rounds of three tries of 200 ms each, so that no lost datagram upsets the order.
    EXPECT_TRUE(world_.RunUntil([this] { return HasOf(3, 1) == kFull; }, 2 * kSecond))
        << world_.Notes();
    EXPECT_EQ(TableAt(GuardOf(2)), (PKeys{kLimitedDefault})) << "it sends to nobody in there";
    EXPECT_EQ(HasOf(2, 1), kFull);
    world_.RunFor(5 * kSecond);
    EXPECT_GE(world_.Heard(Note::kPKeysUnset), 1U) << world_.Notes();
    gate_->LoseNothing();
    ASSERT_TRUE(world_.RunUntil([this] { return HasOf(2, 1) == kNone; }, 120 * kSecond))
        << world_.Notes();
}

TEST_F(PartitionTablesScenario, WhatHasNoRoomInATableIsTold) {
    PartitionFile file;
    for (std::uint16_t base = 1; base <= 70; ++base) {
        file[base] = {{GuidOf(1), kFull}, {GuidOf(2), base <= 40 ? kLimited : kNone}};
    }
    Start(file);
    EXPECT_EQ(TableOf(1).size(), 64U);
    EXPECT_EQ(world_.Heard(Note::kPKeyTableFull), 1U) << world_.Notes();
    EXPECT_EQ(world_.sm().p_keys().outcome().left_out, 7U);
    EXPECT_EQ(TableOf(2).size(), 41U) << "the rest stands";
    EXPECT_EQ(StateOf(1), PortState::kActive);
}

TEST_F(PartitionTablesScenario, ASwitchPortWithoutRoomEnforcesNothingAndIsTold) {
    PartitionFile file;
    for (std::uint16_t base = 1; base <= 40; ++base) {
        file[base] = {{GuidOf(1), kFull}};
    }
    const std::uint32_t leaf = world_.world().port(GuardOf(1)).node;
    world_.world().node(leaf).switch_info.Set(SwitchInfo::kPartitionEnforcementCap,
                                              std::uint16_t{32});
    Start(file);
    EXPECT_EQ(TableOf(1).size(), 41U);
    EXPECT_EQ(EnforcementAt(GuardOf(1)), 0U);
    EXPECT_EQ(world_.Heard(Note::kPKeysNotEnforced), 1U) << world_.Notes();
    EXPECT_EQ(EnforcementAt(GuardOf(0)), 3U);
}

// On the way from one set of partitions to another.

/// Partitions of a few hosts, drawn from `random`.
PartitionFile DrawFile(PartitionWorld& world, std::mt19937& random) {
    PartitionFile file;
    for (std::uint16_t base = 1; base <= 3; ++base) {
        for (std::size_t host = 1; host < 6; ++host) {
            constexpr Membership kDrawn[] = {kNone, kNone, kLimited, kFull};
            const Membership drawn = kDrawn[random() % 4];
            if (drawn != kNone) file[base][world.GuidOf(host)] = drawn;
        }
    }
    return file;
}

class PartitionChange : public ::testing::TestWithParam<std::uint32_t>, public PartitionWorld {
protected:
    /// No pair may communicate that none of these files lets, and none is cut off that all of them
    /// let: the last ones that were configured, until all ports hold what one of them says.
    void Judge(const std::vector<const PartitionFile*>& files) {
        for (std::uint16_t base = 1; base <= 3; ++base) {
            for (std::size_t one = 1; one < 6; ++one) {
                for (std::size_t other = one + 1; other < 6; ++other) {
                    const auto may = [&](const PartitionFile* file) {
                        return MayCommunicate(file->Of(base, GuidOf(one)),
                                              file->Of(base, GuidOf(other)));
                    };
                    const bool does = MayCommunicate(HasOf(one, base), HasOf(other, base));
                    EXPECT_FALSE(does && std::none_of(files.begin(), files.end(), may))
                        << "hosts " << one << " and " << other << " in partition " << base;
                    EXPECT_FALSE(!does && std::all_of(files.begin(), files.end(), may))
                        << "hosts " << one << " and " << other << " in partition " << base;
                }
            }
        }
    }
    void WatchAll(const std::vector<const PartitionFile*>& files) {
        world_.world().WatchPKeys([this, &files](std::uint32_t, std::uint32_t) {
            ++written_;
            Judge(files);
        });
    }
    void ExpectToEndAt(PartitionFile& file) {
        ASSERT_TRUE(
            world_.RunUntil([this] { return !world_.sm().p_keys().lacks(); }, 60 * kSecond));
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
        ExpectTablesOf(file);
    }

    std::size_t written_ = 0;
};

TEST_P(PartitionChange, NeverOpensWhatNeitherAllowsNorCutsWhatBothAllow) {
    std::mt19937 random(GetParam());
    PartitionFile old = DrawFile(*this, random);
    Start(old);
    if (GetParam() % 2 != 0) gate_->Lose(10, GetParam());
    for (int i = 0; i < 3; ++i) {
        PartitionFile now = DrawFile(*this, random);
        const std::vector<const PartitionFile*> files{&old, &now};
        WatchAll(files);
        Reconfigure(now);
        ExpectToEndAt(now);
        ASSERT_FALSE(HasFailure()) << "change " << i << "\n" << world_.Notes();
        world_.world().WatchPKeys(nullptr);
        std::swap(old, now);  // The settings show the rows of the newer one.
    }
    EXPECT_GT(written_, 0U);
}

TEST_P(PartitionChange, HoldsWhileTheNextChangesArriveBeforeTheFirstIsThrough) {
    std::mt19937 random(GetParam());
    std::deque<PartitionFile> files{DrawFile(*this, random)};
    Start(files.front());
    const std::uint64_t sweeps = world_.sm().progress().heavy_sweeps;
    const bool loses = GetParam() % 2 != 0;
    if (loses) gate_->Lose(10, GetParam());
    std::vector<const PartitionFile*> judged{&files.front()};
    WatchAll(judged);
    for (int i = 0; i < 6; ++i) {
        files.push_back(DrawFile(*this, random));
        judged.push_back(&files.back());
        files.back().Fill(settings_);
        world_.sm().Configure(settings_);
        world_.Wake();
        world_.RunFor(random() % 600);  // A change takes some milliseconds.
    }
    ExpectToEndAt(files.back());
    ASSERT_FALSE(HasFailure()) << world_.Notes();
    EXPECT_GT(written_, 0U);
    if (!loses) {
        EXPECT_EQ(world_.sm().progress().heavy_sweeps, sweeps) << world_.Notes();
    }
}
INSTANTIATE_TEST_SUITE_P(Seeds, PartitionChange, ::testing::Range(1U, 25U));

}  // namespace
}  // namespace ember::testing
