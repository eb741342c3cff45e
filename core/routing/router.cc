// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a known subnet to forwarding tables that are proved.

#include "core/routing/router.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr Verdict kNoVerdict;  // Too large to be made on the stack.

}  // namespace

Router::Router(const Memory& memory, const Limits& limits)
    : memory_(memory),
      hops_(memory.hops),
      basis_(memory.proved, limits),
      proof_(memory.dependencies, basis_),
      max_steps_(limits.max_routing_steps),
      max_step_switches_(limits.max_step_switches),
      lanes_({.path_sl = memory.path_sl, .lane_map = memory.lane_map}, limits) {
    EMBER_ASSERT(memory.hops.size() >= HopBytes(limits));
    EMBER_ASSERT(memory.dependencies.empty() ||
                 memory.dependencies.size() >= DependencyGraph::Words(WithLanes(limits, 1)));
}

void Router::Begin(const Fabric& fabric, const RoutingPlan& plan,
                   Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch) {
    EMBER_ASSERT(plan.steps.size() <= max_steps_);
    EMBER_ASSERT(plan.steps.size() == 1 || max_step_switches_ != 0 ||
                 memory_.step_lfts.size() >= planned.values().size());
    Stop();
    fabric_ = &fabric;
    progress_.Begin(plan);
    planned_ = planned;
    scratch_.Begin(scratch);
    verdict_ = kNoVerdict;
    Start();
}

/// Starts from the topology; what earlier tries said stays in the verdict.
void Router::Start() {
    ++runs_;
    progress_.Restart();
    is_made_ = merges_ = is_idle_ = is_too_large_ = bridges_ = false;
    hops_.Forget();
    mode_ = Mode::kEngines;
    mending_ = false;
    chain_.Begin();
    scope_ = ProofScope::kWhole;
    proved_routes_ = {};
    basis_.Begin();
    topology_begun_ = false;
    phase_ = Phase::kTopology;
}

void Router::BeginMending(const Fabric& fabric, const RoutingPlan& plan,
                          Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch) {
    Begin(fabric, plan, planned, scratch);
    mending_ = plan.is_plain();
    // Which links are throttled is not kept from the run before.
    if (plan.is_chain() && plan.steps.size() > 1 && max_step_switches_ == 0 &&
        !plan.options->avoid_throttled_links) {
        chain_.Mend();
    }
}

void Router::BeginBalancing(const Fabric& fabric, const RoutingPlan& plan,
                            Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch) {
    BeginMending(fabric, plan, planned, scratch);
    mending_ = false;
    if (chain_.mends()) chain_.Balance();
    ProveChangesOnly();
}

void Router::ProveChangesOnly() {
    EMBER_ASSERT(phase_ == Phase::kTopology);
    if (mending_ || chain_.mends()) scope_ = ProofScope::kChanges;
}

Progress Router::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kTopology: BuildTopology(); break;
        case Phase::kOptions:  CheckOptions();  break;
        case Phase::kHops:     MeasureHops();   break;
        case Phase::kEngine:   RunEngine();     break;
        case Phase::kHome:     CompleteHome();  break;
        case Phase::kLanes:    MakeLanes();     break;
        case Phase::kVerifier: if (proof_.Advance() == Progress::kDone) Judge(); break;
        case Phase::kIdle:
        case Phase::kDone:     break;
    }
    // clang-format on
    return at_work() ? Progress::kMore : Progress::kDone;
}

void Router::Stop() {
    if (!at_work()) return;
    scratch_.GiveBack();
    phase_ = Phase::kIdle;
}

void Router::BuildTopology() {
    if (!topology_begun_) {
        topology_.BeginBuild(*fabric_, scratch_.arena(), plan().most_vls,
                             plan().options->avoid_throttled_links);
        topology_begun_ = true;
        return;
    }
    if (topology_.BuildNext(*fabric_, plan().options->order, scratch_.arena())) return;
    scratch_.EndTopology();
    // The whole of a chain is proved in any case: what stays of it does not hang on the sweep.
    if ((scope_ == ProofScope::kChanges || chain_.mends()) && basis_.was_there()) StudyChanges();
    chain_.BeginOwners(topology_, progress_, scratch_.arena());
    scratch_.EndBefore();
    option_check_.Begin(topology_, *plan().options);
    phase_ = Phase::kOptions;
}

void Router::CheckOptions() {
    if (chain_.AdvanceOwners() == Progress::kMore) return;
    if (option_check_.Advance() == Progress::kDone) StartSteps();
}

void Router::StartHops(const SubnetPart* part) {
    const MeasuredHops::Task task{.topology = part == nullptr ? &topology_ : &part_.topology(),
                                  .part = part,
                                  .weights = weights()};
    if (basis_.goes_on()) {
        hops_.BeginPatch(task, basis_.changes(), basis_.suspects(), scratch_.arena());
    } else {
        hops_.Begin(task, scratch_.arena());
    }
    phase_ = Phase::kHops;
}

void Router::MeasureHops() {
    if (hops_.Advance() == Progress::kMore) return;
    if (is_made_) {
        StartJudgement();
    } else {
        StartEngine();
    }
}

/// Turns to the chosen engine of the step.
void Router::StartEngine() {
    if (!Mends() && !chain_.mends()) {  // To make routes anew takes the memory of the changes.
        basis_.Forget();
        scratch_.ForgetBefore();
        if (part() == nullptr) step_mark_ = scratch_.floor();
    }
    if (!chain_.mends()) verdict_.mended = {};
    scratch_.arena().Rewind(step_mark_);
    wiped_ = 0;
    engine_began_ = false;
    engine_ended_ = false;
    phase_ = Phase::kEngine;
}

/// Prepares a slice of the tables that the step's engine fills.
void Router::WipeTables() {
    const std::size_t columns = LftBlocks(topology_.top_lid()) * std::size_t{64};
    const std::size_t rows = std::max<std::size_t>(1, kOctetsPerSlice / columns);
    const std::size_t end = std::min(part_.topology().switch_bound(), wiped_ + rows);
    const bool mends = Mends();
    mending_ = mends;  // Wiped tables can no longer be mended by a later engine.
    const bool is_first = !is_later_step();
    if (is_first ? !mends || chain_.mends() : progress_.has_step_lanes()) lanes_.planned().Clear();
    for (; wiped_ < end; ++wiped_) {
        const auto at = static_cast<SwitchIndex>(wiped_);
        const auto row = part_.lfts()[at].first(columns);
        if (mends && part_.topology().Has(at)) {
            const auto before = planned_[part_.WholeRow(at)].first(columns);
            if (chain_.mends()) std::copy(before.begin(), before.end(), row.begin());
            continue;
        }
        std::fill(row.begin(), row.end(), kNoHops);
    }
}

void Router::RunEngine() {
    if (copies()) {
        CopyTables();
        return;
    }
    if (is_too_large_) {
        Refuse(RoutingReason::kEngineFailed, Status::kFull);
        return;
    }
    if (is_idle_) {
        EndStep();
        return;
    }
    if (merges_) {
        MergePart();
        return;
    }
    if (Present() == nullptr) {
        Refuse(RoutingReason::kEngineAbsent, Status::kAbsent);
        return;
    }
    if (wiped_ < part_.topology().switch_bound()) {
        WipeTables();
        return;
    }
    if (engine_ended_) {
        if (hops_.Advance() == Progress::kDone) LeaveEngine();
        return;
    }
    RoutingEngine& engine = *Present();
    if (!engine_began_) {
        engine_began_ = true;
        const Status status = engine.Begin(Task());
        if (status != Status::kOk) EndEngine(status);
        return;
    }
    const Result<Progress> progress = engine.Advance();
    if (progress.ok() && progress.value() == Progress::kMore) return;
    EndEngine(progress.status());
}

/// An engine that spent the hops leaves them to be measured again, for those that read them next.
void Router::EndEngine(Status status) {
    engine_ended_ = true;
    engine_status_ = status;
    if (!hops_.is_spent()) {
        LeaveEngine();
        return;
    }
    scratch_.arena().Rewind(step_mark_);
    hops_.BeginAgain(scratch_.arena());
}

void Router::LeaveEngine() {
    if (engine_status_ != Status::kOk) {
        Refuse(RoutingReason::kEngineFailed, engine_status_);
        return;
    }
    EMBER_ASSERT(lanes_.planned().count <= lanes_.most());
    if (has_own_tables()) {
        StartMerge();
    } else {
        EndStep();
    }
}

void Router::StartJudgement() {
    if (PresentPromise().all_switches) {
        StartLanes();
    } else {
        StartHome();
    }
}

/// The engine may have left switches without a way to the subnet manager, and it without one to
/// them.
void Router::StartHome() {
    const HomeTask task{.topology = &topology_,
                        .lfts = planned_,
                        .mended = Mends() || chain_.mends() ? &verdict_.mended : nullptr,
                        .log = &basis_.log()};
    scratch_.Rewind();
    HomeColumn::Complete(task, scratch_.arena());
    home_row_.Begin(task, scratch_.arena());
    phase_ = Phase::kHome;
}

void Router::CompleteHome() {
    if (home_row_.Advance() == Progress::kDone) StartLanes();
}

RoutingTask Router::Task() {
    RoutingTask task{.topology = &part_.topology(),
                     .options = &options(),
                     .hops = hops(),
                     .hop_room = hops_.Lend(),
                     .tables = {.lfts = part_.lfts(), .lanes = &lanes_.planned()},
                     .scratch = &scratch_.arena(),
                     .is_base = runs_plan() && !is_later_step() && plan().steps.size() > 1,
                     .last_resort = mode_ == Mode::kSafe || bridges_};
    OfferLanes(task);
    if (!Mends()) return task;
    task.mended = chain_.mends() ? &ignored_ : &verdict_.mended;
    task.completes_home = !PresentPromise().all_switches;
    if (!basis_.IsOf(Present())) return task;
    basis_.BeginLog();
    task.log = &basis_.log();
    task.suspects = &basis_.suspects();
    return task;
}

/// As many lanes as can be written and proved.
void Router::OfferLanes(RoutingTask& task) const {
    const bool shares = runs_plan() && plan().steps.size() > 1 && !progress_.has_step_lanes();
    if (plan().writes_lanes && shares) {
        task.lane_fault = EngineFault::kLanesInSteps;
        return;
    }
    lanes_.Offer(plan(), topology_,
                 chain_.mends() ? scratch_.room() : scratch_.room_behind_topology(), task);
}

/// Options cost the last resort nothing.
Promise Router::PresentPromise() const {
    if (mode_ == Mode::kSafe) return {.deadlock_free = true, .all_switches = false};
    return progress_.ChosenPromise();
}

void Router::Finish() {
    scratch_.GiveBack();
    phase_ = Phase::kDone;
}

}  // namespace ember
