// SPDX-License-Identifier: Apache-2.0
// EmberSM: a plan is what a subnet manager makes of the fabric.
#include "config/emberc/plan/planner.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <string>

#include "board/boards.h"
#include "config/emberc/plan/board.h"
#include "config/emberc/plan/link_loads.h"
#include "config/emberc/plan/node_by_word.h"
#include "tests/config/plan/plan_support.h"
#include "tests/support/sim_world.h"

namespace ember::plan {
namespace {

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
    EXPECT_EQ(PlanOf(ring, settings)->lanes().count, 3) << "its lanes need no qos";
    settings.routing_lanes = false;
    const auto without = PlanOf(ring, settings);
    EXPECT_EQ(without->verdict().outcome, RoutingOutcome::kSafe);
    EXPECT_NE(Explain(*without, without->verdict().attempts[0]).find("by routing_lanes"),
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
    for (const net::NetEnd& end : net::TrunksOf(netlist)) {
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
    EXPECT_EQ(FindHome(netlist, Hex(net::PortGuid(last, 1)), kNoGuid).node, 7U);
    EXPECT_EQ(FindHome(netlist, last.id + "/1", kNoGuid).port, 1U);
    EXPECT_THROW((void)FindHome(netlist, last.id + "/2", kNoGuid), std::runtime_error);
    EXPECT_THROW((void)FindHome(netlist, "nobody", kNoGuid), std::runtime_error);
    EXPECT_THROW((void)FindHome(netlist, "0xdeadbeef", kNoGuid), std::runtime_error);
}

TEST(Plan, FindsItsHomeByALidThatTheFileTellsOrThePlanGave) {
    net::Netlist netlist = net::FatTree2(4);
    netlist.nodes[3].ports[1].lid = Lid{0x20};
    netlist.nodes[3].ports[1].lmc = 1;
    for (const char* word : {"32", "33", "0x20", "0x0021", "33/1"}) {
        EXPECT_EQ(FindHome(netlist, word, kNoGuid).node, 3U) << word;
    }
    EXPECT_THROW((void)FindHome(netlist, "34", kNoGuid), std::runtime_error);
    const LidsByGuid lids{{net::PortGuid(netlist.nodes[5], 1), Lid{32}}};
    EXPECT_EQ(FindHome(netlist, "32", kNoGuid, {.tables = nullptr, .lids = &lids}).node, 5U);
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

/// Switches are delivered with a description of blanks.
TEST(Planned, CallsANodeThatHasNoNameByItsGuid) {
    net::Netlist netlist = net::FatTree2(4);
    netlist.nodes[0].description = "  ";
    netlist.nodes[1].description = "";
    netlist.nodes[2].description = "a name";
    const auto plan = PlanOf(netlist, kDefaults);
    EXPECT_EQ(plan->NameOf(netlist.nodes[0]), Hex(netlist.nodes[0].guid));
    EXPECT_EQ(plan->NameOf(netlist.nodes[1].guid), Hex(netlist.nodes[1].guid));
    EXPECT_EQ(plan->NameOf(netlist.nodes[2]), "a name");
}

}  // namespace
}  // namespace ember::plan
