// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the hop matrix.

#include "core/routing/hops.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

/// Measures a fabric and compares every pair with the reference.
void ExpectTrueHops(const net::Netlist& netlist) {
    BuiltFabric built(netlist);
    const testing::RoutingReference reference(netlist, built);
    ArenaStorage storage(Topology::ScratchBytes(built.limits()) +
                         HopMeter::ScratchBytes(built.limits()));
    Topology topology;
    topology.Build(built.fabric(), Order::kOpensm, storage.arena());
    std::vector<std::uint8_t> octets(HopBytes(built.limits()), 77);
    const Matrix<SwitchIndex, std::uint8_t> hops(octets, HopStride(topology.switch_bound()));
    HopMeter meter;
    meter.Begin(topology, hops, storage.arena());
    std::size_t slices = 1;
    while (meter.Advance() == Progress::kMore) {
        ++slices;
    }

    EXPECT_EQ(slices, (topology.switch_bound() + 63) / 64);
    for (const std::uint32_t from : reference.switches()) {
        for (const std::uint32_t to : reference.switches()) {
            ASSERT_EQ(hops[built.switch_index(from)][Raw(built.switch_index(to))],
                      reference.Hops(from, to))
                << netlist.nodes[from].id << " to " << netlist.nodes[to].id;
        }
    }
}

TEST(HopMeter, MeasuresFatTrees) {
    ExpectTrueHops(net::FatTree2(8));
    ExpectTrueHops(net::FatTree3(8));
}

TEST(HopMeter, MeasuresMoreSwitchesThanAWordHasBits) {
    ExpectTrueHops(net::Torus(std::array{5U, 13U}, 1));
    ExpectTrueHops(net::Hypercube(6, 1));
    ExpectTrueHops(net::Hypercube(7, 1));
}

TEST(HopMeter, MeasuresTheLongestWayThatDirectedRoutesAllow) {
    ExpectTrueHops(net::Ring(126, 1));
    ExpectTrueHops(net::Mesh(std::array{1U, 64U}, 0));
}

TEST(HopMeter, SaysNoWayBetweenIslands) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        ExpectTrueHops(testing::WildNetlist(
            {.seed = seed, .switches = 70, .extra_cables = 40, .hosts = 3, .islands = true}));
    }
}

TEST(HopMeter, KnowsALoneSwitch) {
    ExpectTrueHops(net::SingleSwitch(3));
}

}  // namespace
}  // namespace ember
