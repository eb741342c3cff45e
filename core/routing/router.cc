// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a known subnet to forwarding tables that are proved.

#include "core/routing/router.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/log/words.h"

namespace ember {
namespace {

/// What an engine that is not here might have promised: all there is.
constexpr Promise kUnknownPromise = {.shortest = true, .deadlock_free = true};

constexpr Verdict kNoVerdict;  // Too large to be made on the stack.

template <typename Value>
[[nodiscard]] std::span<Value> FirstHalf(std::span<Value> whole) {
    return whole.first(whole.size() / 2);
}
template <typename Value>
[[nodiscard]] std::span<Value> LastHalf(std::span<Value> whole) {
    return whole.last(whole.size() / 2);
}

}  // namespace

Router::Router(const Memory& memory, const Limits& limits)
    : memory_(memory),
      proved_(memory.proved),
      log_room_(ChangeLog::Room(limits)),
      planned_lanes_{PathSl(FirstHalf(memory.path_sl)), LaneMap(FirstHalf(memory.lane_map))},
      programmed_lanes_{PathSl(LastHalf(memory.path_sl)), LaneMap(LastHalf(memory.lane_map))} {
    EMBER_ASSERT(memory.hops.size() >= HopBytes(limits));
    EMBER_ASSERT(memory.dependencies.empty() ||
                 memory.dependencies.size() >= DependencyGraph::Words(limits));
}

void Router::Begin(const Fabric& fabric,
                   const Settings& settings,
                   std::span<RoutingEngine* const> engines,
                   Matrix<SwitchIndex, std::uint8_t> planned,
                   Arena& scratch) {
    EMBER_ASSERT(engines.size() < Verdict::kMaxAttempts);
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
    mode_ = Mode::kEngines;
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
    const RoutingEngine* const engine = Present();
    return mending_ && engine != nullptr && engine->can_mend(*settings_);
}

Progress Router::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kTopology: BuildTopology(); break;
        case Phase::kOptions:  CheckOptions();  break;
        case Phase::kHops:     MeasureHops();   break;
        case Phase::kEngine:   RunEngine();     break;
        case Phase::kHome:     CompleteHome();  break;
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
        topology_.BeginBuild(*fabric_, *scratch_, static_cast<VlCap>(settings_->max_op_vls));
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
        planned_lanes_.Clear();
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
    if (copies()) MarkOwned();
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
    const bool mends = Mends();
    mending_ = mends;  // What is wiped can no longer be mended by a later engine.
    if (!mends) planned_lanes_.Clear();
    for (; wiped_ < end; ++wiped_) {
        const auto at = static_cast<SwitchIndex>(wiped_);
        if (mends && topology_.Has(at)) continue;
        const auto row = planned_[at].first(columns);
        std::fill(row.begin(), row.end(), kNoHops);
        if (copies() && topology_.Has(at)) CopyRow(at);
    }
}

void Router::RunEngine() {
    if (!copies() && Present() == nullptr) {
        Close(RoutingOutcome::kRefused, RoutingReason::kEngineAbsent, Status::kAbsent);
        return;
    }
    if (wiped_ < topology_.switch_bound()) {
        WipeTables();
        return;
    }
    if (copies()) {
        EndCopying();
        return;
    }
    if (engine_ended_) {
        if (meter_.Advance() == Progress::kDone) LeaveEngine();
        return;
    }
    RoutingEngine& engine = *Present();
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
    if (engine_status_ != Status::kOk) {
        Close(RoutingOutcome::kRefused, RoutingReason::kEngineFailed, engine_status_);
        return;
    }
    if (PresentPromise().all_switches) {
        StartProof();
    } else {
        StartHome();
    }
}

/// The engine may have left switches without a way to the subnet manager, and it without one to
/// them.
void Router::StartHome() {
    const HomeTask task{.topology = &topology_,
                        .lfts = planned_,
                        .mended = Mends() ? &verdict_.mended : nullptr,
                        .log = &log_};
    scratch_->Rewind(second_mark_);
    HomeColumn::Complete(task, *scratch_);
    home_row_.Begin(task, *scratch_);
    phase_ = Phase::kHome;
}

void Router::CompleteHome() {
    if (home_row_.Advance() == Progress::kDone) StartProof();
}

RoutingTask Router::Task() {
    hop_room_.Fill(hops_);
    RoutingTask task{.topology = &topology_,
                     .options = settings_,
                     .hops = hops(),
                     .hop_room = &hop_room_,
                     .tables = {.lfts = planned_, .lanes = &planned_lanes_},
                     .scratch = scratch_,
                     .last_resort = mode_ == Mode::kSafe};
    if (!Mends()) return task;
    task.mended = &verdict_.mended;
    task.completes_home = !PresentPromise().all_switches;
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

/// That of the engine at work. Settings cost the last resort nothing.
Promise Router::PresentPromise() const {
    if (mode_ == Mode::kSafe) return {.deadlock_free = true, .all_switches = false};
    return PromiseOf(next_engine_);
}

std::string_view Router::PresentName() const {
    if (mode_ == Mode::kSafe) return kSafeRoutingWord;
    const RoutingEngine* const engine = Present();
    if (engine != nullptr) return engine->name();
    return EngineName(EnginesToTry(settings_->routing_engine)[next_engine_]);
}

/// Says what the verifier's findings mean for an engine with this promise.
void Router::Judge() {
    if (copies()) {
        JudgeKept();
        return;
    }
    const Promise promise = PresentPromise();
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
        const bool is_safe = mode_ == Mode::kSafe;
        Close(is_safe ? RoutingOutcome::kSafe : RoutingOutcome::kVerified, RoutingReason::kNone,
              Status::kOk);
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
    if (failed || reason == RoutingReason::kEngineAbsent) verdict_.findings = kNoFindings;
    verdict_.outcome = outcome;
    verdict_.reason = reason;
    verdict_.status = status;
    const RoutingEngine* const engine = Present();
    verdict_.engine = PresentName();
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

    if (outcome == RoutingOutcome::kRefused && mode_ == Mode::kEngines) {
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
