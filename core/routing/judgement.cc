// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a routing may be programmed, from what the verifier found.

#include "core/routing/judgement.h"

namespace ember {
namespace {

[[nodiscard]] Judgement Refusal(RoutingReason reason) {
    return {.outcome = RoutingOutcome::kRefused, .reason = reason};
}

/// A fallback does not trade safety away.
[[nodiscard]] Judgement JudgeLoop(const RouteTerms& terms) {
    if (terms.promise.deadlock_free || terms.require_deadlock_free || terms.may_bridge)
        return Refusal(RoutingReason::kCreditLoop);
    if (terms.first.deadlock_free) return Refusal(RoutingReason::kUnsafeFallback);
    return {.outcome = RoutingOutcome::kWarned};
}

}  // namespace

Judgement JudgeRoutes(const RouteTerms& terms, Findings& findings) {
    if (findings.fault == Findings::Fault::kLost) return Refusal(RoutingReason::kLostPair);
    if (findings.fault == Findings::Fault::kLoop) return Refusal(RoutingReason::kLoop);
    if (terms.promise.all_switches && findings.switch_pairs_apart > 0) {
        findings.fault = Findings::Fault::kLost;
        findings.at = findings.apart_at;
        findings.lid = findings.apart_lid;
        findings.port_guid = findings.apart_port_guid;
        return Refusal(RoutingReason::kLostPair);
    }
    if (terms.promise.shortest && findings.longer_routes > 0)
        return Refusal(RoutingReason::kNotShortest);
    if (findings.end_ports_may_deadlock) {
        Judgement judgement = JudgeLoop(terms);
        judgement.has_loop_alone = true;
        return judgement;
    }
    return {.outcome = terms.is_safe ? RoutingOutcome::kSafe : RoutingOutcome::kVerified};
}

/// A switch that has come since they were made gets nothing by LID, and carries no packets.
bool MayKeepTables(const RouteTerms& terms, const Findings& findings) {
    const bool must_be_free = terms.first.deadlock_free || terms.require_deadlock_free;
    const bool apart = terms.first.all_switches && findings.switch_pairs_apart > 0;
    return findings.fault == Findings::Fault::kNone && !apart &&
           findings.manager_pairs_apart == 0 && !(must_be_free && findings.end_ports_may_deadlock);
}

}  // namespace ember
