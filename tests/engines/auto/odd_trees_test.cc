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

#include "tests/engines/auto/odd_tree.h"

namespace ember {
namespace {

using testing::Measured;

using testing::ExpectTree;
using testing::kAggregationDevice;
using testing::OddTree;

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
        const OddLink& cable = measured.run().router().verdict().choice.odd[0];
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

/// Each leaf switch is joined to another: these pairs look like groups.
TEST(OddTrees, AreNoDragonfliesForCablesBetweenPairsOfLeafSwitches) {
    for (const std::size_t pairs : {1U, 2U, 4U}) {
        OddTree tree("ft2:8");
        for (std::size_t i = 0; i < pairs; ++i) {
            tree.Cable(tree.leaves[2 * i], tree.leaves[2 * i + 1]);
        }
        ExpectTree(tree, 0.97, static_cast<std::uint32_t>(pairs));
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
