// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the ways that are completed to the subnet manager.

#include "core/routing/home_column.h"

#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::RoutingRun;
using testing::SlowTables;

/// The first switch without a host beside it, which in a tree of three levels is a core.
std::uint32_t ACore(const net::Netlist& netlist) {
    std::vector<std::uint32_t> distance(netlist.nodes.size(), 0xFFFF);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        if (netlist.nodes[i].is_switch()) continue;
        distance[i] = 0;
        queue.push_back(i);
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const net::NetPort& port : netlist.nodes[queue[head]].ports) {
            if (port.peer == net::kNoPeer || distance[port.peer] != 0xFFFF) continue;
            distance[port.peer] = distance[queue[head]] + 1;
            queue.push_back(port.peer);
        }
    }
    return queue.back();
}

/// A tree whose manager sits on a core, routed by updn.
class HomeOnACore : public ::testing::Test {
protected:
    void Route(RoutingEngine& engine, const Settings& settings) {
        verdict_ = run_.Route(engine, settings);
        ASSERT_EQ(verdict_.outcome, RoutingOutcome::kVerified);
    }
    [[nodiscard]] static BuiltFabric::Options Options(std::uint32_t node) {
        BuiltFabric::Options options;
        options.own_node = node;
        options.own_port = 0;
        return options;
    }
    [[nodiscard]] Lid own_lid() {
        const Fabric& fabric = run_.built().fabric();
        return fabric.port(fabric.own_port()).lid;
    }
    /// Switches that drop what is for `lid`.
    [[nodiscard]] std::size_t Dropping(Lid lid) {
        std::size_t count = 0;
        for (const auto& [node, row] : run_.planned()) {
            count += row[Raw(lid)] == kNoHops ? 1U : 0U;
        }
        return count;
    }

    /// Switches whose own LID packets of the manager do not reach, by the tables alone.
    [[nodiscard]] std::size_t Unreached() {
        const Fabric& fabric = run_.built().fabric();
        const NodeIndex home = fabric.port(fabric.own_port()).node;
        std::size_t count = 0;
        ForEachSwitch(fabric, [&](SwitchIndex at, const Switch& row) {
            const Lid lid = fabric.port(fabric.ManagementPortOf(at)).lid;
            NodeIndex here = home;
            for (int steps = 0; here != row.node && here != kNoNode && steps < 20; ++steps) {
                const std::uint8_t out = run_.lfts()[fabric.node(here).switch_index][Raw(lid)];
                const PortIndex door =
                    out == kNoHops ? kNoPortIndex : fabric.PortOf(here, PortNumber{out});
                const PortIndex beyond =
                    door == kNoPortIndex ? kNoPortIndex : fabric.port(door).peer;
                here = beyond == kNoPortIndex ? kNoNode : fabric.port(beyond).node;
            }
            count += here == row.node ? 0U : 1U;
        });
        return count;
    }

    net::Netlist netlist_ = net::FatTree3(4);
    std::uint32_t core_ = ACore(netlist_);
    RoutingRun run_{netlist_, Options(core_)};
    Verdict verdict_;
};

TEST_F(HomeOnACore, IsReachedByEverySwitchUnderEitherOrder) {
    for (const Order order : {Order::kOpensm, Order::kBalanced}) {
        for (const std::string_view name : {"updn", "dnup", "ftree"}) {
            Engines engines;
            Settings settings = testing::OpensmSettings();
            settings.order = order;
            Route(*engines.Find(name), settings);
            EXPECT_EQ(Dropping(own_lid()), 0U) << name;
            EXPECT_GT(verdict_.findings.switch_pairs_apart, 0U)
                << "other cores do not reach each other";
            EXPECT_FALSE(verdict_.findings.end_ports_may_deadlock);
            EXPECT_FALSE(run_.reference().FindBroken(run_.planned()).has_value());
        }
    }
}

TEST_F(HomeOnACore, ReachesEverySwitchUnderEitherOrder) {
    for (const Order order : {Order::kOpensm, Order::kBalanced}) {
        for (const std::string_view name : {"updn", "dnup", "ftree"}) {
            Engines engines;
            Settings settings = testing::OpensmSettings();
            settings.order = order;
            Route(*engines.Find(name), settings);
            EXPECT_EQ(Unreached(), 0U) << name;
        }
    }
}

/// Each cable of the fabric in turn is lost and comes back.
TEST_F(HomeOnACore, ReachesEverySwitchStillWhenRoutesAreMended) {
    UpDn up_dn;
    Settings settings;
    settings.order = Order::kBalanced;
    Route(up_dn, settings);
    Fabric& fabric = run_.built().fabric();
    std::vector<PortIndex> cables;
    ForEachPort(fabric, [&](PortIndex at, const Port& port) {
        if (port.peer == kNoPortIndex || Raw(port.peer) < Raw(at)) return;
        const bool is_trunk = fabric.node(port.node).type == NodeType::kSwitch &&
                              fabric.node(fabric.port(port.peer).node).type == NodeType::kSwitch;
        if (is_trunk) cables.push_back(at);
    });
    ASSERT_EQ(cables.size(), 32U);
    for (const PortIndex cable : cables) {
        const PortIndex far = fabric.port(cable).peer;
        for (const bool is_lost : {true, false}) {
            if (is_lost) {
                fabric.Disconnect(cable);
            } else {
                fabric.Connect(cable, far);
            }
            const Verdict& again = run_.Mend(up_dn, settings, ProofScope::kChanges);
            EXPECT_EQ(again.outcome, RoutingOutcome::kVerified);
            EXPECT_TRUE(again.was_mended) << "cable " << Raw(cable);
            EXPECT_EQ(Unreached(), 0U) << "cable " << Raw(cable) << (is_lost ? " lost" : " back");
            EXPECT_EQ(Dropping(own_lid()), 0U) << "cable " << Raw(cable);
        }
    }
}

TEST_F(HomeOnACore, IsReachedStillWhenRoutesAreMendedAndWhatIsRightStays) {
    UpDn up_dn;
    Settings settings;
    settings.order = Order::kBalanced;
    Route(up_dn, settings);
    const SlowTables before = run_.planned();
    for (const ProofScope scope : {ProofScope::kWhole, ProofScope::kChanges}) {
        const Verdict& again = run_.Mend(up_dn, settings, scope);
        EXPECT_EQ(again.outcome, RoutingOutcome::kVerified);
        EXPECT_TRUE(again.was_mended);
        EXPECT_EQ(again.mended.entries, 0U) << "nothing had to change";
        EXPECT_EQ(run_.planned(), before);
    }
    // Rubbish where no way is legal becomes a way.
    SlowTables spoiled = before;
    std::size_t spoils = 0;
    for (auto& [node, row] : spoiled) {
        if (before.at(node)[Raw(own_lid())] == 0 || spoils == 5) continue;
        row[Raw(own_lid())] = static_cast<std::uint8_t>(1 + spoils % 4);
        ++spoils;
    }
    run_.Plan(spoiled);
    EXPECT_EQ(run_.Mend(up_dn, settings, ProofScope::kWhole).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(Dropping(own_lid()), 0U);
    EXPECT_FALSE(run_.reference().FindBroken(run_.planned()).has_value());
}

TEST(HomeColumn, IsLeftAloneByAnEngineThatReachesAll) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    const Fabric& fabric = run.built().fabric();
    const Lid own = fabric.port(fabric.own_port()).lid;
    MinHop min_hop;
    run.Route(min_hop);
    SlowTables tables = run.planned();
    for (auto& [node, row] : tables) {
        const bool has_hosts = std::any_of(
            netlist.nodes[node].ports.begin(), netlist.nodes[node].ports.end(),
            [&](const net::NetPort& port) {
                return port.peer != net::kNoPeer && !netlist.nodes[port.peer].is_switch();
            });
        if (!has_hosts) row[Raw(own)] = kNoHops;
    }
    testing::ReplayEngine strict("strict", run, tables, {.all_switches = true});
    EXPECT_EQ(run.Route(strict).reason, RoutingReason::kLostPair);
    testing::ReplayEngine loose("loose", run, tables, {.all_switches = false});
    EXPECT_EQ(run.Route(loose).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.router().verdict().findings.switch_pairs_apart, 0U);
    for (const auto& [node, row] : run.planned()) {
        EXPECT_NE(row[Raw(own)], kNoHops);
    }
}

TEST(HomeColumn, IsNotCompletedForASwitchWithHosts) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    const Fabric& fabric = run.built().fabric();
    const Lid own = fabric.port(fabric.own_port()).lid;
    MinHop min_hop;
    run.Route(min_hop);
    SlowTables tables = run.planned();
    for (auto& [node, row] : tables) {
        const std::uint8_t out = row[Raw(own)];
        const auto peer = netlist.nodes[node].ports[out].peer;
        const bool is_last = out == 0 || !netlist.nodes[peer].is_switch();
        if (!is_last) row[Raw(own)] = kNoHops;
    }
    testing::ReplayEngine loose("loose", run, tables, {.all_switches = false});
    EXPECT_EQ(run.Route(loose).reason, RoutingReason::kLostPair) << "a pair of hosts is lost";
}

}  // namespace
}  // namespace ember
