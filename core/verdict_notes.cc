// SPDX-License-Identifier: Apache-2.0
// EmberSM: says what the router found.

#include "core/subnet_manager.h"

namespace ember {

/// The number by which whoever renders a note finds the engine's name in engines().
std::uint64_t SubnetManager::EngineNumber(std::string_view name) const {
    for (std::size_t i = 0; i < engines_.size(); ++i) {
        if (engines_[i]->name() == name) return i;
    }
    return engines_.size();
}

void SubnetManager::WriteRefusal(const RoutingAttempt& attempt, std::uint64_t now_us) {
    const Findings& findings = router_.verdict().findings;
    switch (attempt.reason) {
        case RoutingReason::kNone:
        case RoutingReason::kNoEngine:
            break;
        case RoutingReason::kEngineFailed:
        case RoutingReason::kNotShortest:
            journal_.Write<Note::kEngineFailed>(now_us, EngineNumber(attempt.engine),
                                                Raw(attempt.status));
            break;
        case RoutingReason::kLostPair:
            journal_.Write<Note::kPairLost>(now_us, Raw(findings.at), Raw(findings.lid),
                                            Raw(findings.port_guid), 1U);
            break;
        case RoutingReason::kLoop:
            journal_.Write<Note::kForwardingLoop>(now_us, Raw(findings.lid), findings.loop.length);
            for (const Channel& channel : findings.loop.channels) {
                journal_.Write<Note::kLoopMember>(now_us, Raw(channel.switch_guid),
                                                  Raw(channel.port));
            }
            break;
        case RoutingReason::kCreditLoop:
            WriteCreditLoop(now_us);
            journal_.Write<Note::kCreditLoopRefused>(now_us, EngineNumber(attempt.engine));
            break;
    }
}

void SubnetManager::WriteCreditLoop(std::uint64_t now_us) {
    const ChannelList& cycle = router_.verdict().findings.cycle;
    journal_.Write<Note::kCreditLoop>(now_us, 0U, cycle.length);
    for (const Channel& channel : cycle.channels) {
        journal_.Write<Note::kCreditLoopMember>(now_us, Raw(channel.switch_guid),
                                                Raw(channel.port));
    }
}

void SubnetManager::WriteVerdict(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    const std::uint64_t winner = EngineNumber(verdict.engine);
    for (std::size_t i = 0; i < verdict.attempts.size(); ++i) {
        const RoutingAttempt& attempt = verdict.attempts[i];
        if (attempt.outcome == RoutingOutcome::kRefused) WriteRefusal(attempt, now_us);
        if (i + 1 < verdict.attempts.size()) {
            journal_.Write<Note::kFallbackTaken>(now_us, EngineNumber(attempt.engine),
                                                 EngineNumber(verdict.attempts[i + 1].engine));
        }
    }
    if (!verdict.may_program()) return;
    const Findings& findings = verdict.findings;
    journal_.Write<Note::kEngineFinished>(now_us, winner, fabric_.switch_count(), findings.lids,
                                          status_.routing_us);
    journal_.Write<Note::kVerified>(now_us, findings.routes, findings.max_hops, 1U,
                                    status_.verifying_us);
    if (verdict.outcome == RoutingOutcome::kWarned) {
        WriteCreditLoop(now_us);
        journal_.Write<Note::kCreditLoopAccepted>(now_us, winner);
    }
}

}  // namespace ember
