// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the lanes of a routing: planned with the tables, and committed with them.

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/routing/router.h"
#include "engines/min_hop.h"
#include "tests/support/lane_engine.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::LaneEngine;
using testing::RoutingRun;
using Form = PathSl::Form;

class RouterLanes : public ::testing::Test {
protected:
    RouterLanes() : run_(net::FatTree3(4)) { settings_.order = Order::kBalanced; }

    [[nodiscard]] const RoutingLanes& planned() { return run_.router().planned_lanes(); }
    [[nodiscard]] const RoutingLanes& programmed() { return run_.router().programmed_lanes(); }
    [[nodiscard]] static std::uint8_t SlTo(const RoutingLanes& lanes, Lid lid) {
        return lanes.path_sl.Of({.from = SwitchIndex{1}, .to = SwitchIndex{0}, .lid = lid});
    }

    RoutingRun run_;
    Settings settings_;
    LaneEngine engine_;
    MinHop min_hop_;
};

TEST_F(RouterLanes, ArePlannedWithTheTablesAndProgrammedWhenTheseAre) {
    ASSERT_TRUE(run_.Route(engine_, settings_).may_program());
    EXPECT_EQ(planned().path_sl.form(), Form::kByDestination);
    EXPECT_EQ(SlTo(planned(), Lid{5}), 6);
    EXPECT_EQ(planned().lane_map.form(), LaneMap::Form::kByPorts);
    EXPECT_EQ(programmed().path_sl.form(), Form::kNone) << "the switches have other tables";
    EXPECT_EQ(programmed().lane_map.form(), LaneMap::Form::kIdentity);
    run_.router().Commit();
    EXPECT_EQ(SlTo(programmed(), Lid{5}), 6);
    EXPECT_EQ(programmed().lane_map.form(), LaneMap::Form::kByPorts);

    ASSERT_TRUE(run_.Route(min_hop_, settings_).may_program());
    EXPECT_EQ(planned().path_sl.form(), Form::kNone) << "min-hop says nothing of lanes";
    EXPECT_EQ(planned().lane_map.form(), LaneMap::Form::kIdentity);
    EXPECT_EQ(SlTo(programmed(), Lid{5}), 6) << "the switches have the tables of before";
    run_.router().Commit();
    EXPECT_EQ(SlTo(programmed(), Lid{5}), 0);
}

TEST_F(RouterLanes, StayWhereRoutesAreMended) {
    ASSERT_TRUE(run_.Route(engine_, settings_).may_program());
    const Verdict& mended = run_.Mend(engine_, settings_, ProofScope::kWhole);
    ASSERT_TRUE(mended.may_program());
    ASSERT_TRUE(mended.was_mended);
    EXPECT_EQ(planned().path_sl.form(), Form::kByDestination);
    EXPECT_EQ(SlTo(planned(), Lid{5}), 6);
    EXPECT_EQ(planned().lane_map.form(), LaneMap::Form::kByPorts);
}

TEST_F(RouterLanes, OfAnEngineThatWasRefusedAreNotThoseOfTheNext) {
    engine_.end = Status::kUnreachable;
    const std::array<RoutingEngine*, 2> engines = {&engine_, &min_hop_};
    const Verdict& verdict = run_.Route(engines, settings_);
    ASSERT_TRUE(verdict.may_program());
    ASSERT_EQ(verdict.attempts.size(), 2U);
    EXPECT_EQ(planned().path_sl.form(), Form::kNone);
    EXPECT_EQ(planned().lane_map.form(), LaneMap::Form::kIdentity);
}

TEST_F(RouterLanes, OfTablesThatAreKeptStayToo) {
    ASSERT_TRUE(run_.Route(engine_, settings_).may_program());
    run_.router().Commit();
    std::vector<std::uint8_t> tables(run_.lfts().values().begin(), run_.lfts().values().end());
    engine_.end = Status::kUnreachable;
    engine_.form = Form::kBySwitchPair;
    const std::array<RoutingEngine*, 1> engines = {&engine_};
    ASSERT_EQ(run_.Route(engines, settings_).outcome, RoutingOutcome::kRefused);
    run_.router().BeginKeeping({tables, run_.lfts().shape()});
    while (run_.router().Advance() == Progress::kMore) {
    }
    ASSERT_EQ(run_.router().verdict().outcome, RoutingOutcome::kKept);
    EXPECT_EQ(planned().path_sl.form(), Form::kByDestination);
    EXPECT_EQ(SlTo(planned(), Lid{5}), 6);
}

TEST_F(RouterLanes, AreNoneWithoutASwitch) {
    ASSERT_TRUE(run_.Route(engine_, settings_).may_program());
    net::Netlist pair;
    pair.Add(NodeType::kChannelAdapter, 1, "a", "a");
    pair.Add(NodeType::kChannelAdapter, 1, "b", "b");
    pair.Connect(0, 1, 1, 1);
    pair.AssignGuids();
    const testing::BuiltFabric built(pair);
    testing::ArenaStorage scratch(
        Router::ScratchBytes(built.limits(), EngineScratchBytes(built.limits())));
    std::vector<std::uint8_t> lfts(built.limits().max_switches * LidStride(built.limits()));
    RoutingEngine* const engines[] = {&engine_};
    Router& router = run_.router();
    const testing::EnginePlan plan(engines, settings_);
    router.Begin(built.fabric(), plan.plan(), {lfts, LftShape(built.limits())}, scratch.arena());
    while (router.Advance() == Progress::kMore) {
    }
    EXPECT_EQ(router.verdict().outcome, RoutingOutcome::kNothingToRoute);
    EXPECT_EQ(planned().path_sl.form(), Form::kNone);
}

TEST_F(RouterLanes, ThatDoNotFitAreRefusedByTheNameOfTheLimit) {
    const auto refused = [this] {
        const Verdict& verdict = run_.Route(engine_, settings_);
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
        EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
        EXPECT_EQ(verdict.status, Status::kFull);
        return verdict.attempts[0].complaint.what;
    };
    engine_.map_ports = 22;  // 23 * 23 words of 8 octets: more than 4,096.
    const EngineFault no_map = refused();
    EXPECT_EQ(no_map, EngineFault::kNoLaneMapBytes);
    EXPECT_NE(kEngineFaultWords[Raw(no_map)].find("lane_map_bytes"), std::string_view::npos);

    RoutingRun large(net::Ring(100, 1));  // 5,000 octets by pair.
    engine_.form = Form::kBySwitchPair;
    engine_.map_ports = 4;
    const Verdict& verdict = large.Route(engine_, settings_);
    EXPECT_EQ(verdict.status, Status::kFull);
    const EngineFault no_levels = verdict.attempts[0].complaint.what;
    EXPECT_EQ(no_levels, EngineFault::kNoPathSlBytes);
    EXPECT_NE(kEngineFaultWords[Raw(no_levels)].find("path_sl_bytes"), std::string_view::npos);
}

/// Goal: what is proved is what packets do on their lanes. Method: min-hop on a ring, whose routes
/// close a cycle on each lane that all packets take, and drop packets on a lane that is not in use.
TEST(RouterOnLanes, ProvesTheLanesThatArePlanned) {
    testing::BuiltFabric::Options options;
    options.max_lanes = 2;
    RoutingRun run(net::Ring(6, 1), options);
    LaneEngine engine;
    engine.lanes_in_use = 2;
    for (engine.lane = 0; engine.lane < 2; ++engine.lane) {
        const Verdict& verdict = run.Route(engine);
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kWarned);
        ASSERT_GT(verdict.findings.cycle.length, 0U);
        EXPECT_EQ(verdict.findings.cycle.channels[0].lane, engine.lane);
    }
    engine.lane = 2;
    const Verdict& verdict = run.Route(engine);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(verdict.reason, RoutingReason::kLostPair);
    EXPECT_NE(verdict.findings.at, kNoGuid);
}

/// A proof that goes on from the one before looks at one lane; so a routing of two is looked at
/// whole.
TEST(RouterOnLanes, AreProvedWholeAfterMending) {
    testing::BuiltFabric::Options options;
    options.max_lanes = 2;
    RoutingRun run(net::FatTree3(4), options);
    Settings settings;
    settings.order = Order::kBalanced;
    LaneEngine engine;
    for (const std::uint8_t lanes : {std::uint8_t{1}, std::uint8_t{2}}) {
        engine.lanes_in_use = lanes;
        ASSERT_TRUE(run.Route(engine, settings).may_program());
        const Verdict& mended = run.Mend(engine, settings, ProofScope::kChanges);
        ASSERT_TRUE(mended.may_program());
        EXPECT_EQ(mended.proved_changes_only, lanes == 1);
    }
}

}  // namespace
}  // namespace ember
