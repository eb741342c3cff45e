// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a known subnet to forwarding tables that are proved.

#include "core/routing/router.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

Router::Router(const Memory& memory, const Limits& limits) : memory_(memory) {
    EMBER_ASSERT(memory.hops.size() >= HopBytes(limits));
}

void Router::Begin(const Fabric& fabric,
                   const Settings& settings,
                   std::span<RoutingEngine* const> engines,
                   Matrix<SwitchIndex, std::uint8_t> planned,
                   Arena& scratch) {
    EMBER_ASSERT(engines.size() <= Verdict::kMaxAttempts);
    Stop();
    fabric_ = &fabric;
    settings_ = &settings;
    engines_ = engines;
    planned_ = planned;
    scratch_ = &scratch;
    first_mark_ = scratch.used_bytes();
    next_engine_ = 0;
    verdict_ = {};
    phase_ = Phase::kTopology;
}

Progress Router::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kTopology: BuildTopology(); break;
        case Phase::kHops:     MeasureHops();   break;
        case Phase::kEngine:   RunEngine();     break;
        case Phase::kVerifier:
            if (verifier_.Advance() == Progress::kDone) Judge();
            break;
        case Phase::kIdle:
        case Phase::kDone:     break;
    }
    // clang-format on
    return at_work() ? Progress::kMore : Progress::kDone;
}

void Router::Stop() {
    if (!at_work()) return;
    scratch_->Rewind(first_mark_);
    phase_ = Phase::kIdle;
}

void Router::BuildTopology() {
    topology_.Build(*fabric_, settings_->order, *scratch_);
    second_mark_ = scratch_->used_bytes();
    if (topology_.switch_count() == 0) {
        Finish();
        return;
    }
    const std::size_t bound = topology_.switch_bound();
    const std::size_t columns = LftBlocks(topology_.top_lid()) * std::size_t{64};
    EMBER_ASSERT(planned_.rows() >= bound);
    EMBER_ASSERT(planned_.stride() >= columns);

    const std::size_t stride = HopStride(bound);
    EMBER_ASSERT(memory_.hops.size() >= bound * stride);
    hops_ = {memory_.hops.first(bound * stride), stride};
    meter_.Begin(topology_, hops_, *scratch_);
    phase_ = Phase::kHops;
}

void Router::MeasureHops() {
    if (meter_.Advance() == Progress::kMore) return;
    StartEngine();
}

/// Turns to the engine next_engine_, if there is one.
void Router::StartEngine() {
    scratch_->Rewind(second_mark_);
    if (next_engine_ == engines_.size()) {
        if (engines_.empty()) {
            verdict_.outcome = RoutingOutcome::kRefused;
            verdict_.reason = RoutingReason::kNoEngine;
        }
        Finish();
        return;
    }
    wiped_ = 0;
    engine_began_ = false;
    phase_ = Phase::kEngine;
}

void Router::WipeTables() {
    const std::size_t columns = LftBlocks(topology_.top_lid()) * std::size_t{64};
    const std::size_t rows = std::max<std::size_t>(1, kOctetsPerSlice / columns);
    const std::size_t end = std::min(topology_.switch_bound(), wiped_ + rows);
    for (; wiped_ < end; ++wiped_) {
        const auto row = planned_[static_cast<SwitchIndex>(wiped_)].first(columns);
        std::fill(row.begin(), row.end(), kNoHops);
    }
}

void Router::RunEngine() {
    if (wiped_ < topology_.switch_bound()) {
        WipeTables();
        return;
    }
    RoutingEngine& engine = *engines_[next_engine_];
    if (!engine_began_) {
        engine_began_ = true;
        const Status status = engine.Begin({.topology = &topology_,
                                            .settings = settings_,
                                            .hops = hops(),
                                            .lfts = planned_,
                                            .scratch = scratch_});
        if (status != Status::kOk) {
            Close(RoutingOutcome::kRefused, RoutingReason::kEngineFailed, status);
        }
        return;
    }
    const Result<Progress> progress = engine.Advance();
    if (!progress.ok()) {
        Close(RoutingOutcome::kRefused, RoutingReason::kEngineFailed, progress.status());
        return;
    }
    if (progress.value() == Progress::kMore) return;

    scratch_->Rewind(second_mark_);
    verifier_.Begin(topology_, hops(), {planned_.values(), planned_.stride()}, *scratch_);
    phase_ = Phase::kVerifier;
}

/// Says what the verifier's findings mean for an engine with this promise.
void Router::Judge() {
    const Promise promise = engines_[next_engine_]->promise(*settings_);
    const Findings& findings = verifier_.findings();
    verdict_.findings = findings;

    if (findings.fault == Findings::Fault::kLost) {
        Close(RoutingOutcome::kRefused, RoutingReason::kLostPair, Status::kOk);
    } else if (findings.fault == Findings::Fault::kLoop) {
        Close(RoutingOutcome::kRefused, RoutingReason::kLoop, Status::kOk);
    } else if (promise.shortest && findings.longer_routes > 0) {
        Close(RoutingOutcome::kRefused, RoutingReason::kNotShortest, Status::kOk);
    } else if (!findings.end_ports_may_deadlock) {
        Close(RoutingOutcome::kVerified, RoutingReason::kNone, Status::kOk);
    } else if (promise.deadlock_free || settings_->require_deadlock_free) {
        Close(RoutingOutcome::kRefused, RoutingReason::kCreditLoop, Status::kOk);
    } else {
        Close(RoutingOutcome::kWarned, RoutingReason::kNone, Status::kOk);
    }
}

/// Ends the try of an engine, and the run unless it was refused and another engine is left.
void Router::Close(RoutingOutcome outcome, RoutingReason reason, Status status) {
    if (reason == RoutingReason::kEngineFailed) verdict_.findings = {};
    verdict_.outcome = outcome;
    verdict_.reason = reason;
    verdict_.status = status;
    verdict_.engine = engines_[next_engine_]->name();
    const Status kept = verdict_.attempts.TryPush(
        {.engine = verdict_.engine, .outcome = outcome, .reason = reason, .status = status});
    EMBER_ASSERT(kept == Status::kOk);

    if (outcome == RoutingOutcome::kRefused) {
        ++next_engine_;
        StartEngine();
        return;
    }
    Finish();
}

void Router::Finish() {
    scratch_->Rewind(first_mark_);
    phase_ = Phase::kDone;
}

}  // namespace ember
