// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of lash: shortest paths on lanes without a credit loop, or a clear refusal.
//
// Goal:   whatever the fabric, packets on the lanes that are planned cannot wait for each other in
//         a circle, answers on the service level of the question included; and what is refused is
//         refused by the name of what is too little.
// Method: a walker that follows every pair of ports by itself (tests/support/lane_walker.h).

#include "engines/lash/lash.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string_view>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/lane_run.h"

namespace ember {
namespace {

using testing::LaneWalker;
using testing::PlannedSl;
using testing::RoutingRun;
using testing::WithLanes;
using testing::WithQos;

constexpr std::uint8_t kLanes = 8;

/// A ring, which has credit loops on one lane.
net::Netlist Ring() {
    return net::Ring(8, 2);
}

TEST(Lash, ClosesNoCircleOfWaitsInEitherDirection) {
    std::size_t with_lanes = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const net::Netlist netlist = testing::WildNetlist({.seed = seed,
                                                           .switches = 4 + seed % 14,
                                                           .extra_cables = 2 + seed % 16,
                                                           .hosts = 8 + seed % 20,
                                                           .ports = 16});
        RoutingRun run(netlist, WithLanes(kLanes, seed % 3 == 0 ? 1 : 0));
        Lash lash;
        Settings settings = WithQos(seed % 2 == 0 ? Order::kOpensm : Order::kBalanced);
        settings.do_mesh_analysis = seed % 5 < 2;
        settings.lash_start_vl = static_cast<std::uint8_t>(seed % 3);
        const Verdict& verdict = run.Route(lash, settings);
        ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified);
        const auto tables = run.planned();
        ASSERT_EQ(run.reference().FindBroken(tables), std::nullopt);
        const testing::LaneRule lane = testing::SlIsVl;
        const testing::SlRule sl_of = PlannedSl(run);
        EXPECT_FALSE(testing::HasCycle(
            LaneWalker(netlist, run.reference(), tables, lane, sl_of).Walk(false)));
        with_lanes += run.router().planned_lanes().count > settings.lash_start_vl + 1 ? 1U : 0U;
    }
    EXPECT_GT(with_lanes, 10U);
    EXPECT_LT(with_lanes, 60U);  // Both occur.
}

/// Pairs of switches on each lane that paths may have.
std::vector<std::size_t> PairsByLane(RoutingRun& run) {
    const RoutingLanes& lanes = run.router().planned_lanes();
    std::vector<std::size_t> pairs(lanes.count);
    for (const std::uint32_t one : run.reference().switches()) {
        for (const std::uint32_t other : run.reference().switches()) {
            if (one >= other) continue;
            const SwitchIndex from = run.built().switch_index(one);
            const SwitchIndex to = run.built().switch_index(other);
            const std::uint8_t sl = lanes.path_sl.Of({.from = from, .to = to, .lid = kNoLid});
            EXPECT_EQ(sl, lanes.path_sl.Of({.from = to, .to = from, .lid = kNoLid}));
            ++pairs.at(sl);
        }
    }
    return pairs;
}

TEST(Lash, EvensLanesOut) {
    RoutingRun run(Ring(), WithLanes(kLanes));
    Lash uneven(false);
    ASSERT_EQ(run.Route(uneven, WithQos(Order::kOpensm)).outcome, RoutingOutcome::kVerified);
    const std::vector<std::size_t> before = PairsByLane(run);
    Lash lash;
    ASSERT_EQ(run.Route(lash, WithQos(Order::kOpensm)).outcome, RoutingOutcome::kVerified);
    const std::vector<std::size_t> after = PairsByLane(run);
    ASSERT_EQ(after.size(), before.size());
    const auto [few_before, many_before] = std::minmax_element(before.begin(), before.end());
    EXPECT_GT(*many_before - *few_before, 10U);
    const auto [few, many] = std::minmax_element(after.begin(), after.end());
    EXPECT_LT(*many - *few, 6U);
}

TEST(Lash, TakesNoLaneBelowTheFirstThatItMayHave) {
    RoutingRun run(Ring(), WithLanes(kLanes));
    Lash lash;
    Settings settings = WithQos(Order::kOpensm);
    ASSERT_EQ(run.Route(lash, settings).outcome, RoutingOutcome::kVerified);
    const unsigned lanes = run.router().planned_lanes().count;
    settings.lash_start_vl = 3;
    ASSERT_EQ(run.Route(lash, settings).outcome, RoutingOutcome::kVerified);
    const RoutingLanes& planned = run.router().planned_lanes();
    EXPECT_EQ(planned.count, lanes + 3);
    EXPECT_EQ(planned.sls, 1U | ((1U << (lanes + 3)) - (1U << 3U)));
    const std::vector<std::size_t> pairs = PairsByLane(run);
    EXPECT_EQ(pairs[0] + pairs[1] + pairs[2], 0U);
    const SwitchIndex at = run.built().switch_index(run.reference().switches().front());
    EXPECT_EQ(planned.path_sl.Of({.from = at, .to = at, .lid = kNoLid}), 3) << "within a switch";
}

TEST(Lash, LeavesSwitchesWithoutHostsOutOfLanesWhenBalanced) {
    const net::Netlist tree = net::FatTree3(4);
    RoutingRun run(tree, WithLanes(kLanes));
    Lash lash;
    ASSERT_EQ(run.Route(lash, WithQos(Order::kOpensm)).outcome, RoutingOutcome::kVerified);
    EXPECT_GT(run.router().planned_lanes().count, 1) << "OpenSM gives pairs of spines lanes";
    ASSERT_EQ(run.Route(lash, WithQos(Order::kBalanced)).outcome, RoutingOutcome::kVerified);
    EXPECT_TRUE(run.router().planned_lanes().is_one_lane());
    EXPECT_EQ(run.router().planned_lanes().path_sl.form(), PathSl::Form::kNone);
}

/// The complaint with which a run on the ring is refused.
EngineComplaint Refusal(std::uint8_t max_lanes, const Settings& settings) {
    RoutingRun run(Ring(), WithLanes(max_lanes));
    Lash lash;
    const Verdict& verdict = run.Route(lash, settings);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(verdict.status, Status::kFull);
    return verdict.attempts[0].complaint;
}

TEST(Lash, IsRefusedByTheNameOfWhatIsTooLittle) {
    const auto word = [](const EngineComplaint& complaint) {
        return kEngineFaultWords[Raw(complaint.what)];
    };
    Settings settings = WithQos(Order::kOpensm);
    EXPECT_NE(word(Refusal(1, settings)).find("max_lanes"), std::string_view::npos);

    settings.max_op_vls = Raw(VlCap::kVl0To1);
    const EngineComplaint link = Refusal(kLanes, settings);
    EXPECT_EQ(link.what, EngineFault::kLinkLanes);
    EXPECT_NE(link.guid, kNoGuid);
    EXPECT_NE(link.port, kNoPort);

    settings = WithQos(Order::kOpensm);
    settings.qos = false;
    EXPECT_NE(word(Refusal(kLanes, settings)).find("qos"), std::string_view::npos);

    settings = WithQos(Order::kOpensm);
    settings.lash_start_vl = kLanes;
    EXPECT_EQ(Refusal(kLanes, settings).what, EngineFault::kBoardLanes);
}

TEST(Lash, PromisesShortestPathsUnlessLinksHaveWeights) {
    const Lash lash;
    EXPECT_TRUE(lash.promise({}).deadlock_free);
    EXPECT_TRUE(lash.promise({}).shortest);
    EXPECT_FALSE(lash.can_mend({}));
    const std::array weights = {HopWeight{.guid = Guid{1}, .port = PortNumber{1}, .hops = 3}};
    EngineOptions options;
    options.tables.hop_weights = weights;
    EXPECT_FALSE(lash.promise(options).shortest);
}

}  // namespace
}  // namespace ember
