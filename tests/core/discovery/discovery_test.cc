// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what sweeps ask, find, and keep.

#include "core/discovery/discovery.h"

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

TEST_F(DiscoveryTest, EndsAtOurOwnPortWhenThatIsDown) {
    Sweep();
    TakeCableOut(kOwn, 1);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_TRUE(outcome.own_port_down);
    EXPECT_FALSE(outcome.cut_off);
    EXPECT_EQ(fabric_.node_count(), 1U);
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
