// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the routes are found to be, and what follows.

#include "core/base/assert.h"
#include "core/routing/router.h"

namespace ember {

/// Says what the verifier's findings mean for engines with this promise.
void Router::Judge() {
    verdict_.findings = proof_.findings();
    if (copies()) {
        JudgeKept();
        return;
    }
    if (proof_.is_of_changes()) {
        verdict_.proved_changes_only = true;
        Accept(RoutingOutcome::kVerified);
        return;
    }
    RouteTerms terms = Terms();
    terms.promise = PresentPromise();
    terms.may_bridge = MayBridge(RoutingReason::kCreditLoop);
    const Judgement judgement = JudgeRoutes(terms, verdict_.findings);
    if (judgement.has_loop_alone && LaysLanes()) return;  // They are judged once more, with lanes.
    if (judgement.outcome == RoutingOutcome::kRefused) {
        Refuse(judgement.reason, Status::kOk);
    } else {
        Accept(judgement.outcome);
    }
}

RouteTerms Router::Terms() const {
    RouteTerms terms{.is_safe = mode_ == Mode::kSafe,
                     .require_deadlock_free = plan().require_deadlock_free};
    if (mode_ != Mode::kSafe) terms.first = progress_.FirstPromise();
    return terms;
}

/// Ends a run whose routes may be programmed.
void Router::Accept(RoutingOutcome outcome) {
    verdict_.was_mended = chain_.mends() ? !chain_.balances() : Mends();
    verdict_.laid_lanes = runs_plan() && !plan().has_step_lanes && progress_.has_step_lanes();
    verdict_.choice = is_idle_ ? EngineChoice{} : Present()->choice();
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

/// Takes back an alternative: that of the step at work, or, when the whole is refused, the last one
/// for which there is another.
void Router::Refuse(RoutingReason reason, Status status) {
    if (chain_.mends()) {
        MakeAllAnew();
        return;
    }
    if (runs_plan() && progress_.TakeLanesBack()) {
        lanes_.planned().Clear();
        StartProof();
        return;
    }
    // An engine that fails has not touched the tables yet, and the next one may still mend them.
    const bool failed = reason == RoutingReason::kEngineFailed;
    const bool may_make_anew =
        !is_too_large_ && (!failed || Present()->complaint().what == EngineFault::kNotMended);
    if (may_make_anew && Mends()) {
        mending_ = false;
        is_made_ = false;
        verdict_.mending_failed = true;
        StartEngine();
        return;
    }
    verdict_.was_mended = false;
    if (MayBridge(reason)) {
        bridges_ = true;
        is_made_ = false;
        StartEngine();
        return;
    }
    verdict_.End(RoutingOutcome::kRefused, reason, status);
    const std::size_t step = is_made_ && runs_plan() ? progress_.StepToChange() : progress_.at();
    NoteAttempt(step, ComplaintFor(reason));
    if (reason != RoutingReason::kEngineAbsent) basis_.Touch();
    if (runs_plan() && progress_.Reject(step)) {
        TryNext();
    } else {
        Finish();
    }
}

/// After a refusal of what was mended: all steps, from their first alternatives on.
void Router::MakeAllAnew() {
    chain_.GiveUp();
    mending_ = is_made_ = merges_ = false;
    verdict_.mending_failed = true;
    verdict_.mended = {};
    scratch_.ForgetBefore();
    progress_.Restart();
    StartStep();
}

/// The engine has not yet tried to connect what its rules leave apart, or let wait in a circle.
bool Router::MayBridge(RoutingReason reason) const {
    const bool may_help =
        reason == RoutingReason::kLostPair || reason == RoutingReason::kCreditLoop;
    return may_help && runs_plan() && plan().bridges && !bridges_ &&
           Present()->promise(options()).last_resort;
}

/// The complaint of the engine that failed.
EngineComplaint Router::ComplaintFor(RoutingReason reason) const {
    if (is_too_large_ && reason == RoutingReason::kEngineFailed)
        return {.what = EngineFault::kStepSwitches};
    const RoutingEngine* const engine =
        reason == RoutingReason::kStepLanes ? plan().lane_engine : Present();
    const bool failed =
        reason == RoutingReason::kEngineFailed || reason == RoutingReason::kStepLanes;
    return failed && engine != nullptr ? engine->complaint() : EngineComplaint{};
}

/// After another alternative was chosen. Where a whole was refused all steps are run again, as a
/// later one has written over an earlier.
void Router::TryNext() {
    bridges_ = false;
    if (!is_made_) {
        if (part_.Shows(part()) && !is_too_large_) {
            StartEngine();
        } else {
            StartStep();
        }
        return;
    }
    is_made_ = false;
    progress_.GoTo(0);
    StartStep();
}

void Router::NoteAttempt(std::size_t step, const EngineComplaint& complaint) {
    verdict_.engine = runs_plan() ? progress_.NameOf(step) : kSafeRoutingWord;
    verdict_.NoteAttempt({.step = static_cast<std::uint8_t>(step),
                          .step_id = runs_plan() ? progress_.Chosen(step).id : 0,
                          .stayed = chain_.Keeps(step),
                          .complaint = complaint});
}

}  // namespace ember
