// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is left when every engine was refused.

#include "core/base/assert.h"
#include "core/routing/router.h"

namespace ember {

/// The verdict is about this run now, but for the tries of before.
void Router::StartResort(Mode mode) {
    EMBER_ASSERT(phase_ == Phase::kDone && !plan().steps[0].alternatives.empty());
    Start();
    mode_ = mode;
    verdict_.BeginResort();
}

void Router::BeginKeeping(Matrix<SwitchIndex, const std::uint8_t> tables) {
    StartResort(Mode::kKeeping);
    tables_ = tables;
}

void Router::BeginSafe(RoutingEngine& engine) {
    EMBER_ASSERT(engine.promise(*plan().options).last_resort);
    StartResort(Mode::kSafe);
    safe_ = &engine;
}

/// Findings against the last tables that were judged stay in the verdict.
void Router::BeginDropping(Matrix<SwitchIndex, const std::uint8_t> tables) {
    EMBER_ASSERT(phase_ == Phase::kDone && !plan().steps[0].alternatives.empty());
    Start();
    mode_ = Mode::kDropping;
    tables_ = tables;
}

void Router::StartCopying() {
    verdict_.mended = {};
    lanes_.planned().Clear();
    kept_tables_.Begin({.topology = &topology_,
                        .weights = options().tables.hop_weights,
                        .hops = &hops_,
                        .programmed = tables_,
                        .planned = planned_,
                        .drops_dead = mode_ == Mode::kDropping},
                       scratch_.arena());
    phase_ = Phase::kEngine;
}

void Router::CopyTables() {
    if (kept_tables_.Advance() == Progress::kMore) return;
    if (mode_ == Mode::kKeeping) {
        lanes_.Keep();
        StartProof();
        return;
    }
    verdict_.outcome = RoutingOutcome::kRefused;
    Finish();
}

void Router::JudgeKept() {
    verdict_.outcome = MayKeepTables(Terms(), verdict_.findings) ? RoutingOutcome::kKept
                                                                 : RoutingOutcome::kRefused;
    Finish();
}

}  // namespace ember
