// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routes of a plan, made step by step.

#include "core/routing/route_maker.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

Progress RouteMaker::Begin(const Task& task) {
    task_ = task;
    is_made_ = is_idle_ = is_too_large_ = bridges_ = false;
    mends_ = task.mends;
    StartStep();
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

Progress RouteMaker::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kIdle:      EndStep(); break;
        case Phase::kTooLarge:  End(RoutingReason::kEngineFailed, Status::kFull); break;
        case Phase::kHops:      if (parts_.hops.Advance() == Progress::kDone) StartEngine(); break;
        case Phase::kTables:    PrepareTables(); break;
        case Phase::kBegin:     BeginEngine(); break;
        case Phase::kEngine:    AdvanceEngine(); break;
        case Phase::kHopsAgain: if (parts_.hops.Advance() == Progress::kDone) LeaveEngine(); break;
        case Phase::kMerge:     Merge(); break;
        case Phase::kWholeHops:
            if (parts_.hops.Advance() == Progress::kDone) End(RoutingReason::kNone, Status::kOk);
            break;
        case Phase::kDone:      break;
    }
    // clang-format on
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

/// Where the part has no end port the step is over at once: no engine is asked.
void RouteMaker::StartStep() {
    EMBER_ASSERT(!is_made_);
    if (runs_plan() && parts_.plan.step().alternatives.empty()) {
        End(RoutingReason::kNoEngine, Status::kOk);
        return;
    }
    parts_.scratch.Rewind();
    is_idle_ = parts_.chain.Keeps(parts_.plan.at());
    if (is_idle_) {
        phase_ = Phase::kIdle;
        return;
    }
    if (parts_.chain.mends()) mends_ = !parts_.chain.balances();
    is_too_large_ = IsTooLarge();
    if (is_too_large_) {
        phase_ = Phase::kTooLarge;
        return;
    }
    // An engine that fills tables of its own needs no rows for the rest of the subnet.
    part_.Show(*task_.topology, part(), has_own_tables(), parts_.scratch.arena());
    is_idle_ = part() != nullptr && !part_.HasEndPorts();
    if (is_idle_) {
        phase_ = Phase::kIdle;
        return;
    }
    TakeTables();
    step_mark_ = parts_.scratch.arena().used_bytes();
    if (parts_.hops.AreOf(HopTask())) {
        StartEngine();
    } else {
        StartHops();
    }
}

/// A board without an arena for the tables of later steps makes them in scratch.
bool RouteMaker::IsTooLarge() const {
    if (max_step_switches_ == 0 || !is_later_step()) return false;
    const Topology& whole = *task_.topology;
    return (part() == nullptr ? whole.switch_bound() : CountSwitches(whole, *part())) >
           max_step_switches_;
}

void RouteMaker::TakeTables() {
    if (!has_own_tables()) {
        part_.UseTables(task_.planned);
    } else if (max_step_switches_ == 0) {
        part_.UseTables({step_lfts_, task_.planned.shape()});
    } else {
        part_.TakeTables(task_.topology->top_lid(), parts_.scratch.arena());
    }
}

/// The hops of the step at work; when all are made, of the whole by the weights of the first one.
MeasuredHops::Task RouteMaker::HopTask() const {
    const RoutingStep& first = parts_.plan.plan().steps[0];
    const EngineOptions& deciding =
        is_made_ && runs_plan() ? first.OptionsOf(parts_.plan.Chosen(0)) : options();
    return {.topology = is_made_ ? task_.topology : &part_.topology(),
            .part = is_made_ ? nullptr : part(),
            .weights = deciding.tables.hop_weights};
}

void RouteMaker::StartHops() {
    Arena& scratch = parts_.scratch.arena();
    if (parts_.basis.goes_on()) {
        parts_.hops.BeginPatch(HopTask(), parts_.basis.changes(), parts_.basis.suspects(), scratch);
    } else {
        parts_.hops.Begin(HopTask(), scratch);
    }
    phase_ = is_made_ ? Phase::kWholeHops : Phase::kHops;
}

bool RouteMaker::mends() const {
    const RoutingEngine* const asked = mends_ ? engine() : nullptr;
    return asked != nullptr && asked->can_mend(options());
}

/// Turns to the chosen engine of the step. To make routes anew takes the memory of what changed.
void RouteMaker::StartEngine() {
    if (!mends() && !parts_.chain.mends()) {
        parts_.basis.Forget();
        parts_.scratch.ForgetBefore();
        if (part() == nullptr && !has_own_tables()) step_mark_ = parts_.scratch.floor();
    }
    if (!parts_.chain.mends()) *task_.mended = {};
    parts_.scratch.arena().Rewind(step_mark_);
    next_ = 0;
    phase_ = Phase::kTables;
}

/// Prepares a slice of the tables that the step's engine fills.
void RouteMaker::PrepareTables() {
    if (engine() == nullptr) {
        End(RoutingReason::kEngineAbsent, Status::kAbsent);
        return;
    }
    const Topology& seen = part_.topology();
    const std::size_t columns = LftBlocks(task_.topology->top_lid()) * std::size_t{64};
    const std::size_t rows = std::max<std::size_t>(1, kOctetsPerSlice / columns);
    const std::size_t end = std::min(seen.switch_bound(), next_ + rows);
    const bool in_chain = parts_.chain.mends();
    mends_ = mends();  // Wiped tables can no longer be mended by a later engine.
    const bool clears_lanes = is_later_step() ? parts_.plan.has_step_lanes() : !mends_ || in_chain;
    if (clears_lanes) parts_.lanes.planned().Clear();
    for (; next_ < end; ++next_) {
        const auto at = static_cast<SwitchIndex>(next_);
        const auto row = part_.lfts()[at].first(columns);
        if (mends_ && seen.Has(at)) {
            const auto before = task_.planned[part_.WholeRow(at)].first(columns);
            if (in_chain) std::copy(before.begin(), before.end(), row.begin());
            continue;
        }
        std::fill(row.begin(), row.end(), kNoHops);
    }
    if (next_ == seen.switch_bound()) phase_ = Phase::kBegin;
}

void RouteMaker::BeginEngine() {
    phase_ = Phase::kEngine;
    const Status status = engine()->Begin(EngineTask());
    if (status != Status::kOk) EndEngine(status);
}

void RouteMaker::AdvanceEngine() {
    const Result<Progress> progress = engine()->Advance();
    if (progress.ok() && progress.value() == Progress::kMore) return;
    EndEngine(progress.status());
}

RoutingTask RouteMaker::EngineTask() {
    const bool is_base = runs_plan() && !is_later_step() && parts_.plan.plan().steps.size() > 1;
    RoutingTask task{.topology = &part_.topology(),
                     .options = &options(),
                     .hops = parts_.hops.hops(),
                     .hop_room = parts_.hops.Lend(),
                     .tables = {.lfts = part_.lfts(), .lanes = &parts_.lanes.planned()},
                     .scratch = &parts_.scratch.arena(),
                     .is_base = is_base,
                     .last_resort = !runs_plan() || bridges_};
    OfferLanes(task);
    if (!mends()) return task;
    task.mended = parts_.chain.mends() ? &ignored_ : task_.mended;
    task.completes_home = !parts_.plan.ChosenPromise().all_switches;
    if (!parts_.basis.IsOf(engine())) return task;
    parts_.basis.BeginLog();
    task.log = &parts_.basis.log();
    task.suspects = &parts_.basis.suspects();
    return task;
}

void RouteMaker::OfferLanes(RoutingTask& task) const {
    const RoutingPlan& plan = parts_.plan.plan();
    const bool shares = runs_plan() && plan.steps.size() > 1 && !parts_.plan.has_step_lanes();
    if (plan.writes_lanes && shares) {
        task.lane_fault = EngineFault::kLanesInSteps;
        return;
    }
    const std::size_t room =
        parts_.chain.mends() ? parts_.scratch.room() : parts_.scratch.room_behind_topology();
    parts_.lanes.Offer(plan, *task_.topology, room, task);
}

/// An engine that spent the hops leaves them to be measured again, for those that read them next.
void RouteMaker::EndEngine(Status status) {
    engine_status_ = status;
    if (!parts_.hops.is_spent()) {
        LeaveEngine();
        return;
    }
    parts_.scratch.arena().Rewind(step_mark_);
    parts_.hops.BeginAgain(parts_.scratch.arena());
    phase_ = Phase::kHopsAgain;
}

void RouteMaker::LeaveEngine() {
    if (engine_status_ != Status::kOk) {
        End(RoutingReason::kEngineFailed, engine_status_);
        return;
    }
    EMBER_ASSERT(parts_.lanes.planned().count <= parts_.lanes.most());
    if (!has_own_tables()) {
        EndStep();
        return;
    }
    merge_.Begin({.part = &part_,
                  .hops = parts_.hops.hops(),
                  .planned = task_.planned,
                  .top_lid = task_.topology->top_lid(),
                  .path_bit = parts_.plan.path_bit(),
                  .step = parts_.plan.at(),
                  .owners = parts_.chain.mends() ? &parts_.chain.owners() : nullptr,
                  .mended = task_.mended});
    phase_ = Phase::kMerge;
}

/// A run that is given up leaves entries that were taken over: they are noted at once.
void RouteMaker::Merge() {
    const Progress progress = merge_.Advance();
    if (merge_.has_changed()) parts_.chain.NoteMended(parts_.plan.at());
    if (progress == Progress::kDone) EndStep();
}

/// Behind the last step the whole is proved, with distances in the whole subnet.
void RouteMaker::EndStep() {
    if (runs_plan() && !parts_.plan.is_last()) {
        parts_.plan.GoTo(parts_.plan.at() + 1);
        StartStep();
        return;
    }
    is_made_ = true;
    if (parts_.hops.AreOf(HopTask())) {
        End(RoutingReason::kNone, Status::kOk);
        return;
    }
    parts_.scratch.Rewind();
    StartHops();
}

void RouteMaker::End(RoutingReason reason, Status status) {
    reason_ = reason;
    status_ = status;
    phase_ = Phase::kDone;
}

EngineComplaint RouteMaker::complaint() const {
    if (is_too_large_) return {.what = EngineFault::kStepSwitches};
    return engine() != nullptr ? engine()->complaint() : EngineComplaint{};
}

/// An engine that fails has not touched the tables yet, and the next one may still mend them.
bool RouteMaker::MayMakeAnew(RoutingReason refusal) const {
    if (parts_.chain.mends()) return true;
    const bool failed = refusal == RoutingReason::kEngineFailed;
    return !is_too_large_ && mends() &&
           (!failed || engine()->complaint().what == EngineFault::kNotMended);
}

void RouteMaker::MakeAnew() {
    mends_ = is_made_ = false;
    if (!parts_.chain.mends()) {
        StartEngine();
        return;
    }
    parts_.chain.GiveUp();
    parts_.scratch.ForgetBefore();
    parts_.plan.Restart();
    *task_.mended = {};
    StartStep();
}

bool RouteMaker::MayBridge(RoutingReason refusal) const {
    const bool may_help =
        refusal == RoutingReason::kLostPair || refusal == RoutingReason::kCreditLoop;
    return may_help && runs_plan() && parts_.plan.plan().bridges && !bridges_ &&
           engine()->promise(options()).last_resort;
}

void RouteMaker::Bridge() {
    bridges_ = true;
    is_made_ = false;
    StartEngine();
}

void RouteMaker::TryNext() {
    bridges_ = false;
    if (!is_made_ && part_.Shows(part()) && !is_too_large_) {
        StartEngine();
        return;
    }
    if (is_made_) parts_.plan.GoTo(0);
    is_made_ = false;
    StartStep();
}

}  // namespace ember
