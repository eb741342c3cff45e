// SPDX-License-Identifier: Apache-2.0
// EmberSM: how far a routing plan has been run, and by which engines.

#include "core/routing/plan_progress.h"

namespace ember {
namespace {

/// The most that an engine that is not here might have promised.
constexpr Promise kUnknownPromise = {.shortest = true, .deadlock_free = true};

[[nodiscard]] Promise PromiseOf(const Alternative& alternative, const RoutingStep& step) {
    return alternative.engine == nullptr ? kUnknownPromise
                                         : alternative.engine->promise(step.OptionsOf(alternative));
}

/// The properties of several engines' routes: no more than each of them has. A path from one part
/// to another need not be a shortest one.
[[nodiscard]] Promise Both(const Promise& one, const Promise& other) {
    return {.deadlock_free = one.deadlock_free && other.deadlock_free,
            .all_switches = one.all_switches && other.all_switches};
}

}  // namespace

void PlanProgress::Begin(const RoutingPlan& plan) {
    EMBER_ASSERT(!plan.steps.empty() && plan.steps.size() <= kMaxRoutingSteps);
    EMBER_ASSERT(plan.options != nullptr);
    plan_ = plan;
    step_ = 0;
    laid_ = LaidLanes::kNone;
    chosen_ = {};
}

std::size_t PlanProgress::StepToChange() const {
    for (std::size_t step = plan_.steps.size(); step > 0; --step) {
        const std::size_t next = chosen_[step - 1] + std::size_t{1};
        if (next < plan_.steps[step - 1].alternatives.size()) return step - 1;
    }
    return plan_.steps.size() - 1;
}

bool PlanProgress::LayLanes() {
    const bool may = plan_.may_lay_lanes && plan_.writes_lanes && plan_.steps.size() > 1 &&
                     plan_.lane_engine != nullptr && !plan_.has_step_lanes;
    if (!may || laid_ != LaidLanes::kNone) return false;
    laid_ = LaidLanes::kLaid;
    return true;
}

bool PlanProgress::TakeLanesBack() {
    if (laid_ != LaidLanes::kLaid) return false;
    laid_ = LaidLanes::kTakenBack;
    return true;
}

std::string_view PlanProgress::NameOf(std::size_t step) const {
    const Alternative& chosen = Chosen(step);
    return chosen.engine != nullptr ? chosen.engine->name() : EngineName(chosen.kind);
}

Promise PlanProgress::FirstPromise() const {
    Promise all = PromiseOf(plan_.steps[0].alternatives[0], plan_.steps[0]);
    for (const RoutingStep& step : plan_.steps.subspan(1)) {
        all = Both(all, PromiseOf(step.alternatives[0], step));
    }
    all.deadlock_free = all.deadlock_free || has_step_lanes();
    return all;
}

Promise PlanProgress::ChosenPromise() const {
    Promise all = PromiseOf(Chosen(0), plan_.steps[0]);
    for (std::size_t step = 1; step < plan_.steps.size(); ++step) {
        all = Both(all, PromiseOf(Chosen(step), plan_.steps[step]));
    }
    all.deadlock_free = all.deadlock_free || has_step_lanes();
    return all;
}

}  // namespace ember
