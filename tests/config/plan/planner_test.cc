// SPDX-License-Identifier: Apache-2.0
// EmberSM: a plan is what a subnet manager makes of the fabric, failures and differences included.
#include "config/emberc/plan/planner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <pty.h>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

#include "board/boards.h"
#include "config/emberc/plan/board.h"
#include "config/emberc/plan/difference.h"
#include "config/emberc/plan/failures.h"
#include "config/emberc/plan/levels.h"
#include "config/emberc/plan/progress_bar.h"
#include "tests/config/plan/plan_support.h"
#include "tests/support/sim_world.h"

namespace ember::plan {
namespace {

const Settings kDefaults;

/// Goal: a plan shows the very tables that a manager writes.
/// Method: a whole manager brings up the simulated fabric; LIDs and every used entry are compared.
TEST(Plan, IsWhatASubnetManagerProgramsOnTheSameFabric) {
    for (const char* name : {"ft2:8", "torus:3x4:2", "random:5,14,4:2", "dragonfly:3,1:2"}) {
        SCOPED_TRACE(name);
        const net::Netlist netlist = Shape(name);
        const auto plan = PlanOf(netlist, kDefaults);
        testing::SimWorld world(netlist);
        world.AddManager(kDefaults);
        ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
        const Fabric& fabric = world.sm().fabric();
        const LidsByGuid lids = plan->lids();
        ForEachEndPort(fabric, [&](PortIndex, const Port& port) {
            ASSERT_TRUE(lids.contains(port.guid));
            EXPECT_EQ(Raw(lids.at(port.guid)), Raw(port.lid)) << Hex(port.guid);
        });
        for (const SwitchIndex at : plan->topology().switches_by_guid()) {
            const Guid guid = plan->topology().switch_row(at).guid;
            const SwitchIndex same = fabric.node(fabric.FindNode(guid)).switch_index;
            for (std::uint32_t lid = 1; lid <= Raw(plan->topology().top_lid()); ++lid) {
                ASSERT_EQ(plan->lfts()[at][lid], world.sm().programming().programmed()[same][lid])
                    << Hex(guid) << " LID " << lid;
            }
        }
    }
}

TEST(Plan, SaysHowManyLanesABoardMustHave) {
    const net::Netlist ring = Shape("ring:8:2");  // Its shortest paths close a cycle on one lane.
    Settings settings;
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kDfsssp), Status::kOk);
    settings.qos = true;
    const auto plan = PlanOf(ring, settings);
    ASSERT_EQ(plan->verdict().engine, "dfsssp");
    EXPECT_EQ(plan->lanes().count, 3);
    const Limits needed = plan->needed();
    EXPECT_EQ(needed.max_lanes, 3U);
    EXPECT_EQ(needed.path_sl_bytes, 8U * 4U);  // Half an octet a pair of switches.
    EXPECT_EQ(needed.lane_map_bytes, 0U);
    Board board = *FindBoard(Boards(), "sim_small");
    EXPECT_TRUE(FitTo(board, needed).fits()) << Shortage(FitTo(board, needed));
    board.limits.max_lanes = 1;
    board.limits.path_sl_bytes = 31;
    EXPECT_EQ(Shortage(FitTo(board, needed)),
              "virtual lanes: 3 of 1, service levels, bytes: 32 of 31");

    settings.qos = false;
    const auto without = PlanOf(ring, settings);
    EXPECT_EQ(without->verdict().outcome, RoutingOutcome::kSafe);
    EXPECT_NE(Explain(*without, without->verdict().attempts[0]).find("qos is FALSE"),
              std::string::npos);
}

TEST(Plan, KeepsTheLidsThatANetlistTells) {
    net::Netlist aged = Shape("ft2:6");
    LidsByGuid told;
    std::uint16_t next = 700;
    for (net::NetNode& node : aged.nodes) {
        const std::size_t port = node.is_switch() ? 0 : 1;
        next = static_cast<std::uint16_t>(next - 7);
        node.ports[port].lid = Lid{next};
        told[net::PortGuid(node, port)] = Lid{next};
    }
    EXPECT_EQ(PlanOf(aged, kDefaults)->lids(), told);
    EXPECT_TRUE(PlanOf(aged, kDefaults)->verdict().may_program());
    Settings anew;
    anew.reassign_lids = true;
    EXPECT_EQ(PlanOf(aged, anew)->lids(), PlanOf(Shape("ft2:6"), kDefaults)->lids());
    // A LID that two ports claim, and one whose range does not fit, are given anew.
    aged.nodes[0].ports[0].lid = aged.nodes[1].ports[0].lid;
    Settings ranges;
    ranges.lmc = 3;
    aged.nodes.back().ports[1].lid = kTopUnicastLid;
    aged.nodes.back().ports[1].lmc = 3;
    for (const Settings* const settings : {&kDefaults, static_cast<const Settings*>(&ranges)}) {
        const auto plan = PlanOf(aged, *settings);
        EXPECT_TRUE(plan->verdict().may_program());
        std::set<std::uint16_t> lids;
        for (const auto& [guid, lid] : plan->lids()) {
            EXPECT_TRUE(lids.insert(Raw(lid)).second) << Raw(lid);
        }
        EXPECT_EQ(lids.size(), told.size());
    }
}

TEST(Plan, SeesNoMoreThanItsManager) {
    // Two islands, and a two-port host on both: packets do not pass through it.
    net::Netlist netlist = net::DualRail(4, 1);
    for (const net::CableEnd& end : net::TrunksOf(netlist)) {
        net::Unplug(netlist, end);
    }
    const auto plan = PlanOf(netlist, kDefaults);
    EXPECT_EQ(plan->netlist().switch_count(), 1U);
    EXPECT_EQ(plan->netlist().nodes.size(), 5U);
    EXPECT_EQ(MeasureAllToAll(plan->topology(), plan->lfts()).hosts, 4U);
    EXPECT_EQ(net::LargestPart(netlist).netlist.nodes.size(), 5U);
}

TEST(Plan, FindsItsHomeByNameByGuidAndByItself) {
    const net::Netlist netlist = net::FatTree2(4);
    const net::NetNode& last = netlist.nodes[7];
    EXPECT_EQ(FindHome(netlist, last.id, kNoGuid).node, 7U);
    EXPECT_EQ(FindHome(netlist, last.description, kNoGuid).node, 7U);
    EXPECT_EQ(FindHome(netlist, Hex(last.guid), kNoGuid).node, 7U);
    EXPECT_EQ(FindHome(netlist, "", net::PortGuid(last, 1)).node, 7U);
    EXPECT_EQ(FindHome(netlist, "", kNoGuid).node, 0U);
    EXPECT_EQ(FindHome(netlist, "", Guid{1}).node, 0U);
    EXPECT_THROW((void)FindHome(netlist, "nobody", kNoGuid), std::runtime_error);
    EXPECT_THROW((void)FindHome(netlist, "0xdeadbeef", kNoGuid), std::runtime_error);
}

TEST(Plan, RefusesAFabricThatCannotBeASubnet) {
    net::Netlist twins = net::FatTree2(4);
    twins.nodes[3].guid = twins.nodes[2].guid;
    EXPECT_THROW((void)PlanOf(twins, kDefaults), std::runtime_error);
    net::Netlist nobody = net::FatTree2(4);
    nobody.nodes[3].guid = kNoGuid;
    EXPECT_THROW((void)PlanOf(nobody, kDefaults), std::runtime_error);
    net::Netlist overlap = net::FatTree2(4);
    overlap.nodes[3].ports[1].guid = net::PortGuid(overlap.nodes[2], 1);
    EXPECT_THROW((void)PlanOf(overlap, kDefaults), std::runtime_error);
    Settings greedy;
    greedy.lmc = 7;
    EXPECT_THROW((void)PlanOf(net::FatTree3(16), greedy), std::runtime_error);
}

TEST(Plan, GivesEveryHostItsRangeUnderLmc) {
    Settings settings;
    settings.lmc = 2;
    const auto plan = PlanOf(net::FatTree2(4), settings);
    for (const Destination& to : plan->topology().destinations()) {
        EXPECT_EQ(to.lid_count(), to.is_switch() ? 1U : 4U);
    }
}

Settings ByMinHop() {
    Settings settings;
    EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kMinHop), Status::kOk);
    return settings;
}

TEST(Plan, NamesTheVlsOfALoopOnlyWhereThereAreSeveral) {
    const Settings by_minhop = ByMinHop();
    const auto torus = PlanOf(Shape("torus:5"), by_minhop);
    ChannelList cycle = torus->verdict().findings.cycle;
    ASSERT_GE(cycle.length, 3U);
    const std::string text = ChannelText(*torus, cycle);
    EXPECT_EQ(text, CreditLoop(*torus));
    EXPECT_EQ(text.find("VL"), std::string::npos);
    cycle.lanes = 2;
    cycle.channels[1].lane = 1;
    EXPECT_NE(ChannelText(*torus, cycle).find(" VL 0, "), std::string::npos);
    EXPECT_NE(ChannelText(*torus, cycle).find(" VL 1, "), std::string::npos);
}

TEST(Plan, TellsWhereACreditLoopIs) {
    const Settings by_minhop = ByMinHop();
    const auto torus = PlanOf(Shape("torus:5"), by_minhop);
    EXPECT_EQ(Word(torus->verdict().outcome), "possible credit loop");
    EXPECT_NE(CreditLoop(*torus).find("switch 0 port"), std::string::npos);
    Settings strict = ByMinHop();
    strict.require_deadlock_free = true;
    const auto safe = PlanOf(Shape("torus:5"), strict);
    EXPECT_EQ(Word(safe->verdict().outcome), "safe routing");
    EXPECT_EQ(safe->verdict().engine, "safe");
    EXPECT_EQ(safe->verdict().attempts.size(), 2U);
    EXPECT_NE(Explain(*safe, safe->verdict().attempts[0]).find("credit loop is possible: switch"),
              std::string::npos);
    EXPECT_EQ(CreditLoop(*safe), "");
    strict.no_fallback = true;
    const auto refused = PlanOf(Shape("torus:5"), strict);
    EXPECT_EQ(Word(refused->verdict().outcome), "refused");
    ASSERT_EQ(refused->verdict().attempts.size(), 1U);
    EXPECT_NE(Explain(*refused, refused->verdict().attempts[0]).find("credit loop"),
              std::string::npos);
}

TEST(Fit, AFabricFitsALimitThatIsJustEnoughAndNoSmallerOne) {
    const auto plan = PlanOf(net::FatTree2(8), kDefaults);
    Board board{"tight", plan->needed(), {}};
    board.limits.max_smps = 64;
    board.limits.max_other_sms = 4;
    board.limits.journal_notes = 64;
    const Fit fit = FitTo(board, plan->needed());
    EXPECT_TRUE(fit.fits());
    EXPECT_EQ(fit.needed_bytes, fit.board_bytes);
    for (std::uint32_t Limits::*limit :
         {&Limits::max_nodes, &Limits::max_switches, &Limits::max_ports, &Limits::max_switch_ports,
          &Limits::max_lid, &Limits::scratch_bytes}) {
        Board small = board;
        --(small.limits.*limit);
        EXPECT_FALSE(FitTo(small, plan->needed()).fits());
    }
}

TEST(Fit, EveryBoardOfTheTreeIsKnown) {
    std::size_t count = 0;
    const std::filesystem::path boards = std::filesystem::path(EMBER_SOURCE_DIR) / "board";
    for (const auto& folder : std::filesystem::directory_iterator(boards)) {
        if (!std::filesystem::exists(folder.path() / "profile.h")) continue;
        ++count;
        EXPECT_NE(FindBoard(Boards(), folder.path().filename().string()), nullptr) << folder.path();
    }
    EXPECT_EQ(count, Boards().size());
    EXPECT_EQ(FindBoard(Boards(), "no_such_board"), nullptr);
}

TEST(Levels, AreCountedFromTheHosts) {
    const auto tree = PlanOf(net::FatTree3(4), kDefaults);
    const auto levels = LevelsOf(tree->topology());
    EXPECT_EQ(std::count(levels.begin(), levels.end(), 0U), 8);
    EXPECT_EQ(std::count(levels.begin(), levels.end(), 1U), 8);
    EXPECT_EQ(std::count(levels.begin(), levels.end(), 2U), 4);
    const AllToAll loads = MeasureAllToAll(tree->topology(), tree->lfts());
    const auto classes = ClassesOf(tree->topology(), levels, loads);
    ASSERT_EQ(classes.size(), 4U);
    std::size_t links = 0;
    double flows = 0;
    for (const LinkClass& row : classes) {
        links += row.links;
        flows += row.mean * static_cast<double>(row.links);
        std::size_t counted = 0;
        for (const std::size_t in_band : row.bands) {
            counted += in_band;
        }
        EXPECT_EQ(counted, row.links);
        EXPECT_EQ(row.bands[0], row.idle);
    }
    EXPECT_EQ(links, loads.links);
    EXPECT_NEAR(flows, loads.mean * static_cast<double>(loads.links), 1e-6);

    const LoadHistogram histogram = HistogramOf(tree->topology(), loads, 40);
    std::size_t counted = histogram.idle;
    for (const std::size_t count : histogram.counts) {
        counted += count;
    }
    EXPECT_EQ(counted, loads.links);
    EXPECT_EQ(histogram.idle, loads.idle);
}

TEST(Levels, BandsHoldTheirUpperEnd) {
    EXPECT_EQ(BandOf(0, 50), 0U);
    EXPECT_EQ(BandOf(0.1, 50), 1U);
    EXPECT_EQ(BandOf(25, 50), 1U);
    EXPECT_EQ(BandOf(50, 50), kFairBand);
    EXPECT_EQ(BandOf(100, 50), kBands - 2);
    EXPECT_EQ(BandOf(101, 50), kBands - 1);
    EXPECT_EQ(BandOf(0, 0), 0U);
}

TEST(Failure, OfTheOnlyCableLosesEveryPairAcross) {
    const net::Netlist netlist = net::ParallelLinks(1, 3);
    const auto plan = PlanOf(netlist, kDefaults);
    const net::CableEnd home = net::FirstSeat(netlist);
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
    const net::CableEnd home = net::FirstSeat(netlist);
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

TEST(ProgressBar, FillsFromLeftToRight) {
    EXPECT_EQ(ProgressBar::Line("x", 0, 8), "[" + std::string(40, ' ') + "]   0 % x");
    EXPECT_EQ(ProgressBar::Line("x", 4, 8),
              "[" + std::string(20, '#') + std::string(20, ' ') + "]  50 % x");
    EXPECT_EQ(ProgressBar::Line("x", 9, 8), "[" + std::string(40, '#') + "] 100 % x");
}

TEST(ProgressBar, IsDrawnOnATerminalWhenWorkLastsAndWipedAtTheEnd) {
    int terminal = -1;
    int ours = -1;
    ASSERT_EQ(openpty(&terminal, &ours, nullptr, nullptr, nullptr), 0);
    std::FILE* const stream = fdopen(ours, "w");
    {
        ProgressBar bar(stream, "work");
        bar.Show(1, 10);  // Too early.
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        bar.Show(5, 10);
        bar.Show(5, 10);  // Nothing new.
    }
    std::fclose(stream);  // The terminal then tells what is in it, in pieces as it likes, and EIO.
    std::string seen;
    std::array<char, 1000> piece{};
    ssize_t count = read(terminal, piece.data(), piece.size());
    while (count > 0) {
        seen.append(piece.data(), static_cast<std::size_t>(count));
        count = read(terminal, piece.data(), piece.size());
    }
    EXPECT_EQ(seen, "\r" + ProgressBar::Line("work", 5, 10) + "\r\033[K");
    close(terminal);
}

TEST(ProgressBar, SaysNothingWhereThereIsNoTerminal) {
    ::testing::internal::CaptureStderr();
    {
        ProgressBar bar(stderr, "work");
        for (std::uint64_t i = 0; i <= 1000; ++i) {
            bar.Show(i, 1000);
        }
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace ember::plan
