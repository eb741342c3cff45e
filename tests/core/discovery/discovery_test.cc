// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what sweeps ask, find, and keep.

#include "core/discovery/discovery.h"

#include <array>
#include <gtest/gtest.h>

#include "tests/core/discovery/discovery_fixture.h"

namespace ember {
namespace {

TEST_F(DiscoveryTest, AsksForEachNodePortAndLinkOnce) {
    settings_.max_wire_smps = 1;
    exchange_.Configure(settings_);
    Sweep();
    EXPECT_EQ(Asked(AttributeId::kNodeInfo), 1 + kLinks);
    EXPECT_EQ(Asked(AttributeId::kNodeDescription), kNodes);
    EXPECT_EQ(Asked(AttributeId::kSwitchInfo), kSwitches);
    EXPECT_EQ(Asked(AttributeId::kPortInfo), kSwitches * 5 + 3) << "port 0 too, and the hosts'";
    EXPECT_EQ(exchange_.statistics().sent, 1 + kLinks + kNodes + kSwitches + kSwitches * 5 + 3);
}

TEST_F(DiscoveryTest, AsksTwiceForALinkWhoseEndsAskAtTheSameTime) {
    Sweep();
    EXPECT_EQ(Asked(AttributeId::kNodeInfo), 1 + kLinks + 1) << "the link of left and right";
    EXPECT_EQ(fabric_.CountLinks(), kLinks);
}

TEST_F(DiscoveryTest, FindsTheSubnetAsItIs) {
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.nodes_gained, kNodes);
    EXPECT_EQ(outcome.silent + outcome.conflicts + outcome.refused + outcome.shut, 0U);
    EXPECT_FALSE(outcome.unsettled || outcome.cut_off || outcome.own_port_down);
    EXPECT_EQ(fabric_.node_count(), kNodes);
    EXPECT_EQ(fabric_.switch_count(), kSwitches);
    EXPECT_EQ(fabric_.CountLinks(), kLinks);
    EXPECT_EQ(PeerOf(kOwn, 1), NameOf(GuidOf(kNear), 1));
    EXPECT_EQ(PeerOf(kNear, 2), NameOf(GuidOf(kLeft), 1));
    EXPECT_EQ(PeerOf(kNear, 3), NameOf(GuidOf(kRight), 1));
    EXPECT_EQ(PeerOf(kLeft, 2), NameOf(GuidOf(kRight), 2));
    EXPECT_EQ(PeerOf(kHost, 1), NameOf(GuidOf(kLeft), 3));
    EXPECT_EQ(PeerOf(kOther, 1), NameOf(GuidOf(kRight), 3));
    EXPECT_EQ(PeerOf(kNear, 4), "");
    EXPECT_EQ(fabric_.node(Found(kHost, 1).node).description[0], 'h');
}

TEST_F(DiscoveryTest, ASecondSweepOfTheSameSubnetFindsNothingNew) {
    Sweep();
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.sweep, 2U);
    EXPECT_EQ(outcome.nodes_gained + outcome.nodes_lost + outcome.links_changed, 0U);
    EXPECT_FALSE(outcome.unsettled);
}

TEST_F(DiscoveryTest, DropsANodeWhoseLastLinkIsDown) {
    Sweep();
    TakeCableOut(kHost, 1);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.nodes_lost, 1U);
    EXPECT_EQ(outcome.links_changed, 1U);
    EXPECT_FALSE(Knows(kHost));
    EXPECT_EQ(PeerOf(kLeft, 3), "");
    EXPECT_EQ(fabric_.CountLinks(), kLinks - 1);
}

TEST_F(DiscoveryTest, FindsAnotherPathToASwitchThatLostALink) {
    Sweep();
    TakeCableOut(kLeft, 1);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.nodes_lost, 0U);
    EXPECT_EQ(outcome.links_changed, 1U);
    DirectedPath path;
    ASSERT_EQ(fabric_.PathTo(fabric_.FindPort(GuidOf(kLeft)), path), Status::kOk);
    EXPECT_EQ(path.hops, 3);
    EXPECT_EQ(path.ports[1], 3) << "through the third switch";
}

TEST_F(DiscoveryTest, LeavesOutANeighborThatNeverAnswered) {
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kHost); };
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.silent, 1U);
    EXPECT_FALSE(outcome.unsettled) << "the light sweep asks it again";
    EXPECT_FALSE(Knows(kHost));
    EXPECT_EQ(fabric_.node_count(), kNodes - 1);
    EXPECT_EQ(exchange_.statistics().resent, 2U) << "three tries";
}

TEST_F(DiscoveryTest, IsUnsettledByASwitchThatAnswersAndThenStops) {
    is_silent = [&](Guid guid, AttributeId attribute) {
        return guid == GuidOf(kRight) && attribute == AttributeId::kSwitchInfo;
    };
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_TRUE(outcome.unsettled);
    EXPECT_FALSE(outcome.cut_off);
    EXPECT_FALSE(Knows(kRight)) << "a new switch without answers cannot be managed";
    EXPECT_TRUE(Knows(kLeft));
}

TEST_F(DiscoveryTest, ChangesNothingWhenOurNeighborIsSilentThoughOurLinkIsUp) {
    Sweep();
    const std::uint64_t before = exchange_.statistics().sent;
    is_silent = [&](Guid guid, AttributeId) { return guid != GuidOf(kOwn); };
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_TRUE(outcome.cut_off);
    EXPECT_FALSE(outcome.own_port_down);
    EXPECT_EQ(outcome.nodes_lost, 0U);
    EXPECT_EQ(fabric_.node_count(), kNodes);
    EXPECT_EQ(fabric_.CountLinks(), kLinks);
    EXPECT_EQ(exchange_.statistics().sent - before, 3U + 10U) << "ten tries of the neighbor";
}

TEST_F(DiscoveryTest, IsCutOffByANeighborThatTellsItsNameOnly) {
    Sweep();
    is_silent = [&](Guid guid, AttributeId attribute) {
        return guid == GuidOf(kNear) && attribute == AttributeId::kSwitchInfo;
    };
    EXPECT_TRUE(Sweep().cut_off);
    EXPECT_EQ(fabric_.node_count(), kNodes);
}

TEST_F(DiscoveryTest, EndsAtOurOwnPortWhenThatIsDown) {
    Sweep();
    TakeCableOut(kOwn, 1);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_TRUE(outcome.own_port_down);
    EXPECT_FALSE(outcome.cut_off);
    EXPECT_EQ(fabric_.node_count(), 1U);
}

TEST_F(DiscoveryTest, ATargetedSweepAsksOneSwitchAndWhatIsNewBehindIt) {
    TakeCableOut(kHost, 1);
    Sweep();
    ASSERT_FALSE(Knows(kHost));
    PutCableIn(kLeft, 3, kHost, 1);
    answers_of.clear();
    const std::array targets = {fabric_.node(Found(kLeft, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    const Discovery::Outcome& outcome = RunToEnd();
    EXPECT_TRUE(outcome.targeted);
    EXPECT_FALSE(outcome.unsettled);
    EXPECT_EQ(outcome.nodes_gained, 1U);
    EXPECT_EQ(PeerOf(kHost, 1), NameOf(GuidOf(kLeft), 3));
    EXPECT_EQ(fabric_.node_count(), kNodes) << "no other node is lost";
    EXPECT_EQ((answers_of[{GuidOf(kHost), AttributeId::kNodeInfo}]), 1);
    EXPECT_GE((answers_of[{GuidOf(kLeft), AttributeId::kPortInfo}]), 4);
    for (const std::uint32_t node : {kNear, kRight, kOther})
        EXPECT_EQ((answers_of[{GuidOf(node), AttributeId::kPortInfo}]), 0) << node;
}

TEST_F(DiscoveryTest, ATargetedSweepIsVoidWhenASwitchBecomesSilent) {
    Sweep();
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kLeft); };
    const std::array targets = {fabric_.node(Found(kLeft, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    const Discovery::Outcome& outcome = RunToEnd();
    EXPECT_TRUE(outcome.unsettled) << "a heavy sweep is needed";
    EXPECT_EQ(outcome.nodes_lost, 0U);
    EXPECT_TRUE(Knows(kLeft));
    EXPECT_TRUE(Knows(kHost));
}

TEST_F(DiscoveryTest, ATargetedSweepIsVoidWhenAKnownHostIsSilentBehindALinkThatTrained) {
    Sweep();
    TakeCableOut(kHost, 1);
    PutCableIn(kLeft, 3, kHost, 1);
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kHost); };
    const std::array targets = {fabric_.node(Found(kLeft, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    EXPECT_TRUE(RunToEnd().unsettled);
    EXPECT_TRUE(Knows(kHost));
}

TEST_F(DiscoveryTest, ATargetedSweepFindsAnotherPathToASwitchThatLostALink) {
    Sweep();
    TakeCableOut(kLeft, 1);
    const std::array targets = {fabric_.node(Found(kNear, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    const Discovery::Outcome& outcome = RunToEnd();
    EXPECT_FALSE(outcome.unsettled);
    EXPECT_EQ(outcome.nodes_lost, 0U);
    EXPECT_EQ(PeerOf(kNear, 2), "");
    DirectedPath path;
    ASSERT_EQ(fabric_.PathTo(fabric_.FindPort(GuidOf(kLeft)), path), Status::kOk);
    EXPECT_EQ(path.hops, 3) << "through the third switch";
}

TEST_F(DiscoveryTest, ATargetedSweepSeesThatASwitchIsGoneWithAllItsLinks) {
    Sweep();
    TakeCableOut(kLeft, 1);
    TakeCableOut(kLeft, 2);
    const std::array targets = {fabric_.node(Found(kNear, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    const Discovery::Outcome& outcome = RunToEnd();
    EXPECT_TRUE(outcome.unsettled) << "its neighbor was asked for the other link";
    EXPECT_EQ(outcome.nodes_lost, 0U) << "only a heavy sweep reports that";
    EXPECT_EQ(Sweep().nodes_lost, 2U);
}

TEST_F(DiscoveryTest, FindsANodeWhoseCableWasMoved) {
    Sweep();
    TakeCableOut(kOther, 1);
    PutCableIn(kNear, 4, kOther, 1);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(PeerOf(kOther, 1), NameOf(GuidOf(kNear), 4));
    EXPECT_EQ(PeerOf(kRight, 3), "");
    EXPECT_EQ(outcome.nodes_lost + outcome.refused, 0U);
}

/// A host nearer to the manager says that it is the host on the left.
TEST_F(DiscoveryTest, ANodeThatAnswersAtItsOldPlaceKeepsItsGuid) {
    TakeCableOut(kOther, 1);
    PutCableIn(kNear, 4, kOther, 1);
    Sweep();
    ASSERT_EQ(PeerOf(kOther, 1), NameOf(GuidOf(kNear), 4));
    claims[GuidOf(kOther)] = GuidOf(kHost);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.refused, 1U);
    EXPECT_EQ(outcome.conflicts, 0U);
    EXPECT_EQ(PeerOf(kHost, 1), NameOf(GuidOf(kLeft), 3));
    EXPECT_EQ(PeerOf(kNear, 4), "");
    EXPECT_FALSE(Knows(kOther));
}

TEST_F(DiscoveryTest, ANodeThatDoesNotAnswerAtItsOldPlaceIsMoved) {
    Sweep();
    claims[GuidOf(kOther)] = GuidOf(kHost);
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kHost); };
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.refused, 0U);
    EXPECT_EQ(PeerOf(kHost, 1), NameOf(GuidOf(kRight), 3));
    EXPECT_EQ(PeerOf(kLeft, 3), "");
}

TEST_F(DiscoveryTest, OfTwoNewNodesWithOneGuidOneIsTakenInAndTheConflictCounted) {
    claims[GuidOf(kOther)] = GuidOf(kHost);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.conflicts, 1U);
    for (const std::uint32_t node : {kHost, kOther})
        EXPECT_EQ((answers_of[{GuidOf(node), AttributeId::kNodeInfo}]), 1 + 3) << "asked again";
    EXPECT_EQ(fabric_.node_count(), kNodes - 1);
    EXPECT_NE(PeerOf(kHost, 1), "");
}

TEST_F(DiscoveryTest, WaitsForALateHostFiftyMillisecondsUnlessHurried) {
    Sweep();
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kHost); };
    settings_.transaction_timeout = 200;
    exchange_.Configure(settings_);
    discovery_.Begin(now_us_);
    ServeAll();
    EXPECT_FALSE(discovery_.done());
    const std::uint64_t soon_us = now_us_ + exchange_.linger_us();
    ASSERT_EQ(soon_us, now_us_ + 5000);
    EXPECT_FALSE(discovery_.MayEndEarly(soon_us - 1, true));
    EXPECT_TRUE(discovery_.MayEndEarly(soon_us, true));
    EXPECT_FALSE(discovery_.MayEndEarly(now_us_ + 49'999, false));
    EXPECT_TRUE(discovery_.MayEndEarly(now_us_ + 50'000, false));
    EXPECT_EQ(discovery_.NextDeadlineUs(now_us_), soon_us);
    EXPECT_EQ(discovery_.NextDeadlineUs(soon_us), now_us_ + 50'000);
    const Discovery::Outcome outcome = discovery_.Finish(now_us_ + 50'000, events_);
    EXPECT_EQ(outcome.late, 1U);
    EXPECT_EQ(outcome.silent, 0U);
    EXPECT_EQ(outcome.nodes_lost, 0U);
    EXPECT_EQ(PeerOf(kHost, 1), NameOf(GuidOf(kLeft), 3)) << "a late host stays as it was";
}

TEST_F(DiscoveryTest, TheFirstSweepAndALeisurelyOneWaitForAllHosts) {
    is_silent = [&](Guid guid, AttributeId attribute) {
        return guid == GuidOf(kHost) && attribute == AttributeId::kPortInfo;
    };
    settings_.transaction_timeout = 200;
    exchange_.Configure(settings_);
    for (const bool is_first : {true, false}) {
        discovery_.Begin(now_us_);
        if (!is_first) discovery_.TakeTime();
        ServeAll();
        EXPECT_FALSE(discovery_.done());
        EXPECT_FALSE(discovery_.MayEndEarly(now_us_ + 100'000, false)) << is_first;
        EXPECT_TRUE(discovery_.MayEndEarly(now_us_ + 100'000, true)) << is_first;
        RunToEnd();
    }
}

TEST_F(DiscoveryTest, AnAbandonedSweepKeepsWhatWasLearntAndTheNextOneIsWhole) {
    discovery_.Begin(now_us_);
    discovery_.Abandon();
    EXPECT_EQ(exchange_.in_flight(), 0U);
    port_.sent.clear();
    EXPECT_EQ(Sweep().nodes_gained, kNodes);
    EXPECT_EQ(scratch_.arena().used_bytes(), 0U);
}

}  // namespace
}  // namespace ember
