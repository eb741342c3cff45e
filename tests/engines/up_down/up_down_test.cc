// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the engines of up/down routing. up_down_golden_test.cc compares whole results.

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/engines/up_down/study.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::Study;

TEST(UpDn, SaysThatThereAreNoRoots) {
    constexpr std::uint32_t kSizes[] = {4, 4};
    const net::Netlist netlist = net::Torus(kSizes, 1);
    RoutingRun run(netlist);
    UpDn up_dn;
    const Verdict& verdict = run.Route(up_dn);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(verdict.status, Status::kAbsent);
    EXPECT_EQ(verdict.attempts[0].complaint.what, EngineFault::kNoRoots);
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
}

/// A tree of two levels with an aggregation node on each switch, and its roots by GUID.
struct TreeWithAggregation {
    explicit TreeWithAggregation(std::size_t hosts_on_roots = 0) {
        const std::size_t nodes = netlist.nodes.size();
        for (std::uint32_t i = 0; i < nodes; ++i) {
            if (!netlist.nodes[i].is_switch()) continue;
            const bool is_root = !HasHost(netlist.nodes[i]);
            if (is_root) roots.push_back(netlist.nodes[i].guid);
            Attach(i, 0xCF09);
            if (is_root && roots.size() <= hosts_on_roots) Attach(i, 0x1021);
        }
        std::sort(roots.begin(), roots.end());
        settings.order = Order::kOpensm;
        settings.tables.roots = roots;
        settings.tables.has_roots = true;
    }
    [[nodiscard]] bool HasHost(const net::NetNode& node) const {
        return std::any_of(node.ports.begin(), node.ports.end(), [&](const net::NetPort& port) {
            return port.peer != net::kNoPeer && !netlist.nodes[port.peer].is_switch();
        });
    }
    void Attach(std::uint32_t at, std::uint16_t device) {
        netlist.nodes[at].ports.emplace_back();
        const std::string name = "node " + std::to_string(netlist.nodes.size());
        const std::uint32_t node = netlist.Add(NodeType::kChannelAdapter, 1, name, name);
        netlist.nodes[node].device_id = device;
        netlist.nodes[node].guid = Guid{0x900000U + 2 * node};
        netlist.Connect(at, netlist.nodes[at].port_count(), node, 1);
    }

    net::Netlist netlist = net::FatTree2(8);
    std::vector<Guid> roots;
    Settings settings;
};

/// Routed by the list "updn", as a manager is told to.
struct ListRun {
    explicit ListRun(const TreeWithAggregation& tree) : settings(tree.settings), run(tree.netlist) {
        EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
        plan.Make(settings, engines.All());
        run.Route(plan.plan());
    }
    [[nodiscard]] const Verdict& verdict() { return run.router().verdict(); }

    Settings settings;
    Engines engines;
    ListPlan plan;
    RoutingRun run;
};

/// Under OpenSM's order there is no way between two roots; the hosts shall have updn's routes all
/// the same.
TEST(UpDn, LeavesAggregationNodesOfTwoRootsApart) {
    const TreeWithAggregation tree;
    ASSERT_EQ(tree.roots.size(), 4U);
    RoutingRun run(tree.netlist);
    UpDn up_dn;
    const Verdict& verdict = run.Route(up_dn, tree.settings);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(verdict.engine, "updn");
    EXPECT_EQ(verdict.findings.switch_pairs_apart, 2U * 4U * 3U)
        << "each root, and its aggregation node, to the others";
    EXPECT_EQ(verdict.findings.max_hops, 2U) << "pairs that are apart have no length";
    EXPECT_EQ(verdict.choice.bridge, kNoGuid);
}

/// A host on a root talks to everybody, also under OpenSM's order, which leaves it apart from those
/// of the other roots: the engine is kept and asked for its last resort.
TEST(UpDn, BridgesRootsWhoseHostsItWouldLeaveApart) {
    for (const std::size_t hosts : {1U, 2U, 4U}) {
        const TreeWithAggregation tree(hosts);
        ListRun listed(tree);
        const Verdict& verdict = listed.verdict();
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << hosts;
        EXPECT_EQ(verdict.engine, "updn");
        EXPECT_EQ(verdict.attempts.size(), 1U);
        EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U) << hosts;
        EXPECT_FALSE(verdict.findings.end_ports_may_deadlock) << hosts;
        EXPECT_NE(verdict.choice.bridge, kNoGuid) << "it is told";
    }
}

TEST(UpDn, KeepsOpensmsTablesUnderNoFallbackAndIsRefusedForThem) {
    TreeWithAggregation tree(2);
    tree.settings.no_fallback = true;
    ListRun listed(tree);
    const Verdict& verdict = listed.verdict();
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(verdict.reason, RoutingReason::kLostPair);
}

/// connect_roots lets packets of end ports on roots wait for each other, as OpenSM has it.
TEST(UpDn, ClosesNoCircleOverRootsThatConnectRootsJoins) {
    TreeWithAggregation tree;
    tree.settings.connect_roots = true;
    RoutingRun run(tree.netlist);
    UpDn up_dn;
    EXPECT_EQ(run.Route(up_dn, tree.settings).outcome, RoutingOutcome::kWarned)
        << "OpenSM's tables";
    ListRun listed(tree);
    const Verdict& verdict = listed.verdict();
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(verdict.engine, "updn");
    EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U);
    EXPECT_NE(verdict.choice.bridge, kNoGuid);
}

TEST(DnUp, SaysThatThereAreNoLeaves) {
    net::Netlist netlist;
    netlist.Add(NodeType::kSwitch, 4, "S-0", "");
    netlist.Add(NodeType::kSwitch, 4, "S-1", "");
    netlist.nodes[0].guid = Guid{1};
    netlist.nodes[1].guid = Guid{2};
    netlist.ConnectAny(0, 1);
    RoutingRun run(netlist);
    DnUp dn_up;
    const Verdict& verdict = run.Route(dn_up);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(verdict.attempts[0].complaint.what, EngineFault::kNoLeafSwitch);
}

TEST(UpDn, RefusesAFabricForWhichItHasNoScratchAndTakesNoMoreThanThereIs) {
    // Cables join switches of one level here, so OpenSM's steps must be taken one by one.
    Study study(net::RandomGraph(3, 60, 6, 2));
    const Guid root = study.topology().switch_row(SwitchIndex{7}).guid;
    study.settings.tables.roots = {&root, 1};
    study.settings.tables.has_roots = true;
    const Limits limits = study.topology().bounds();
    const std::size_t builder =
        std::max({LftBuilder::ScratchBytes(limits), BalancedBuilder::ScratchBytes(limits),
                  Mender::ScratchBytes(limits)});
    const std::size_t least = UpDownFinder::LeastScratchBytes(limits) + builder;
    const std::size_t most = UpDownFinder::ScratchBytes(limits) + builder;
    ASSERT_LT(least, most);
    const std::size_t stride = LidStride(limits);
    std::vector<std::vector<std::uint8_t>> results;
    std::size_t refused = 0;
    constexpr std::size_t kSteps = 64;
    for (std::size_t step = 0; step <= kSteps; ++step) {
        testing::ArenaStorage arena(least + (most - least) * step / kSteps);
        std::vector<std::uint8_t> lfts(study.topology().switch_bound() * stride, 255);
        RoutingTask task = study.Task();
        task.scratch = &arena.arena();
        task.tables.lfts = {lfts, {.rows = study.topology().switch_bound(), .stride = stride}};
        UpDn up_dn;
        ASSERT_EQ(up_dn.Begin(task), Status::kOk);
        Result<Progress> progress = Progress::kMore;
        while (progress.ok() && progress.value() == Progress::kMore) {
            progress = up_dn.Advance();
        }
        if (progress.ok()) {
            results.push_back(lfts);
        } else {
            EXPECT_EQ(progress.status(), Status::kFull);
            EXPECT_EQ(up_dn.complaint().what, EngineFault::kNoScratch);
            EXPECT_TRUE(results.empty()) << "more scratch was not enough";
            ++refused;
        }
    }
    EXPECT_GT(refused, 0U);
    ASSERT_FALSE(results.empty());
    EXPECT_NE(results.front(), std::vector<std::uint8_t>(results.front().size(), 255));
    EXPECT_EQ(results.front(), results.back());
}

/// updn on a netlist with one root, the first switch by GUID.
Verdict RouteByOneRoot(const net::Netlist& netlist, Order order) {
    testing::BuiltFabric::Options options;
    options.order = order;
    RoutingRun run(netlist, options);
    Guid root = kNoGuid;
    for (const net::NetNode& node : netlist.nodes) {
        if (root == kNoGuid && node.is_switch()) root = node.guid;
    }
    Settings settings = testing::OpensmSettings();
    settings.order = order;
    settings.tables.roots = {&root, 1};
    settings.tables.has_roots = true;
    UpDn up_dn;
    return run.Route(up_dn, settings);
}

TEST(UpDn, IsLegalOnAnyFabricUnderItsOwnOrder) {
    constexpr std::uint32_t kOdd[] = {5, 5};
    constexpr std::uint32_t kSolid[] = {4, 4, 3};
    std::vector<net::Netlist> netlists;
    netlists.push_back(net::Torus(kOdd, 2));
    netlists.push_back(net::Torus(kSolid, 1));
    netlists.push_back(net::Mesh(kOdd, 1));
    netlists.push_back(net::Hypercube(5, 1));
    netlists.push_back(net::Dragonfly(4, 2, 1));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        netlists.push_back(net::RandomGraph(seed, 30, 5, 2));
    }
    for (std::size_t i = 0; i < netlists.size(); ++i) {
        const Verdict verdict = RouteByOneRoot(netlists[i], Order::kBalanced);
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << i;
        EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U) << i;
    }
}

TEST(UpDn, WorksInShortSlices) {
    constexpr std::uint32_t kSizes[] = {8, 8};
    const net::Netlist netlist = net::Torus(kSizes, 1);
    RoutingRun run(netlist);
    const Guid root = netlist.nodes[run.reference().switches()[0]].guid;
    Settings settings = testing::OpensmSettings();
    settings.tables.roots = {&root, 1};
    settings.tables.has_roots = true;
    MinHop min_hop;
    run.Route(min_hop, settings);
    const std::size_t plain = run.slices();
    UpDn up_dn;
    run.Route(up_dn, settings);
    EXPECT_GE(run.slices(), plain + 4);  // Levels, memory, steps, searches.
}

}  // namespace
}  // namespace ember
