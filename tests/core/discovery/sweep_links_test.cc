// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of links that sweeps find and give up.

#include "core/discovery/sweep_links.h"

#include <gtest/gtest.h>

#include "tests/core/discovery/discovery_fixture.h"

namespace ember {
namespace {

TEST_F(DiscoveryTest, FindsANodeWhoseCableWasMoved) {
    Sweep();
    TakeCableOut(kOther, 1);
    PutCableIn(kNear, 4, kOther, 1);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(PeerOf(kOther, 1), NameOf(GuidOf(kNear), 4));
    EXPECT_EQ(PeerOf(kRight, 3), "");
    EXPECT_EQ(outcome.nodes_lost + outcome.refused, 0U);
}

TEST_F(DiscoveryTest, RemembersBehindWhichPortsOfSwitchesEndNodesWere) {
    Sweep();
    EXPECT_TRUE(Found(kLeft, 3).had_end_node);
    EXPECT_FALSE(Found(kLeft, 2).had_end_node);
    TakeCableOut(kHost, 1);
    Sweep();
    EXPECT_TRUE(Found(kLeft, 3).had_end_node) << "a host may come back there as a switch";
}

TEST_F(DiscoveryTest, RemembersTheKeyOfANodeThatIsSilentBehindALinkThatIsUp) {
    Sweep();
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kHost); };
    EXPECT_EQ(Sweep().links_lost, 1U);
    EXPECT_NE(fabric_.silent_peers().Find(GuidOf(kLeft), PortNumber{3}), nullptr);
    TakeCableOut(kOther, 1);
    EXPECT_EQ(Sweep().links_lost, 1U);
    EXPECT_EQ(fabric_.silent_peers().Find(GuidOf(kRight), PortNumber{3}), nullptr)
        << "that port says that its link is down";
}

TEST_F(DiscoveryTest, CountsALinkThatIsInInitAgainAsRetrained) {
    Sweep();
    const PortIndex at = world().PortOf(built_.node(kLeft), PortNumber{2});
    for (const PortIndex end : {at, world().port(at).peer})
        world().port(end).info.Set(PortInfo::kPortState, PortState::kInitialize);
    flapping_.BeginSweep(true);
    const Discovery::Outcome& outcome = Sweep();
    EXPECT_EQ(outcome.links_retrained, 1U);
    EXPECT_EQ(outcome.links_lost, 0U);
    EXPECT_EQ(log_.CountOf(Note::kLinkRetrained), 1U);
}

}  // namespace
}  // namespace ember
