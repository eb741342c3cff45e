// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of nodes that claim the GUID or the place of another.

#include "core/discovery/claims.h"

#include <gtest/gtest.h>

#include "tests/core/discovery/discovery_fixture.h"

namespace ember {
namespace {

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

/// Claims by themselves, over the triangle as sweeps found it.
class ClaimsTest : public DiscoveryTest {
protected:
    ClaimsTest() {
        Sweep();
        queue_.Begin(scratch_.arena());
        outcome_.sweep = discovery_.sweep() + 1;
    }

    [[nodiscard]] Probe Crossing(std::uint32_t node, unsigned number) {
        return {.kind = Probe::Kind::kCross, .port = fabric_.IndexOf(Found(node, number))};
    }
    /// What a node says by its port 1.
    [[nodiscard]] NodeInfo Says(std::uint32_t node) {
        NodeInfo info;
        const Node& row = fabric_.node(Found(node, 1).node);
        info.Set(NodeInfo::kNodeType, row.type);
        info.Set(NodeInfo::kNodeGuid, row.guid);
        info.Set(NodeInfo::kNumPorts, row.port_count);
        info.Set(NodeInfo::kLocalPortNum, PortNumber{1});
        info.Set(NodeInfo::kPortGuid, fabric_.port(row.first_port).guid);
        return info;
    }

    SweepOutcome outcome_;
    SweepNotes notes_{fabric_, log_, outcome_};
    ProbeQueue queue_{kSweptBoard, outcome_};
    Claims claims_{{fabric_, queue_, notes_, outcome_}};
};

TEST_F(ClaimsTest, WaitForTheOldPlaceOnce) {
    EXPECT_FALSE(claims_.MustWait(Crossing(kLeft, 3), Says(kHost))) << "its old place";
    Probe elsewhere = Crossing(kNear, 4);
    EXPECT_TRUE(claims_.MustWait(elsewhere, Says(kHost)));
    elsewhere.cursor |= Probe::kWaited;
    EXPECT_FALSE(claims_.MustWait(elsewhere, Says(kHost)));
    NodeInfo stranger = Says(kHost);
    stranger.Set(NodeInfo::kNodeGuid, Guid{0x99});
    stranger.Set(NodeInfo::kPortGuid, Guid{0x9A});
    EXPECT_FALSE(claims_.MustWait(Crossing(kNear, 4), stranger));
    stranger.Set(NodeInfo::kPortGuid, fabric_.port(fabric_.IndexOf(Found(kHost, 1))).guid);
    EXPECT_TRUE(claims_.MustWait(Crossing(kNear, 4), stranger)) << "another node, the same port";
}

TEST_F(ClaimsTest, ToAPortGuidAreRefusedAndNotedOnce) {
    NodeInfo stranger = Says(kHost);
    EXPECT_FALSE(claims_.IsNamesake(Crossing(kNear, 4), stranger, now_us_));
    stranger.Set(NodeInfo::kNodeGuid, Guid{0x99});
    for (int time = 0; time < 2; ++time)
        EXPECT_TRUE(claims_.IsNamesake(Crossing(kNear, 4), stranger, now_us_));
    EXPECT_EQ(outcome_.conflicts, 2U);
    EXPECT_EQ(log_.CountOf(Note::kDuplicateGuid), 1U);
}

TEST_F(ClaimsTest, ToALinkAreLookedAtThreeTimes) {
    const PortIndex far = fabric_.IndexOf(Found(kLeft, 3));
    const PortIndex rival = fabric_.port(far).peer;
    Probe probe = Crossing(kNear, 4);
    for (std::uint8_t tries = 1; tries <= 3; ++tries) {
        fabric_.port(far).linked = outcome_.sweep;
        claims_.Conflict(probe, far, now_us_);
        ASSERT_TRUE(queue_.has_next());
        EXPECT_EQ(queue_.Pop().port, rival);
        probe = queue_.Pop();
        EXPECT_EQ(probe.port, Crossing(kNear, 4).port);
        EXPECT_EQ(probe.cursor, tries);
        EXPECT_EQ(outcome_.conflicts + outcome_.refused, 0U);
    }
    fabric_.port(far).linked = outcome_.sweep;
    claims_.Conflict(probe, far, now_us_);
    EXPECT_FALSE(queue_.has_next());
    EXPECT_EQ(outcome_.conflicts + outcome_.refused, 1U);
    EXPECT_EQ(fabric_.port(far).peer, rival);
}

/// A host had said that it has the PortGUID of a switch.
TEST_F(ClaimsTest, ToTheNameOfASwitchCostAHostItsPlace) {
    const NodeIndex left = Found(kLeft, 0).node;
    const PortIndex host = fabric_.IndexOf(Found(kHost, 1));
    const PortIndex management = fabric_.node(left).first_port;
    const Guid name = fabric_.port(management).guid;
    fabric_.UnnamePort(management);
    fabric_.UnnamePort(host);
    ASSERT_TRUE(fabric_.NamePort(host, name));
    claims_.NameSwitch(left, name, now_us_);
    EXPECT_EQ(fabric_.FindPort(name), management);
    EXPECT_EQ(fabric_.port(host).peer, kNoPortIndex);
    EXPECT_EQ(fabric_.node(fabric_.port(host).node).seen, 0U);
    EXPECT_TRUE(outcome_.unsettled);
    EXPECT_EQ(outcome_.conflicts, 1U);
}

}  // namespace
}  // namespace ember
