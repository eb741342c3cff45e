// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of planned and programmed lanes.

#include "core/routing/route_lanes.h"

#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/verifier.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

constexpr std::size_t kHalf = 512;

BuiltFabric::Options FourLanes() {
    BuiltFabric::Options options;
    options.max_lanes = 4;
    return options;
}

class RouteLanesTest : public ::testing::Test {
protected:
    RouteLanesTest()
        : built_(net::Ring(5, 1), FourLanes()),
          arena_(Topology::ScratchBytes(built_.limits())),
          path_sl_(2 * kHalf),
          lane_map_(2 * kHalf),
          lanes_({.path_sl = path_sl_, .lane_map = lane_map_}, built_.limits()) {
        topology_.Build(built_.fabric(), Order::kBalanced, arena_.arena());
        plan_.writes_lanes = true;
    }
    /// Plans two lanes, with SL 1 for the path from the first to the second switch.
    void PlanTwo() {
        RoutingLanes& planned = lanes_.planned();
        planned.count = 2;
        planned.sls = 0b11;
        ASSERT_EQ(planned.path_sl.Begin(PathSl::Form::kBySwitchPair, topology_.switch_bound(),
                                        topology_.top_lid()),
                  Status::kOk);
        planned.path_sl.Set(kPath, 1);
    }
    [[nodiscard]] RoutingTask Offer(std::size_t room) const {
        RoutingTask task;
        lanes_.Offer(plan_, topology_, room, task);
        return task;
    }

    static constexpr SlPath kPath = {.from = SwitchIndex{0}, .to = SwitchIndex{1}};
    BuiltFabric built_;
    ArenaStorage arena_;
    Topology topology_;
    RoutingPlan plan_;
    std::vector<std::uint8_t> path_sl_;
    std::vector<std::uint64_t> lane_map_;
    RouteLanes lanes_;
};

TEST_F(RouteLanesTest, PlannedLanesCountWhenTheyAreCommitted) {
    PlanTwo();
    EXPECT_TRUE(lanes_.programmed().is_one_lane());
    lanes_.Commit();
    EXPECT_EQ(lanes_.programmed().count, 2);
    EXPECT_EQ(lanes_.programmed().path_sl.Of(kPath), 1);
    lanes_.planned().Clear();
    EXPECT_EQ(lanes_.programmed().path_sl.Of(kPath), 1);
    lanes_.Keep();
    EXPECT_EQ(lanes_.planned().count, 2);
    EXPECT_EQ(lanes_.planned().path_sl.Of(kPath), 1);
}

TEST_F(RouteLanesTest, AreOfferedWhereTheyAreWritten) {
    EXPECT_EQ(Offer(SIZE_MAX).max_lanes, 4);
    plan_.writes_lanes = false;
    const RoutingTask task = Offer(SIZE_MAX);
    EXPECT_EQ(task.max_lanes, 1);
    EXPECT_EQ(task.lane_fault, EngineFault::kLanesNotOffered);
}

TEST_F(RouteLanesTest, NoMoreAreOfferedThanScratchCanProve) {
    const std::size_t for_two = Verifier::ScratchBytes(WithLanes(topology_.bounds(), 2));
    EXPECT_EQ(Offer(for_two).max_lanes, 2);
    EXPECT_EQ(Offer(for_two).lane_fault, EngineFault::kLanesNotProvable);
    EXPECT_EQ(Offer(for_two - 1).max_lanes, 1);
    EXPECT_EQ(Offer(0).max_lanes, 1);
}

TEST_F(RouteLanesTest, LevelsStandBesideEachOtherOnSeveralLanesAlone) {
    const LevelWish wish{.asked = 0b11, .vls = LaneRow::Identity()};
    lanes_.SetLevels(topology_, wish);
    EXPECT_FALSE(lanes_.planned().levels.in_force());
    PlanTwo();
    lanes_.SetLevels(topology_, wish);
    EXPECT_TRUE(lanes_.planned().levels.in_force());
    lanes_.planned().level_bit = 8;  // The engine has made its own.
    lanes_.SetLevels(topology_, wish);
    EXPECT_FALSE(lanes_.planned().levels.in_force());
}

}  // namespace
}  // namespace ember
