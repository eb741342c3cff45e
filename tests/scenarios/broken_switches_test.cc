// SPDX-License-Identifier: Apache-2.0
// EmberSM: a switch that is broken from the begin on has one lane.
//
// Goal:   whatever a switch makes of its tables of lanes, no link carries data that could wait in a
//         circle, at a bring-up, a restart, a change of keys and under the next master.
// Method: as in lane_faults_test.cc.
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/scenarios/lane_faults_fixture.h"

namespace ember::testing::lane_faults {
namespace {

struct Case {
    std::string_view name;
    Fault fault;
    std::uint32_t switches;
    EngineKind engine;
};

class BrokenSwitches : public LaneFaultScenario, public ::testing::WithParamInterface<Case> {
protected:
    void ExpectSafe() {
        ExpectUp();
        EXPECT_EQ(loops_, 0U) << world_.Notes();
        EXPECT_TRUE(programmed().is_one_lane()) << "every path of a ring meets such a switch";
        const Case& what = GetParam();
        const bool says_so = what.fault == Fault::kNoMaps;
        EXPECT_EQ(faults().without_maps, says_so ? what.switches : 0U);
        EXPECT_EQ(faults().lacking, says_so ? 0U : what.switches);
        EXPECT_EQ(sm().log().CountOf(Note::kSwitchWithoutMaps), says_so ? what.switches : 0U)
            << world_.Notes();
        EXPECT_EQ(sm().log().CountOf(Note::kSwitchLanesSuspect), says_so ? 0U : what.switches)
            << world_.Notes();
        if (!says_so) {
            EXPECT_NE(verdict().outcome, RoutingOutcome::kVerified);
            EXPECT_GE(world_.Heard(Note::kLaneTablesLacking), 1U);
        }
        const bool is_auto = what.engine == EngineKind::kAuto;
        const EngineComplaint complaint =
            is_auto ? verdict().choice.shortage : verdict().attempts[0].complaint;
        if (what.engine == EngineKind::kNue)
            return;  // Nue has other paths, and complains of nothing.
        EXPECT_EQ(complaint.what, EngineFault::kSwitchLanes);
        bool is_named = false;
        for (const std::uint32_t node : liar_.nodes) {
            is_named = is_named || world_.world().node(node).guid == complaint.guid;
        }
        EXPECT_TRUE(is_named) << std::hex << Raw(complaint.guid);
    }
};

TEST_P(BrokenSwitches, HaveOneLaneFromTheBeginOn) {
    Break(GetParam().fault, GetParam().switches);
    world_.AddManager(SettingsFor(GetParam().engine));
    RunWatched(60 * kSecond);
    ExpectSafe();
}

TEST_P(BrokenSwitches, HaveOneLaneAfterARestartAndAChangeOfKeys) {
    Break(GetParam().fault, GetParam().switches);
    Settings settings = SettingsFor(GetParam().engine);
    world_.AddManager(settings);
    RunWatched(30 * kSecond);
    ASSERT_EQ(settings.lanes[Raw(LanePorts::kAny)].low.TryPush({.vl = 0, .weight = 64}),
              Status::kOk);
    world_.sm().Configure(settings);
    world_.Wake();
    RunWatched(30 * kSecond);
    ExpectSafe();
    EXPECT_LE(sm().log().CountOf(Note::kSwitchLanesSuspect), GetParam().switches)
        << "a change of keys does not make routes rely on it again";
    world_.Reconfigure(settings);
    world_.Restart();
    world_.RunFor(30 * kSecond);  // The proof of the routes in force is not known yet.
    EXPECT_FALSE(HasLoop()) << world_.Notes();
    ExpectSafe();
}

TEST_P(BrokenSwitches, HaveOneLaneUnderTheNextMasterToo) {
    Break(GetParam().fault, GetParam().switches);
    Settings settings = SettingsFor(GetParam().engine);
    settings.sm_priority = 3;
    const std::size_t first = world_.AddManager(settings);
    RunWatched(30 * kSecond);
    std::uint32_t other = world_.node_of_seat(first) + 1;
    while (world_.world().node(other).is_switch()) {
        ++other;
    }
    settings.sm_priority = 9;
    const std::size_t second = world_.AddManager(other, 1, settings);
    world_.RunFor(60 * kSecond);
    ASSERT_TRUE(sm(second).role().is_master()) << world_.Notes(second);
    EXPECT_TRUE(sm(second).is_up());
    EXPECT_TRUE(sm(second).router().programmed_lanes().is_one_lane());
    EXPECT_FALSE(HasLoop(second)) << world_.Notes(second);
}

INSTANTIATE_TEST_SUITE_P(
    Every, BrokenSwitches,
    ::testing::Values(Case{"AllWithoutMaps", Fault::kNoMaps, kRing, EngineKind::kDfsssp},
                      Case{"AllSham", Fault::kSham, kRing, EngineKind::kDfsssp},
                      Case{"AllDeaf", Fault::kDeaf, kRing, EngineKind::kDfsssp},
                      Case{"AllRefuse", Fault::kRefuses, kRing, EngineKind::kDfsssp},
                      Case{"OneWithoutMaps", Fault::kNoMaps, 1, EngineKind::kDfsssp},
                      Case{"OneSham", Fault::kSham, 1, EngineKind::kDfsssp},
                      Case{"OneDeaf", Fault::kDeaf, 1, EngineKind::kDfsssp},
                      Case{"OneRefuses", Fault::kRefuses, 1, EngineKind::kDfsssp},
                      Case{"OneWithoutArbitration", Fault::kRefusesArbitration, 1,
                           EngineKind::kDfsssp},
                      Case{"AutoWithoutMaps", Fault::kNoMaps, kRing, EngineKind::kAuto},
                      Case{"AutoSham", Fault::kSham, kRing, EngineKind::kAuto},
                      Case{"AutoRefused", Fault::kRefuses, 1, EngineKind::kAuto},
                      Case{"LashWithoutMaps", Fault::kNoMaps, 1, EngineKind::kLash}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ember::testing::lane_faults
