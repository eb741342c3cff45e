// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of auto on trees whose leaf switches are not all equally low: edge switches on
// line boards and on cores, and cables that skip a level.
//
// Goal:   such a fabric is a tree on one lane, and its hosts lose next to nothing; a cable that no
//         plan has is the one that is named.

#include <array>
#include <string>
#include <vector>

#include "tests/engines/auto/odd_tree.h"

namespace ember {
namespace {

using testing::ExpectTree;
using testing::Measured;
using testing::OddTree;

/// A director: each of the line chips joined to each of the spine chips, and hosts on the first of
/// them; on each of the others as many cables as hosts, to edge switches with hosts.
net::Netlist DirectorWithEdges(std::uint32_t lines, std::uint32_t spines, std::uint32_t edges) {
    net::Netlist netlist;
    const auto add = [&](const char* kind, std::uint32_t number) {
        const std::string name = kind + std::to_string(number);
        return netlist.Add(NodeType::kSwitch, 36, name, name);
    };
    std::vector<std::uint32_t> tops;
    for (std::uint32_t i = 0; i < spines; ++i) {
        tops.push_back(add("spine", i));
    }
    std::vector<std::uint32_t> below;
    for (std::uint32_t i = 0; i < edges; ++i) {
        below.push_back(add("edge", i));
    }
    const auto hang = [&](std::uint32_t at, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::string name = "host" + std::to_string(netlist.nodes.size());
            EXPECT_TRUE(
                netlist.ConnectAny(netlist.Add(NodeType::kChannelAdapter, 1, name, name), at));
        }
    };
    for (std::uint32_t i = 0; i < lines; ++i) {
        const std::uint32_t line = add("line", i);
        for (const std::uint32_t top : tops) {
            EXPECT_TRUE(netlist.ConnectAny(line, top));
        }
        const bool is_above = i + edges >= lines;
        for (const std::uint32_t edge : below) {
            if (is_above) EXPECT_TRUE(netlist.ConnectAny(edge, line));
        }
        if (!is_above) hang(line, spines);
    }
    for (const std::uint32_t edge : below) {
        hang(edge, edges);
    }
    netlist.AssignGuids();
    return netlist;
}

/// The nearest host is as near to a line chip with edge switches as to a spine chip.
TEST(OddLevels, HaveEdgeSwitchesOnSomeLineBoards) {
    for (const std::uint32_t edges : {2U, 3U, 5U}) {
        const net::Netlist netlist = DirectorWithEdges(12, 6, edges);
        Measured measured(netlist, "auto");
        const Verdict& verdict = measured.run().router().verdict();
        EXPECT_EQ(verdict.choice.shape, FabricShape::kTree) << edges;
        EXPECT_EQ(verdict.choice.scheme, RoutingScheme::kLevelOrder) << edges;
        EXPECT_EQ(measured.run().router().planned_lanes().count, 1U);
        EXPECT_FALSE(verdict.findings.anything_may_deadlock);
        EXPECT_EQ(verdict.choice.detours, 0U);
        EXPECT_EQ(measured.Loads().lost, 0U);
        EXPECT_GE(measured.Loads().saturation, 0.95) << edges;
    }
}

/// Levels from a switch in the middle would make a tree of it whose paths are longer.
TEST(OddLevels, MakeNoTreeOfAGridWhoseHostsHangOnLeafSwitches) {
    std::string error;
    net::Netlist netlist = net::TopologyByName("mesh:4x4", error);
    ASSERT_EQ(error, "");
    for (net::NetNode& node : netlist.nodes) {
        node.guid = kNoGuid;
        if (!node.is_switch()) continue;
        for (net::NetPort& port : node.ports) {
            port.guid = kNoGuid;
        }
    }
    const std::size_t nodes = netlist.nodes.size();
    for (std::uint32_t i = 0; i < nodes; ++i) {  // Each host gets a switch between it and the mesh.
        if (netlist.nodes[i].is_switch()) continue;
        const net::NetPort cable = netlist.nodes[i].ports[1];
        const std::string name = "leaf" + std::to_string(i);
        const std::uint32_t leaf = netlist.Add(NodeType::kSwitch, 8, name, name);
        netlist.nodes[i].ports[1] = {};
        netlist.nodes[cable.peer].ports[cable.peer_port] = {};
        netlist.Connect(leaf, 1, cable.peer, cable.peer_port);
        netlist.Connect(leaf, 2, i, 1);
        for (std::uint32_t more = 0; more < 3; ++more) {
            const std::string host = name + "h" + std::to_string(more);
            ASSERT_TRUE(
                netlist.ConnectAny(netlist.Add(NodeType::kChannelAdapter, 1, host, host), leaf));
        }
    }
    netlist.AssignGuids();
    Measured measured(netlist, "auto");
    const Verdict& verdict = measured.run().router().verdict();
    EXPECT_NE(verdict.choice.scheme, RoutingScheme::kLevelOrder);
    EXPECT_EQ(verdict.choice.detours, 0U);
    EXPECT_EQ(verdict.findings.longer_routes, 0U);
}

/// A switch with hosts, and cables to some upper ones.
std::uint32_t AddEdge(OddTree& tree, const std::vector<std::uint32_t>& uppers,
                      std::uint32_t hosts) {
    const std::string name = "edge " + std::to_string(tree.netlist.nodes.size());
    const std::uint32_t edge = tree.netlist.Add(NodeType::kSwitch, 1, name, name);
    for (const std::uint32_t upper : uppers) {
        tree.Cable(edge, upper);
    }
    for (std::uint32_t i = 0; i < hosts; ++i) {
        tree.Attach(edge);
    }
    return edge;
}

/// A gateway, a storage switch: nearer to its core than all other leaf switches.
TEST(OddLevels, HaveEdgeSwitchesOnSomeCores) {
    for (const std::size_t edges : {1U, 2U, 4U}) {
        OddTree tree("ft3:8");
        for (std::size_t i = 0; i < edges; ++i) {
            AddEdge(tree, {tree.tops[i * 3]}, 1);
        }
        Measured measured = tree.Route();
        const Verdict& verdict = measured.run().router().verdict();
        EXPECT_EQ(verdict.choice.shape, FabricShape::kTree) << edges;
        EXPECT_EQ(verdict.choice.odd_count, 0U) << edges;
        EXPECT_EQ(measured.run().router().planned_lanes().count, 1U) << edges;
        EXPECT_EQ(measured.Loads().lost, 0U);
        EXPECT_GE(measured.Loads().saturation, 0.9) << edges;
    }
    OddTree tree("ft3:8");
    AddEdge(tree, {tree.tops[0], tree.tops[1], tree.tops[2], tree.tops[3]}, 4);
    ExpectTree(tree, 0.9);
}

/// Its leaf switch would send all that leaves the pod over it, and its core be taken for a switch
/// of the middle.
TEST(OddLevels, HaveACableFromALeafSwitchToACoreThatIsNamed) {
    OddTree tree("ft3:8");
    tree.Cable(tree.leaves.front(), tree.tops.front());
    tree.netlist.AssignGuids();
    const Guid leaf = tree.netlist.nodes[tree.leaves.front()].guid;
    const Guid top = tree.netlist.nodes[tree.tops.front()].guid;
    for (const std::string_view engine : {"auto", "updn"}) {
        Measured measured(tree.netlist, engine);
        const EngineChoice& choice = measured.run().router().verdict().choice;
        EXPECT_EQ(choice.shape, FabricShape::kTree) << engine;
        ASSERT_EQ(choice.odd_count, 1U) << engine;
        const OddLink& cable = choice.odd[0];
        EXPECT_TRUE((cable.one == leaf && cable.other == top) ||
                    (cable.one == top && cable.other == leaf))
            << engine;
        EXPECT_EQ(measured.Loads().lost, 0U) << engine;
        EXPECT_GE(measured.Loads().saturation, 0.97) << engine;
    }
}

}  // namespace
}  // namespace ember
