// SPDX-License-Identifier: Apache-2.0
// EmberSM: lanes of the steps of a plan.

#include "core/routing/step_lanes.h"

namespace ember {

void StepLanes::Begin(const PlanProgress& plan, const RoutingTask& task) {
    plan_ = &plan;
    task_ = task;
    parts_ = task.scratch->Take<std::uint16_t>(task.topology->switch_bound());
    classes_ = {.parts = parts_};
    task_.classes = &classes_;
    engine_began_ = false;
}

Result<Progress> StepLanes::Advance() {
    if (classes_.count < plan_->plan().steps.size()) {
        MarkClass();
        return Progress::kMore;
    }
    RoutingEngine& engine = *plan_->plan().lane_engine;
    if (engine_began_) return engine.Advance();
    engine_began_ = true;
    const Status status = engine.Begin(task_);
    if (status != Status::kOk) return status;
    return Progress::kMore;
}

/// Notes at which switches the part of the next later step has end ports. A step of the whole
/// subnet has no class of its own.
void StepLanes::MarkClass() {
    const std::size_t step = classes_.count++;
    const SubnetPart* const part = plan_->plan().steps[step].PartOf(plan_->Chosen(step));
    if (part == nullptr) return;
    for (const Destination& row : task_.topology->destinations()) {
        if (row.is_switch() || row.at == kNoSwitch) continue;
        if (!part->Has(row.lid) || !part->Has(row.at, row.port)) continue;
        parts_[Raw(row.at)] |= static_cast<std::uint16_t>(1U << (step - 1));
    }
}

}  // namespace ember
