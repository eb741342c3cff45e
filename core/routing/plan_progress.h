// SPDX-License-Identifier: Apache-2.0
// EmberSM: how far a routing plan has been run, and by which engines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/assert.h"
#include "core/routing/routing_plan.h"

namespace ember {

/// The step of a plan that is at work, and the alternative that is chosen for each step.
class PlanProgress {
public:
    /// From the first step and the first alternatives on. `plan` is copied, its steps stand still.
    void Begin(const RoutingPlan& plan);
    /// Likewise, with the plan of before.
    void Restart() { Begin(plan_); }
    void GoTo(std::size_t step) {
        EMBER_ASSERT(step < plan_.steps.size());
        step_ = step;
    }

    [[nodiscard]] const RoutingPlan& plan() const { return plan_; }
    /// Its number.
    [[nodiscard]] std::size_t at() const { return step_; }
    [[nodiscard]] const RoutingStep& step() const { return plan_.steps[step_]; }
    [[nodiscard]] bool is_last() const { return step_ + 1 == plan_.steps.size(); }
    /// Asserted: one is left.
    [[nodiscard]] const Alternative& Chosen(std::size_t step) const {
        EMBER_ASSERT(IsLeft(step));
        return plan_.steps[step].alternatives[chosen_[step]];
    }
    // Of the alternative that is chosen for the step at work.
    [[nodiscard]] const SubnetPart* part() const { return step().PartOf(Chosen(step_)); }
    [[nodiscard]] const EngineOptions& options() const { return step().OptionsOf(Chosen(step_)); }
    [[nodiscard]] std::uint8_t path_bit() const { return Chosen(step_).path_bit; }
    /// No alternative of the step was rejected without another behind it.
    [[nodiscard]] bool IsLeft(std::size_t step) const {
        return chosen_[step] < plan_.steps[step].alternatives.size();
    }
    /// Turns to the next alternative of a step. False: there is none.
    bool Reject(std::size_t step) {
        EMBER_ASSERT(IsLeft(step));
        ++chosen_[step];
        laid_ = LaidLanes::kNone;
        return IsLeft(step);
    }
    /// The alternative that is chosen for a step, by its place.
    [[nodiscard]] std::uint8_t Choice(std::size_t step) const { return chosen_[step]; }
    /// Chooses one, which there is.
    void Choose(std::size_t step, std::uint8_t alternative) {
        EMBER_ASSERT(alternative < plan_.steps[step].alternatives.size());
        chosen_[step] = alternative;
    }
    /// The steps have lanes of their own, by the plan or by LayLanes().
    [[nodiscard]] bool has_step_lanes() const {
        return plan_.has_step_lanes || laid_ == LaidLanes::kLaid;
    }
    /// Gives the chosen alternatives lanes that the plan does not demand. False: it does not permit
    /// them, or they were laid before.
    bool LayLanes();
    /// Takes back what LayLanes() gave, for good with these alternatives. False: nothing was given.
    bool TakeLanesBack();
    /// The last step that has an alternative behind the chosen one; without any, the last step.
    [[nodiscard]] std::size_t StepToChange() const;

    /// The word of the engine that is chosen for a step.
    [[nodiscard]] std::string_view NameOf(std::size_t step) const;
    /// The promise of the first alternatives of all steps together. Each step has one.
    [[nodiscard]] Promise FirstPromise() const;
    /// The promise of the chosen ones.
    [[nodiscard]] Promise ChosenPromise() const;

private:
    enum class LaidLanes : std::uint8_t { kNone, kLaid, kTakenBack };

    RoutingPlan plan_;
    std::size_t step_ = 0;
    LaidLanes laid_ = LaidLanes::kNone;
    std::array<std::uint8_t, kMaxRoutingSteps> chosen_{};  ///< By step.
};

}  // namespace ember
