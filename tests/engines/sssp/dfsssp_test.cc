// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of dfsssp: lanes without a credit loop, in both directions, or a clear refusal.
//
// Goal:   whatever the fabric, packets on the lanes that are planned cannot wait for each other in
// a
//         circle, answers on the service level of the question included; and what is refused is
//         refused by the name of what is too little.
// Method: a walker that follows every pair of ports by itself (tests/support/lane_walker.h).

#include "engines/sssp/dfsssp.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string_view>

#include "config/netlist/topologies.h"
#include "engines/sssp/sssp.h"
#include "tests/support/lane_run.h"

namespace ember {
namespace {

using testing::LaneWalker;
using testing::PlannedSl;
using testing::RoutingRun;
using testing::WithLanes;
using testing::WithQos;

constexpr std::uint8_t kLanes = 8;

TEST(Dfsssp, ClosesNoCircleOfWaitsInEitherDirection) {
    std::size_t with_lanes = 0;
    std::size_t cyclic_without = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const net::Netlist netlist = testing::WildNetlist({.seed = seed,
                                                           .switches = 4 + seed % 14,
                                                           .extra_cables = 2 + seed % 16,
                                                           .hosts = 8 + seed % 20,
                                                           .ports = 16});
        RoutingRun run(netlist, WithLanes(kLanes, seed % 3 == 0 ? 1 : 0));
        Dfsssp dfsssp;
        const Verdict& verdict =
            run.Route(dfsssp, WithQos(seed % 2 == 0 ? Order::kOpensm : Order::kBalanced));
        ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified);
        const auto tables = run.planned();
        ASSERT_EQ(run.reference().FindBroken(tables), std::nullopt);
        const testing::LaneRule lane = testing::SlIsVl;
        const testing::SlRule sl_of = PlannedSl(run);
        const LaneWalker walker(netlist, run.reference(), tables, lane, sl_of);
        EXPECT_FALSE(testing::HasCycle(walker.Walk(false)));

        const testing::SlRule on_one = [](std::uint32_t, std::uint32_t) { return 0U; };
        const bool is_cyclic = testing::HasCycle(
            LaneWalker(netlist, run.reference(), tables, lane, on_one).Walk(false));
        const bool has_lanes = !run.router().planned_lanes().is_one_lane();
        EXPECT_TRUE(has_lanes || !is_cyclic);
        with_lanes += has_lanes ? 1U : 0U;
        cyclic_without += is_cyclic ? 1U : 0U;
    }
    EXPECT_GT(with_lanes, 10U);
    EXPECT_LT(with_lanes, 60U);  // Both occur.
    EXPECT_GT(cyclic_without, 10U);
}

TEST(Dfsssp, GivesTwoSwitchesOneServiceLevelForBothDirections) {
    RoutingRun run(net::Torus(std::array{4U, 4U}, 2), WithLanes(kLanes));
    Dfsssp dfsssp;
    ASSERT_EQ(run.Route(dfsssp, WithQos(Order::kBalanced)).outcome, RoutingOutcome::kVerified);
    const RoutingLanes& lanes = run.router().planned_lanes();
    ASSERT_GT(lanes.count, 1);
    EXPECT_EQ(lanes.sls, (1U << lanes.count) - 1U);
    EXPECT_EQ(lanes.lane_map.form(), LaneMap::Form::kIdentity);
    const auto& switches = run.reference().switches();
    std::uint8_t most = 0;
    for (const std::uint32_t one : switches) {
        for (const std::uint32_t other : switches) {
            const SwitchIndex from = run.built().switch_index(one);
            const SwitchIndex to = run.built().switch_index(other);
            const std::uint8_t sl = lanes.path_sl.Of({.from = from, .to = to});
            EXPECT_EQ(sl, lanes.path_sl.Of({.from = to, .to = from}));
            most = std::max(most, sl);
        }
    }
    EXPECT_EQ(most + 1, lanes.count);
}

TEST(Dfsssp, TakesNoSecondLaneWhereOneDoes) {
    RoutingRun run(net::FatTree3(4), WithLanes(kLanes));
    Dfsssp dfsssp;
    ASSERT_EQ(run.Route(dfsssp, WithQos(Order::kBalanced)).outcome, RoutingOutcome::kVerified);
    EXPECT_TRUE(run.router().planned_lanes().is_one_lane());
    EXPECT_EQ(run.router().planned_lanes().path_sl.form(), PathSl::Form::kNone);
    Settings without_qos = WithQos(Order::kBalanced);
    without_qos.qos = false;
    EXPECT_EQ(run.Route(dfsssp, without_qos).outcome, RoutingOutcome::kVerified);
}

/// The complaint with which a run on a ring of eight, which needs two lanes, is refused.
EngineComplaint Refusal(std::uint8_t max_lanes, const Settings& settings) {
    RoutingRun run(net::Ring(8, 2), WithLanes(max_lanes));
    Dfsssp dfsssp;
    const Verdict& verdict = run.Route(dfsssp, settings);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(verdict.status, Status::kFull);
    EXPECT_TRUE(run.router().planned_lanes().is_one_lane() || max_lanes > 1);
    return verdict.attempts[0].complaint;
}

TEST(Dfsssp, IsRefusedByTheNameOfWhatIsTooLittle) {
    const auto word = [](const EngineComplaint& complaint) {
        return kEngineFaultWords[Raw(complaint.what)];
    };
    Settings settings = WithQos(Order::kBalanced);
    EXPECT_NE(word(Refusal(1, settings)).find("max_lanes"), std::string_view::npos);

    settings.max_op_vls = Raw(VlCap::kVl0);
    const EngineComplaint link = Refusal(kLanes, settings);
    EXPECT_EQ(link.what, EngineFault::kLinkLanes);
    EXPECT_NE(link.guid, kNoGuid);
    EXPECT_NE(link.port, kNoPort);

    settings = WithQos(Order::kBalanced);
    settings.qos = false;
    EXPECT_NE(word(Refusal(kLanes, settings)).find("qos"), std::string_view::npos);
}

TEST(Dfsssp, IsRefusedByTheNameOfASwitchThatTakesNoMaps) {
    RoutingRun run(net::Ring(8, 2), WithLanes(kLanes));
    Dfsssp dfsssp;
    const Settings settings = WithQos(Order::kBalanced);
    ASSERT_EQ(run.Route(dfsssp, settings).outcome, RoutingOutcome::kVerified);
    constexpr SwitchIndex kOne{3};
    Fabric& fabric = run.built().fabric();
    fabric.switch_row(kOne).has_one_lane = true;
    const Verdict& verdict = run.Route(dfsssp, settings);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    const EngineComplaint& complaint = verdict.attempts[0].complaint;
    EXPECT_EQ(complaint.what, EngineFault::kSwitchLanes);
    EXPECT_EQ(complaint.guid, fabric.node(fabric.switch_row(kOne).node).guid);
    EXPECT_EQ(complaint.port, kNoPort);
}

TEST(Sssp, RefusesASubnetInParts) {
    net::Netlist netlist = net::Ring(4, 1);
    const std::uint32_t apart = netlist.Add(NodeType::kSwitch, 4, "apart", "");
    netlist.AssignGuids();
    RoutingRun run(netlist);
    Sssp sssp;
    const Verdict& verdict = run.Route(sssp);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    const EngineComplaint complaint = verdict.attempts[0].complaint;
    EXPECT_EQ(complaint.what, EngineFault::kApart);
    EXPECT_EQ(complaint.guid, netlist.nodes[apart].guid);
}

TEST(Sssp, PromisesNothingAndDfssspNoCreditLoop) {
    const Sssp sssp;
    const Dfsssp dfsssp;
    EXPECT_FALSE(sssp.promise({}).deadlock_free);
    EXPECT_FALSE(sssp.promise({}).shortest);
    EXPECT_TRUE(dfsssp.promise({}).deadlock_free);
    EXPECT_FALSE(sssp.can_mend({}));
    EXPECT_FALSE(dfsssp.can_mend({}));
    RoutingRun run(net::Ring(8, 2));
    Sssp engine;
    EXPECT_EQ(run.Route(engine).outcome, RoutingOutcome::kWarned);
}

}  // namespace
}  // namespace ember
