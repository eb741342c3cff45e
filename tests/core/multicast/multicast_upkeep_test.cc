// SPDX-License-Identifier: Apache-2.0
// EmberSM: when a round of multicast begins, what it takes, and what is owed after one that failed.

#include "core/multicast/multicast_upkeep.h"

#include <gtest/gtest.h>
#include <set>

#include "tests/core/multicast/multicast_upkeep_fixture.h"

namespace ember::multicast_upkeep {
namespace {

TEST_F(MulticastUpkeepTest, ARoundBeginsTwentyMillisecondsAfterTheLastJoin) {
    const std::uint64_t start_us = net_.now_us;
    net_.Join(kGroup, 0);
    net_.Work();
    EXPECT_EQ(upkeep().NextDeadlineUs(), start_us + 20 * kMs);
    net_.AdvanceTo(start_us + 20 * kMs - 1);
    EXPECT_EQ(rounds(), 1U);
    net_.Join(kGroup, 7);
    net_.AdvanceTo(start_us + 40 * kMs - 2);
    EXPECT_EQ(rounds(), 1U);
    EXPECT_EQ(net_.Sets(), 0U);
    EXPECT_FALSE(upkeep().status().is_settled);
    net_.AdvanceTo(start_us + 40 * kMs - 1);
    EXPECT_EQ(rounds(), 2U);
    EXPECT_TRUE(upkeep().status().is_settled);
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), Hosts{7});
    // A leave is waited for likewise.
    const std::uint64_t leave_us = net_.now_us;
    net_.Leave(kGroup, 7);
    net_.AdvanceTo(leave_us + 20 * kMs - 1);
    EXPECT_EQ(rounds(), 2U);
    net_.AdvanceTo(leave_us + 20 * kMs);
    EXPECT_EQ(rounds(), 3U);
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), Hosts{});
    EXPECT_EQ(upkeep().NextDeadlineUs(), kNever);
}

TEST_F(MulticastUpkeepTest, ARoundBeginsTwoSecondsAfterTheFirstJoinAtMost) {
    const std::uint64_t start_us = net_.now_us;
    net_.Join(kGroup, 0);
    for (std::uint64_t i = 0; i < 200; ++i) {
        net_.AdvanceTo(start_us + i * 10 * kMs);
        i % 2 == 0 ? net_.Join(kGroup, 7) : net_.Leave(kGroup, 7);
    }
    net_.Join(kOther, 3);
    net_.AdvanceTo(start_us + 2 * kSecond - 1);
    EXPECT_EQ(rounds(), 1U);
    net_.AdvanceTo(start_us + 2 * kSecond);
    EXPECT_EQ(rounds(), 2U);
    // Patience begins anew with the next join.
    net_.Join(kOther, 4);
    net_.Work();
    EXPECT_EQ(upkeep().NextDeadlineUs(), start_us + 2 * kSecond + 20 * kMs);
}

TEST_F(MulticastUpkeepTest, AHundredJoinsCostNoMoreSetsThanTheBlocksOfOneGroup) {
    JoinAll(GroupId(1));
    ASSERT_TRUE(net_.Settle());
    EXPECT_EQ(net_.Sets(), kTreeOfAll);
    net_.seen.clear();
    for (std::uint64_t number = 2; number < 15; ++number) {
        JoinAll(GroupId(number));
    }
    EXPECT_EQ(upkeep().status().members, 14U * kHosts);
    ASSERT_TRUE(net_.Settle());
    EXPECT_EQ(rounds(), 3U);
    EXPECT_EQ(net_.Sets(), kTreeOfAll);
    std::set<SwitchIndex> written;
    for (const Question& one : net_.Asked(Method::kSet, AttributeId::kMulticastForwardingTable)) {
        EXPECT_TRUE(written.insert(one.at).second);
    }
    for (std::uint64_t number = 1; number < 15; ++number) {
        EXPECT_EQ(net_.Hearers(2, net_.MlidOf(GroupId(number))), (Hosts{0, 1, 3, 4, 5, 6, 7}));
    }
    EXPECT_EQ(net_.Gets(), 0U) << "tables of switches that were never programmed are empty";
}

TEST_F(MulticastUpkeepTest, AJoinDuringARoundWaitsForTheNext) {
    net_.Join(kGroup, 0);
    net_.Join(kGroup, 7);
    BeginRoundUnanswered();
    net_.Join(kOther, 1);
    net_.Join(kOther, 6);
    net_.Work();
    EXPECT_EQ(rounds(), 2U);
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), Hosts{7});
    EXPECT_TRUE(net_.IsForwardedNowhere(net_.MlidOf(kOther)));
    EXPECT_FALSE(upkeep().status().is_settled);
    const std::uint64_t end_us = net_.now_us;
    const std::uint64_t trees = upkeep().status().trees;
    net_.AdvanceTo(end_us + 20 * kMs - 1);
    EXPECT_EQ(rounds(), 2U);
    net_.AdvanceTo(end_us + 20 * kMs);
    EXPECT_EQ(rounds(), 3U);
    EXPECT_EQ(upkeep().status().trees, trees + 1) << "of the marked MLID only";
    EXPECT_EQ(net_.Hearers(1, net_.MlidOf(kOther)), Hosts{6});
    EXPECT_TRUE(upkeep().status().is_settled);
}

TEST_F(MulticastUpkeepTest, WhileTreesAreMadeOnlyAHigherMlidIsTakenAlong) {
    net_.work_clock.step_us = 1000;  // A slice is over after one tree.
    for (std::uint64_t number = 1; number <= 3; ++number) {
        net_.Join(GroupId(number), 0);
    }
    const std::uint64_t before = upkeep().status().trees;
    static_cast<void>(upkeep().Step(net_.now_us));
    net_.now_us = upkeep().NextDeadlineUs();
    while (upkeep().status().trees != before + 2) {
        ASSERT_TRUE(upkeep().Step(net_.now_us));
    }
    net_.Join(GroupId(1), 7);
    net_.Join(GroupId(4), 7);
    net_.Join(GroupId(4), 6);
    net_.Work();
    EXPECT_EQ(rounds(), 2U);
    EXPECT_EQ(upkeep().status().trees, before + 4);
    EXPECT_EQ(net_.Hearers(7, net_.MlidOf(GroupId(4))), Hosts{6});
    EXPECT_EQ(net_.Hearers(7, net_.MlidOf(GroupId(1))), Hosts{});
    net_.Advance(20 * kMs);
    EXPECT_EQ(rounds(), 3U);
    EXPECT_EQ(upkeep().status().trees, before + 5);
    EXPECT_EQ(net_.Hearers(7, net_.MlidOf(GroupId(1))), Hosts{0});
}

TEST_F(MulticastUpkeepTest, APauseOwesTheRestOfTheRound) {
    JoinAll(kGroup);
    BeginRoundUnanswered();
    ASSERT_EQ(net_.port.sent.size(), 4U) << "as many as the window admits";
    net_.Serve(2);
    upkeep().Pause();
    EXPECT_EQ(net_.exchange.in_flight(), 0U);
    net_.Serve(1);           // Taken, and answered too late.
    net_.port.sent.clear();  // Lost.
    EXPECT_FALSE(upkeep().status().is_settled);
    EXPECT_EQ(upkeep().NextDeadlineUs(), kNever);
    net_.Join(kOther, 3);
    net_.Advance(10 * kSecond);
    EXPECT_EQ(rounds(), 2U) << "none begins while a sweep is under way";
    EXPECT_EQ(net_.Sets(), 3U);
    net_.seen.clear();
    upkeep().Observe(false);
    EXPECT_FALSE(upkeep().status().is_settled);
    net_.Resume();
    EXPECT_EQ(upkeep().NextDeadlineUs(), net_.now_us) << "a sweep is followed at once";
    net_.Leave(kOther, 3);
    net_.Advance(20 * kMs);
    EXPECT_TRUE(upkeep().status().is_settled);
    EXPECT_EQ(net_.Hearers(2, net_.MlidOf(kGroup)), (Hosts{0, 1, 3, 4, 5, 6, 7}));
    // Both that were not acknowledged are read; the lost one and the fifth are written.
    EXPECT_EQ(net_.Gets(), 2U);
    EXPECT_EQ(net_.Sets(), 2U);
}

TEST_F(MulticastUpkeepTest, ACorrectionBeginsARoundAtOnce) {
    net_.Join(kGroup, 0);
    net_.Join(kGroup, 7);
    ASSERT_TRUE(net_.Settle());
    net_.Advance(10 * kSecond);
    net_.seen.clear();
    const SwitchIndex at = net_.SwitchAt(kFirstLeaf);
    net_.SetMask(at, net_.MlidOf(kGroup), 0x0004);
    ASSERT_NE(net_.Hearers(7, net_.MlidOf(kGroup)), Hosts{0});
    MftTables::Block content{};
    content[Raw(net_.MlidOf(kGroup))] = 0x0004;
    const MftTables& tables = upkeep().tables();
    upkeep().Correct(tables.BlockAt(0, tables.run(at).first), content, net_.now_us);
    EXPECT_EQ(upkeep().NextDeadlineUs(), net_.now_us);
    EXPECT_FALSE(upkeep().status().is_settled);
    net_.Work();
    EXPECT_EQ(rounds(), 3U);
    EXPECT_EQ(net_.Hearers(7, net_.MlidOf(kGroup)), Hosts{0});
    ASSERT_EQ(net_.Sets(), 1U);
    EXPECT_EQ(net_.seen.front().at, at);
    EXPECT_TRUE(upkeep().status().is_settled);
}

TEST_F(MulticastUpkeepTest, TheHighestBlockInUseIsToldToSwitchesThatKnowIt) {
    const auto top = [this](std::uint32_t node) {
        return net_.hardware(net_.SwitchAt(node)).info.Get(SwitchInfo::kMulticastFdbTop);
    };
    EXPECT_EQ(net_.Asked(Method::kSet, AttributeId::kSwitchInfo).size(), kSwitches);
    for (std::uint32_t node = kFirstLeaf; node < kFirstLeaf + kSwitches; ++node) {
        EXPECT_EQ(top(node), Lid{0xBFFF}) << "IBA vol. 1, 14.2.5.4: no entry is in use";
    }
    net_.seen.clear();
    net_.Join(kGroup, 0);
    net_.Join(kGroup, 1);
    ASSERT_TRUE(net_.Settle());
    EXPECT_EQ(net_.Asked(Method::kSet, AttributeId::kSwitchInfo).size(), 1U);
    EXPECT_EQ(top(kFirstLeaf), Lid{0xC01F});
    // Another run of the subnet manager reads that it is right.
    net_.seen.clear();
    upkeep().Pause();
    upkeep().Observe(true);
    net_.Resume();
    ASSERT_TRUE(net_.Settle());
    EXPECT_EQ(net_.Asked(Method::kSet, AttributeId::kSwitchInfo).size(), 0U);
    net_.settings.use_mfttop = false;
    net_.Join(kGroup, 7);
    ASSERT_TRUE(net_.Settle());
    EXPECT_EQ(top(kLastLeaf), Lid{0xBFFF});
}

/// A switch whose top is 0xBFFF drops all multicast. A sweep has read that top.
TEST_F(MulticastUpkeepTest, AHighestBlockThatASwitchHasLostIsToldAgain) {
    net_.Join(kGroup, 0);
    net_.Join(kGroup, 1);
    ASSERT_TRUE(net_.Settle());
    const SwitchIndex at = net_.SwitchAt(kFirstLeaf);
    const auto& top = SwitchInfo::kMulticastFdbTop;
    ASSERT_EQ(net_.hardware(at).info.Get(top), Lid{0xC01F});
    net_.hardware(at).info.Set(top, Lid{0xBFFF});
    net_.fabric().switch_row(at).info.Set(top, Lid{0xBFFF});
    upkeep().Pause();
    upkeep().Observe(false);
    net_.Resume();
    ASSERT_TRUE(net_.Settle());
    EXPECT_EQ(net_.hardware(at).info.Get(top), Lid{0xC01F});
}

}  // namespace
}  // namespace ember::multicast_upkeep
