// SPDX-License-Identifier: Apache-2.0
// EmberSM: lanes of the steps of a plan.

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
    scratch_.Rewind();
    lanes_.planned().Clear();
    RoutingTask task{.topology = &topology_,
                     .options = plan().options,
                     .hops = hops(),
                     .hop_room = hops_.Lend(),
                     .tables = {.lfts = planned_, .lanes = &lanes_.planned()},
                     .scratch = &scratch_.arena()};
    OfferLanes(task);
    step_lanes_.Begin(progress_, task);
    phase_ = Phase::kLanes;
}

/// The steps close a credit loop on one lane: whether they are given lanes of their own instead.
bool Router::LaysLanes() {
    if (!runs_plan() || lanes_.most() == 1 || !progress_.LayLanes()) return false;
    StartLanes();
    return true;
}

/// Does the next slice of making them.
void Router::MakeLanes() {
    const Result<Progress> progress = step_lanes_.Advance();
    if (!progress.ok()) return Refuse(RoutingReason::kStepLanes, progress.status());
    if (progress.value() == Progress::kMore) return;
    EMBER_ASSERT(lanes_.planned().count <= lanes_.most());
    StartProof();
}

}  // namespace ember
