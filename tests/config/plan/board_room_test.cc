// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of plans in the arenas of a board.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "board/sim_small/profile.h"
#include "config/emberc/plan/settings_source.h"
#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

std::unique_ptr<Planned> PlanOn(const Limits& board, const net::Netlist& netlist,
                                const Settings& settings, const Planned* before = nullptr) {
    net::Part part = net::Reachable(netlist, net::FirstSeat(netlist));
    return std::make_unique<Planned>(std::move(part.netlist), part.from, settings, before, &board);
}

class PlansOnBoards : public ::testing::Test {
protected:
    std::unique_ptr<PlanSettings> Load(const std::string& text) {
        return LoadSettings(folder_.Write("o.conf", text));
    }
    std::unique_ptr<PlanSettings> LoadChain() {
        folder_.Write("t",
                      "topology\nid: 1\nsw-grp: ALL_SWITCHES\nhca-grp: ALL_CAS\nend-topology\n");
        folder_.Write("r",
                      "unicast-step\nid: 3\nengine: minhop\nend-unicast-step\n"
                      "unicast-step\nid: 8\nengine: updn\ntopology: 1\nend-unicast-step\n");
        return Load("topo_policy_file t\nrch_policy_file r\n");
    }
    Folder folder_;
};

TEST_F(PlansOnBoards, ALaterStepThatHasNoRoomThereIsRefusedAsThere) {
    const auto source = LoadChain();
    const net::Netlist tree = Shape("ft2:4");
    Limits board = kSimSmall;
    EXPECT_EQ(PlanOn(board, tree, source->settings())->verdict().engine, kChainWord);
    board.max_step_switches = 2;
    const auto plan = PlanOn(board, tree, source->settings());
    ASSERT_FALSE(plan->verdict().attempts.empty());
    EXPECT_EQ(plan->verdict().attempts[0].complaint.what, EngineFault::kStepSwitches);
    EXPECT_NE(plan->verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(PlanOf(tree, source->settings())->verdict().engine, kChainWord);
}

TEST_F(PlansOnBoards, AnEngineWithoutRoomForItsLanesIsRefusedAsThere) {
    const auto source = Load("routing_engine dfsssp\nqos TRUE\n");
    const net::Netlist ring = Shape("ring:6");
    EXPECT_EQ(PlanOf(ring, source->settings())->verdict().outcome, RoutingOutcome::kVerified);
    Limits board = kSimSmall;
    EXPECT_EQ(PlanOn(board, ring, source->settings())->verdict().outcome,
              RoutingOutcome::kVerified);
    board.lane_map_bytes = 0;
    board.path_sl_bytes = 0;
    const auto plan = PlanOn(board, ring, source->settings());
    EXPECT_TRUE(plan->verdict().has_refusals());
    EXPECT_LE(plan->lanes().count, 1U);
}

/// A listing may tell LIDs that another manager gave, and the board has none so high. The manager
/// gives such a port another one, and so does the plan.
TEST_F(PlansOnBoards, ALidOfTheListingAboveThoseOfTheBoardIsNotKept) {
    const auto source = Load("routing_engine updn\n");
    net::Netlist tree = Shape("ft2:4");
    Limits board = kSimSmall;
    std::uint16_t lid = static_cast<std::uint16_t>(board.max_lid - 2);
    for (net::NetNode& node : tree.nodes) {
        for (net::NetPort& port : node.ports) {
            port.lid = Lid{lid};
        }
        ++lid;  // A switch has one for all of its ports, and hosts here have one port.
    }
    const Limits needed = PlanOn(board, tree, source->settings())->needed(board);
    EXPECT_EQ(needed.max_lid, board.max_lid) << "those that fit are kept";
    EXPECT_GT(PlanOf(tree, source->settings())->needed(board).max_lid, board.max_lid);
}

/// The plan after a loss is for the same board.
TEST_F(PlansOnBoards, FailuresAreTriedOnTheSameBoard) {
    const auto source = LoadChain();
    const net::Netlist tree = Shape("ft2:4");
    Limits board = kSimSmall;
    board.max_step_switches = 2;
    const auto before = PlanOn(board, tree, source->settings());
    net::Part part = net::Reachable(tree, net::FirstSeat(tree));
    const Planned after(std::move(part.netlist), part.from, source->settings(), before.get());
    ASSERT_FALSE(after.verdict().attempts.empty());
    EXPECT_EQ(after.verdict().attempts[0].complaint.what, EngineFault::kStepSwitches);
}

/// 64 LIDs and more: rows of tables are longer than the subnet needs, as on the board.
TEST_F(PlansOnBoards, ChainsArePlannedInTheArenasOfEachBoard) {
    const auto source = LoadChain();
    for (const Board& board : Boards()) {
        for (const std::string_view shape : {"ft2:8", "ft2:16", "ft3:8"}) {
            const net::Netlist tree = Shape(shape);
            const auto plan = PlanOn(board.limits, tree, source->settings());
            const bool is_held = tree.switch_count() <= board.limits.max_switches;
            EXPECT_EQ(plan->verdict().engine, kChainWord) << board.name << ' ' << shape;
            EXPECT_EQ(plan->verdict().outcome, RoutingOutcome::kVerified) << board.name;
            EXPECT_EQ(plan->lfts().rows() == board.limits.max_switches, is_held) << board.name;
        }
    }
}

/// Without --board: embersm as it is shipped would refuse it.
TEST_F(PlansOnBoards, WhatTheShippedBoardDoesNotHoldIsRefusedUnasked) {
    const std::string conf = folder_.Write("lmc.conf", "lmc 7\n");
    const Answer small = Emberc({"plan", "-f", "ft2:8", "-c", conf, "-q"});
    EXPECT_EQ(small.status, 0) << small.out << small.error;
    const Answer large = Emberc({"plan", "-f", "ft2:20", "-c", conf, "-q"});
    EXPECT_NE(large.out.find("DOES NOT FIT board linux_bench: top LID: "), std::string::npos)
        << large.out.substr(0, 400) << large.error;
    EXPECT_EQ(large.status, 7);
    EXPECT_EQ(Emberc({"plan", "-f", "ft2:20", "-c", conf, "-q", "-b", "switch_max"}).status, 0);
}

}  // namespace
}  // namespace ember::plan
