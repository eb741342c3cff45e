// SPDX-License-Identifier: Apache-2.0
// EmberSM: tables of ports that were changed behind the manager's back are written again.
//
// Goal:   a P_Key table, VL arbitration table or SL to VL table that a tool or a device has changed
//         is found by reading alone and put right, within the time in which all ports had their
//         turn; that is told and counted; tables that are right cost few questions and no Set, and
//         a port that does not answer is not written off.
// Method: the tables of the simulated hardware are changed by hand. No sweep helps.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "tests/support/partition_world.h"

namespace ember::testing {
namespace {

/// 6 switches of 4 ports: in three passes each port has its turn.
constexpr std::uint64_t kAllTurns = 3 * 6 * kSecond + 2 * kSecond;

class ScrubbedTables : public ::testing::Test, public PartitionWorld {
protected:
    void BringUp(std::uint32_t interval = 1) {
        file_[1] = {{GuidOf(1), Membership::kFull}, {GuidOf(2), Membership::kLimited}};
        settings_.qos = true;
        settings_.scrub_interval = interval;
        Start(file_);
        sweeps_ = world_.sm().status().heavy_sweeps;
    }
    [[nodiscard]] PortTableCounts Counts() { return world_.sm().status().port_tables; }
    [[nodiscard]] std::uint64_t Written() {
        const PortTableCounts counts = Counts();
        return counts.p_keys.written + counts.sl_to_vl.written + counts.vl_arbitration.written;
    }
    /// Lets the port at `row` hold another P_Key, as if it had given it to itself.
    void PutPKey(std::uint32_t row, std::size_t index, std::uint16_t p_key) {
        const std::span<std::uint8_t> block = world_.world().PKeyBlock(row, 0);
        block[2 * index] = static_cast<std::uint8_t>(p_key >> 8U);
        block[2 * index + 1] = static_cast<std::uint8_t>(p_key & 0xFFU);
    }
    void ExpectNoSweep() {
        EXPECT_EQ(world_.sm().status().heavy_sweeps, sweeps_) << world_.Notes();
    }

    PartitionFile file_;
    std::uint64_t sweeps_ = 0;
};

TEST_F(ScrubbedTables, APKeyThatAPortGaveItselfIsTakenAway) {
    BringUp();
    PutPKey(RowOf(3), 5, 0x8001);
    ASSERT_EQ(HasOf(3, 1), Membership::kFull);
    world_.RunFor(kAllTurns);
    EXPECT_EQ(HasOf(3, 1), Membership::kNone) << world_.Notes();
    ExpectTablesOf(file_);
    EXPECT_EQ(world_.Heard(Note::kScrubPKeys), 1U) << world_.Notes();
    EXPECT_EQ(Counts().p_keys.repaired, 1U);
    EXPECT_EQ(Counts().p_keys.failed, 0U);
    EXPECT_GE(world_.sm().status().scrub.differences, 1U);
    ExpectNoSweep();
}

TEST_F(ScrubbedTables, APKeyThatAPortHasLostIsGivenAgain) {
    BringUp();
    PutPKey(RowOf(1), 1, kNoPKey);
    ASSERT_EQ(HasOf(1, 1), Membership::kNone);
    world_.RunFor(kAllTurns);
    ExpectTablesOf(file_);
    EXPECT_EQ(world_.Heard(Note::kScrubPKeys), 1U) << world_.Notes();
}

TEST_F(ScrubbedTables, WhatASwitchPortEnforcesIsReadToo) {
    BringUp();
    PutPKey(GuardOf(3), 5, 0x8001);
    world_.RunFor(kAllTurns);
    ExpectTablesOf(file_);
    EXPECT_EQ(world_.Heard(Note::kScrubPKeys), 1U) << world_.Notes();
    EXPECT_EQ(Counts().p_keys.repaired, 1U);
}

TEST_F(ScrubbedTables, ALaneTableOfASwitchThatWasErasedIsWrittenAgain) {
    BringUp();
    const std::uint32_t row = GuardOf(3);
    const std::uint32_t out = world_.world().port(row).number;
    const std::span<std::uint8_t> map = world_.world().SlToVl(row, 1, out);
    const std::uint8_t vls = map[0];
    ASSERT_NE(vls, 0x77);
    map[0] = 0x77;
    world_.RunFor(kAllTurns);
    EXPECT_EQ(map[0], vls) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kScrubLanes), 1U) << world_.Notes();
    EXPECT_EQ(Counts().sl_to_vl.repaired, 1U);
    EXPECT_EQ(Counts().vl_arbitration.repaired, 0U);
    ExpectNoSweep();
}

TEST_F(ScrubbedTables, AnArbitrationTableOfAHostThatWasErasedIsWrittenAgain) {
    BringUp();
    const std::span<std::uint8_t> block = world_.world().VlArbBlock(RowOf(3), 1);
    const std::vector<std::uint8_t> before(block.begin(), block.end());
    for (std::uint8_t& octet : block) {
        octet = 1;
    }
    world_.RunFor(kAllTurns);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), block.begin())) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kScrubLanes), 1U) << world_.Notes();
    EXPECT_EQ(Counts().vl_arbitration.repaired, 1U);
    ExpectNoSweep();
}

TEST_F(ScrubbedTables, TablesThatAreRightAreReadAndNotWritten) {
    BringUp();
    const std::uint64_t written = Written();
    EXPECT_GT(written, 0U);
    const std::uint64_t requests = world_.sim().counters().requests;
    const std::uint64_t p_keys = world_.sim().counters().Gets(AttributeId::kPKeyTable);
    const std::uint64_t maps = world_.sim().counters().Gets(AttributeId::kSlToVlMappingTable);
    world_.RunFor(60 * kSecond);
    EXPECT_EQ(Written(), written);
    EXPECT_EQ(world_.sm().status().scrub.differences, 0U) << world_.Notes();
    EXPECT_GE(world_.sim().counters().Gets(AttributeId::kPKeyTable), p_keys + 60U);
    EXPECT_GE(world_.sim().counters().Gets(AttributeId::kSlToVlMappingTable), maps + 60U);
    // A visit of a second: the 14 of scrub_test.cc, of 2 end ports and their guards 8 blocks of
    // P_Keys, of 4 ports at most 5 maps and 4 arbitration blocks each.
    EXPECT_LE(world_.sim().counters().requests - requests, 60U * (14U + 8U + 36U) + 60U);
    ExpectNoSweep();
}

TEST_F(ScrubbedTables, ATableThatWasChangedStaysSoWithoutTheScrub) {
    BringUp(0);
    PutPKey(RowOf(3), 5, 0x8001);
    world_.RunFor(3 * kAllTurns);
    EXPECT_EQ(HasOf(3, 1), Membership::kFull);
    EXPECT_EQ(Counts().p_keys.repaired, 0U);
}

/// Questions about P_Keys and lanes are lost for a while.
TEST_F(ScrubbedTables, APortThatDoesNotAnswerKeepsWhatIsKnownOfIt) {
    BringUp();
    gate_->lets_out = [](const Envelope& envelope) {
        const AttributeId attribute = envelope.mad.header.attribute_id;
        return attribute != AttributeId::kPKeyTable &&
               attribute != AttributeId::kSlToVlMappingTable &&
               attribute != AttributeId::kVlArbitrationTable;
    };
    world_.RunFor(2 * kAllTurns);
    EXPECT_EQ(world_.Heard(Note::kPKeysUnset), 0U) << world_.Notes();
    EXPECT_EQ(world_.sm().status().scrub.differences, 0U);
    gate_->LoseNothing();
    PutPKey(RowOf(3), 5, 0x8001);
    world_.world().SlToVl(GuardOf(3), 1, world_.world().port(GuardOf(3)).number)[0] = 0x77;
    world_.RunFor(2 * kAllTurns);
    ExpectTablesOf(file_);
    EXPECT_EQ(Counts().p_keys.repaired, 1U);
    EXPECT_EQ(Counts().sl_to_vl.repaired, 1U);
}

/// A sweep may come in the middle of a check.
TEST_F(ScrubbedTables, ASweepEndsACheckAndAnotherOneFollows) {
    BringUp();
    for (int i = 0; i < 40; ++i) {
        world_.sm().RequestSweep(i % 2 == 0 ? SweepCue::kHeavyRequest : SweepCue::kLightRequest);
        world_.Wake();
        world_.RunFor(230 * kMs);
    }
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    PutPKey(RowOf(3), 5, 0x8001);
    world_.RunFor(kAllTurns);
    ExpectTablesOf(file_);
    EXPECT_EQ(world_.Heard(Note::kScrubPKeys), 1U) << world_.Notes();
}

TEST_F(ScrubbedTables, SetsThatFailAreCounted) {
    file_[1] = {{GuidOf(1), Membership::kFull}, {GuidOf(2), Membership::kLimited}};
    Start(file_);
    EXPECT_EQ(Counts().p_keys.failed, 0U);
    LosePKeySets(3);
    file_[1][GuidOf(3)] = Membership::kFull;
    Reconfigure(file_);
    EXPECT_GE(Counts().p_keys.failed, 1U) << world_.Notes();
}

}  // namespace
}  // namespace ember::testing
