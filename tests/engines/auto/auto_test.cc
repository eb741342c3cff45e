// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the engine that looks at the fabric first.
//
// Goal:   whatever the fabric and however many lanes there are, all pairs are connected and packets
//         cannot wait for each other in a circle, those of switches' port 0 included; well-known
//         shapes are recognised, also damaged ones, and carry what they can.
// Method: the verifier, and a walker that follows every pair of ports by itself
//         (tests/support/lane_walker.h).

#include "engines/auto/auto.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/engines/balance/balance_nets.h"
#include "tests/engines/balance/measured.h"
#include "tests/support/lane_run.h"

namespace ember {
namespace {

using testing::LaneWalker;
using testing::Net;
using testing::RoutingRun;
using testing::WithLanes;

Settings WithQos() {
    Settings settings = testing::Balanced();
    settings.qos = true;
    return settings;
}

constexpr std::size_t kLaneBytes = 64U << 10U;

/// A run of the engine on a net.
class AutoRun {
public:
    explicit AutoRun(const net::Netlist& netlist, std::uint8_t lanes = 8, std::uint8_t lmc = 0,
                     std::size_t lane_bytes = kLaneBytes, const Settings& settings = WithQos())
        : netlist_(netlist),
          run_(netlist_, WithLanes(lanes, lmc), &EngineScratchBytes, lane_bytes) {
        verdict_ = run_.Route(engine_, settings);
    }

    [[nodiscard]] const Verdict& verdict() const { return verdict_; }
    [[nodiscard]] const EngineChoice& choice() const { return verdict_.choice; }
    [[nodiscard]] const RoutingLanes& lanes() { return run_.router().planned_lanes(); }
    [[nodiscard]] RoutingRun& run() { return run_; }

    /// By the verifier.
    [[nodiscard]] bool IsFreeOfCreditLoops() {
        const Findings& findings = verdict_.findings;
        return CoversAll() ? !findings.anything_may_deadlock : !findings.end_ports_may_deadlock;
    }
    /// The scheme covers traffic of all switches' port 0, on SL 0 too.
    [[nodiscard]] bool CoversAll() {
        return lanes().path_sl.form() == PathSl::Form::kNone &&
               choice().scheme != RoutingScheme::kRisingLanes &&
               choice().scheme != RoutingScheme::kLayers;
    }

    /// The waits of packets, followed pair by pair.
    [[nodiscard]] testing::Waits Waits() {
        const bool all = CoversAll();
        const auto tables = run_.planned();
        EXPECT_EQ(run_.reference().FindBroken(tables), std::nullopt);
        const testing::LaneRule lane = [this](std::uint32_t node, std::uint8_t in, std::uint8_t out,
                                              unsigned sl) -> unsigned {
            const LaneTurn turn{.at = run_.built().switch_index(node),
                                .in = static_cast<PortNumber>(in),
                                .out = static_cast<PortNumber>(out)};
            const std::uint8_t vl = lanes().lane_map.Of(turn, static_cast<std::uint8_t>(sl));
            EXPECT_LT(vl, lanes().count);
            return vl;
        };
        const testing::SlRule sl_of = testing::PlannedSl(run_);
        return LaneWalker(netlist_, run_.reference(), tables, lane, sl_of).Walk(all);
    }

private:
    net::Netlist netlist_;
    RoutingRun run_;
    Auto engine_;
    Verdict verdict_;
};

struct Case {
    Net net;
    FabricShape shape{};
    RoutingScheme scheme{};
    std::uint8_t lanes = 1;
    double saturation = 0;  ///< At least.
};

const std::vector<Case>& Cases() {
    using enum FabricShape;
    using enum RoutingScheme;
    static const std::vector<Case> cases = {
        {{.shape = "ft2:8"}, kTree, kLevelOrder, 1, 0.99},
        {{.shape = "ft3:4"}, kTree, kLevelOrder, 1, 0.99},
        {{.shape = "ft3:8"}, kTree, kLevelOrder, 1, 0.99},
        {{.shape = "ft3:8", .seed = 1, .is_replugged = true}, kTree, kLevelOrder, 1, 0.99},
        {{.shape = "ft2:16", .lost_switches = 3, .seed = 1}, kTree, kLevelOrder, 1, 0.5291},
        {{.shape = "ft2:16", .lost_links = 10, .seed = 1}, kTree, kLevelOrder, 1, 0.5669},
        {{.shape = "ft3:8", .lost_links = 12, .seed = 3}, kTree, kLevelOrder, 1, 0.6105},
        {{.shape = "ft3:16", .lost_links = 102, .seed = 5}, kTree, kLevelOrder, 1, 0.752},
        {{.shape = "mesh:8x8:4"}, kMesh, kDimensionOrder, 1, 0.1245},
        {{.shape = "hypercube:6:4"}, kHypercube, kDimensionOrder, 1, 0.498},
        {{.shape = "ring:8:2"}, kRing, kDimensionOrder, 2, 0.4687},
        {{.shape = "ring:4:2"}, kHypercube, kDimensionOrder, 1, 0.8},
        {{.shape = "ring:3:1"}, kRing, kDimensionOrder, 1, 0.99},
        {{.shape = "torus:6x5:2"}, kTorus, kRisingLanes, 3, 0.641},
        {{.shape = "torus:8x8:1"}, kTorus, kDimensionOrder, 2, 0.69},
        {{.shape = "torus:5x5:2"}, kTorus, kDimensionOrder, 2, 0.6281},
        {{.shape = "torus:4x4x4:2"}, kHypercube, kDimensionOrder, 1, 0.6413},
        {{.shape = "torus:3x3x3:1"}, kTorus, kDimensionOrder, 1, 0.99},
        {{.shape = "torus:5x6x7:1"}, kTorus, kDimensionOrder, 2, 0.6},
        {{.shape = "mesh:8x8:1"}, kMesh, kDimensionOrder, 1, 0.42},
        {{.shape = "mesh:4x4x4:1"}, kMesh, kDimensionOrder, 1, 0.77},
        {{.shape = "mesh:2x3x4x5:1"}, kMesh, kDimensionOrder, 1, 0.6},
        {{.shape = "hypercube:6:1"}, kHypercube, kDimensionOrder, 1, 0.99},
        {{.shape = "torus:6x6x6:1", .lost_links = 1, .seed = 1}, kTorus, kDimensionOrder, 2, 0.3},
        {{.shape = "torus:6x6x6:1", .lost_links = 3, .seed = 2}, kTorus, kDimensionOrder, 2, 0.3},
        {{.shape = "random:2,32,6:2"}, kIrregular, kRisingLanes, 2, 0.5080},
        {{.shape = "random:3,48,4:1"}, kIrregular, kRisingLanes, 3, 0.8245},
        {{.shape = "dragonfly:4,2:2"}, kDragonfly, kOneGlobal, 2, 0.99},
        {{.shape = "dragonfly:8,4:4"}, kDragonfly, kOneGlobal, 2, 0.99},
        {{.shape = "dragonfly:3,2:2"}, kDragonfly, kOneGlobal, 2, 0.78},
        {{.shape = "dragonfly:4,2:2", .lost_links = 1, .seed = 1},
         kDragonfly,
         kRisingLanes,
         3,
         0.8},
        {{.shape = "dragonfly:4,2:2", .lost_links = 1, .seed = 2},
         kDragonfly,
         kRisingLanes,
         2,
         0.8},
    };
    return cases;
}

TEST(Auto, RecognisesShapesAndRoutesEachAsSuitsIt) {
    for (const Case& row : Cases()) {
        SCOPED_TRACE(row.net.Name());
        AutoRun run(row.net.Build());
        ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
        EXPECT_TRUE(run.IsFreeOfCreditLoops());
        EXPECT_EQ(run.verdict().findings.switch_pairs_apart, 0U);
        EXPECT_EQ(kFabricShapeWords[Raw(run.choice().shape)], kFabricShapeWords[Raw(row.shape)]);
        EXPECT_EQ(run.choice().scheme, row.scheme);
        EXPECT_EQ(run.choice().shortage, EngineComplaint{});
        EXPECT_EQ(run.lanes().count, row.lanes);
        Topology topology;
        topology.Build(run.run().built().fabric(), Order::kBalanced, run.run().scratch());
        const auto lfts = run.run().lfts();
        EXPECT_GE(plan::MeasureAllToAll(topology, lfts).saturation, row.saturation);
    }
}

TEST(Auto, ClosesNoCircleOfWaitsOnWellKnownShapes) {
    std::size_t with_lanes = 0;
    for (const Case& row : Cases()) {
        const net::Netlist netlist = row.net.Build();
        if (netlist.nodes.size() > 160) continue;  // The walker is slow.
        SCOPED_TRACE(row.net.Name());
        AutoRun run(netlist);
        EXPECT_FALSE(testing::HasCycle(run.Waits()));
        with_lanes += run.lanes().is_one_lane() ? 0U : 1U;
    }
    EXPECT_GT(with_lanes, 3U);
}

TEST(Auto, ConnectsEveryFabricWithoutACircleOfWaits) {
    std::size_t shapes = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        AutoRun run(testing::WildNetlist({.seed = seed,
                                          .switches = 1 + seed % 17,
                                          .extra_cables = seed % 16,
                                          .hosts = 4 + seed % 20,
                                          .islands = seed % 5 == 4,
                                          .ports = 16}),
                    seed % 2 == 0 ? std::uint8_t{1} : std::uint8_t{8}, seed % 3 == 0 ? 1 : 0);
        ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
        EXPECT_TRUE(run.IsFreeOfCreditLoops());
        EXPECT_EQ(run.verdict().findings.switch_pairs_apart, 0U);
        EXPECT_FALSE(testing::HasCycle(run.Waits()));
        shapes |= 1U << Raw(run.choice().shape);
    }
    EXPECT_NE(shapes & 1U << Raw(FabricShape::kIrregular), 0U);
}

TEST(Auto, RoutesDamagedGridsAndTrees) {
    std::size_t by_dimensions = 0;
    std::size_t damaged = 0;
    for (const char* const shape :
         {"torus:6x6:1", "torus:5x5x5:1", "mesh:5x5:1", "hypercube:5:1", "ring:9:2", "ft3:8"}) {
        for (const std::size_t seed : {1U, 2U, 3U, 4U}) {
            const Net net{.shape = shape, .lost_links = 1 + seed, .seed = seed};
            const net::Netlist netlist = net.Build();
            SCOPED_TRACE(net.Name());
            AutoRun run(netlist);
            ASSERT_TRUE(run.verdict().outcome == RoutingOutcome::kVerified);
            EXPECT_TRUE(run.IsFreeOfCreditLoops());
            by_dimensions += run.choice().scheme == RoutingScheme::kDimensionOrder ? 1U : 0U;
            damaged += run.choice().is_damaged ? 1U : 0U;
            if (netlist.nodes.size() <= 100) {
                EXPECT_FALSE(testing::HasCycle(run.Waits()));
            }
        }
    }
    EXPECT_GT(by_dimensions, 4U);
    EXPECT_LT(by_dimensions, 20U);  // Both occur.
    EXPECT_GE(damaged, by_dimensions);
}

TEST(Auto, KeepsToOneLaneWhereThereIsNoOther) {
    const net::Netlist netlist = Net{.shape = "torus:6x5:2"}.Build();
    AutoRun run(netlist, 1);
    ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.choice().shape, FabricShape::kTorus);
    EXPECT_EQ(run.choice().scheme, RoutingScheme::kUpDown);
    EXPECT_EQ(run.choice().shortage.what, EngineFault::kBoardLanes);
    EXPECT_GT(run.choice().detours, 0U);
    EXPECT_TRUE(run.lanes().is_one_lane());
    EXPECT_FALSE(testing::HasCycle(run.Waits()));
}

TEST(Auto, KeepsShortestPathsWhereLanesRise) {
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
        const net::Netlist netlist = Net{.shape = "random:5,40,7:3"}.Build();
        AutoRun run(netlist, 8, lmc);
        ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
        EXPECT_EQ(run.choice().scheme, RoutingScheme::kRisingLanes);
        EXPECT_LE(run.lanes().count, 3U);
        testing::Measured minhop(netlist, "minhop", lmc);
        EXPECT_EQ(run.verdict().findings.end_port_hops, minhop.findings().end_port_hops);
        EXPECT_FALSE(testing::HasCycle(run.Waits()));
    }
}

TEST(Auto, TakesLayersWhereAnEntryForEachTurnDoesNotFit) {
    const net::Netlist netlist = Net{.shape = "random:2,32,6:2"}.Build();
    AutoRun run(netlist, 8, 0, 1024);
    ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.choice().scheme, RoutingScheme::kLayers);
    EXPECT_EQ(run.choice().shortage.what, EngineFault::kNoLaneMapBytes);
    EXPECT_EQ(run.lanes().lane_map.form(), LaneMap::Form::kIdentity);
    EXPECT_EQ(run.lanes().count, 4U);
    EXPECT_FALSE(testing::HasCycle(run.Waits()));
}

TEST(Auto, NamesTheLinkThatHasTooFewLanesToRise) {
    Settings settings = WithQos();
    settings.max_op_vls = Raw(VlCap::kVl0);
    AutoRun run(Net{.shape = "random:2,32,6:2"}.Build(), 8, 0, kLaneBytes, settings);
    ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.choice().scheme, RoutingScheme::kUpDown);
    EXPECT_EQ(run.choice().shortage.what, EngineFault::kLinkLanes);
    EXPECT_NE(run.choice().shortage.guid, kNoGuid);
}

/// With lanes and without: on a ring, a random fabric, and a dragonfly.
TEST(Auto, RoutesOnOneLaneRoundASwitchThatTakesNoMapsAndNamesIt) {
    for (const char* const shape : {"ring:8:2", "random:2,32,6:2", "dragonfly:4,2:2"}) {
        const net::Netlist netlist = Net{.shape = shape}.Build();
        RoutingRun run(netlist, WithLanes(8), &EngineScratchBytes, kLaneBytes);
        run.built().fabric().switch_row(SwitchIndex{2}).has_one_lane = true;
        Auto engine;
        const Verdict& verdict = run.Route(engine, WithQos());
        ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified) << shape;
        EXPECT_TRUE(run.router().planned_lanes().is_one_lane()) << shape;
        EXPECT_EQ(verdict.choice.shortage.what, EngineFault::kSwitchLanes) << shape;
        const Fabric& fabric = run.built().fabric();
        EXPECT_EQ(verdict.choice.shortage.guid,
                  fabric.node(fabric.switch_row(SwitchIndex{2}).node).guid)
            << shape;
    }
}

/// A ring of six on two lanes is a grid all the same: only the ties of its paths are split worse.
TEST(Auto, RoutesASmallTorusByDimensionsWhereThreeLanesAreMissing) {
    AutoRun run(Net{.shape = "torus:6x5:2"}.Build(), 2);
    ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.choice().scheme, RoutingScheme::kDimensionOrder);
    EXPECT_EQ(run.choice().shortage, EngineComplaint{});
    EXPECT_EQ(run.lanes().count, 2U);
    EXPECT_FALSE(testing::HasCycle(run.Waits()));
}

TEST(Auto, DoesNotSearchForBetterExitsWhereThereIsNoChoice) {
    AutoRun run(Net{.shape = "torus:8x8:4"}.Build());
    ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.choice().scheme, RoutingScheme::kDimensionOrder);
    EXPECT_LT(run.run().slices(), 200U);
}

TEST(Auto, TellsWhyItTakesAFabricForNothingElse) {
    AutoRun tree(net::FatTree3(4));
    EXPECT_EQ(tree.choice().not_tree, ShapeMismatch::kNone);
    EXPECT_EQ(tree.choice().not_grid, ShapeMismatch::kNoRows);
    EXPECT_EQ(tree.choice().detours, 0U);
    AutoRun random(Net{.shape = "random:2,32,6:2"}.Build());
    EXPECT_EQ(random.choice().not_tree, ShapeMismatch::kFlatLinks);
    EXPECT_EQ(random.choice().not_grid, ShapeMismatch::kNoRows);
}

TEST(Auto, MakesNoHostPathOfADamagedTreeLonger) {
    for (const std::uint64_t seed : {5U, 9U, 11U}) {
        AutoRun run(Net{.shape = "ft3:16", .lost_links = 102, .seed = seed}.Build());
        ASSERT_EQ(run.verdict().outcome, RoutingOutcome::kVerified);
        EXPECT_EQ(run.choice().scheme, RoutingScheme::kLevelOrder);
        EXPECT_EQ(run.choice().detours, 0U) << seed;
        EXPECT_TRUE(run.lanes().is_one_lane());
    }
}

TEST(Auto, DoesNotDependOnTheRowsOfSwitches) {
    for (const char* const shape : {"torus:5x6:1", "ft3:4", "random:2,32,6:2"}) {
        const net::Netlist netlist = Net{.shape = shape}.Build();
        const net::Netlist other = testing::Reordered(netlist, 7);
        AutoRun one(netlist);
        AutoRun two(other);
        ASSERT_EQ(one.verdict().outcome, RoutingOutcome::kVerified);
        ASSERT_EQ(two.verdict().outcome, RoutingOutcome::kVerified);
        EXPECT_EQ(one.verdict().findings.end_port_hops, two.verdict().findings.end_port_hops);
        EXPECT_EQ(one.choice(), two.choice());
    }
}

}  // namespace
}  // namespace ember
