// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how a light sweep knocks where a link has no known peer.
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "tests/core/discovery/light_sweep_fixture.h"

namespace ember::light_sweep {
namespace {

TEST_F(LightSweepTest, KnocksBehindEachSwitchPortThatHasALinkAndNoKnownPeer) {
    SetState(kNear, 4, PortState::kInitialize);
    SetState(kNear, 5, PortState::kArmed);
    SetState(kFar, 6, PortState::kActive);
    SetState(kFar, 7, PortState::kActive);
    fabric().port(PortOf(kFar, 7)).has_info = false;
    SetState(kHost, 2, PortState::kInitialize);  // No path leads through a host.
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), (Sentences{"SwitchInfo 1", "SwitchInfo 1.2", "NodeInfo 1.4", "NodeInfo 1.5",
                                  "NodeInfo 1.2.6"}));
}

TEST_F(LightSweepTest, KnocksAtOurOwnPortIfItsPeerIsNotKnown) {
    LoseOwnLink();
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"NodeInfo 1"}) << "no path leads to the switches";
    Reply("NodeInfo 1", InfoOf(NodeType::kSwitch, NodeAt(kNear).guid, 8));
    EXPECT_EQ(sweep_.outcome().awoken, 1U);
}

TEST_F(LightSweepTest, ANodeThatAnswersAtLastIsAwoken) {
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, kStranger, 1)), 1U);
}

TEST_F(LightSweepTest, SilenceAndRefusalBehindSuchAPortAreNoNews) {
    SetState(kNear, 4, PortState::kInitialize);
    SetState(kNear, 5, PortState::kInitialize);
    sweep_.Begin(now_us_);
    ReplyOfSwitches();
    Reply("NodeInfo 1.4", InfoOf(NodeType::kSwitch, kStranger, 4), kRefusal);
    RunToEnd();
    EXPECT_FALSE(sweep_.outcome().wants_heavy());
}

TEST_F(LightSweepTest, ANodeForWhichTheBoardHasNoRoomIsNewsUntilThatWasTold) {
    const NodeInfo info = InfoOf(NodeType::kChannelAdapter, kStranger, 1);
    ASSERT_FALSE(fabric().HasRoomFor(info)) << "the board just holds the netlist";
    EXPECT_EQ(AwokenBy(info), 1U);
    ASSERT_EQ(fabric().AddNode(info).status(), Status::kFull);
    EXPECT_EQ(AwokenBy(info), 0U);
}

TEST_F(LightSweepTest, AKnownNodeIsNewsIfItsPortHasNoLinkYet) {
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, NodeAt(kHost).guid, 2, 2)), 1U);
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, NodeAt(kHost).guid, 2, 1)), 0U)
        << "a GUID that is taken";
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, NodeAt(kHost).guid, 2, 3)), 1U)
        << "it has no such port";
}

TEST_F(LightSweepTest, ASwitchBehindAnEdgePortIsNoNewsButAHostIs) {
    const std::array listed = {SwitchPort{NodeAt(kFar).guid, PortNumber{5}}};
    settings_.manager_tables.edge_ports = listed;
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, kStranger, 4)), 0U);
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, kStranger, 1)), 1U);
}

TEST_F(LightSweepTest, ASwitchThatShowsAnEdgePortOfItsOwnIsNoNews) {
    const std::array listed = {SwitchPort{NodeAt(kNear).guid, PortNumber{7}}};
    settings_.manager_tables.edge_ports = listed;
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, NodeAt(kNear).guid, 8, 7)), 0U);
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, NodeAt(kNear).guid, 8, 6)), 1U);
}

TEST_F(LightSweepTest, ANodeBehindAnUntrustedSwitchIsNoNews) {
    fabric().port(PortOf(kFar, 5)).had_end_node = true;
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, kStranger, 4)), 1U) << "where a host was";
    fabric().port(PortOf(kNear, 2)).had_end_node = true;
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, kStranger, 4)), 0U);
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, kStranger, 1)), 0U);
}

TEST_F(LightSweepTest, SilenceBehindALinkIsCountedButNotBehindAnUntrustedSwitch) {
    SetState(kNear, 4, PortState::kInitialize);
    SetState(kFar, 5, PortState::kInitialize);
    for (const bool is_trusted : {true, false}) {
        fabric().port(PortOf(kNear, 2)).had_end_node = !is_trusted;
        sweep_.Begin(now_us_);
        ReplyOfSwitches();
        RunToEnd();
        EXPECT_EQ(sweep_.outcome().mute, is_trusted ? 2U : 1U);
        EXPECT_FALSE(sweep_.outcome().wants_heavy());
    }
}

/// The M_Keys with which the node behind port 4 of `near` is asked in one sweep, one after another.
/// A node that fell silent there had a key that no rule tells any more, and 8 others have left.
TEST_F(LightSweepTest, KnocksTakeTurnsThroughTheKeysThatASweepWouldTry) {
    constexpr std::uint64_t kOld = 0x01D;
    constexpr std::uint64_t kFirst = 0xFF00;
    settings_.m_key = 0x5EC2E7;
    settings_.m_key_per_port = true;
    SetState(kNear, 4, PortState::kActive);
    fabric().RememberSilentPeer({.exit_node = NodeAt(kNear).guid,
                                 .exit_port = PortNumber{4},
                                 .port = kStranger,
                                 .m_key = kOld});
    for (std::uint64_t i = 0; i < 8; ++i) {
        fabric().RememberDeparted(
            {.guids = {Guid{0x900 + i}, Guid{0x900 + i}}, .m_keys = {0, kFirst + i}});
    }
    std::set<std::uint64_t> tried;
    for (int sweep = 0; sweep < 8; ++sweep) {
        port_.sent.clear();
        std::vector<std::uint64_t> keys;
        sweep_.Begin(now_us_);
        ReplyOfSwitches();
        for (int turns = 0; turns < 1000 && !sweep_.done(); ++turns) {
            for (const Envelope& one : port_.sent) {
                const auto smp = std::bit_cast<DirectedSmp>(one.mad);
                const std::uint64_t key{smp.m_key};
                if (Words(one) == "NodeInfo 1.4" && (keys.empty() || keys.back() != key)) {
                    keys.push_back(key);
                }
            }
            port_.sent.clear();
            now_us_ += 1000;
            Answer answer;
            while (exchange_.Expire(now_us_, answer))
                sweep_.Hear(answer, now_us_);
        }
        ASSERT_TRUE(sweep_.done());
        ASSERT_EQ(keys.size(), 4U);
        EXPECT_EQ(keys[0], kOld) << "the likeliest each time";
        tried.insert(keys.begin(), keys.end());
    }
    EXPECT_TRUE(tried.contains(MKeyFrom(RuleOf(settings_), kStranger)));
    for (std::uint64_t i = 0; i < 8; ++i) {
        EXPECT_TRUE(tried.contains(kFirst + i)) << i;
    }
    EXPECT_EQ(tried.size(), keys_.TurnsBeyond(PortOf(kNear, 4)));
}

/// The heavy sweep that follows does not wait for the turn of each key that comes before.
TEST_F(LightSweepTest, TheKeyToWhichASilentNodeAnswersIsTriedFirstFromThenOn) {
    settings_.m_key = 0x5EC2E7;
    settings_.m_key_per_port = true;
    SetState(kNear, 4, PortState::kActive);
    fabric().RememberSilentPeer(
        {.exit_node = NodeAt(kNear).guid, .exit_port = PortNumber{4}, .m_key = 0x01D});
    for (std::uint64_t i = 0; i < 8; ++i) {
        fabric().RememberDeparted(
            {.guids = {Guid{0x900 + i}, Guid{0x900 + i}}, .m_keys = {0, 0xFF00 + i}});
    }
    NodeInfo info = InfoOf(NodeType::kChannelAdapter, kStranger, 1);
    info.Set(NodeInfo::kPortGuid, kStranger);
    std::uint64_t answered = 0;
    sweep_.Begin(now_us_);
    ReplyOfSwitches();
    while (!sweep_.done()) {  // Ends: the fourth knock is the last.
        const auto smp = std::bit_cast<DirectedSmp>(port_.sent.back().mad);
        if (smp.m_key >= 0xFF00 && smp.m_key < 0xFF08) {
            answered = smp.m_key;
            Reply("NodeInfo 1.4", info);
            break;
        }
        port_.sent.clear();
        RunToNextQuestion();
    }
    ASSERT_NE(answered, 0U) << "a key was tried that is not the likeliest";
    EXPECT_EQ(sweep_.outcome().awoken, 1U);
    EXPECT_EQ(keys_.KeyBeyond(PortOf(kNear, 4), 0).value(), answered);
    EXPECT_EQ(fabric().silent_peers().Find(NodeAt(kNear).guid, PortNumber{4})->port, kStranger);
}

}  // namespace
}  // namespace ember::light_sweep
