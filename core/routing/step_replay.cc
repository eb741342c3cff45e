// SPDX-License-Identifier: Apache-2.0
// EmberSM: what one step of a plan made, made once more.

#include "core/routing/step_replay.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void StepReplay::Begin(const Fabric& fabric, const RoutingStep& step, const Alternative& chosen,
                       bool is_base, Arena& scratch) {
    is_base_ = is_base;
    fabric_ = &fabric;
    part_ = step.PartOf(chosen);
    options_ = &step.OptionsOf(chosen);
    engine_ = chosen.engine;
    scratch_ = &scratch;
    status_ = Status::kAbsent;
    phase_ = Phase::kBegin;
}

Progress StepReplay::Advance() {
    switch (phase_) {
        case Phase::kBegin:
            whole_.BeginBuild(*fabric_, *scratch_, VlCap::kVl0To14,
                              options_->avoid_throttled_links);
            phase_ = Phase::kTopology;
            break;
        case Phase::kTopology:
            if (whole_.BuildNext(*fabric_, options_->order, *scratch_)) break;
            if (part_ != nullptr) BuildPart(whole_, *part_, *scratch_, own_);
            mark_ = scratch_->used_bytes();
            MeasureHops(Phase::kHops);
            break;
        case Phase::kHops:
            if (meter_.Advance() == Progress::kDone) StartEngine();
            break;
        case Phase::kEngine: {
            const Result<Progress> progress = engine_->Advance();
            if (!progress.ok() || progress.value() == Progress::kDone) EndEngine(progress.status());
            break;
        }
        case Phase::kHopsAgain:
            if (meter_.Advance() == Progress::kMore) break;
            scratch_->Rewind(mark_);
            phase_ = Phase::kDone;
            break;
        case Phase::kDone:
            break;
    }
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

void StepReplay::MeasureHops(Phase phase) {
    const std::size_t bound = whole_.switch_bound();
    hops_ = {memory_.hops, HopShape(bound)};
    scratch_->Rewind(mark_);
    meter_.Begin(topology(), options_->tables.hop_weights, hops_, *scratch_);
    phase_ = phase;
}

/// Every entry drops at first.
void StepReplay::StartEngine() {
    scratch_->Rewind(mark_);
    lfts_ = {
        memory_.lfts,
        {.rows = whole_.switch_bound(), .stride = LftBlocks(whole_.top_lid()) * std::size_t{64}}};
    std::fill(lfts_.values().begin(), lfts_.values().end(), kNoHops);
    lanes_.Clear();
    phase_ = Phase::kEngine;
    if (engine_ == nullptr || topology().switch_count() == 0) {
        EndEngine(Status::kAbsent);
        return;
    }
    hop_room_.Fill(hops_);
    const Status status = engine_->Begin({.topology = &topology(),
                                          .options = options_,
                                          .hops = hops(),
                                          .hop_room = &hop_room_,
                                          .tables = {.lfts = lfts_, .lanes = &lanes_},
                                          .lane_fault = EngineFault::kLanesInSteps,
                                          .scratch = scratch_,
                                          .is_base = is_base_});
    if (status != Status::kOk) EndEngine(status);
}

/// An engine may have spent the hops.
void StepReplay::EndEngine(Status status) {
    status_ = status;
    scratch_->Rewind(mark_);
    if (hop_room_.is_spent()) {
        MeasureHops(Phase::kHopsAgain);
    } else {
        phase_ = Phase::kDone;
    }
}

}  // namespace ember
