// SPDX-License-Identifier: Apache-2.0
// EmberSM: the fabric that `make run` shows.
//
// Goal:   320 switches and 1,024 hosts come up on the bench board, with no more SMPs than discovery
//         and set-up need.
// Method: counted where they arrive. NodeInfo: one for the own node and one a cable end of a switch
//         that leads elsewhere, less the way back, is the least; the bound here is one a cable end.
#include <gtest/gtest.h>

#include "board/linux_bench/profile.h"
#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

TEST(Large, TheDefaultFabricComesUpOnTheBenchBoard) {
    const net::Netlist net = net::FatTree3(16);
    SimWorld world(net);
    world.AddManager<kLinuxBench>();
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "");
    EXPECT_EQ(world.sm().status().nodes, 1344U);
    EXPECT_EQ(world.sm().status().switches, 320U);
    EXPECT_EQ(world.sm().status().links, 3072U);
    const sim::Counters& sent = world.sim().counters();
    EXPECT_LE(sent.Gets(AttributeId::kNodeInfo), 1 + 2 * net.link_count());
    EXPECT_EQ(sent.Gets(AttributeId::kNodeDescription), 1344U);
    EXPECT_EQ(sent.Gets(AttributeId::kSwitchInfo), 320U);
    // A host is asked again with the extended modifier, once it has said that it knows it.
    EXPECT_EQ(sent.Gets(AttributeId::kPortInfo), 320U * 17 + 2 * 1024U);
    EXPECT_EQ(sent.Sets(AttributeId::kLinearForwardingTable), 320U * 22);  // 1,344 LIDs.
}

}  // namespace
}  // namespace ember::testing
