// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of auto on trees as they are bought and cabled: with aggregation nodes in all
// switches, service hosts on upper ones, and stray cables.
//
// Goal:   such a fabric is a tree on one lane, and its hosts lose next to nothing; all pairs are
//         connected without a credit loop; what is left out is named.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "config/netlist/topologies.h"
#include "tests/engines/balance/measured.h"

namespace ember {
namespace {

using testing::Measured;

constexpr std::uint16_t kAggregationDevice = 0xCF09;

struct OddTree {
    explicit OddTree(std::string_view shape) {
        std::string error;
        netlist = net::TopologyByName(shape, error);
        EXPECT_EQ(error, "");
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            if (!netlist.nodes[i].is_switch()) continue;
            (HasHosts(i) ? leaves : uppers).push_back(i);
        }
        for (const std::uint32_t upper : uppers) {
            const auto& ports = netlist.nodes[upper].ports;
            const bool is_top =
                std::none_of(ports.begin(), ports.end(), [&](const net::NetPort& port) {
                    return std::find(leaves.begin(), leaves.end(), port.peer) != leaves.end();
                });
            if (is_top) tops.push_back(upper);
        }
        if (tops.empty()) tops = uppers;  // Two levels.
    }
    [[nodiscard]] bool HasHosts(std::uint32_t at) const {
        for (const net::NetPort& port : netlist.nodes[at].ports) {
            if (port.peer != net::kNoPeer && !netlist.nodes[port.peer].is_switch()) return true;
        }
        return false;
    }
    std::uint8_t AddPort(std::uint32_t at) {
        netlist.nodes[at].ports.emplace_back();
        return static_cast<std::uint8_t>(netlist.nodes[at].port_count());
    }
    void Attach(std::uint32_t at, std::uint16_t device = 0x1021) {
        const std::string name = "extra " + std::to_string(netlist.nodes.size());
        const std::uint32_t host = netlist.Add(NodeType::kChannelAdapter, 1, name, name);
        netlist.nodes[host].device_id = device;
        netlist.Connect(at, AddPort(at), host, 1);
    }
    void Cable(std::uint32_t one, std::uint32_t other) {
        const std::uint8_t port = AddPort(one);
        netlist.Connect(one, port, other, AddPort(other));
    }
    [[nodiscard]] Measured Route(std::string_view engine = "auto") {
        netlist.AssignGuids();
        return Measured(netlist, engine);
    }

    net::Netlist netlist;
    std::vector<std::uint32_t> leaves;
    std::vector<std::uint32_t> uppers;
    std::vector<std::uint32_t> tops;
};

/// A tree on one lane that carries so much.
void ExpectTree(OddTree& tree, double saturation, std::uint32_t odd = 0) {
    Measured measured = tree.Route();
    const Verdict& verdict = measured.run().router().verdict();
    EXPECT_EQ(verdict.choice.shape, FabricShape::kTree);
    EXPECT_EQ(verdict.choice.scheme, RoutingScheme::kLevelOrder);
    EXPECT_EQ(verdict.choice.odd_count, odd);
    EXPECT_EQ(measured.run().router().planned_lanes().count, 1U);
    EXPECT_FALSE(verdict.findings.anything_may_deadlock);
    const plan::AllToAll loads = measured.Loads();
    EXPECT_GE(loads.saturation, saturation);
    EXPECT_EQ(loads.lost, 0U);
}

constexpr const char* kShapes[] = {"ft2:8", "ft2:16", "ft3:8"};

TEST(OddTrees, WithAnAggregationNodeInEachSwitchCarryAllThatTheyCan) {
    for (const char* const shape : kShapes) {
        SCOPED_TRACE(shape);
        OddTree tree(shape);
        for (const auto& level : {tree.leaves, tree.uppers}) {
            for (const std::uint32_t at : level) {
                tree.Attach(at, kAggregationDevice);
            }
        }
        ExpectTree(tree, 0.99);
    }
}

TEST(OddTrees, WithAggregationNodesOnLeavesAloneLoseNothing) {
    for (const char* const shape : kShapes) {
        SCOPED_TRACE(shape);
        OddTree tree(shape);
        for (const std::uint32_t at : tree.leaves) {
            tree.Attach(at, kAggregationDevice);
        }
        ExpectTree(tree, 0.99);
    }
}

/// With one on each of 16 tops the paths between these hosts, which go down and up again, crowd.
TEST(OddTrees, WithServiceHostsOnTopSwitchesLoseNextToNothing) {
    struct Case {
        const char* shape;
        std::size_t step;
        double saturation;
    };
    for (const auto& [shape, step, saturation] :
         {Case{"ft2:16", 2, 0.97}, Case{"ft2:16", 1, 0.97}, Case{"ft3:8", 4, 0.97},
          Case{"ft3:8", 2, 0.93}, Case{"ft3:8", 1, 0.76}}) {
        SCOPED_TRACE(std::string(shape) + ", each " + std::to_string(step));
        OddTree tree(shape);
        for (std::size_t i = 0; i < tree.tops.size(); i += step) {
            tree.Attach(tree.tops[i]);
        }
        ExpectTree(tree, saturation);
    }
}

TEST(OddTrees, WithServiceHostsOnOneUpperSwitchLoseNextToNothing) {
    for (const char* const shape : {"ft2:16", "ft3:8"}) {
        const OddTree whole(shape);
        for (const std::uint32_t upper : whole.uppers) {
            for (const int hosts : {1, 2}) {
                SCOPED_TRACE(std::string(shape) + ", " + std::to_string(hosts) + " on " +
                             whole.netlist.nodes[upper].description);
                OddTree tree(shape);
                for (int i = 0; i < hosts; ++i) {
                    tree.Attach(upper);
                }
                ExpectTree(tree, 0.96);
            }
        }
    }
}

TEST(OddTrees, LeaveAStrayCableOutAndNameIt) {
    for (const char* const shape : {"ft2:16", "ft3:8"}) {
        SCOPED_TRACE(shape);
        OddTree tree(shape);
        tree.Cable(tree.leaves.front(), tree.leaves.back());
        ExpectTree(tree, 0.97, 1);
        Measured measured = tree.Route();
        const OddCable& cable = measured.run().router().verdict().choice.odd[0];
        const Guid one = tree.netlist.nodes[tree.leaves.front()].guid;
        const Guid other = tree.netlist.nodes[tree.leaves.back()].guid;
        EXPECT_EQ(cable.one, std::min(one, other));
        EXPECT_EQ(cable.other, std::max(one, other));
    }
}

/// The engines of trees do as auto does: they find the tops of the tree themselves.
TEST(OddTrees, LoseNoMoreToAStrayCableUnderTheEnginesOfTrees) {
    for (const std::string_view engine : {"updn", "ftree", "dnup"}) {
        for (const std::string_view shape : {"ft2:16", "ft3:8"}) {
            OddTree whole(shape);
            const double before = whole.Route(engine).Loads().saturation;
            OddTree tree(shape);
            tree.Cable(tree.leaves.front(), tree.leaves.back());
            Measured measured = tree.Route(engine);
            const Verdict& verdict = measured.run().router().verdict();
            EXPECT_EQ(verdict.choice.odd_count, 1U) << engine << " on " << shape;
            EXPECT_FALSE(verdict.findings.end_ports_may_deadlock) << engine << " on " << shape;
            EXPECT_GE(measured.Loads().saturation, 0.97 * before) << engine << " on " << shape;
        }
    }
}

/// Aggregation nodes of different tops are bridged over one leaf, which costs it no cable upwards.
TEST(OddTrees, LoseNothingToAggregationNodesUnderTheEnginesOfTrees) {
    for (const std::string_view engine : {"updn", "ftree"}) {
        for (const std::string_view shape : {"ft2:8", "ft2:16", "ft3:8"}) {
            OddTree whole(shape);
            const double before = whole.Route(engine).Loads().saturation;
            OddTree tree(shape);
            for (const auto& level : {tree.leaves, tree.uppers}) {
                for (const std::uint32_t at : level) {
                    tree.Attach(at, kAggregationDevice);
                }
            }
            Measured measured = tree.Route(engine);
            EXPECT_FALSE(measured.findings().end_ports_may_deadlock) << engine << " on " << shape;
            EXPECT_EQ(measured.Loads().lost, 0U);
            EXPECT_GE(measured.Loads().saturation, 0.97 * before) << engine << " on " << shape;
        }
    }
}

TEST(OddTrees, HaveAllThreeAtOnce) {
    OddTree tree("ft3:8");
    for (const auto& level : {tree.leaves, tree.uppers}) {
        for (const std::uint32_t at : level) {
            tree.Attach(at, kAggregationDevice);
        }
    }
    tree.Attach(tree.uppers.front());
    tree.Cable(tree.leaves.front(), tree.leaves.back());
    ExpectTree(tree, 0.95, 1);
}

TEST(OddTrees, AreNotCutInTwoForACableThatJoinsThem) {
    OddTree one("ft2:8");
    const auto nodes = static_cast<std::uint32_t>(one.netlist.nodes.size());
    const OddTree other("ft2:8");
    for (net::NetNode node : other.netlist.nodes) {
        node.id += " of the other";
        node.guid = kNoGuid;
        for (net::NetPort& port : node.ports) {
            port.guid = kNoGuid;
            if (port.peer != net::kNoPeer) port.peer += nodes;
        }
        one.netlist.nodes.push_back(node);
    }
    for (net::NetNode& node : one.netlist.nodes) {
        node.guid = kNoGuid;
    }
    one.Cable(one.leaves.front(), one.leaves.front() + nodes);
    Measured measured = one.Route();
    EXPECT_EQ(measured.run().router().verdict().choice.odd_count, 0U);
    EXPECT_EQ(measured.Loads().lost, 0U);
}

}  // namespace
}  // namespace ember
