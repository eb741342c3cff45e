// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routing of a fabric that is broken, or never was a tree.
//
// Goal:   under `order balanced` updn, dnup and ftree lose no pair of end ports that cables
// connect,
//         nor does the safe routing, which has no credit loop on any fabric and reaches every
//         switch from every switch.
// Method: trees with cables cut by chance, and odd random fabrics; the verifier, and a
//         slow proof that shares no code with the core.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "engines/up_down/crown.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;

/// The largest part that is left when `count` cables between switches are gone.
net::Netlist Worn(net::Netlist netlist, std::uint32_t count, std::uint64_t seed) {
    net::KillLinks(netlist, count, seed);
    return net::LargestPart(netlist).netlist;
}

Settings Balanced() {
    Settings settings;
    settings.order = Order::kBalanced;
    return settings;
}

/// Refuses everything, so that what comes after an engine has its turn.
class Refuser final : public RoutingEngine {
public:
    [[nodiscard]] EngineKind kind() const override { return EngineKind::kNue; }
    [[nodiscard]] std::string_view name() const override { return "nue"; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.deadlock_free = true};
    }
    Status Begin(const RoutingTask& /*task*/) override { return Status::kUnreachable; }
    Result<Progress> Advance() override { return Status::kUnreachable; }
};

void ExpectSafe(const net::Netlist& netlist, const Settings& settings, const std::string& what) {
    RoutingRun run(netlist);
    Refuser refuser;
    ASSERT_EQ(run.Route(refuser, settings).outcome, RoutingOutcome::kRefused);
    UpDn up_dn;
    const Verdict& verdict = run.RouteSafely(up_dn);
    ASSERT_EQ(verdict.outcome, RoutingOutcome::kSafe) << what;
    EXPECT_EQ(verdict.engine, "safe");
    EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U) << what;
    EXPECT_FALSE(verdict.findings.anything_may_deadlock) << what;
    EXPECT_FALSE(run.reference().FindBroken(run.planned()).has_value()) << what;
    const auto waits = run.reference().FindDependencies(run.planned(), true);
    EXPECT_FALSE(testing::RoutingReference::HasCycle(waits)) << what;
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
}

TEST(NoPairLost, OfABrokenTreeByAnyEngineUnderTheBalancedOrder) {
    constexpr std::array<std::string_view, 3> kNames = {"updn", "dnup", "ftree"};
    for (const std::uint32_t k : {4U, 6U, 8U}) {
        const net::Netlist whole = net::FatTree3(k);
        const auto trunks = static_cast<std::uint32_t>(net::TrunksOf(whole).size());
        for (const std::uint32_t percent : {6U, 12U, 24U, 40U}) {
            const std::uint64_t seeds = k == 8 ? 2 : 8;
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                const net::Netlist worn = Worn(whole, trunks * percent / 100, seed);
                for (const std::string_view name : kNames) {
                    Engines engines;
                    RoutingRun run(worn);
                    const Verdict& verdict = run.Route(*engines.Find(name), Balanced());
                    const std::string what = std::string(name) + " k=" + std::to_string(k) + " " +
                                             std::to_string(percent) + " % seed " +
                                             std::to_string(seed);
                    ASSERT_TRUE(verdict.may_program()) << what;
                    EXPECT_FALSE(run.reference().FindBroken(run.planned()).has_value()) << what;
                    if (name != "dnup") {
                        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << what;
                    }
                }
            }
        }
    }
}

TEST(NoPairLost, WithTheRootsThatOneNames) {
    const net::Netlist whole = net::FatTree3(8);
    std::vector<Guid> cores;
    for (const net::NetNode& node : whole.nodes) {
        const bool has_host =
            std::any_of(node.ports.begin(), node.ports.end(), [&](const net::NetPort& port) {
                return port.peer != net::kNoPeer && !whole.nodes[port.peer].is_switch();
            });
        const bool is_leaf_beside =
            std::any_of(node.ports.begin(), node.ports.end(), [&](const net::NetPort& port) {
                if (port.peer == net::kNoPeer) return false;
                const net::NetNode& peer = whole.nodes[port.peer];
                return std::any_of(
                    peer.ports.begin(), peer.ports.end(), [&](const net::NetPort& next) {
                        return next.peer != net::kNoPeer && !whole.nodes[next.peer].is_switch();
                    });
            });
        if (node.is_switch() && !has_host && !is_leaf_beside) cores.push_back(node.guid);
    }
    ASSERT_EQ(cores.size(), 16U);
    std::sort(cores.begin(), cores.end());
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const net::Netlist worn = Worn(whole, 60, seed);
        Settings settings = Balanced();
        settings.tables.roots = cores;
        settings.tables.has_roots = true;
        RoutingRun run(worn);
        UpDn up_dn;
        EXPECT_EQ(run.Route(up_dn, settings).outcome, RoutingOutcome::kVerified) << seed;
    }
}

TEST(NoPairLost, WhereThereIsNoTreeAndNoRoot) {
    constexpr std::uint32_t kTorus[] = {4, 4};
    constexpr std::uint32_t kOdd[] = {5, 3, 3};
    const net::Netlist netlists[] = {net::Torus(kTorus, 1),         net::Mesh(kOdd, 1),
                                     net::Hypercube(5, 2),          net::Dragonfly(4, 2, 1),
                                     net::RandomGraph(7, 40, 5, 2), net::Ring(9, 2)};
    for (const net::Netlist& netlist : netlists) {
        for (const std::string_view name : {"updn", "ftree"}) {
            Engines engines;
            RoutingRun run(netlist);
            EXPECT_EQ(run.Route(*engines.Find(name), Balanced()).outcome,
                      RoutingOutcome::kVerified);
        }
    }
}

/// A tree whose top lost some cables is routed over all that is left of the top: nothing goes all
/// through one switch.
TEST(NoPairLost, CostsLittleOfTheBalance) {
    const net::Netlist worn = Worn(net::FatTree3(8), 15, 1);
    RoutingRun run(worn);
    MinHop min_hop;
    const std::uint32_t least = run.Route(min_hop, Balanced()).findings.average_hops_milli();
    UpDn up_dn;
    const Verdict& verdict = run.Route(up_dn, Balanced());
    ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_LE(verdict.findings.average_hops_milli(), least * 103 / 100);
}

TEST(SafeRouting, RoutesEveryFabricWithoutACreditLoop) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        testing::WildOptions wild;
        wild.seed = seed;
        wild.switches = 1 + seed % 19;
        wild.extra_cables = seed * 7 % 31;
        wild.hosts = 2 + seed * 5 % 29;
        wild.islands = seed % 4 == 3 && wild.switches > 1;
        Settings settings;
        settings.order = seed % 2 == 0 ? Order::kOpensm : Order::kBalanced;
        settings.connect_roots = seed % 3 == 0;
        ExpectSafe(testing::WildNetlist(wild), settings, "seed " + std::to_string(seed));
    }
}

TEST(SafeRouting, RoutesBrokenTreesAndTori) {
    constexpr std::uint32_t kTorus[] = {5, 5};
    ExpectSafe(net::Torus(kTorus, 2), testing::OpensmSettings(), "torus");
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        ExpectSafe(Worn(net::FatTree3(6), 30, seed), testing::OpensmSettings(),
                   "tree " + std::to_string(seed));
    }
}

TEST(SafeRouting, PassesOverRootsThatLosePairsAndTakesWhatIsNamed) {
    net::Netlist netlist = net::Ring(8, 1);
    std::vector<Guid> roots;
    for (const net::NetNode& node : netlist.nodes) {
        if (node.is_switch() && roots.size() < 3) roots.push_back(node.guid);
    }
    std::sort(roots.begin(), roots.end());
    Settings settings = testing::OpensmSettings();
    settings.tables.roots = roots;
    settings.tables.has_roots = true;
    ExpectSafe(netlist, settings, "ring");
}

TEST(Crown, LeavesAnOrderWithOneTopAsItIs) {
    RoutingRun run(net::FatTree2(4));
    Topology topology;
    topology.Build(run.built().fabric(), Order::kBalanced, run.scratch());
    std::vector<SwitchIndex> order(topology.switches_by_guid().begin(),
                                   topology.switches_by_guid().end());
    Crown(topology, order, run.scratch());
    const std::vector<SwitchIndex> once = order;
    const auto place = [&](SwitchIndex at) {
        return std::find(once.begin(), once.end(), at) - once.begin();
    };
    for (std::size_t i = 1; i < once.size(); ++i) {
        const auto trunks = topology.trunks(once[i]);
        EXPECT_TRUE(std::any_of(trunks.begin(), trunks.end(), [&](const Trunk& trunk) {
            return place(trunk.peer) < place(once[i]);
        })) << i;
    }
    Crown(topology, order, run.scratch());
    EXPECT_EQ(order, once);
}

}  // namespace
}  // namespace ember
