// SPDX-License-Identifier: Apache-2.0
// EmberSM: says what the router found, and how the subnet came up.

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
    // The circles that were found are remembered of the last engine only.
    const bool is_last = &attempt == router_.verdict().attempts.end() - 1;
    switch (attempt.reason) {
        case RoutingReason::kNone:
        case RoutingReason::kNoEngine:
        case RoutingReason::kEngineAbsent:  // Told when the engines were chosen.
            break;
        case RoutingReason::kEngineFailed:
            WriteComplaint(attempt, now_us);
            [[fallthrough]];
        case RoutingReason::kNotShortest:
            journal_.Write<Note::kEngineFailed>(now_us, EngineNumber(attempt.engine),
                                                Raw(attempt.status));
            break;
        case RoutingReason::kLostPair:
            journal_.Write<Note::kPairLost>(now_us, Raw(attempt.at), Raw(attempt.lid),
                                            Raw(attempt.port_guid), 1U);
            break;
        case RoutingReason::kLoop:
            journal_.Write<Note::kForwardingLoop>(now_us, Raw(attempt.lid), Raw(attempt.at));
            for (std::size_t i = 0; is_last && i < findings.loop.channels.size(); ++i) {
                const Channel& channel = findings.loop.channels[i];
                journal_.Write<Note::kLoopMember>(now_us, Raw(channel.switch_guid),
                                                  Raw(channel.port));
            }
            break;
        case RoutingReason::kCreditLoop:
            if (is_last) WriteCreditLoop(now_us);
            journal_.Write<Note::kCreditLoopRefused>(now_us, EngineNumber(attempt.engine));
            break;
        case RoutingReason::kUnsafeFallback:
            if (is_last) WriteCreditLoop(now_us);
            journal_.Write<Note::kUnsafeFallback>(now_us, EngineNumber(attempt.engine));
            break;
    }
}

/// What the engine says, and where it sees it.
void SubnetManager::WriteComplaint(const RoutingAttempt& attempt, std::uint64_t now_us) {
    const EngineComplaint& complaint = attempt.complaint;
    if (complaint.what == EngineFault::kNone) return;
    journal_.Write<Note::kEngineFault>(now_us, EngineNumber(attempt.engine), Raw(complaint.what));
    if (complaint.guid == kNoGuid) return;
    if (complaint.port == kNoPort) {
        journal_.Write<Note::kEngineFaultNode>(now_us, Raw(complaint.guid));
    } else {
        journal_.Write<Note::kEngineFaultPort>(now_us, Raw(complaint.guid), Raw(complaint.port));
    }
}

/// Whether the tables of the switches could stay.
void SubnetManager::WriteKept(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    if (verdict.outcome != RoutingOutcome::kKept) return;
    journal_.Write<Note::kRoutingKept>(now_us);
    const Findings& findings = verdict.findings;
    journal_.Write<Note::kVerified>(now_us, findings.routes, findings.max_hops, 1U,
                                    status_.verifying_us);
    if (findings.end_ports_may_deadlock) WriteCreditLoop(now_us);
}

/// How the safe routing went.
void SubnetManager::WriteSafe(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    if (verdict.outcome != RoutingOutcome::kSafe) {
        WriteRefusal(*(verdict.attempts.end() - 1), now_us);
        return;
    }
    const Findings& findings = verdict.findings;
    journal_.Write<Note::kSafeRoutingTaken>(now_us, EngineNumber(verdict.attempts[0].engine));
    journal_.Write<Note::kVerified>(now_us, findings.routes, findings.max_hops, 1U,
                                    status_.verifying_us);
}

/// Mere switches that cannot reach everybody are told once, and again when their number changes.
void SubnetManager::WriteApart(std::uint64_t now_us) {
    const Findings& findings = router_.verdict().findings;
    if (findings.switch_pairs_apart == told_apart_) return;
    told_apart_ = findings.switch_pairs_apart;
    if (told_apart_ == 0) return;
    journal_.Write<Note::kWaysApart>(now_us, told_apart_, Raw(findings.apart_at),
                                     Raw(findings.apart_lid), Raw(findings.apart_port_guid));
}

void SubnetManager::WriteCreditLoop(std::uint64_t now_us) {
    const ChannelList& cycle = router_.verdict().findings.cycle;
    journal_.Write<Note::kCreditLoop>(now_us, 0U, cycle.length);
    for (const Channel& channel : cycle.channels) {
        journal_.Write<Note::kCreditLoopMember>(now_us, Raw(channel.switch_guid),
                                                Raw(channel.port));
    }
}

/// What option files name that is not there: told once, and again when it is something else.
void SubnetManager::WriteOptionMisses(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kOptionFiles; ++i) {
        const auto file = static_cast<OptionFile>(i);
        const OptionMisses& misses = router_.option_report()[file];
        if (misses == told_misses_[file]) continue;
        told_misses_[file] = misses;
        if (misses.guids != 0) {
            journal_.Write<Note::kOptionGuidsUnknown>(now_us, i, misses.guids,
                                                      Raw(misses.first_guid));
        }
        if (misses.ports != 0) {
            journal_.Write<Note::kOptionPortsUnknown>(
                now_us, i, misses.ports, Raw(misses.first_switch), Raw(misses.first_port));
        }
    }
}

void SubnetManager::WriteVerdict(std::uint64_t now_us) {
    switch (resort_) {
        case Resort::kNone:
            break;
        case Resort::kKeeping:  // What the engines did was told before.
            WriteKept(now_us);
            return;
        case Resort::kSafe:
            WriteSafe(now_us);
            return;
        case Resort::kDropping:
            return;
    }
    WriteOptionMisses(now_us);
    const Verdict& verdict = router_.verdict();
    const std::uint64_t winner = EngineNumber(verdict.engine);
    for (std::size_t i = 0; i < verdict.attempts.size(); ++i) {
        const RoutingAttempt& attempt = verdict.attempts[i];
        if (attempt.outcome == RoutingOutcome::kRefused) WriteRefusal(attempt, now_us);
        if (i + 1 < verdict.attempts.size()) {
            journal_.Write<Note::kFallbackTaken>(now_us,
                                                 EngineNumber(verdict.attempts[i + 1].engine));
        }
    }
    if (verdict.mending_failed) journal_.Write<Note::kMendingFailed>(now_us);
    if (!verdict.may_program()) return;
    if (verdict.was_mended) {
        journal_.Write<Note::kRoutesMended>(now_us, verdict.mended.entries,
                                            verdict.mended.switches);
    }
    const Findings& findings = verdict.findings;
    journal_.Write<Note::kEngineFinished>(now_us, winner, fabric_.switch_count(), findings.lids,
                                          status_.routing_us);
    journal_.Write<Note::kVerified>(now_us, findings.routes, findings.max_hops, 1U,
                                    status_.verifying_us);
    WriteApart(now_us);
    if (verdict.outcome == RoutingOutcome::kWarned) {
        WriteCreditLoop(now_us);
        journal_.Write<Note::kCreditLoopAccepted>(now_us, winner);
    }
}

void SubnetManager::RememberUp() {
    const Verdict& verdict = router_.verdict();
    const bool is_other =
        safe_in_force_ || (!verdict.engine.empty() && verdict.attempts.size() > 1);
    status_.reservations = {
        .shortage = fabric_.shortage(),
        .nodes = fabric_.node_count(),
        .switches = fabric_.switch_count(),
        .tables_kept = verdict.outcome == RoutingOutcome::kKept && !safe_in_force_,
        .safe_routing = safe_in_force_,
        .may_deadlock = verdict.findings.end_ports_may_deadlock,
        .engine = verdict.engine,
        .refused = is_other ? verdict.attempts[0].engine : std::string_view(),
    };
}

/// A fabric that is larger than the board is up in part, which must not look like all of it.
void SubnetManager::WriteUp(std::uint64_t now_us) {
    RememberUp();
    const UpReservations& up = status_.reservations;
    if (up.shortage.is_too_large()) {
        journal_.Write<Note::kSubnetUpInPart>(now_us, up.switches,
                                              up.switches + up.shortage.refused_switches, up.nodes,
                                              up.nodes + up.shortage.refused_nodes);
        return;
    }
    journal_.Write<Note::kSubnetUp>(now_us, up.nodes, up.switches, fabric_.CountLinks(),
                                    status_.lids.given);
}

/// What was sent for it.
void SubnetManager::WriteProgrammed(std::uint64_t now_us) {
    const ProgrammingOutcome& outcome = programming_.outcome();
    journal_.Write<Note::kBlocksProgrammed>(now_us, outcome.blocks_set, fabric_.switch_count(),
                                            outcome.blocks_right);
    if (outcome.detours != 0) journal_.Write<Note::kBlocksDetoured>(now_us, outcome.detours);
    if (outcome.reregistered == 0) return;
    journal_.Write<Note::kReregistersAsked>(now_us, outcome.reregistered);
}

}  // namespace ember
