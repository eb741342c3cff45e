// SPDX-License-Identifier: Apache-2.0
// EmberSM: one subnet manager brings up a healthy fabric.
//
// Goal:   whatever its shape, a fabric ends with sound LIDs, all links ACTIVE, and every pair
//         connected by the switches' own tables; a second look sends nothing more.
// Method: the real core on simulated hardware; judges that know nothing of the core.
#include <gtest/gtest.h>

#include "config/netlist/netlist.h"
#include "tests/support/checkers.h"
#include "tests/support/min_hop_settings.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class BringUp : public ::testing::TestWithParam<const char*> {};

TEST_P(BringUp, EndsWithASoundSubnetAndThenIsQuiet) {
    std::string error;
    const net::Netlist net = net::TopologyByName(GetParam(), error);
    ASSERT_EQ(error, "");
    SimWorld world(net);
    world.AddManager(MinHopSettings());

    ASSERT_TRUE(world.RunUntilUp(10 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
    EXPECT_EQ(EveryPairShortest(world.world(), 0), "");
    EXPECT_EQ(world.sm().status().nodes, net.nodes.size());
    EXPECT_EQ(world.sm().status().links, net.link_count());

    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond)) << world.Notes();
    const std::uint64_t sets = world.sets_received();
    world.RunFor(20 * kSecond);
    EXPECT_EQ(world.sets_received(), sets) << "a subnet at rest was written to";
}

INSTANTIATE_TEST_SUITE_P(Shapes, BringUp,
                         ::testing::Values("ft2:8", "ft3:4", "torus:4x4x3", "mesh:6x6",
                                           "hypercube:5", "dragonfly:3,2", "random:7,24,4:3",
                                           "ring:9:2", "parallel:4:3", "dualrail:12,3",
                                           "single:36"),
                         [](const auto& shape) {
                             std::string name = shape.param;
                             for (char& c : name) {
                                 if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                             }
                             return name;
                         });

}  // namespace
}  // namespace ember::testing
