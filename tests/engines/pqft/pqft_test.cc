// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of fat trees with cables between their roots.
//
// Method: trees of two and three levels, joined by their roots: in a pair, in a row, in a ring,
//         whole and with links missing. Every path is walked on the tables.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::SlowTables;

/// Trees beside each other; switches have free ports for cables between them.
struct Trees {
    explicit Trees(const std::vector<net::Netlist>& parts) {
        for (const net::Netlist& part : parts) {
            first.push_back(static_cast<std::uint32_t>(netlist.nodes.size()));
            for (const net::NetNode& node : part.nodes) {
                netlist.Add(node.type, node.port_count() + (node.is_switch() ? 4U : 0U),
                            std::to_string(first.size()) + node.id, "");
            }
            for (std::uint32_t i = 0; i < part.nodes.size(); ++i) {
                for (std::uint32_t p = 1; p < part.nodes[i].ports.size(); ++p) {
                    const net::NetPort& port = part.nodes[i].ports[p];
                    if (port.peer == net::kNoPeer || port.peer < i) continue;
                    netlist.Connect(first.back() + i, p, first.back() + port.peer, port.peer_port);
                }
            }
        }
        first.push_back(static_cast<std::uint32_t>(netlist.nodes.size()));
    }
    /// Of the tree: its switches that no host, and no switch with a host when `above`, hangs on.
    [[nodiscard]] std::vector<std::uint32_t> Switches(std::size_t tree, bool with_hosts) const {
        std::vector<std::uint32_t> found;
        for (std::uint32_t i = first[tree]; i < first[tree + 1]; ++i) {
            const net::NetNode& node = netlist.nodes[i];
            if (!node.is_switch()) continue;
            const bool has_host =
                std::any_of(node.ports.begin(), node.ports.end(), [this](const net::NetPort& port) {
                    return port.peer != net::kNoPeer && !netlist.nodes[port.peer].is_switch();
                });
            if (has_host == with_hosts) found.push_back(i);
        }
        return found;
    }
    /// A cable between the first roots of two trees of two levels, and one between the last.
    void Join(std::size_t one, std::size_t other) {
        const auto ones = Switches(one, false);
        const auto others = Switches(other, false);
        netlist.ConnectAny(ones.front(), others.front());
        netlist.ConnectAny(ones.back(), others.back());
    }
    [[nodiscard]] std::size_t TreeOf(std::uint32_t node) const {
        return static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), node) -
                                        first.begin()) -
               1;
    }

    net::Netlist netlist;
    std::vector<std::uint32_t> first;  ///< Node of each tree, and the number of nodes.
};

/// The paths of a routing, counted.
struct Paths {
    std::size_t inside = 0;   ///< Between hosts of one tree,
    std::size_t strayed = 0;  ///< of which these leave it.
    std::size_t hops_inside = 0;
    std::size_t between = 0;
};

Paths Walk(RoutingRun& run, const Trees& trees) {
    Paths paths;
    const SlowTables tables = run.planned();
    const Fabric& fabric = run.built().fabric();
    for (std::uint32_t from = 0; from < trees.netlist.nodes.size(); ++from) {
        if (trees.netlist.nodes[from].is_switch()) continue;
        for (std::uint32_t to = 0; to < trees.netlist.nodes.size(); ++to) {
            if (from == to || trees.netlist.nodes[to].is_switch()) continue;
            const Lid lid = fabric.port(fabric.PortOf(run.built().node(to), PortNumber{1})).lid;
            const bool is_inside = trees.TreeOf(from) == trees.TreeOf(to);
            bool strays = false;
            std::size_t hops = 0;
            for (std::uint32_t at = trees.netlist.nodes[from].ports[1].peer; at != to; ++hops) {
                strays = strays || trees.TreeOf(at) != trees.TreeOf(from);
                at = trees.netlist.nodes[at].ports[tables.at(at)[Raw(lid)]].peer;
            }
            paths.inside += is_inside ? 1 : 0;
            paths.between += is_inside ? 0 : 1;
            paths.strayed += is_inside && strays ? 1 : 0;
            paths.hops_inside += is_inside ? hops : 0;
        }
    }
    return paths;
}

Settings Balanced() {
    Settings settings;
    settings.order = Order::kBalanced;
    return settings;
}

void ExpectRouted(Trees& trees, Order order) {
    trees.netlist.AssignGuids();
    RoutingRun run(trees.netlist);
    Pqft pqft;
    Settings settings = Balanced();
    settings.order = order;
    const Verdict& verdict = run.Route(pqft, settings);
    ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified) << static_cast<int>(verdict.reason);
    EXPECT_FALSE(verdict.findings.end_ports_may_deadlock);
    const Paths paths = Walk(run, trees);
    EXPECT_GT(paths.inside, 0U);
    EXPECT_GT(paths.between, 0U);
    EXPECT_EQ(paths.strayed, 0U) << "of " << paths.inside;
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
}

TEST(Pqft, RoutesAPairOfTrees) {
    for (const Order order : {Order::kBalanced, Order::kOpensm}) {
        Trees trees({net::FatTree2(4), net::FatTree2(6)});
        trees.Join(0, 1);
        ExpectRouted(trees, order);
    }
}

TEST(Pqft, RoutesTreesInARowAndInARing) {
    for (const bool is_ring : {false, true}) {
        Trees trees({net::FatTree2(4), net::FatTree2(4), net::FatTree2(6), net::FatTree2(4)});
        for (std::size_t i = 0; i < 3; ++i) {
            trees.Join(i, i + 1);
        }
        if (is_ring) trees.Join(3, 0);
        ExpectRouted(trees, Order::kBalanced);
    }
}

/// The roots of a tree of three levels are those that have no cable up.
TEST(Pqft, FindsTheRootsOfTreesOfThreeLevels) {
    Trees trees({net::FatTree3(4), net::FatTree3(4)});
    const auto leaves = trees.Switches(0, true);
    const auto is_next_to_leaf = [&](std::uint32_t at) {
        const auto& ports = trees.netlist.nodes[at].ports;
        return std::any_of(ports.begin(), ports.end(), [&](const net::NetPort& port) {
            return std::find(leaves.begin(), leaves.end(), port.peer) != leaves.end();
        });
    };
    std::vector<std::uint32_t> roots;
    for (const std::uint32_t at : trees.Switches(0, false)) {
        if (!is_next_to_leaf(at)) roots.push_back(at);
    }
    ASSERT_FALSE(roots.empty());
    for (const std::uint32_t root : roots) {
        trees.netlist.ConnectAny(root, root + trees.first[1]);
    }
    ExpectRouted(trees, Order::kBalanced);
}

TEST(Pqft, HasPathsAsLongAsThoseOfFtreeInsideATree) {
    Trees trees({net::FatTree2(6), net::FatTree2(6)});
    trees.Join(0, 1);
    trees.netlist.AssignGuids();
    RoutingRun run(trees.netlist);
    Pqft pqft;
    ASSERT_TRUE(run.Route(pqft, Balanced()).may_program());
    Trees alone({net::FatTree2(6)});
    alone.netlist.AssignGuids();
    RoutingRun beside(alone.netlist);
    FatTree ftree;
    ASSERT_TRUE(beside.Route(ftree, Balanced()).may_program());
    EXPECT_EQ(Walk(run, trees).hops_inside, 2 * Walk(beside, alone).hops_inside);
}

TEST(Pqft, OutlivesLostLinks) {
    Trees trees({net::FatTree2(4), net::FatTree2(4)});
    trees.Join(0, 1);
    trees.netlist.AssignGuids();
    RoutingRun run(trees.netlist);
    Pqft pqft;
    ASSERT_TRUE(run.Route(pqft, Balanced()).may_program());
    const std::uint32_t root = trees.Switches(0, false).front();
    Fabric& fabric = run.built().fabric();
    fabric.Disconnect(fabric.PortOf(run.built().node(root), PortNumber{1}));
    const Verdict& mended = run.Mend(pqft, Balanced(), ProofScope::kWhole);
    EXPECT_EQ(mended.outcome, RoutingOutcome::kVerified);
    EXPECT_TRUE(mended.was_mended);
    EXPECT_EQ(run.Route(pqft, Balanced()).outcome, RoutingOutcome::kVerified);
}

TEST(Pqft, ComplainsOfACableBetweenTreesThatJoinsNoRoots) {
    Trees trees({net::FatTree2(4), net::FatTree2(4)});
    trees.Join(0, 1);
    const std::uint32_t leaf = trees.Switches(0, true).front();
    trees.netlist.ConnectAny(leaf, trees.Switches(1, true).front());
    trees.netlist.AssignGuids();
    RoutingRun run(trees.netlist);
    Pqft pqft;
    EXPECT_EQ(run.Route(pqft, Balanced()).outcome, RoutingOutcome::kRefused);
    const EngineComplaint complaint = run.router().verdict().attempts[0].complaint;
    EXPECT_EQ(complaint.what, EngineFault::kLowLink);
    EXPECT_NE(complaint.guid, kNoGuid);
    EXPECT_NE(complaint.port, kNoPort);
    // Roots that are named are believed.
    const std::vector<std::uint32_t> roots = trees.Switches(0, false);
    std::vector<Guid> guids;
    for (const std::uint32_t root : roots) {
        guids.push_back(trees.netlist.nodes[root].guid);
    }
    std::sort(guids.begin(), guids.end());
    Settings named = Balanced();
    named.tables.roots = guids;
    named.tables.has_roots = true;
    EXPECT_EQ(run.Route(pqft, named).outcome, RoutingOutcome::kVerified);
}

TEST(Pqft, SaysThatThereAreNoLeaves) {
    net::Netlist netlist;
    netlist.Add(NodeType::kSwitch, 4, "S-0", "");
    netlist.Add(NodeType::kSwitch, 4, "S-1", "");
    netlist.ConnectAny(0, 1);
    netlist.AssignGuids();
    RoutingRun run(netlist);
    Pqft pqft;
    EXPECT_EQ(run.Route(pqft, Balanced()).reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(run.router().verdict().attempts[0].complaint.what, EngineFault::kNoLeafSwitch);
}

}  // namespace
}  // namespace ember
