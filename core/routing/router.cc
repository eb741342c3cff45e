// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a known subnet to forwarding tables that are proved.

#include "core/routing/router.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/log/words.h"

namespace ember {
namespace {

static_assert(kEngineWords.size() == static_cast<std::size_t>(EngineKind::kNue) + 1);

/// What an engine that is not here might have promised: all there is.
constexpr Promise kUnknownPromise = {.shortest = true, .deadlock_free = true};

constexpr Verdict kNoVerdict;  // Too large to be made on the stack.

}  // namespace

Router::Router(const Memory& memory, const Limits& limits)
    : memory_(memory), proved_(memory.proved), log_room_(ChangeLog::Room(limits)) {
    EMBER_ASSERT(memory.hops.size() >= HopBytes(limits));
    EMBER_ASSERT(memory.dependencies.empty() ||
                 memory.dependencies.size() >= DependencyGraph::Words(limits));
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
    verdict_ = kNoVerdict;
    Start();
}

/// Starts from the topology; what earlier tries said stays in the verdict.
void Router::Start() {
    first_mark_ = scratch_->used_bytes();
    next_engine_ = 0;
    keeping_ = false;
    mending_ = false;
    scope_ = ProofScope::kWhole;
    goes_on_ = false;
    proves_changes_ = false;
    log_ = {};
    had_basis_ = basis_.is_there;
    basis_.is_there = false;  // Until this run has ended well: hops and tables are written now.
    topology_begun_ = false;
    phase_ = Phase::kTopology;
}

void Router::BeginMending(const Fabric& fabric,
                          const Settings& settings,
                          std::span<RoutingEngine* const> engines,
                          Matrix<SwitchIndex, std::uint8_t> planned,
                          Arena& scratch) {
    Begin(fabric, settings, engines, planned, scratch);
    mending_ = true;
}

void Router::ProveChangesOnly() {
    EMBER_ASSERT(mending_ && phase_ == Phase::kTopology);
    scope_ = ProofScope::kChanges;
}

/// The present engine is asked to mend.
bool Router::Mends() const {
    const RoutingEngine* const engine = engines_[next_engine_];
    return mending_ && engine != nullptr && engine->can_mend(*settings_);
}

void Router::BeginKeeping(Matrix<SwitchIndex, const std::uint8_t> tables) {
    EMBER_ASSERT(phase_ == Phase::kDone && !engines_.empty());
    Start();
    verdict_.outcome = RoutingOutcome::kNothingToRoute;
    verdict_.engine = {};
    verdict_.findings = {};
    verdict_.mending_failed = false;
    verdict_.proved_changes_only = false;
    keeping_ = true;
    tables_ = tables;
}

Progress Router::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kTopology: BuildTopology(); break;
        case Phase::kOptions:  CheckOptions();  break;
        case Phase::kHops:     MeasureHops();   break;
        case Phase::kEngine:   RunEngine();     break;
        case Phase::kVerifier: AdvanceProof();  break;
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
    if (!topology_begun_) {
        topology_.BeginBuild(*fabric_, *scratch_);
        topology_begun_ = true;
        return;
    }
    if (topology_.BuildNext(*fabric_, settings_->order, *scratch_)) return;
    changes_mark_ = scratch_->used_bytes();
    if (scope_ == ProofScope::kChanges && had_basis_) StudyChanges();
    second_mark_ = scratch_->used_bytes();
    option_check_.Begin(topology_, settings_->tables);
    phase_ = Phase::kOptions;
}

void Router::CheckOptions() {
    if (option_check_.Advance() == Progress::kDone) StartHops();
}

void Router::StartHops() {
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
    if (goes_on_) {
        patch_.Begin(topology_, changes_, hops_, suspects_, *scratch_);
    } else {
        meter_.Begin(topology_, settings_->tables.hop_weights, hops_, *scratch_);
    }
    phase_ = Phase::kHops;
}

void Router::MeasureHops() {
    const Progress progress = goes_on_ ? patch_.Advance() : meter_.Advance();
    if (progress == Progress::kMore) return;
    StartEngine();
    if (keeping_) MarkOwned();
}

/// Which columns belong to somebody.
void Router::MarkOwned() {
    owned_ = scratch_->Take<bool>(LftBlocks(topology_.top_lid()) * std::size_t{64});
    for (const Destination& destination : topology_.destinations()) {
        const auto lids = owned_.subspan(Raw(destination.lid), destination.lid_count());
        std::fill(lids.begin(), lids.end(), true);
    }
}

/// Turns to the engine next_engine_, if there is one.
void Router::StartEngine() {
    // To make routes anew takes the memory in which the changes stand.
    if (next_engine_ < engines_.size() && !Mends()) ForgetChanges();
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
    engine_ended_ = false;
    phase_ = Phase::kEngine;
}

void Router::WipeTables() {
    const std::size_t columns = LftBlocks(topology_.top_lid()) * std::size_t{64};
    const std::size_t rows = std::max<std::size_t>(1, kOctetsPerSlice / columns);
    const std::size_t end = std::min(topology_.switch_bound(), wiped_ + rows);
    const bool mends = !keeping_ && Mends();
    mending_ = mends;  // What is wiped can no longer be mended by a later engine.
    for (; wiped_ < end; ++wiped_) {
        const auto at = static_cast<SwitchIndex>(wiped_);
        if (mends && topology_.Has(at)) continue;
        const auto row = planned_[at].first(columns);
        std::fill(row.begin(), row.end(), kNoHops);
        if (!keeping_ || !topology_.Has(at)) continue;
        for (std::size_t lid = 0; lid < columns; ++lid) {
            if (owned_[lid]) row[lid] = tables_[at][lid];
        }
    }
}

void Router::RunEngine() {
    if (!keeping_ && engines_[next_engine_] == nullptr) {
        Close(RoutingOutcome::kRefused, RoutingReason::kEngineAbsent, Status::kAbsent);
        return;
    }
    if (wiped_ < topology_.switch_bound()) {
        WipeTables();
        return;
    }
    if (keeping_) {
        StartVerifier();
        return;
    }
    if (engine_ended_) {
        if (meter_.Advance() == Progress::kDone) LeaveEngine();
        return;
    }
    RoutingEngine& engine = *engines_[next_engine_];
    if (!engine_began_) {
        engine_began_ = true;
        verdict_.mended = {};
        const Status status = engine.Begin(Task());
        if (status != Status::kOk) EndEngine(status);
        return;
    }
    const Result<Progress> progress = engine.Advance();
    if (progress.ok() && progress.value() == Progress::kMore) return;
    EndEngine(progress.status());
}

/// Whoever reads the hops next must find them.
void Router::EndEngine(Status status) {
    engine_ended_ = true;
    engine_status_ = status;
    if (!hop_room_.is_spent()) {
        LeaveEngine();
        return;
    }
    scratch_->Rewind(second_mark_);
    meter_.Begin(topology_, settings_->tables.hop_weights, hops_, *scratch_);
}

void Router::LeaveEngine() {
    if (engine_status_ == Status::kOk) {
        StartProof();
    } else {
        Close(RoutingOutcome::kRefused, RoutingReason::kEngineFailed, engine_status_);
    }
}

RoutingTask Router::Task() {
    hop_room_.Fill(hops_);
    RoutingTask task{.topology = &topology_,
                     .settings = settings_,
                     .hops = hops(),
                     .hop_room = &hop_room_,
                     .lfts = planned_,
                     .scratch = scratch_};
    if (!Mends()) return task;
    task.mended = &verdict_.mended;
    if (!goes_on_ || engines_[next_engine_] != basis_.engine || !IsUntouched()) return task;
    log_ = ChangeLog(log_entries_);
    task.log = &log_;
    task.suspects = &suspects_;
    return task;
}

void Router::StartVerifier() {
    scratch_->Rewind(second_mark_);
    proves_changes_ = false;
    verifier_.Begin(topology_, hops(), {planned_.values(), planned_.stride()}, memory_.dependencies,
                    *scratch_);
    phase_ = Phase::kVerifier;
}

Promise Router::PromiseOf(std::size_t engine) const {
    return engines_[engine] == nullptr ? kUnknownPromise : engines_[engine]->promise(*settings_);
}

/// The switches' own tables were made by nobody knows whom: the first engine's promise of no credit
/// loop holds for them as for any fallback; that of shortest paths does not.
void Router::JudgeKept() {
    const Findings& findings = verifier_.findings();
    const bool must_be_free = PromiseOf(0).deadlock_free || settings_->require_deadlock_free;
    const bool apart = PromiseOf(0).all_switches && findings.switch_pairs_apart > 0;
    const bool passes = findings.fault == Findings::Fault::kNone && !apart &&
                        !(must_be_free && findings.end_ports_may_deadlock);
    verdict_.outcome = passes ? RoutingOutcome::kKept : RoutingOutcome::kRefused;
    verdict_.findings = findings;
    Finish();
}

/// Says what the verifier's findings mean for an engine with this promise.
void Router::Judge() {
    if (keeping_) {
        JudgeKept();
        return;
    }
    const Promise promise = PromiseOf(next_engine_);
    const Findings& findings = verifier_.findings();
    verdict_.findings = findings;

    if (findings.fault == Findings::Fault::kLost) {
        Close(RoutingOutcome::kRefused, RoutingReason::kLostPair, Status::kOk);
    } else if (findings.fault == Findings::Fault::kLoop) {
        Close(RoutingOutcome::kRefused, RoutingReason::kLoop, Status::kOk);
    } else if (promise.all_switches && findings.switch_pairs_apart > 0) {
        verdict_.findings.fault = Findings::Fault::kLost;
        verdict_.findings.at = findings.apart_at;
        verdict_.findings.lid = findings.apart_lid;
        verdict_.findings.port_guid = findings.apart_port_guid;
        Close(RoutingOutcome::kRefused, RoutingReason::kLostPair, Status::kOk);
    } else if (promise.shortest && findings.longer_routes > 0) {
        Close(RoutingOutcome::kRefused, RoutingReason::kNotShortest, Status::kOk);
    } else if (!findings.end_ports_may_deadlock) {
        Close(RoutingOutcome::kVerified, RoutingReason::kNone, Status::kOk);
    } else if (promise.deadlock_free || settings_->require_deadlock_free) {
        Close(RoutingOutcome::kRefused, RoutingReason::kCreditLoop, Status::kOk);
    } else if (PromiseOf(0).deadlock_free) {
        Close(RoutingOutcome::kRefused, RoutingReason::kUnsafeFallback, Status::kOk);
    } else {
        Close(RoutingOutcome::kWarned, RoutingReason::kNone, Status::kOk);
    }
}

/// Ends the try of an engine, and the run unless it was refused and another engine is left.
void Router::Close(RoutingOutcome outcome, RoutingReason reason, Status status) {
    // An engine that fails has not touched the tables yet, and the next one may still mend them.
    const bool failed = reason == RoutingReason::kEngineFailed;
    if (outcome == RoutingOutcome::kRefused && !failed && Mends()) {
        mending_ = false;
        verdict_.mending_failed = true;
        StartEngine();
        return;
    }
    verdict_.was_mended = outcome != RoutingOutcome::kRefused && Mends();
    if (failed || reason == RoutingReason::kEngineAbsent) verdict_.findings = {};
    verdict_.outcome = outcome;
    verdict_.reason = reason;
    verdict_.status = status;
    const RoutingEngine* const engine = engines_[next_engine_];
    verdict_.engine =
        engine != nullptr
            ? engine->name()
            : kEngineWords[static_cast<std::size_t>(settings_->routing_engine[next_engine_])];
    const Status kept = verdict_.attempts.TryPush(
        {.engine = verdict_.engine,
         .outcome = outcome,
         .reason = reason,
         .status = status,
         .complaint = failed && engine != nullptr ? engine->complaint() : EngineComplaint{},
         .at = verdict_.findings.at,
         .lid = verdict_.findings.lid,
         .port_guid = verdict_.findings.port_guid});
    EMBER_ASSERT(kept == Status::kOk);

    if (outcome == RoutingOutcome::kRefused) {
        ++next_engine_;
        StartEngine();
        return;
    }
    if (outcome == RoutingOutcome::kVerified) KeepBasis();
    Finish();
}

void Router::Finish() {
    scratch_->Rewind(first_mark_);
    phase_ = Phase::kDone;
}

}  // namespace ember
