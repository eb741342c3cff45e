// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of multicast entries that could not be set or removed, and are tried again.
#include <gtest/gtest.h>

#include "tests/core/multicast/multicast_upkeep_fixture.h"

namespace ember::multicast_upkeep {
namespace {

TEST_F(MulticastUpkeepTest, AnUnansweredSetIsTriedAgainAfterFiveSeconds) {
    net_.Join(kGroup, 0);
    net_.Join(kGroup, 7);
    SpoilSetsOf(kLastLeaf, Fate::kLost);
    const std::uint64_t end_us = EndOfRound();
    EXPECT_EQ(upkeep().NextDeadlineUs(), end_us + 5 * kSecond);
    EXPECT_FALSE(upkeep().status().is_settled);
    EXPECT_EQ(net_.log.CountOf(Note::kSetUnanswered), 1U);
    const LogRecord note = net_.LastNote(Note::kMulticastProgrammed);
    EXPECT_EQ(note.values[0], 1U) << "trees";
    EXPECT_EQ(note.values[1], 3U) << "blocks";
    EXPECT_EQ(note.values[3], 1U) << "failed";
    MendSwitches();
    const std::size_t asked = net_.seen.size();
    net_.AdvanceTo(end_us + 5 * kSecond - 1);
    EXPECT_EQ(net_.seen.size(), asked);
    net_.AdvanceTo(end_us + 5 * kSecond);
    EXPECT_GT(net_.seen.size(), asked);
    EXPECT_TRUE(upkeep().status().is_settled);
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), Hosts{7});
    EXPECT_EQ(net_.log.CountOf(Note::kSetUnanswered), 1U);
    EXPECT_EQ(upkeep().NextDeadlineUs(), kNever);
}

TEST_F(MulticastUpkeepTest, ARefusedSetIsToldOnceARoundAndHoldsUpNoOtherSwitch) {
    JoinAll(kGroup);
    SpoilSetsOf(kFirstLeaf, Fate::kRefused);
    for (std::uint64_t round = 1; round <= 3; ++round) {
        static_cast<void>(EndOfRound());
        EXPECT_EQ(net_.log.CountOf(Note::kSetRefused), round);
        EXPECT_EQ(net_.Hearers(2, net_.MlidOf(kGroup)), (Hosts{3, 4, 5, 6, 7}));
    }
    EXPECT_FALSE(upkeep().status().is_settled);
    MendSwitches();
    net_.Advance(5 * kSecond);
    EXPECT_TRUE(upkeep().status().is_settled);
    EXPECT_EQ(net_.Hearers(2, net_.MlidOf(kGroup)), (Hosts{0, 1, 3, 4, 5, 6, 7}));
}

TEST_F(MulticastUpkeepTest, AJoinDoesNotWaitForTheNextTryButForOtherJoins) {
    net_.Join(kGroup, 0);
    net_.Join(kGroup, 7);
    SpoilSetsOf(kLastLeaf, Fate::kLost);
    const std::uint64_t end_us = EndOfRound();
    // After more than the two seconds that joins wait at most.
    net_.AdvanceTo(end_us + 3 * kSecond);
    net_.Join(kOther, 1);
    net_.AdvanceTo(end_us + 3 * kSecond + 20 * kMs - 1);
    EXPECT_EQ(rounds(), 2U);
    net_.Join(kOther, 3);
    net_.AdvanceTo(end_us + 3 * kSecond + 40 * kMs - 2);
    EXPECT_EQ(rounds(), 2U);
    net_.AdvanceTo(end_us + 3 * kSecond + 40 * kMs - 1);
    EXPECT_EQ(rounds(), 3U);
    static_cast<void>(EndOfRound());
    EXPECT_EQ(net_.Hearers(1, net_.MlidOf(kOther)), Hosts{3});
}

TEST_F(MulticastUpkeepTest, AnEntryThatCouldNotBeRemovedIsTriedAgainThoughNoGroupHasItsBlock) {
    for (const Fate what : {Fate::kLost, Fate::kRefused}) {
        const MlidIndex mlid{40};
        ASSERT_TRUE(net_.groups()
                        .Create(kGroup, GroupValues{.p_key = kDefaultPKey}, {.wanted = mlid})
                        .ok());
        net_.Join(kGroup, 0);
        net_.Join(kGroup, 7);
        ASSERT_TRUE(net_.Settle());
        ASSERT_EQ(net_.Hearers(0, mlid), Hosts{7});
        net_.Leave(kGroup, 0);
        net_.Leave(kGroup, 7);
        SpoilSetsOf(kFirstLeaf, what);
        static_cast<void>(EndOfRound());
        EXPECT_FALSE(net_.IsForwardedNowhere(mlid));
        EXPECT_FALSE(upkeep().status().is_settled);
        MendSwitches();
        net_.Advance(5 * kSecond);
        EXPECT_TRUE(net_.IsForwardedNowhere(mlid));
        EXPECT_TRUE(upkeep().status().is_settled);
    }
}

TEST_F(MulticastUpkeepTest, AfterAPauseAnEntryIsRemovedThoughNoGroupHasItsBlock) {
    const MlidIndex mlid{40};
    ASSERT_TRUE(
        net_.groups().Create(kGroup, GroupValues{.p_key = kDefaultPKey}, {.wanted = mlid}).ok());
    JoinAll(kGroup);
    ASSERT_TRUE(net_.Settle());
    for (std::uint32_t host = 0; host < kHosts; ++host) {
        net_.Leave(kGroup, host);
    }
    BeginRoundUnanswered();
    upkeep().Pause();
    net_.port.sent.clear();
    upkeep().Observe(false);
    net_.Resume();
    net_.Work();
    EXPECT_TRUE(net_.IsForwardedNowhere(mlid));
    EXPECT_TRUE(upkeep().status().is_settled);
}

}  // namespace
}  // namespace ember::multicast_upkeep
