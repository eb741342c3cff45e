// SPDX-License-Identifier: Apache-2.0
// EmberSM: which switches are believed to give packets the lanes that they are told to.
#include "core/lanes/lane_trust.h"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "core/log/log.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::BuiltFabric;

constexpr SwitchIndex kOne{1};

class LaneTrusts : public ::testing::Test {
protected:
    LaneTrusts() { SetMaps(true); }
    void SetMaps(bool has_maps) {
        ForEachSwitch(fabric_, [&](SwitchIndex, const Switch& row) {
            PortInfo& info = fabric_.PortsOf(row.node).front().info;
            info.Set(PortInfo::kCapabilityMask,
                     has_maps ? capability_mask::kIsSlMappingSupported : 0U);
        });
    }
    [[nodiscard]] Switch& row() { return fabric_.switch_row(kOne); }
    /// Until it is none any more; 0: it stays one for ten trials.
    [[nodiscard]] int Trials() {
        for (int i = 1; i <= 10; ++i) {
            if (trust_.PassTrial(kOne, 0)) return i;
        }
        return 0;
    }

    net::Netlist netlist_ = net::Ring(4, 1);
    BuiltFabric built_{netlist_};
    Fabric& fabric_ = built_.fabric();
    std::array<LogRecord, 64> records_{};
    Log log_{records_};
    LaneTrust trust_{fabric_, log_};
};

TEST_F(LaneTrusts, ASwitchHasOneLaneByItsOwnWordAndIsToldOnce) {
    trust_.Begin(true, false, 0);
    EXPECT_FALSE(row().has_one_lane);
    EXPECT_EQ(SumOfOneLanes(fabric_), 0U);
    SetMaps(false);
    EXPECT_TRUE(LacksLaneMaps(fabric_, row()));
    EXPECT_FALSE(row().has_one_lane) << "a topology may be under way";
    trust_.Begin(true, false, 0);
    trust_.Begin(true, false, 0);
    EXPECT_TRUE(row().has_one_lane);
    EXPECT_NE(SumOfOneLanes(fabric_), 0U);
    EXPECT_EQ(log_.CountOf(Note::kSwitchWithoutMaps), 4U) << "one for each switch";
    trust_.Begin(false, false, 0);
    EXPECT_FALSE(row().has_one_lane) << "no maps are written without qos";
}

TEST_F(LaneTrusts, ThreeDifferencesMakeASuspectAndReadingsBetweenThemCount) {
    EXPECT_FALSE(trust_.Observe(kOne, true, 0));
    EXPECT_FALSE(trust_.Observe(kOne, true, 0));
    EXPECT_FALSE(trust_.Observe(kOne, false, 0));
    EXPECT_FALSE(trust_.Observe(kOne, true, 0));
    EXPECT_TRUE(trust_.Observe(kOne, true, 0));
    EXPECT_FALSE(trust_.Observe(kOne, true, 0)) << "it is one";
    EXPECT_FALSE(row().has_one_lane);
    trust_.Begin(true, false, 0);
    EXPECT_TRUE(row().has_one_lane);
    EXPECT_FALSE(fabric_.switch_row(SwitchIndex{0}).has_one_lane);
    EXPECT_EQ(log_.CountOf(Note::kSwitchLanesSuspect), 1U);
}

TEST_F(LaneTrusts, ASuspectIsBelievedAgainAfterThreeTrialsAndThreeTimesOnly) {
    for (int time = 0; time < 3; ++time) {
        EXPECT_TRUE(trust_.MayTry(kOne)) << time;
        EXPECT_TRUE(trust_.Suspect(kOne, 0));
        EXPECT_FALSE(trust_.Suspect(kOne, 0)) << "it is one";
        if (time < 2) {
            EXPECT_EQ(Trials(), 3) << time;
        }
    }
    EXPECT_FALSE(trust_.MayTry(kOne));
    trust_.Begin(true, false, 0);
    EXPECT_FALSE(trust_.MayTry(kOne));
    trust_.Begin(true, true, 0);
    EXPECT_TRUE(trust_.MayTry(kOne)) << "an operator asked";
    static_cast<void>(trust_.Observe(kOne, true, 0));
    EXPECT_EQ(Trials(), 4) << "one trial has found a difference";
    EXPECT_EQ(log_.CountOf(Note::kSwitchLanesTaken), 3U);
}

}  // namespace
}  // namespace ember
