// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a known subnet to forwarding tables that are proved.

#include "core/routing/router.h"

#include "core/base/assert.h"
#include "core/routing/home_column.h"
#include "core/routing/judgement.h"

namespace ember {
namespace {

constexpr Verdict kNoVerdict;  // Too large to be made on the stack.

}  // namespace

Router::Router(const Memory& memory, const Limits& limits)
    : max_steps_(limits.max_routing_steps),
      mends_chains_(limits.max_step_switches == 0),
      hops_(memory.hops),
      lanes_({.path_sl = memory.path_sl, .lane_map = memory.lane_map}, limits),
      basis_(memory.proved, limits),
      maker_({.plan = progress_,
              .hops = hops_,
              .lanes = lanes_,
              .basis = basis_,
              .chain = chain_,
              .scratch = scratch_},
             memory.step_lfts, limits),
      proof_(memory.dependencies, basis_) {
    EMBER_ASSERT(memory.hops.size() >= HopBytes(limits));
    EMBER_ASSERT(memory.dependencies.empty() ||
                 memory.dependencies.size() >= DependencyGraph::Words(WithLanes(limits, 1)));
}

void Router::Begin(const Fabric& fabric, const RoutingPlan& plan,
                   Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch) {
    EMBER_ASSERT(plan.steps.size() <= max_steps_);
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
    hops_.Forget();
    chain_.Begin();
    basis_.Begin();
    mode_ = Mode::kEngines;
    mends_ = false;
    scope_ = ProofScope::kWhole;
    proved_routes_ = {};
    topology_begun_ = false;
    phase_ = Phase::kTopology;
}

void Router::BeginMending(const Fabric& fabric, const RoutingPlan& plan,
                          Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch) {
    Begin(fabric, plan, planned, scratch);
    mends_ = plan.is_plain();
    // Which links are throttled is not kept from the run before.
    if (plan.is_chain() && plan.steps.size() > 1 && mends_chains_ &&
        !plan.options->avoid_throttled_links) {
        chain_.Mend();
    }
}

void Router::BeginBalancing(const Fabric& fabric, const RoutingPlan& plan,
                            Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch) {
    BeginMending(fabric, plan, planned, scratch);
    mends_ = false;
    if (chain_.mends()) chain_.Balance();
    ProveChangesOnly();
}

void Router::ProveChangesOnly() {
    EMBER_ASSERT(phase_ == Phase::kTopology);
    if (mends_ || chain_.mends()) scope_ = ProofScope::kChanges;
}

void Router::StartResort(Mode mode) {
    EMBER_ASSERT(phase_ == Phase::kDone && !plan().steps[0].alternatives.empty());
    Start();
    mode_ = mode;
    // Findings against the last tables that were judged stay where entries are dropped alone.
    if (mode != Mode::kDropping) verdict_.BeginResort();
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

void Router::BeginDropping(Matrix<SwitchIndex, const std::uint8_t> tables) {
    StartResort(Mode::kDropping);
    tables_ = tables;
}

Progress Router::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kTopology: BuildTopology(); break;
        case Phase::kOptions:  CheckOptions(); break;
        case Phase::kHops:
        case Phase::kEngine:   MakeRoutes(); break;
        case Phase::kHome:     if (home_row_.Advance() == Progress::kDone) StartLanes(); break;
        case Phase::kLanes:    MakeLanes(); break;
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
    Arena& scratch = scratch_.arena();
    if (!topology_begun_) {
        topology_.BeginBuild(*fabric_, scratch, plan().most_vls,
                             plan().options->avoid_throttled_links);
        topology_begun_ = true;
        return;
    }
    if (topology_.BuildNext(*fabric_, plan().options->order, scratch)) return;
    scratch_.EndTopology();
    // The whole of a chain is proved in any case: what stays of it does not hang on the sweep.
    if ((scope_ == ProofScope::kChanges || chain_.mends()) && basis_.was_there()) StudyChanges();
    chain_.BeginOwners(topology_, progress_, scratch);
    scratch_.EndBefore();
    option_check_.Begin(topology_, *plan().options);
    phase_ = Phase::kOptions;
}

/// Finds out whether this run can go on from the one before.
void Router::StudyChanges() {
    const bool is_links_only = basis_.Compare(topology_, scratch_.arena());
    if (is_links_only && chain_.mends()) chain_.KeepSteps(progress_, basis_.changes());
    if (is_links_only && plan().is_plain() && topology_.switch_count() > 0) {
        basis_.GoOn(topology_, scratch_.arena());
        return;
    }
    basis_.Forget();
    scratch_.Rewind();
}

void Router::CheckOptions() {
    if (chain_.AdvanceOwners() == Progress::kMore) return;
    if (option_check_.Advance() == Progress::kDone) StartRoutes();
}

void Router::StartRoutes() {
    if (topology_.switch_count() == 0) {
        lanes_.planned().Clear();
        Finish();
        return;
    }
    EMBER_ASSERT(planned_.rows() >= topology_.switch_bound());
    EMBER_ASSERT(planned_.stride() >= LftBlocks(topology_.top_lid()) * std::size_t{64});
    if (copies()) {
        verdict_.mended = {};
        lanes_.planned().Clear();
        kept_.Begin({.topology = &topology_,
                     .weights = plan().options->tables.hop_weights,
                     .hops = &hops_,
                     .programmed = tables_,
                     .planned = planned_,
                     .drops_dead = mode_ == Mode::kDropping},
                    scratch_.arena());
        phase_ = Phase::kEngine;
        return;
    }
    FollowMaker(maker_.Begin({.topology = &topology_,
                              .planned = planned_,
                              .mended = &verdict_.mended,
                              .safe = mode_ == Mode::kSafe ? safe_ : nullptr,
                              .mends = mends_}));
}

void Router::MakeRoutes() {
    if (copies()) {
        CopyTables();
    } else {
        FollowMaker(maker_.Advance());
    }
}

void Router::FollowMaker(Progress progress) {
    if (progress == Progress::kMore) {
        phase_ = Phase::kEngine;
    } else if (maker_.reason() == RoutingReason::kNone) {
        StartHome();
    } else if (maker_.reason() == RoutingReason::kNoEngine) {
        verdict_.outcome = RoutingOutcome::kRefused;
        verdict_.reason = RoutingReason::kNoEngine;
        Finish();
    } else {
        Refuse(maker_.reason(), maker_.status());
    }
}

void Router::CopyTables() {
    if (kept_.Advance() == Progress::kMore) return;
    if (mode_ == Mode::kKeeping) {
        lanes_.Keep();
        StartProof();
        return;
    }
    verdict_.outcome = RoutingOutcome::kRefused;
    Finish();
}

/// The engine may have left switches without a way to the subnet manager, and it without one to
/// them.
void Router::StartHome() {
    if (promise().all_switches) {
        StartLanes();
        return;
    }
    const bool mends = maker_.mends() || chain_.mends();
    const HomeTask task{.topology = &topology_,
                        .lfts = planned_,
                        .mended = mends ? &verdict_.mended : nullptr,
                        .log = &basis_.log()};
    scratch_.Rewind();
    HomeColumn::Complete(task, scratch_.arena());
    home_row_.Begin(task, scratch_.arena());
    phase_ = Phase::kHome;
}

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
    maker_.OfferLanes(task);
    step_lanes_.Begin(progress_, task);
    phase_ = Phase::kLanes;
}

/// The steps close a credit loop on one lane: whether they are given lanes of their own instead.
bool Router::LaysLanes() {
    if (!runs_plan() || lanes_.most() == 1 || !progress_.LayLanes()) return false;
    StartLanes();
    return true;
}

void Router::MakeLanes() {
    const Result<Progress> progress = step_lanes_.Advance();
    if (!progress.ok()) return Refuse(RoutingReason::kStepLanes, progress.status());
    if (progress.value() == Progress::kMore) return;
    EMBER_ASSERT(lanes_.planned().count <= lanes_.most());
    StartProof();
}

void Router::StartProof() {
    scratch_.Rewind();
    lanes_.SetLevels(topology_, plan().levels);
    RouteProof::Task task{
        .topology = &topology_, .hops = hops(), .lfts = planned_, .lanes = &lanes_};
    if (!copies()) {
        task.promise = promise();
        task.mender = maker_.mends() ? maker_.engine() : nullptr;
    }
    proof_.Begin(task, scratch_.arena());
    phase_ = Phase::kVerifier;
}

/// Says what the findings mean for engines with this promise.
void Router::Judge() {
    verdict_.findings = proof_.findings();
    if (proof_.is_of_changes()) {
        verdict_.proved_changes_only = true;
        Accept(RoutingOutcome::kVerified);
        return;
    }
    RouteTerms terms{.is_safe = mode_ == Mode::kSafe,
                     .require_deadlock_free = plan().require_deadlock_free};
    if (mode_ != Mode::kSafe) terms.first = progress_.FirstPromise();
    if (copies()) {
        verdict_.outcome = MayKeepTables(terms, verdict_.findings) ? RoutingOutcome::kKept
                                                                   : RoutingOutcome::kRefused;
        Finish();
        return;
    }
    terms.promise = promise();
    terms.may_bridge = maker_.MayBridge(RoutingReason::kCreditLoop);
    const Judgement judgement = JudgeRoutes(terms, verdict_.findings);
    if (judgement.has_loop_alone && LaysLanes()) return;  // They are judged once more, with lanes.
    if (judgement.outcome == RoutingOutcome::kRefused) {
        Refuse(judgement.reason, Status::kOk);
    } else {
        Accept(judgement.outcome);
    }
}

/// Ends a run whose routes may be programmed.
void Router::Accept(RoutingOutcome outcome) {
    verdict_.was_mended = chain_.mends() ? !chain_.balances() : maker_.mends();
    verdict_.laid_lanes = runs_plan() && !plan().has_step_lanes && progress_.has_step_lanes();
    verdict_.choice = maker_.choice();
    verdict_.End(outcome, RoutingReason::kNone, Status::kOk);
    const std::size_t steps = runs_plan() ? plan().steps.size() : 1;
    for (std::size_t step = 0; step < steps; ++step) {
        NoteAttempt(step, {});
    }
    if (runs_plan() && plan().is_chain()) verdict_.engine = kChainWord;
    if (runs_plan()) KeepBasis();
    if (!verdict_.findings.end_ports_may_deadlock) proved_routes_ = proof_.Show();
    Finish();
}

/// What the next run may go on from.
void Router::KeepBasis() {
    if (plan().is_chain()) {
        if (chain_.Keep(progress_)) basis_.KeepSubnet(topology_);
    } else if (plan().is_plain()) {
        proof_.Keep(maker_.engine(), !plan().options->tables.hop_weights.empty());
    }
}

/// Takes back an alternative: that of the step at work, or, when the whole is refused, the last one
/// for which there is another.
void Router::Refuse(RoutingReason reason, Status status) {
    if (maker_.MayMakeAnew(reason)) {
        verdict_.mending_failed = true;
        maker_.MakeAnew();
        phase_ = Phase::kEngine;
        return;
    }
    if (runs_plan() && progress_.TakeLanesBack()) {
        lanes_.planned().Clear();
        StartProof();
        return;
    }
    verdict_.was_mended = false;
    if (maker_.MayBridge(reason)) {
        maker_.Bridge();
        phase_ = Phase::kEngine;
        return;
    }
    verdict_.End(RoutingOutcome::kRefused, reason, status);
    const std::size_t step =
        maker_.is_made() && runs_plan() ? progress_.StepToChange() : progress_.at();
    NoteAttempt(step, ComplaintFor(reason));
    if (reason != RoutingReason::kEngineAbsent) basis_.Touch();
    if (runs_plan() && progress_.Reject(step)) {
        maker_.TryNext();
        phase_ = Phase::kEngine;
    } else {
        Finish();
    }
}

/// The complaint of the engine that failed.
EngineComplaint Router::ComplaintFor(RoutingReason reason) const {
    if (reason == RoutingReason::kEngineFailed) return maker_.complaint();
    const bool is_of_lanes = reason == RoutingReason::kStepLanes && plan().lane_engine != nullptr;
    return is_of_lanes ? plan().lane_engine->complaint() : EngineComplaint{};
}

void Router::NoteAttempt(std::size_t step, const EngineComplaint& complaint) {
    verdict_.engine = runs_plan() ? progress_.NameOf(step) : kSafeRoutingWord;
    verdict_.NoteAttempt({.step = static_cast<std::uint8_t>(step),
                          .step_id = runs_plan() ? progress_.Chosen(step).id : 0,
                          .stayed = chain_.Keeps(step),
                          .complaint = complaint});
}

const DependencyGraph* Router::KeptDependencies(const Topology& topology) const {
    if (at_work() || !plan().is_plain() || !basis_.IsUnchanged(topology)) return nullptr;
    return &proof_.dependencies();
}

void Router::Finish() {
    scratch_.GiveBack();
    phase_ = Phase::kDone;
}

}  // namespace ember
