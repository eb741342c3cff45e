// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of nue: no credit loop on any topology, with any number of lanes.
//
// Goal:   every connected fabric is routed, on one lane too; packets cannot wait for each other in
//         a circle, answers on the service level of the question included, and no more lanes are
//         taken than the option says.
// Method: a walker that follows every pair of ports by itself (tests/support/lane_walker.h).

#include "engines/nue/nue.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/lane_run.h"

namespace ember {
namespace {

using testing::LaneWalker;
using testing::PlannedSl;
using testing::RoutingRun;
using testing::WithLanes;

constexpr std::uint8_t kLanes = 8;

Settings WithMost(std::uint8_t lanes, Order order = Order::kBalanced) {
    Settings settings = testing::WithQos(order);
    settings.nue_max_num_vls = lanes;
    return settings;
}

/// Whether packets can wait in a circle; `all`: those from and to port 0 of all switches too.
bool HasCycle(const net::Netlist& netlist, RoutingRun& run, bool all) {
    const testing::LaneRule lane = testing::SlIsVl;
    const testing::SlRule sl_of = PlannedSl(run);
    const auto tables = run.planned();
    return testing::HasCycle(LaneWalker(netlist, run.reference(), tables, lane, sl_of).Walk(all));
}

TEST(Nue, ClosesNoCircleOfWaitsOnAnyFabric) {
    std::size_t with_lanes = 0;
    for (std::uint32_t seed = 0; seed < 80; ++seed) {
        SCOPED_TRACE(seed);
        const net::Netlist netlist = testing::WildNetlist({.seed = seed,
                                                           .switches = 4 + seed % 17,
                                                           .extra_cables = 2 + seed % 23,
                                                           .hosts = 8 + seed % 20,
                                                           .ports = 16});
        RoutingRun run(netlist, WithLanes(kLanes, seed % 3 == 0 ? 1 : 0));
        Nue nue;
        const auto most = static_cast<std::uint8_t>(seed % 4);  // 0: as many as there are.
        Settings settings = WithMost(most, seed % 2 == 0 ? Order::kOpensm : Order::kBalanced);
        settings.nue_include_switches = seed % 5 == 0;
        ASSERT_EQ(run.Route(nue, settings).outcome, RoutingOutcome::kVerified);
        ASSERT_EQ(run.reference().FindBroken(run.planned()), std::nullopt);
        EXPECT_FALSE(HasCycle(netlist, run, false));
        const std::uint8_t count = run.router().planned_lanes().count;
        EXPECT_LE(count, most == 0 ? kLanes : most);
        with_lanes += count > 1 ? 1U : 0U;
    }
    EXPECT_GT(with_lanes, 10U);
    EXPECT_LT(with_lanes, 70U);  // Both occur.
}

std::vector<net::Netlist> NetsWithLoops() {
    return {net::Ring(8, 2), net::Torus(std::array{4U, 4U, 4U}, 1),
            net::Torus(std::array{6U, 5U}, 2), net::Hypercube(4, 1)};
}

TEST(Nue, DoesWithOneLane) {
    for (const net::Netlist& netlist : NetsWithLoops()) {
        RoutingRun run(netlist, WithLanes(1));
        Nue nue;
        Settings settings = WithMost(1);
        settings.qos = false;
        ASSERT_EQ(run.Route(nue, settings).outcome, RoutingOutcome::kVerified);
        EXPECT_TRUE(run.router().planned_lanes().is_one_lane());
        EXPECT_FALSE(HasCycle(netlist, run, true)) << "with port 0 of all switches";
    }
}

TEST(Nue, TakesLanesThatItMayHave) {
    const net::Netlist ring = net::Ring(8, 2);
    RoutingRun run(ring, WithLanes(kLanes));
    Nue nue;
    ASSERT_EQ(run.Route(nue, WithMost(1)).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.router().planned_lanes().count, 1);
    ASSERT_EQ(run.Route(nue, WithMost(0)).outcome, RoutingOutcome::kVerified);
    const std::uint8_t lanes = run.router().planned_lanes().count;
    EXPECT_GT(lanes, 1);
    ASSERT_EQ(run.Route(nue, WithMost(lanes)).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.router().planned_lanes().count, lanes);
    ASSERT_EQ(run.Route(nue, WithMost(lanes - 1)).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.router().planned_lanes().count, 1) << "too few for the paths of dfsssp";
}

TEST(Nue, GivesSwitchesLanesIfTheyAreIncluded) {
    RoutingRun run(net::FatTree3(4), WithLanes(kLanes));
    Nue nue;
    Settings settings = WithMost(0);
    ASSERT_EQ(run.Route(nue, settings).outcome, RoutingOutcome::kVerified);
    EXPECT_TRUE(run.router().planned_lanes().is_one_lane());
    settings.nue_include_switches = true;
    ASSERT_EQ(run.Route(nue, settings).outcome, RoutingOutcome::kVerified);
    EXPECT_GT(run.router().planned_lanes().count, 1) << "spines reach each other through leaves";
}

TEST(Nue, RefusesASubnetInParts) {
    net::Netlist netlist = net::Ring(4, 1);
    const std::uint32_t apart = netlist.Add(NodeType::kSwitch, 4, "apart", "");
    netlist.AssignGuids();
    RoutingRun run(netlist);
    Nue nue;
    const Verdict& verdict = run.Route(nue, WithMost(1));
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    const EngineComplaint complaint = verdict.attempts[0].complaint;
    EXPECT_EQ(complaint.what, EngineFault::kApart);
    EXPECT_EQ(complaint.guid, netlist.nodes[apart].guid);
}

TEST(Nue, PromisesNoCreditLoop) {
    const Nue nue;
    EXPECT_TRUE(nue.promise({}).deadlock_free);
    EXPECT_FALSE(nue.promise({}).shortest);
    EXPECT_FALSE(nue.can_mend({}));
}

}  // namespace
}  // namespace ember
