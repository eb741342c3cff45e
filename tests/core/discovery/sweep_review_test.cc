// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of which nodes and links outlast a sweep.

#include "core/discovery/sweep_review.h"

#include <gtest/gtest.h>

#include "tests/core/discovery/discovery_fixture.h"

namespace ember {
namespace {

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

}  // namespace
}  // namespace ember
