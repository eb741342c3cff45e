// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a routing run ended, and why.

#include "core/routing/verdict.h"

#include "core/base/assert.h"

namespace ember {

void Verdict::End(RoutingOutcome how, RoutingReason why, Status engine_status) {
    const bool has_tables = why != RoutingReason::kEngineFailed &&
                            why != RoutingReason::kEngineAbsent && why != RoutingReason::kStepLanes;
    if (!has_tables) findings = kNoFindings;
    outcome = how;
    reason = why;
    status = engine_status;
}

void Verdict::BeginResort() {
    outcome = RoutingOutcome::kNothingToRoute;
    engine = {};
    findings = kNoFindings;
    mending_failed = false;
    proved_changes_only = false;
}

void Verdict::NoteAttempt(const RoutingAttempt& attempt) {
    const Status kept = attempts.TryPush(attempt);
    EMBER_ASSERT(kept == Status::kOk);
    RoutingAttempt& last = *(attempts.end() - 1);
    last.engine = engine;
    last.outcome = outcome;
    last.reason = reason;
    last.status = status;
    last.at = findings.at;
    last.lid = findings.lid;
    last.port_guid = findings.port_guid;
}

void Verdict::Lower(bool lacks_tables) {
    const bool is_made = outcome == RoutingOutcome::kVerified || is_lowered;
    if (!is_made) return;
    is_lowered = lacks_tables;
    outcome = lacks_tables ? RoutingOutcome::kWarned : RoutingOutcome::kVerified;
}

}  // namespace ember
