// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the hop matrix.

#include "core/graph/hops.h"

#include <array>
#include <gtest/gtest.h>
#include <random>
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
    const Matrix<SwitchIndex, std::uint8_t> hops(octets, HopShape(topology.switch_bound()));
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

/// Weights of some directions of cables, by chance.
std::vector<HopWeight> SomeWeights(const net::Netlist& netlist, unsigned seed, int most) {
    std::minstd_rand chance(seed);
    std::vector<HopWeight> weights;
    for (const net::NetNode& node : netlist.nodes) {
        if (!node.is_switch()) continue;
        for (std::size_t port = 1; port < node.ports.size(); ++port) {
            if (chance() % 3 == 0) continue;
            weights.push_back({node.guid, static_cast<PortNumber>(port),
                               static_cast<std::uint8_t>(1 + chance() % unsigned(most))});
        }
    }
    return weights;
}

/// The same with weights: from every switch the least sum along all ways, found by trying all
/// cables until nothing changes.
void ExpectTrueWeights(const net::Netlist& netlist, const std::vector<HopWeight>& weights) {
    BuiltFabric built(netlist);
    ArenaStorage storage(Topology::ScratchBytes(built.limits()) +
                         HopMeter::ScratchBytes(built.limits()));
    Topology topology;
    topology.Build(built.fabric(), Order::kOpensm, storage.arena());
    std::vector<std::uint8_t> octets(HopBytes(built.limits()), 77);
    const Matrix<SwitchIndex, std::uint8_t> hops(octets, HopShape(topology.switch_bound()));
    HopMeter meter;
    meter.Begin(topology, weights, hops, storage.arena());
    while (meter.Advance() == Progress::kMore) {
    }

    const std::size_t bound = topology.switch_bound();
    std::vector<std::vector<unsigned>> wanted(bound, std::vector<unsigned>(bound, 255));
    for (std::size_t i = 0; i < bound; ++i) {
        wanted[i][i] = 0;
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t i = 0; i < bound; ++i) {
            const auto at = static_cast<SwitchIndex>(i);
            for (const Trunk& trunk : topology.trunks(at)) {
                unsigned weight = 1;
                for (const HopWeight& line : weights) {
                    const bool is_its = line.guid == topology.switch_row(at).guid;
                    if (is_its && line.port == trunk.port) weight = line.hops;
                }
                for (std::size_t to = 0; to < bound; ++to) {
                    const unsigned sum = wanted[Raw(trunk.peer)][to] + weight;
                    if (sum >= wanted[i][to]) continue;
                    wanted[i][to] = sum;
                    changes = true;
                }
            }
        }
    }
    for (std::size_t from = 0; from < bound; ++from) {
        for (std::size_t to = 0; to < bound; ++to) {
            ASSERT_EQ(hops[static_cast<SwitchIndex>(from)][to], wanted[from][to])
                << "row " << from << ", column " << to;
        }
    }
}

TEST(HopMeter, SumsTheWeightsOfCables) {
    for (unsigned seed = 0; seed < 10; ++seed) {
        const net::Netlist netlist = testing::WildNetlist({.seed = seed,
                                                           .switches = 40 + 8 * seed,
                                                           .extra_cables = 60,
                                                           .hosts = 9,
                                                           .islands = seed % 2 == 1});
        ExpectTrueWeights(netlist, SomeWeights(netlist, seed, 9));
    }
}

TEST(HopMeter, FindsNoWayThatWeighsMoreThan254) {
    const net::Netlist netlist = net::Ring(30, 1);
    for (unsigned seed = 0; seed < 5; ++seed) {
        ExpectTrueWeights(netlist, SomeWeights(netlist, seed, 255));
    }
}

TEST(HopMeter, WeighsInShortSlices) {
    const net::Netlist netlist = net::FatTree3(24);  // 13,824 trunks' ends in 720 switches.
    const auto weights = SomeWeights(netlist, 1, 3);
    BuiltFabric built(netlist);
    ArenaStorage storage(Topology::ScratchBytes(built.limits()) +
                         HopMeter::ScratchBytes(built.limits()));
    Topology topology;
    topology.Build(built.fabric(), Order::kOpensm, storage.arena());
    std::vector<std::uint8_t> octets(HopBytes(built.limits()));
    HopMeter meter;
    meter.Begin(topology, weights, {octets, HopShape(topology.switch_bound())}, storage.arena());
    std::size_t slices = 1;
    while (meter.Advance() == Progress::kMore) {
        ++slices;
    }
    EXPECT_GT(slices, 3 * (topology.switch_bound() + 63) / 64);  // At least a round a slice.
}

TEST(HopMeter, PassesOverWeightsOfWhatIsNotThere) {
    net::Netlist netlist;
    const auto left = netlist.Add(NodeType::kSwitch, 4, "left", "");
    const auto right = netlist.Add(NodeType::kSwitch, 4, "right", "");
    const auto host = netlist.Add(NodeType::kChannelAdapter, 1, "host", "");
    netlist.Connect(left, 1, right, 1);
    netlist.Connect(left, 2, host, 1);
    netlist.AssignGuids();
    const Guid guid = netlist.nodes[left].guid;
    ExpectTrueWeights(netlist, {{guid, PortNumber{0}, 9},     // Its own port 0,
                                {guid, PortNumber{2}, 9},     // a cable to a host,
                                {guid, PortNumber{3}, 9},     // an idle port,
                                {guid, PortNumber{200}, 9},   // no such port,
                                {Guid{1}, PortNumber{1}, 9},  // no such switch.
                                {guid, PortNumber{1}, 7}});
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
