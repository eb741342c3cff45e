// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what failures and other configurations would do, on paper.

#include "config/emberc/plan/failures.h"

#include <array>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/emberc/plan/difference.h"
#include "config/emberc/plan/planner.h"
#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

TEST(Failure, OfTheOnlyCableLosesEveryPairAcross) {
    const net::Netlist netlist = net::ParallelLinks(1, 3);
    const auto plan = PlanOf(netlist, kDefaults);
    const net::NetEnd home = net::FirstSeat(netlist);
    const auto effects =
        TryFailures(netlist, home, kDefaults, *plan, EveryFailure(netlist, false, 0));
    ASSERT_EQ(effects.size(), 1U);
    EXPECT_EQ(effects[0].hosts_lost, 3U);
    EXPECT_EQ(effects[0].pairs_lost, 30U - 6U);
    EXPECT_EQ(effects[0].outcome, RoutingOutcome::kVerified);
    EXPECT_DOUBLE_EQ(effects[0].saturation, 1);
}

TEST(Failure, OfOneOfTwoCablesHalvesWhatIsLeft) {
    const net::Netlist netlist = net::ParallelLinks(2, 4);
    const auto plan = PlanOf(netlist, kDefaults);
    const auto effects = TryFailures(netlist, net::FirstSeat(netlist), kDefaults, *plan,
                                     EveryFailure(netlist, false, 0));
    ASSERT_EQ(effects.size(), 2U);
    for (const FailureEffect& effect : effects) {
        EXPECT_EQ(effect.pairs_lost, 0U);
        EXPECT_DOUBLE_EQ(effect.saturation, 7.0 / 16);
        EXPECT_GT(effect.moved, 0U);
        EXPECT_EQ(effect.blocks, 2U);
    }
}

TEST(Failure, OfTheManagersOwnSwitchIsSeenByAStandby) {
    const net::Netlist netlist = net::FatTree2(4);  // Four leaves with two hosts.
    const auto plan = PlanOf(netlist, kDefaults);
    const net::NetEnd home = net::FirstSeat(netlist);
    const auto leaf = FindFailure(netlist, true, netlist.nodes[netlist.nodes[0].ports[1].peer].id);
    const auto effects = TryFailures(netlist, home, kDefaults, *plan, {leaf});
    EXPECT_EQ(effects[0].hosts_lost, 2U);
    EXPECT_EQ(effects[0].pairs_lost, 8U * 7 - 6U * 5);
}

TEST(Failure, OfAManagersSmallerPartIsNoAffairOfTheLargerOne) {
    net::Netlist netlist;  // Two hosts that are managed; apart from them four that are not.
    const auto add = [&](NodeType type, std::uint32_t ports, const std::string& id) {
        return netlist.Add(type, ports, id, id);
    };
    const std::uint32_t left = add(NodeType::kSwitch, 4, "left");
    const std::uint32_t right = add(NodeType::kSwitch, 4, "right");
    const std::uint32_t apart = add(NodeType::kSwitch, 4, "apart");
    for (const std::uint32_t at : {left, right, apart, apart, apart, apart}) {
        const std::string id = "h" + std::to_string(netlist.nodes.size());
        ASSERT_TRUE(netlist.ConnectAny(add(NodeType::kChannelAdapter, 1, id), at));
    }
    ASSERT_TRUE(netlist.ConnectAny(left, right) && netlist.ConnectAny(left, right));
    netlist.AssignGuids();
    const auto plan = PlanOf(netlist, kDefaults);
    const auto effects =
        TryFailures(netlist, net::FirstSeat(netlist), kDefaults, *plan,
                    {FindFailure(netlist, false, "left/2"), FindFailure(netlist, true, "apart"),
                     FindFailure(netlist, true, "right")});
    ASSERT_EQ(effects.size(), 3U);
    EXPECT_EQ(effects[0].name, "right");  // The worst comes first.
    EXPECT_EQ(effects[0].hosts_lost, 1U);
    EXPECT_EQ(effects[0].pairs_lost, 2U);
    for (const FailureEffect& effect : {effects[1], effects[2]}) {
        EXPECT_EQ(effect.hosts_lost, 0U) << effect.name;
        EXPECT_EQ(effect.pairs_lost, 0U) << effect.name;
        EXPECT_EQ(effect.moved > 0, effect.name != "apart") << effect.name;
    }
}

TEST(Failure, UnderTheBalancedOrderMovesOnlyWhatItMust) {
    const net::Netlist netlist = net::FatTree3(8);
    const auto failures = EveryFailure(netlist, false, 6);
    std::uint64_t moved[2] = {0, 0};
    for (const Order order : {Order::kOpensm, Order::kBalanced}) {
        Settings settings;
        settings.order = order;
        const auto plan = PlanOf(netlist, settings);
        for (const FailureEffect& effect :
             TryFailures(netlist, net::FirstSeat(netlist), settings, *plan, failures)) {
            EXPECT_EQ(effect.outcome, RoutingOutcome::kVerified);
            EXPECT_EQ(effect.pairs_lost, 0U);
            EXPECT_GT(effect.moved, 0U);
            moved[order == Order::kBalanced ? 1 : 0] += effect.moved;
        }
    }
    EXPECT_LT(moved[1], moved[0]);
}

TEST(Failure, WorstComesFirstAndASampleIsSpread) {
    const net::Netlist netlist = Shape("random:9,10,3:2");
    const auto plan = PlanOf(netlist, kDefaults);
    std::vector<Failure> failures = EveryFailure(netlist, true, 0);
    EXPECT_EQ(failures.size(), 10U);
    const auto links = EveryFailure(netlist, false, 0);
    failures.insert(failures.end(), links.begin(), links.end());
    std::uint64_t told = 0;
    const auto effects = TryFailures(netlist, net::FirstSeat(netlist), kDefaults, *plan, failures,
                                     [&](std::uint64_t done, std::uint64_t) { told = done; });
    EXPECT_EQ(told, failures.size());
    for (std::size_t i = 1; i < effects.size(); ++i) {
        EXPECT_GE(effects[i - 1].pairs_lost, effects[i].pairs_lost);
    }
    const auto sample = EveryFailure(netlist, false, 4);
    EXPECT_EQ(sample.size(), 4U);
    EXPECT_EQ(EveryFailure(netlist, false, 10000).size(), links.size());
}

TEST(Failure, ThatDoesNotExistIsAMistake) {
    const net::Netlist netlist = net::FatTree2(4);
    const std::string leaf = Hex(netlist.nodes[netlist.nodes[0].ports[1].peer].guid);
    EXPECT_EQ(FindFailure(netlist, false, leaf + "/1").end.port, 1U);
    for (const char* port : {"", "/", "/x", "/0", "/5", "/1x", "/99999999999"}) {
        EXPECT_THROW((void)FindFailure(netlist, false, leaf + port), std::runtime_error) << port;
    }
    EXPECT_THROW((void)FindFailure(netlist, true, netlist.nodes[0].id), std::runtime_error);
    EXPECT_THROW((void)FindFailure(netlist, true, "0x1"), std::runtime_error);
}

TEST(Failure, IsNamedByWhatReportsPrint) {
    const net::Netlist netlist = net::FatTree2(4);
    const std::uint32_t at = netlist.nodes[0].ports[1].peer;
    const std::string name = "Blattstraße 3";
    const std::vector<std::uint8_t> octets(name.begin(), name.end());
    const std::array rows{
        NodeName{netlist.nodes[at].guid, 0, static_cast<std::uint32_t>(octets.size())}};
    ManagerTables tables;
    tables.node_names = rows;
    tables.name_octets = octets;
    const LidsByGuid lids{{netlist.nodes[at].guid, Lid{17}}};
    const Calling calling{.tables = &tables, .lids = &lids};
    for (const std::string& word : {name, std::string("17"), std::string("0x11"),
                                    netlist.nodes[at].description, netlist.nodes[at].id}) {
        EXPECT_EQ(FindFailure(netlist, true, word, calling).end.node, at) << word;
        for (const char* port : {"/2", " port 2"}) {
            const Failure failure = FindFailure(netlist, false, word + port, calling);
            EXPECT_EQ(failure.end.node, at) << word << port;
            EXPECT_EQ(failure.end.port, 2U) << word << port;
        }
        EXPECT_THROW((void)FindFailure(netlist, true, word + "/2", calling), std::runtime_error);
        EXPECT_THROW((void)FindFailure(netlist, false, word, calling), std::runtime_error);
    }
    EXPECT_EQ(
        FindFailure(netlist, false, Hex(net::PortGuid(netlist.nodes[0], 1)), calling).end.port, 1U);
}

TEST(Difference, IsNothingBetweenEquals) {
    const net::Netlist netlist = Shape("random:9,10,3:2");
    const auto one = PlanOf(netlist, kDefaults);
    const auto other = PlanOf(netlist, kDefaults);
    const Difference difference = Compare(*one, *other, true);
    EXPECT_EQ(difference.compared, 10U * 30);
    EXPECT_EQ(difference.moved, 0U);
    EXPECT_TRUE(difference.switches.empty());
}

TEST(Difference, FollowsEndPortsWhoseLidsMoved) {
    const net::Netlist netlist = net::FatTree2(6);
    Settings by_opensm;
    by_opensm.order = Order::kOpensm;
    Settings by_guid;
    by_guid.order = Order::kGuid;
    by_guid.port_shifting = true;
    const auto one = PlanOf(netlist, by_opensm);
    const auto other = PlanOf(netlist, by_guid);
    const Difference difference = Compare(*one, *other, true);
    EXPECT_GT(difference.lids_moved, 0U);
    EXPECT_GT(difference.moved, 0U);
    EXPECT_EQ(difference.moves.size(), difference.moved);
    std::uint64_t sum = 0;
    for (const SwitchMoves& row : difference.switches) {
        sum += row.moved;
    }
    EXPECT_EQ(sum, difference.moved);
    const LidsByGuid before = one->lids();
    const LidsByGuid after = other->lids();
    for (const Move& move : difference.moves) {
        const SwitchIndex was = one->topology().FindSwitch(move.at);
        const SwitchIndex is = other->topology().FindSwitch(move.at);
        EXPECT_EQ(one->lfts()[was][Raw(before.at(move.to))], move.before);
        EXPECT_EQ(other->lfts()[is][Raw(after.at(move.to))], move.after);
        EXPECT_NE(move.before, move.after);
    }
}

TEST(Cuts, KilledLinksAreDrawnBySeedAndStayInPairs) {
    net::Netlist one = net::FatTree2(8);
    net::Netlist same = one;
    const std::size_t before = one.link_count();
    EXPECT_EQ(net::KillLinks(one, 5, 3), 5U);
    EXPECT_EQ(net::KillLinks(same, 5, 3), 5U);
    EXPECT_EQ(one.link_count(), before - 5);
    EXPECT_EQ(net::WriteNetlist(one), net::WriteNetlist(same));
    net::Netlist all = net::FatTree2(8);
    EXPECT_EQ(net::KillLinks(all, 1000, 3), 32U);
    EXPECT_TRUE(net::TrunksOf(all).empty());
}

}  // namespace
}  // namespace ember::plan
