// SPDX-License-Identifier: Apache-2.0
// EmberSM: lanes of the steps of a plan.

#include <algorithm>

#include "core/base/assert.h"
#include "core/routing/router.h"

namespace ember {

/// After the routes of all steps are made. Where steps have no lanes of their own all share one.
void Router::StartLanes() {
    if (!runs_plan() || !progress_.has_step_lanes()) {
        StartProof();
        return;
    }
    if (plan().lane_engine == nullptr) {
        Refuse(RoutingReason::kStepLanes, Status::kAbsent);
        return;
    }
    EMBER_ASSERT(has_hops_ && hops_of_ == nullptr);
    scratch_->Rewind(second_mark_);
    planned_lanes_.Clear();
    class_parts_ = scratch_->Take<std::uint16_t>(topology_.switch_bound());
    std::fill(class_parts_.begin(), class_parts_.end(), std::uint16_t{0});
    classes_ = {.parts = class_parts_};
    engine_began_ = false;
    phase_ = Phase::kLanes;
}

/// The steps close a credit loop on one lane: whether they are given lanes of their own instead.
bool Router::LaysLanes() {
    if (!runs_plan() || max_lanes_ == 1 || !progress_.LayLanes()) return false;
    StartLanes();
    return true;
}

/// Notes at which switches the part of the next later step has end ports. A step of the whole
/// subnet has no class of its own.
void Router::MarkClass() {
    const std::size_t step = classes_.count++;
    const Alternative& chosen = progress_.Chosen(step);
    const SubnetPart* const part = plan().steps[step].PartOf(chosen);
    if (part == nullptr) return;
    for (const Destination& row : topology_.destinations()) {
        if (row.is_switch() || row.at == kNoSwitch) continue;
        if (!part->Has(row.lid) || !part->Has(row.at, row.port)) continue;
        class_parts_[Raw(row.at)] |= static_cast<std::uint16_t>(1U << (step - 1));
    }
}

/// Does the next slice of making them.
void Router::MakeLanes() {
    if (classes_.count < plan().steps.size()) {
        MarkClass();
        return;
    }
    RoutingEngine& engine = *plan().lane_engine;
    if (engine_began_) {
        const Result<Progress> progress = engine.Advance();
        if (progress.ok() && progress.value() == Progress::kMore) return;
        if (!progress.ok()) return Refuse(RoutingReason::kStepLanes, progress.status());
        EMBER_ASSERT(planned_lanes_.count <= max_lanes_);
        return StartProof();
    }
    engine_began_ = true;
    hop_room_.Fill(hops_);
    RoutingTask task{.topology = &topology_,
                     .options = plan().options,
                     .hops = hops(),
                     .hop_room = &hop_room_,
                     .tables = {.lfts = planned_, .lanes = &planned_lanes_},
                     .scratch = scratch_,
                     .classes = &classes_};
    OfferLanes(task);
    const Status status = engine.Begin(task);
    if (status != Status::kOk) Refuse(RoutingReason::kStepLanes, status);
}

}  // namespace ember
