// SPDX-License-Identifier: Apache-2.0
// EmberSM: the steps of a plan, one after the other.

#include "core/base/assert.h"
#include "core/routing/router.h"

namespace ember {
void Router::StartSteps() {
    if (topology_.switch_count() == 0) {
        lanes_.planned().Clear();
        Finish();
        return;
    }
    const std::size_t bound = topology_.switch_bound();
    EMBER_ASSERT(planned_.rows() >= bound);
    EMBER_ASSERT(planned_.stride() >= LftBlocks(topology_.top_lid()) * std::size_t{64});

    if (copies()) {
        StartCopying();
    } else {
        StartStep();
    }
}

/// Where the part has no end port the step is over at once: no engine is asked.
void Router::StartStep() {
    EMBER_ASSERT(!is_made_);
    if (LacksEngines()) return;
    scratch_.Rewind();
    if (chain_.Keeps(progress_.at())) {
        is_idle_ = true;
        phase_ = Phase::kEngine;
        return;
    }
    if (chain_.mends()) mending_ = !chain_.balances();
    is_too_large_ = IsTooLarge();
    if (is_too_large_) {  // RunEngine() refuses it.
        phase_ = Phase::kEngine;
        return;
    }
    // An engine that fills tables of its own needs no rows for the rest of the subnet.
    part_.Show(topology_, part(), has_own_tables(), scratch_.arena());
    is_idle_ = part() != nullptr && !part_.HasEndPorts();
    if (is_idle_) {
        phase_ = Phase::kEngine;
        return;
    }
    TakeStepTables();
    step_mark_ = scratch_.arena().used_bytes();
    if (hops_.IsOf(part(), weights())) {
        StartEngine();
    } else {
        StartHops(part());
    }
}

/// A board without an arena for the tables of later steps makes them in scratch.
bool Router::IsTooLarge() const {
    if (max_step_switches_ == 0 || !is_later_step()) return false;
    return (part() == nullptr ? topology_.switch_bound() : CountSwitches(topology_, *part())) >
           max_step_switches_;
}

void Router::TakeStepTables() {
    if (!has_own_tables()) {
        part_.UseTables(planned_);
    } else if (max_step_switches_ == 0) {
        part_.UseTables({memory_.step_lfts, planned_.shape()});
    } else {
        part_.TakeTables(topology_.top_lid(), scratch_.arena());
    }
}

/// Ends the run where the step has no alternative at all.
bool Router::LacksEngines() {
    if (!runs_plan() || !progress_.step().alternatives.empty()) return false;
    verdict_.outcome = RoutingOutcome::kRefused;
    verdict_.reason = RoutingReason::kNoEngine;
    Finish();
    return true;
}

void Router::StartMerge() {
    merge_.Begin({.part = &part_,
                  .hops = hops(),
                  .planned = planned_,
                  .top_lid = topology_.top_lid(),
                  .path_bit = progress_.path_bit(),
                  .step = progress_.at(),
                  .owners = chain_.mends() ? &chain_.owners() : nullptr,
                  .mended = &verdict_.mended});
    merges_ = true;
}

/// A run that is given up leaves entries that were taken over: they are noted at once.
void Router::MergePart() {
    const Progress progress = merge_.Advance();
    if (merge_.has_changed()) chain_.NoteMended(progress_.at());
    if (progress == Progress::kMore) return;
    merges_ = false;
    EndStep();
}

void Router::EndStep() {
    if (!runs_plan() || progress_.is_last()) {
        EndSteps();
        return;
    }
    progress_.GoTo(progress_.at() + 1);
    StartStep();
}

/// All routes are made. The whole is proved, with distances in the whole subnet.
void Router::EndSteps() {
    is_made_ = true;
    if (hops_.IsOf(nullptr, weights())) {
        StartJudgement();
        return;
    }
    scratch_.Rewind();
    StartHops(nullptr);
}

}  // namespace ember
