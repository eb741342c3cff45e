// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how the routes of a plan are made step by step.
//
// Method: a ring of five switches with a host each, engines that are min-hop underneath; the test
//         plays the part of the router, which judges and chooses alternatives.

#include "core/routing/route_maker.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "engines/catalogue.h"
#include "tests/support/acting_engine.h"
#include "tests/support/chosen_part.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/tampering_engine.h"

namespace ember {
namespace {

using testing::ActingEngine;
using testing::ArenaStorage;
using testing::BuiltFabric;
using testing::ChosenPart;

BuiltFabric::Options TwoSteps() {
    BuiltFabric::Options options;
    options.max_steps = 2;
    return options;
}

class RouteMakerTest : public ::testing::Test {
protected:
    RouteMakerTest() {
        settings_.order = Order::kBalanced;
        topology_.Build(built_.fabric(), Order::kBalanced, arena_.arena());
        scratch_.Begin(arena_.arena());
        scratch_.EndTopology();
        basis_.Begin();
        chain_.Begin();
        steps_[0] = {.options = &settings_, .alternatives = first_};
        steps_[1] = {.options = &settings_, .alternatives = later_};
    }
    /// Until the routes are made or refused.
    void Make(std::size_t steps, bool mends = false) {
        plan_.Begin(
            {.steps = std::span(steps_).first(steps), .options = &settings_, .bridges = bridges_});
        Run(maker_.Begin(
            {.topology = &topology_, .planned = planned(), .mended = &mended_, .mends = mends}));
    }
    void Run(Progress progress) {
        while (progress == Progress::kMore) {
            progress = maker_.Advance();
        }
    }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> planned() {
        return {planned_, LftShape(built_.limits())};
    }
    [[nodiscard]] bool IsWhole() {
        for (const SwitchIndex at : topology_.switches_by_guid()) {
            for (const Destination& to : topology_.destinations()) {
                if (planned()[at][Raw(to.lid)] == kNoHops) return false;
            }
        }
        return true;
    }

    BuiltFabric built_{net::Ring(5, 1), TwoSteps()};
    const Limits& limits_ = built_.limits();
    ArenaStorage arena_{4 * Topology::ScratchBytes(limits_) + HopMeter::ScratchBytes(limits_) +
                        EngineScratchBytes(limits_).making};
    std::vector<std::uint8_t> hop_room_ = std::vector<std::uint8_t>(HopBytes(limits_));
    std::vector<std::uint8_t> planned_ =
        std::vector<std::uint8_t>(limits_.max_switches * LidStride(limits_), 77);
    std::vector<std::uint8_t> step_lfts_ = std::vector<std::uint8_t>(planned_.size());
    Settings settings_;
    bool bridges_ = false;
    ActingEngine one_{EngineKind::kMinHop, "minhop", {.last_resort = true}};
    ActingEngine other_{EngineKind::kUpDn, "updn", {}};
    std::vector<Alternative> first_ = {{.engine = &one_}, {.engine = &other_}};
    ChosenPart part_{limits_};
    std::vector<Alternative> later_ = {
        {.engine = &other_, .options = &settings_, .part = &part_.part(), .id = 2}};
    std::array<RoutingStep, 2> steps_;
    Mended mended_;

    Topology topology_;
    PlanProgress plan_;
    MeasuredHops hops_{hop_room_};
    RouteLanes lanes_{{}, limits_};
    ProofBasis basis_{{}, limits_};
    ChainMending chain_;
    RunScratch scratch_;
    RouteMaker maker_{{.plan = plan_,
                       .hops = hops_,
                       .lanes = lanes_,
                       .basis = basis_,
                       .chain = chain_,
                       .scratch = scratch_},
                      step_lfts_,
                      limits_};
};

TEST_F(RouteMakerTest, MakesRoutesByTheAlternativeThatIsChosen) {
    Make(1);
    EXPECT_EQ(maker_.reason(), RoutingReason::kNone);
    EXPECT_TRUE(maker_.is_made());
    EXPECT_TRUE(IsWhole());
    EXPECT_EQ(one_.runs, 1);
    EXPECT_EQ(other_.runs, 0);
}

TEST_F(RouteMakerTest, RunsALaterStepOverTheFirstAndMeasuresTheWholeInTheEnd) {
    part_.Remove(SwitchIndex{4});
    Make(2);
    EXPECT_TRUE(maker_.is_made());
    EXPECT_TRUE(IsWhole());
    EXPECT_EQ(one_.runs, 1);
    EXPECT_EQ(other_.runs, 1);
    EXPECT_TRUE(hops_.AreOf({.topology = &topology_}));
    EXPECT_EQ(hops_.hops().rows(), topology_.switch_bound());
}

/// The first step fills rows of the whole subnet, a later one of the same part its own.
TEST_F(RouteMakerTest, StepsOfOnePartAreRoutedByTheHopsOfTheirRows) {
    part_.Remove(SwitchIndex{1});
    first_ = {{.engine = &one_, .options = &settings_, .part = &part_.part(), .id = 1}};
    steps_[0].alternatives = first_;
    std::size_t rows = 0;
    std::uint8_t farthest = 0;  // Of the others from switch 0, which is row 0 of the part, too.
    testing::TamperingEngine looks(other_, [&](const RoutingTask& task) {
        rows = task.hops.rows();
        const auto hops = task.hops[SwitchIndex{0}].first(rows);
        farthest = *std::max_element(hops.begin(), hops.end());
    });
    looks.is_always_tampered_with = true;
    later_[0].engine = &looks;
    Make(2);
    EXPECT_TRUE(maker_.is_made());
    EXPECT_EQ(rows, 4U);
    EXPECT_EQ(farthest, 3);
}

TEST_F(RouteMakerTest, AStepWithoutEndPortsAsksNoEngine) {
    for (const Destination& to : topology_.destinations()) {
        part_.Remove(to.lid);
    }
    Make(2);
    EXPECT_TRUE(maker_.is_made());
    EXPECT_EQ(other_.runs, 0);
    EXPECT_EQ(maker_.choice(), EngineChoice{});
}

TEST_F(RouteMakerTest, SaysWhyThereAreNoRoutes) {
    one_.status = Status::kFull;
    one_.grudge = {.what = EngineFault::kNotMended};
    Make(1);
    EXPECT_EQ(maker_.reason(), RoutingReason::kEngineFailed);
    EXPECT_EQ(maker_.status(), Status::kFull);
    EXPECT_EQ(maker_.complaint(), one_.grudge);
    EXPECT_FALSE(maker_.is_made());

    first_[0].engine = nullptr;
    Make(1);
    EXPECT_EQ(maker_.reason(), RoutingReason::kEngineAbsent);
    EXPECT_EQ(maker_.status(), Status::kAbsent);

    steps_[0].alternatives = {};
    Make(1);
    EXPECT_EQ(maker_.reason(), RoutingReason::kNoEngine);
}

TEST_F(RouteMakerTest, GoesOnWithTheNextAlternativeOfTheStepThatFailed) {
    one_.status = Status::kFull;
    Make(1);
    ASSERT_EQ(maker_.reason(), RoutingReason::kEngineFailed);
    ASSERT_TRUE(plan_.Reject(0));
    maker_.TryNext();
    Run(Progress::kMore);
    EXPECT_EQ(maker_.reason(), RoutingReason::kNone);
    EXPECT_TRUE(IsWhole());
    EXPECT_EQ(other_.runs, 1);
}

TEST_F(RouteMakerTest, RunsAllStepsAgainWhereTheWholeWasRefused) {
    Make(2);
    ASSERT_TRUE(maker_.is_made());
    ASSERT_TRUE(plan_.Reject(0));
    maker_.TryNext();
    EXPECT_FALSE(maker_.is_made());
    Run(Progress::kMore);
    EXPECT_TRUE(maker_.is_made());
    EXPECT_EQ(one_.runs, 1);
    EXPECT_EQ(other_.runs, 3) << "the later step, then both";
}

TEST_F(RouteMakerTest, MendsAndMakesAnewByTheSameEngine) {
    Make(1);
    const std::vector<std::uint8_t> before = planned_;
    EXPECT_FALSE(maker_.MayMakeAnew(RoutingReason::kLostPair)) << "nothing was mended";
    Make(1, true);
    EXPECT_TRUE(maker_.mends());
    EXPECT_EQ(planned_, before);
    EXPECT_EQ(mended_.entries, 0U);
    ASSERT_TRUE(maker_.MayMakeAnew(RoutingReason::kLostPair));
    maker_.MakeAnew();
    EXPECT_FALSE(maker_.mends());
    Run(Progress::kMore);
    EXPECT_TRUE(maker_.is_made());
    EXPECT_EQ(one_.runs, 3);
}

TEST_F(RouteMakerTest, AnEngineThatRefusesTheSubnetIsNotAskedToMakeAnew) {
    Make(1);
    one_.status = Status::kFull;
    Make(1, true);
    EXPECT_FALSE(maker_.MayMakeAnew(RoutingReason::kEngineFailed));
    one_.grudge = {.what = EngineFault::kNotMended};
    EXPECT_TRUE(maker_.MayMakeAnew(RoutingReason::kEngineFailed));
}

TEST_F(RouteMakerTest, AsksForTheLastResortOnceAndOnlyWhereThePlanPermits) {
    Make(1);
    EXPECT_FALSE(maker_.MayBridge(RoutingReason::kLostPair));
    bridges_ = true;
    Make(1);
    EXPECT_FALSE(maker_.MayBridge(RoutingReason::kLoop));
    ASSERT_TRUE(maker_.MayBridge(RoutingReason::kLostPair));
    maker_.Bridge();
    Run(Progress::kMore);
    EXPECT_TRUE(maker_.is_made());
    EXPECT_EQ(one_.runs, 3) << "twice without";
    EXPECT_FALSE(maker_.MayBridge(RoutingReason::kLostPair));
    ASSERT_TRUE(plan_.Reject(0));
    maker_.TryNext();
    Run(Progress::kMore);
    EXPECT_FALSE(maker_.MayBridge(RoutingReason::kLostPair)) << "the other engine has none";
}

}  // namespace
}  // namespace ember
