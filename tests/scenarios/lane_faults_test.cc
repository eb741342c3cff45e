// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches that do not give packets the lanes that they are told to.
//
// Goal:   a switch that says that it takes no SL to VL maps, and one that refuses its tables, does
//         not answer or does not keep them, has one lane: no link that is ACTIVE is ever part of a
//         credit loop that the hardware could close, whatever was proved; it is told by name, and
//         the verdict is a warning; when it takes its tables again its lanes are used again.
// Method: a simulated ring, whose shortest paths close a cycle on one lane. Packets are followed
//         through the tables that the hardware has, lane by lane, without a line of core/routing.
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/scenarios/lane_faults_fixture.h"

namespace ember::testing::lane_faults {
namespace {

TEST_F(LaneFaultScenario, WithoutAFaultTheLanesOfTheRoutingAreUsed) {
    world_.AddManager(SettingsFor(EngineKind::kDfsssp));
    RunWatched(20 * kSecond);
    ExpectUp();
    EXPECT_EQ(programmed().count, 2);
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(faults(), LaneFaults{});
    EXPECT_EQ(loops_, 0U);
    // The walk complains if one switch forgets its maps.
    for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
        const sim::SimNode& node = world_.world().node_of(row);
        if (!node.is_switch() || world_.world().port(row).number == 0) continue;
        for (std::uint32_t in = 0; in <= node.port_count; ++in) {
            for (std::uint8_t& octet :
                 world_.world().SlToVl(node.first_row, in, world_.world().port(row).number)) {
                octet = 0;
            }
        }
    }
    EXPECT_TRUE(HasLoop());
}

TEST_F(LaneFaultScenario, WithoutAFallbackNoLinkCarriesData) {
    Break(Fault::kRefuses, 1);
    Settings settings = SettingsFor(EngineKind::kDfsssp);
    settings.no_fallback = true;
    world_.AddManager(settings);
    RunWatched(30 * kSecond);
    EXPECT_FALSE(sm().is_up());
    EXPECT_EQ(ActiveLinks(), 0U);
    EXPECT_GE(world_.Heard(Note::kRoutingRefused), 1U) << world_.Notes();
}

TEST_F(LaneFaultScenario, ASwitchThatTakesItsTablesAgainHasItsLanesAgain) {
    Break(Fault::kRefuses, 1);
    world_.AddManager(SettingsFor(EngineKind::kDfsssp));
    RunWatched(20 * kSecond);
    ASSERT_TRUE(programmed().is_one_lane()) << world_.Notes();
    liar_.fault = Fault::kNone;
    // Three trials, one a minute.
    world_.RunFor(280 * kSecond);
    ExpectUp();
    EXPECT_EQ(programmed().count, 2) << world_.Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(faults(), LaneFaults{});
    EXPECT_EQ(world_.Heard(Note::kSwitchLanesTaken), 1U) << world_.Notes();
    EXPECT_FALSE(HasLoop());
}

TEST_F(LaneFaultScenario, AfterThreeTimesASwitchIsNotTriedAgainBeforeAnOperatorAsks) {
    Break(Fault::kRefuses, 1);
    world_.AddManager(SettingsFor(EngineKind::kDfsssp));
    const auto run = [&](Fault fault) {
        liar_.fault = fault;
        world_.sm().RequestSweep(SweepCue::kHeavyRequest);
        world_.Wake();
        world_.RunFor(280 * kSecond);
    };
    world_.RunFor(20 * kSecond);
    run(Fault::kNone);
    ASSERT_EQ(programmed().count, 2) << world_.Notes();
    // Its maps are no more what they were, and it takes none.
    for (int time = 0; time < 2; ++time) {
        run(Fault::kRefuses);
        ASSERT_TRUE(programmed().is_one_lane()) << time << world_.Notes();
        if (time == 1) break;
        run(Fault::kNone);
        ASSERT_EQ(programmed().count, 2) << world_.Notes();
    }
    liar_.fault = Fault::kNone;
    world_.RunFor(600 * kSecond);
    EXPECT_TRUE(programmed().is_one_lane()) << world_.Notes();
    EXPECT_EQ(faults().lacking, 1U);
    run(Fault::kNone);
    EXPECT_EQ(programmed().count, 2) << world_.Notes();
}

/// Its tables are taken away by hand, again and again.
TEST_F(LaneFaultScenario, ASwitchThatForgetsItsMapsAgainAndAgainHasOneLane) {
    Settings settings = SettingsFor(EngineKind::kDfsssp);
    settings.scrub_interval = 1;
    world_.AddManager(settings);
    RunWatched(20 * kSecond);
    ASSERT_EQ(programmed().count, 2);
    std::uint32_t at = 0;
    while (!world_.world().node(at).is_switch()) {
        ++at;
    }
    const sim::SimNode& node = world_.world().node(at);
    const auto forget = [&] {
        for (std::uint32_t turn = 0; turn < (node.port_count + 1U) * (node.port_count + 1U);
             ++turn) {
            const std::uint32_t ports = node.port_count + 1U;
            for (std::uint8_t& octet :
                 world_.world().SlToVl(node.first_row, turn / ports, turn % ports)) {
                octet = 0;
            }
        }
    };
    forget();
    world_.RunFor(30 * kSecond);
    EXPECT_EQ(programmed().count, 2) << "once is told, and put right: " << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kScrubLanes), 1U) << "its other ports had their turn at once";
    EXPECT_FALSE(HasLoop());
    for (int time = 0; time < 120; ++time) {
        forget();
        world_.RunFor(kSecond / 2);
    }
    EXPECT_TRUE(programmed().is_one_lane()) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSwitchLanesSuspect), 1U) << world_.Notes();
    EXPECT_NE(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(faults().lacking, 1U);
    EXPECT_FALSE(HasLoop());
    ExpectUp();
}

/// A map that was just written and is not there will not be there the next time either.
TEST_F(LaneFaultScenario, ASwitchThatCeasesToKeepMapsHasOneLaneAtTheFirstDifference) {
    Settings settings = SettingsFor(EngineKind::kDfsssp);
    settings.scrub_interval = 1;
    world_.AddManager(settings);
    RunWatched(20 * kSecond);
    ASSERT_EQ(programmed().count, 2);
    Break(Fault::kSham, 1);
    const sim::SimNode& node = world_.world().node(*liar_.nodes.begin());
    for (std::uint32_t out = 1; out <= node.port_count; ++out) {
        for (std::uint8_t& octet : world_.world().SlToVl(node.first_row, 0, out)) {
            octet = 0;
        }
    }
    world_.RunFor(40 * kSecond);
    EXPECT_TRUE(programmed().is_one_lane()) << world_.Notes();
    EXPECT_FALSE(HasLoop());
    ExpectUp();
}

/// Routes of one lane rely on no map: data flows, with a warning.
TEST(LaneFaultsOnOneLane, AreToldAndLowerTheVerdictAndChangeNoRoute) {
    SimWorld world(net::FatTree2(4));
    LaneLiar liar;
    liar.fault = Fault::kRefuses;
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (world.world().node(node).is_switch() && liar.nodes.empty()) liar.nodes.insert(node);
    }
    world.sim().SetLiar(&liar);
    Settings settings = MinHopSettings();
    settings.qos = true;
    world.AddManager(settings);
    world.RunFor(30 * kSecond);
    ASSERT_TRUE(world.sm().is_up()) << world.Notes();
    const Verdict& verdict = world.sm().router().verdict();
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kWarned);
    EXPECT_FALSE(verdict.findings.end_ports_may_deadlock);
    EXPECT_EQ(world.sm().progress().up_summary.lanes.lacking, 1U);
    EXPECT_GE(world.Heard(Note::kLaneTablesLacking), 1U) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kSwitchLanesSuspect), 0U) << world.Notes();
    EXPECT_EQ(world.Judge(), "");
    liar.fault = Fault::kNone;
    world.RunFor(90 * kSecond);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << world.Notes();
    EXPECT_EQ(world.sm().progress().up_summary.lanes, LaneFaults{});
    world.sim().SetLiar(nullptr);
}

TEST(LaneFaultsOnOneLane, WithoutLanesNothingIsSaidOfMaps) {
    SimWorld world(net::FatTree2(4));
    LaneLiar liar;
    liar.fault = Fault::kNoMaps;
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (world.world().node(node).is_switch()) liar.nodes.insert(node);
    }
    world.sim().SetLiar(&liar);
    Settings settings = MinHopSettings();
    settings.routing_lanes = false;
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.sm().router().verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(world.Heard(Note::kSwitchWithoutMaps), 0U);
    EXPECT_EQ(world.sm().progress().up_summary.lanes, LaneFaults{});
    world.sim().SetLiar(nullptr);
}

}  // namespace
}  // namespace ember::testing::lane_faults
