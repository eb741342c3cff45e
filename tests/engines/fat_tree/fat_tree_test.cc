// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of ftree's rules: what it refuses and says, what it promises, what it needs.
// fat_tree_golden_test.cc compares whole results.

#include "engines/fat_tree/fat_tree.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/topology.h"
#include "tests/engines/fat_tree/tree_builder.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;

/// The engine's complaint about a fabric that it must refuse.
EngineComplaint ComplaintOf(Builder& builder,
                            const Settings& settings = testing::OpensmSettings()) {
    builder.netlist.AssignGuids();
    testing::BuiltFabric::Options options;
    options.lmc = settings.lmc;
    RoutingRun run(builder.netlist, options);
    FatTree fat_tree;
    const Verdict& verdict = run.Route(fat_tree, settings);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    return fat_tree.complaint();
}

EngineFault FaultOf(Builder& builder, const Settings& settings = testing::OpensmSettings()) {
    return ComplaintOf(builder, settings).what;
}

TEST(FatTree, RefusesAnLmc) {
    TwoLevels tree(4);
    Settings settings = testing::OpensmSettings();
    settings.lmc = 1;
    EXPECT_EQ(FaultOf(tree, settings), EngineFault::kLmc);
}

TEST(FatTree, RefusesTooFewSwitchesAndHosts) {
    Builder single;
    const auto only = single.Switch("only");
    single.HostAt(only);
    single.HostAt(only);
    EXPECT_EQ(FaultOf(single), EngineFault::kTooFewSwitches);

    Builder lonely;
    const auto left = lonely.Switch("left");
    lonely.Cables(left, lonely.Switch("right"));
    lonely.HostAt(left);
    EXPECT_EQ(FaultOf(lonely), EngineFault::kTooFewEndNodes);
    lonely.HostAt(left, NodeType::kRouter);
    EXPECT_EQ(FaultOf(lonely), EngineFault::kTooFewHosts);
}

TEST(FatTree, NamesAHostThatIsCabledToAnother) {
    TwoLevels tree(3);
    const auto one = tree.HostAt(tree.leaves[0]);
    const auto other = tree.netlist.Add(NodeType::kChannelAdapter, 1, "other", "");
    tree.netlist.Connect(one, 2, other, 1);
    const EngineComplaint complaint = ComplaintOf(tree);
    EXPECT_EQ(complaint.what, EngineFault::kHostsBackToBack);
    EXPECT_TRUE(complaint.guid == tree.guid(one) || complaint.guid == tree.guid(other));
}

TEST(FatTree, RefusesFilesThatSayNothing) {
    TwoLevels tree(3);
    Settings settings = testing::OpensmSettings();
    settings.tables.has_io_nodes = true;
    EXPECT_EQ(FaultOf(tree, settings), EngineFault::kNoIoNodeFile);
    settings.tables.has_compute_nodes = true;
    EXPECT_EQ(FaultOf(tree, settings), EngineFault::kNoComputeNodeFile);
}

TEST(FatTree, RefusesWhatHasNoLevels) {
    TwoLevels tree(2);
    tree.netlist.AssignGuids();
    const std::array roots = {tree.guid(tree.spines[0]), tree.guid(tree.spines[1]),
                              tree.guid(tree.leaves[0]), tree.guid(tree.leaves[1])};
    Settings settings = testing::OpensmSettings();
    settings.tables.roots = roots;
    settings.tables.has_roots = true;
    EXPECT_EQ(FaultOf(tree, settings), EngineFault::kNoLevels);
}

TEST(FatTree, RefusesATreeWithoutComputeNodes) {
    TwoLevels tree(3);
    const std::array nobody = {Guid{0xEE}};
    Settings settings = testing::OpensmSettings();
    settings.tables.compute_nodes = nobody;
    settings.tables.has_compute_nodes = true;
    EXPECT_EQ(FaultOf(tree, settings), EngineFault::kNoComputeNode);
}

/// A row of switches with two hosts at its end, and what is said when the other end is the root.
EngineFault FaultOfRow(int length) {
    Builder row;
    const auto root = row.Switch("0");
    std::uint32_t end = root;
    for (int i = 1; i < length; ++i) {
        const auto next = row.Switch(std::to_string(i));
        row.Cables(end, next);
        end = next;
    }
    row.HostAt(end);
    row.HostAt(end);
    row.netlist.AssignGuids();
    const std::array roots = {row.guid(root)};
    Settings settings = testing::OpensmSettings();
    settings.tables.roots = roots;
    settings.tables.has_roots = true;
    return FaultOf(row, settings);
}

TEST(FatTree, TakesEightLevelsAndNoMore) {
    EXPECT_EQ(FaultOfRow(8), EngineFault::kNoLeaves);  // The next thing that is amiss: one leaf.
    EXPECT_EQ(FaultOfRow(9), EngineFault::kTreeRank);
}

TEST(FatTree, NamesTheSwitchAndPortOfAComputeNodeOnAnotherLevel) {
    TwoLevels tree(3);
    tree.HostAt(tree.spines[1]);
    tree.netlist.AssignGuids();
    const std::array roots = {tree.guid(tree.spines[0]), tree.guid(tree.spines[1])};
    Settings settings = testing::OpensmSettings();
    settings.tables.roots = roots;
    settings.tables.has_roots = true;
    const EngineComplaint wanted = {EngineFault::kLeafRank, roots[1], PortNumber{4}};
    EXPECT_EQ(ComplaintOf(tree, settings), wanted);
}

TEST(FatTree, RefusesATreeWithOneLeaf) {
    Builder tree;
    const auto leaf = tree.Switch("leaf");
    tree.Cables(leaf, tree.Switch("spine"));
    tree.HostAt(leaf);
    tree.HostAt(leaf);
    EXPECT_EQ(FaultOf(tree), EngineFault::kNoLeaves);
}

TEST(FatTree, RefusesMoreThan255SwitchesThatDifferInOneOctet) {
    Builder tree;
    const std::array spines = {tree.Switch("spine0", 254), tree.Switch("spine1", 254)};
    for (int i = 0; i < 300; ++i) {
        const auto leaf = tree.Switch("leaf" + std::to_string(i), 4);
        tree.HostAt(leaf);
        if (i == 0) tree.Cables(leaf, spines[1]);
        tree.Cables(leaf, spines[i < 150 ? 0 : 1]);
    }
    EXPECT_EQ(FaultOf(tree), EngineFault::kRanking);
}

/// The first switch of each rank, in the order of the GUIDs, is the measure of the others.
TEST(FatTree, NamesASwitchThatDiffersFromItsRank) {
    TwoLevels fewer_up(4);
    const auto odd = fewer_up.Switch("odd");
    fewer_up.HostAt(odd);
    fewer_up.Cables(odd, fewer_up.spines[0]);
    const EngineComplaint complaint = ComplaintOf(fewer_up);
    // Seen from above first, or from below: the spines have 5 and 4 groups down.
    EXPECT_TRUE(complaint.what == EngineFault::kUpGroups ||
                complaint.what == EngineFault::kDownGroups);
    EXPECT_NE(complaint.guid, kNoGuid);

    TwoLevels more_cables(4);
    more_cables.Cables(more_cables.leaves[2], more_cables.spines[1]);
    const EngineComplaint said = ComplaintOf(more_cables);
    EXPECT_EQ(said.what, EngineFault::kUpGroupPorts);
    EXPECT_EQ(said.guid, more_cables.guid(more_cables.leaves[2]));
}

TEST(FatTree, ComparesOnlyTheFirstGroupDown) {
    Builder tree;  // The spines come first, so they are looked at before the leaves.
    const std::array spines = {tree.Switch("spine0"), tree.Switch("spine1")};
    const std::array leaves = {tree.Switch("leaf0"), tree.Switch("leaf1")};
    for (const auto leaf : leaves) {
        tree.HostAt(leaf);
        tree.Cables(leaf, spines[0]);
        tree.Cables(leaf, spines[1], leaf == leaves[0] ? 2 : 1);
    }
    const EngineComplaint wanted = {EngineFault::kDownGroupPorts, Guid{0x200001}, kNoPort};
    EXPECT_EQ(ComplaintOf(tree), wanted);
}

TEST(FatTree, ForgetsItsComplaintWhenItBeginsAnew) {
    TwoLevels bad(3);
    bad.HostAt(bad.spines[0]);
    bad.netlist.AssignGuids();
    RoutingRun refused(bad.netlist);
    const net::Netlist good = net::FatTree2(4);
    RoutingRun routed(good);
    FatTree fat_tree;
    EXPECT_FALSE(refused.Route(fat_tree).may_program());
    EXPECT_NE(fat_tree.complaint(), EngineComplaint{});
    EXPECT_TRUE(routed.Route(fat_tree).may_program());
    EXPECT_EQ(fat_tree.complaint(), EngineComplaint{});
}

TEST(FatTree, PromisesNoCreditLoopUnlessAnOptionMayCloseOne) {
    const FatTree fat_tree;
    Settings settings = testing::OpensmSettings();
    EXPECT_TRUE(fat_tree.promise(settings).deadlock_free);
    EXPECT_FALSE(fat_tree.promise(settings).all_switches);
    EXPECT_FALSE(fat_tree.promise(settings).shortest);
    settings.max_reverse_hops = 1;
    EXPECT_TRUE(fat_tree.promise(settings).deadlock_free);  // No node may use them.
    settings.tables.has_io_nodes = true;
    EXPECT_FALSE(fat_tree.promise(settings).deadlock_free);
    settings.max_reverse_hops = 0;
    settings.connect_roots = true;
    EXPECT_FALSE(fat_tree.promise(settings).deadlock_free);
    EXPECT_FALSE(fat_tree.promise(settings).all_switches);  // Only roots are connected.
}

TEST(FatTree, KeepsItsPromiseOnFullTreesInEveryOrder) {
    for (const std::uint32_t k : {4U, 8U, 12U}) {
        for (const Order order : {Order::kOpensm, Order::kGuid}) {
            const net::Netlist netlist = net::FatTree3(k);
            RoutingRun run(netlist);
            FatTree fat_tree;
            Settings settings = testing::OpensmSettings();
            settings.order = order;
            EXPECT_EQ(run.Route(fat_tree, settings).outcome, RoutingOutcome::kVerified);
            EXPECT_FALSE(run.reference().FindBroken(run.planned()).has_value());
        }
    }
}

TEST(FatTree, RoutesToRoutersAndMovesNoOtherRoute) {
    TwoLevels without(3);
    without.netlist.AssignGuids();
    RoutingRun before(without.netlist);
    FatTree fat_tree;
    ASSERT_EQ(before.Route(fat_tree).outcome, RoutingOutcome::kVerified);

    TwoLevels tree(3);
    const std::array routers = {tree.HostAt(tree.leaves[0], NodeType::kRouter),
                                tree.HostAt(tree.leaves[2], NodeType::kRouter)};
    tree.netlist.AssignGuids();
    RoutingRun run(tree.netlist);
    EXPECT_EQ(run.Route(fat_tree).outcome, RoutingOutcome::kVerified);
    EXPECT_FALSE(run.reference().FindBroken(run.planned()).has_value());
    const auto lid_of = [](RoutingRun& of, std::uint32_t node, std::uint8_t port) {
        const Fabric& fabric = of.built().fabric();
        return Raw(fabric.port(fabric.PortOf(of.built().node(node), PortNumber{port})).lid);
    };
    for (const std::uint32_t router : routers) {
        for (const auto& [node, table] : run.planned()) {
            EXPECT_NE(table[lid_of(run, router, 1)], kNoHops);
        }
    }
    std::size_t compared = 0;
    for (std::uint32_t node = 0; node < without.netlist.nodes.size(); ++node) {
        const std::uint8_t port = without.netlist.nodes[node].type == NodeType::kSwitch ? 0 : 1;
        const auto was = lid_of(before, node, port);
        const auto is = lid_of(run, node, port);
        for (const auto& [at, table] : before.planned()) {
            EXPECT_EQ(run.planned().at(at)[is], table[was]) << "node " << node;
            ++compared;
        }
    }
    EXPECT_EQ(compared, 11 * 5U);
}

TEST(FatTree, TakesReverseHopsBeyondTheTreesLevelsForNoMore) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    const std::array io_nodes = {Guid{0x100001}, Guid{0x100003}};
    Settings settings = testing::OpensmSettings();
    settings.tables.io_nodes = io_nodes;
    settings.tables.has_io_nodes = true;
    FatTree fat_tree;
    settings.max_reverse_hops = TreeWalk::kMostCredit;
    (void)run.Route(fat_tree, settings);
    const testing::SlowTables wanted = run.planned();
    settings.max_reverse_hops = 65535;
    (void)run.Route(fat_tree, settings);
    EXPECT_EQ(run.planned(), wanted);
}

TEST(FatTree, GivesUpWhereReverseHopsMultiplyTheWaysBeyondAllMeasure) {
    const net::Netlist netlist = net::FatTree2(12);
    RoutingRun run(netlist);
    const std::array io_nodes = {Guid{0x100001}};
    Settings settings = testing::OpensmSettings();
    settings.tables.has_io_nodes = true;
    settings.tables.io_nodes = io_nodes;
    settings.max_reverse_hops = 7;
    FatTree fat_tree;
    EXPECT_EQ(run.Route(fat_tree, settings).reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(fat_tree.complaint().what, EngineFault::kTooManyWays);
    settings.max_reverse_hops = 2;
    EXPECT_TRUE(run.Route(fat_tree, settings).may_program());
    EXPECT_EQ(fat_tree.complaint().what, EngineFault::kNone);
}

TEST(FatTree, CollectsColumnsWhereTheHopsStoodAndSortsThemInLittle) {
    Limits limits{};
    limits.max_switches = 600;
    limits.max_lid = 49151;
    EXPECT_LE(FatTree::CollectorBytes(limits), 256U << 10U);
}

TEST(FatTree, StaysWithinTheAppetiteItStates) {
    for (const std::uint32_t k : {4U, 8U, 16U}) {
        const testing::BuiltFabric built(net::FatTree3(k));
        const Limits& limits = built.limits();
        testing::ArenaStorage topology_storage(Topology::ScratchBytes(limits));
        testing::ArenaStorage storage(FatTree::ScratchBytes(limits));
        Topology topology;
        topology.Build(built.fabric(), Order::kOpensm, topology_storage.arena());
        std::vector<std::uint8_t> planned(limits.max_switches * LidStride(limits), kNoHops);
        std::vector<std::uint8_t> octets(HopStride(topology.switch_bound()) *
                                         topology.switch_bound());
        const Matrix<SwitchIndex, std::uint8_t> hops(octets, HopShape(topology.switch_bound()));
        const Settings settings = testing::OpensmSettings();
        HopRoom room(hops);
        FatTree fat_tree;
        ASSERT_EQ(fat_tree.Begin({.topology = &topology,
                                  .options = &settings,
                                  .hops = hops,
                                  .hop_room = &room,
                                  .tables = {.lfts = {planned, LftShape(limits)}},
                                  .scratch = &storage.arena()}),
                  Status::kOk);
        Result<Progress> progress = fat_tree.Advance();
        while (progress.ok() && progress.value() == Progress::kMore) {
            progress = fat_tree.Advance();
        }
        EXPECT_TRUE(progress.ok());
        EXPECT_TRUE(room.is_spent());
        EXPECT_LE(storage.arena().peak_bytes(), FatTree::ScratchBytes(limits));
        EXPECT_NE(planned[1], kNoHops);
    }
}

}  // namespace
}  // namespace ember
