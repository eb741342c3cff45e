// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the classes for which steps get lanes.
//
// Method: an engine of lanes that notes what it is asked; a step for the whole ring of five, one
//         for a part of it, and one for another part.

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/step_lanes.h"
#include "tests/support/chosen_part.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;
using testing::ChosenPart;

class NotingEngine final : public RoutingEngine {
public:
    [[nodiscard]] EngineKind kind() const override { return EngineKind::kMinHop; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.lays_lanes = true};
    }
    Status Begin(const RoutingTask& task) override {
        parts.assign(task.classes->parts.begin(), task.classes->parts.end());
        count = task.classes->count;
        return begin;
    }
    Result<Progress> Advance() override {
        if (++slices < 2) return Progress::kMore;
        return end == Status::kOk ? Result<Progress>(Progress::kDone) : Result<Progress>(end);
    }

    Status begin = Status::kOk;
    Status end = Status::kOk;
    std::size_t count = 0;
    int slices = 0;
    std::vector<std::uint16_t> parts;
};

class StepLanesClasses : public ::testing::Test {
protected:
    StepLanesClasses() {
        topology_.Build(built_.fabric(), Order::kBalanced, arena_.arena());
        const std::array<const SubnetPart*, 3> parts = {nullptr, &one_.part(), &other_.part()};
        for (std::size_t i = 0; i < 3; ++i) {
            alternatives_[i] = {.options = &options_, .part = parts[i], .id = i + 1};
            steps_[i] = {.options = &options_, .alternatives = {&alternatives_[i], 1}};
        }
        plan_.Begin({.steps = steps_, .options = &options_, .lane_engine = &engine_});
    }
    [[nodiscard]] Result<Progress> Run() {
        RoutingTask task;
        task.topology = &topology_;
        task.scratch = &arena_.arena();
        lanes_.Begin(plan_, task);
        Result<Progress> progress = lanes_.Advance();
        while (progress.ok() && progress.value() == Progress::kMore) {
            progress = lanes_.Advance();
        }
        return progress;
    }

    BuiltFabric built_{net::Ring(5, 1)};
    ArenaStorage arena_{Topology::ScratchBytes(built_.limits()) + 1024};
    Topology topology_;
    ChosenPart one_{built_.limits()};
    ChosenPart other_{built_.limits()};
    NotingEngine engine_;
    EngineOptions options_;
    std::array<Alternative, 3> alternatives_;
    std::array<RoutingStep, 3> steps_;
    PlanProgress plan_;
    StepLanes lanes_;
};

TEST_F(StepLanesClasses, AreThoseOfLaterStepsBySwitchesWithTheirEndPorts) {
    one_.Remove(SwitchIndex{0});
    for (const Destination& to : topology_.destinations()) {
        const bool is_other = !to.is_switch() && to.at == SwitchIndex{3};
        if (!is_other) other_.Remove(to.lid);
    }
    const Result<Progress> progress = Run();
    ASSERT_TRUE(progress.ok());
    EXPECT_EQ(engine_.count, 3U);
    EXPECT_EQ(engine_.parts, (std::vector<std::uint16_t>{0b00, 0b01, 0b01, 0b11, 0b01}));
    EXPECT_EQ(engine_.slices, 2);
}

TEST_F(StepLanesClasses, AStepForTheWholeHasNone) {
    alternatives_[1].part = nullptr;
    ASSERT_TRUE(Run().ok());
    EXPECT_EQ(engine_.parts, (std::vector<std::uint16_t>(5, 0b10)));
}

TEST_F(StepLanesClasses, AnEngineThatFailsSaysSo) {
    engine_.end = Status::kFull;
    EXPECT_EQ(Run().status(), Status::kFull);
    engine_.begin = Status::kAbsent;
    EXPECT_EQ(Run().status(), Status::kAbsent);
}

}  // namespace
}  // namespace ember
