// SPDX-License-Identifier: Apache-2.0
// EmberSM: how much of a routing the router has to have proved.

#include <algorithm>

#include "core/base/assert.h"
#include "core/routing/router.h"

namespace ember {

/// Finds out whether this run can go on from the one before.
void Router::StudyChanges() {
    const auto room = scratch_->Take<CableChange>(kMostChanges);
    const ProvedSubnet::Difference difference = proved_.Compare(topology_, room);
    if (mends_steps_ && difference.is_cables_only) KeepSteps(room.first(difference.count));
    goes_on_ = plan().is_plain() && difference.is_cables_only && topology_.switch_count() > 0;
    if (!goes_on_) {
        scratch_->Rewind(changes_mark_);
        return;
    }
    changes_ = room.first(difference.count);
    suspects_.Begin(topology_.switch_bound(), *scratch_);
    log_entries_ = scratch_->Take<ChangeLog::Entry>(log_room_);
}

void Router::ForgetChanges() {
    goes_on_ = false;
    changes_ = {};
    log_ = {};
    second_mark_ = changes_mark_;
    if (part() == nullptr) step_mark_ = second_mark_;
}

/// No engine of this run has had the tables in its hands before the present one.
bool Router::IsUntouched() const {
    return std::all_of(verdict_.attempts.begin(), verdict_.attempts.end(),
                       [](const RoutingAttempt& attempt) {
                           return attempt.reason == RoutingReason::kEngineAbsent;
                       });
}

void Router::StartProof() {
    if (!MayProveChanges()) {
        StartVerifier();
        return;
    }
    scratch_->Rewind(second_mark_);
    mend_proof_.Begin({.topology = &topology_,
                       .hops = hops(),
                       .lfts = {planned_.values(), planned_.stride()},
                       .changes = changes_,
                       .suspects = &suspects_,
                       .log = &log_,
                       .graph = &verifier_.dependencies(),
                       .shortest = basis_.findings.longer_routes == 0,
                       .may_drop = !PresentPromise().all_switches},
                      *scratch_);
    proves_changes_ = true;
    phase_ = Phase::kVerifier;
}

/// The premises of MendProof hold, and the routing of before kept the promises of now.
bool Router::MayProveChanges() const {
    const bool is_logged = goes_on_ && Mends() && log_.is_whole() && planned_lanes_.is_one_lane() &&
                           Present() == basis_.engine && IsUntouched();
    if (!is_logged) return false;
    const Promise promise = PresentPromise();
    const Findings& before = basis_.findings;
    return !(promise.shortest && before.longer_routes > 0) &&
           !(promise.all_switches && before.switch_pairs_apart > 0);
}

/// What is not proved from what was before is looked at as a whole.
void Router::AdvanceProof() {
    if (!proves_changes_) {
        if (verifier_.Advance() == Progress::kDone) Judge();
        return;
    }
    if (mend_proof_.Advance() == Progress::kMore) return;
    if (!mend_proof_.proved()) {
        StartVerifier();
        return;
    }
    verdict_.findings = basis_.findings;
    verdict_.proved_changes_only = true;
    Accept(RoutingOutcome::kVerified);
}

/// After a run that ended well: what the next one may go on from.
void Router::KeepBasis() {
    if (plan().is_chain()) {
        KeepChain();
        return;
    }
    const Findings& findings = verdict_.findings;
    const bool serves = plan().is_plain() && !memory_.dependencies.empty() &&
                        findings.islands == 1 && planned_lanes_.is_one_lane() &&
                        !findings.end_ports_may_deadlock &&
                        plan().options->tables.hop_weights.empty();
    if (!serves) return;
    basis_.engine = Present();
    basis_.findings = findings;
    basis_.is_there = proved_.Keep(topology_);
}

}  // namespace ember
