// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes about the results of the router.

#include "core/routing/route_notes.h"

#include <algorithm>

namespace ember {

std::uint64_t RouteNotes::NumberOf(std::string_view engine) const {
    for (std::size_t i = 0; i < engines_.size(); ++i) {
        if (engines_[i]->name() == engine) return i;
    }
    return engines_.size();
}

void RouteNotes::LogRefusal(const RoutingAttempt& attempt, std::uint64_t now_us) {
    EMBER_ASSERT(attempt.outcome == RoutingOutcome::kRefused);
    const Findings& findings = router_.verdict().findings;
    // The verdict has the loops of the last engine only.
    const bool is_last = &attempt == router_.verdict().attempts.end() - 1;
    switch (attempt.reason) {
        case RoutingReason::kNone:
        case RoutingReason::kNoEngine:
        case RoutingReason::kEngineAbsent:  // Noted when the engines were chosen.
            break;
        case RoutingReason::kEngineFailed:
            LogComplaint(attempt, now_us);
            [[fallthrough]];
        case RoutingReason::kNotShortest:
            log_.Write<Note::kEngineFailed>(now_us, NumberOf(attempt.engine), Raw(attempt.status));
            break;
        case RoutingReason::kLostPair:
            log_.Write<Note::kPairLost>(now_us, Raw(attempt.at), Raw(attempt.lid),
                                        Raw(attempt.port_guid), 1U);
            break;
        case RoutingReason::kLoop:
            log_.Write<Note::kForwardingLoop>(now_us, Raw(attempt.lid), Raw(attempt.at));
            for (std::size_t i = 0; is_last && i < findings.loop.channels.size(); ++i) {
                const Channel& channel = findings.loop.channels[i];
                log_.Write<Note::kLoopMember>(now_us, Raw(channel.switch_guid), Raw(channel.port));
            }
            break;
        case RoutingReason::kCreditLoop:
            if (is_last) LogCreditLoop(now_us);
            log_.Write<Note::kCreditLoopRefused>(now_us, NumberOf(attempt.engine));
            break;
        case RoutingReason::kUnsafeFallback:
            if (is_last) LogCreditLoop(now_us);
            log_.Write<Note::kUnsafeFallback>(now_us, NumberOf(attempt.engine));
            break;
        case RoutingReason::kStepLanes:
            log_.Write<Note::kStepLanesRefused>(now_us, Raw(attempt.complaint.what));
            LogPlace(attempt.complaint, now_us);
            break;
    }
}

/// Notes the fault that the engine names, and the node or port of it.
void RouteNotes::LogComplaint(const RoutingAttempt& attempt, std::uint64_t now_us) {
    EMBER_ASSERT(attempt.reason == RoutingReason::kEngineFailed);
    const EngineComplaint& complaint = attempt.complaint;
    if (complaint.what == EngineFault::kNone) return;
    log_.Write<Note::kEngineFault>(now_us, NumberOf(attempt.engine), Raw(complaint.what));
    LogPlace(complaint, now_us);
}

void RouteNotes::LogPlace(const EngineComplaint& complaint, std::uint64_t now_us) {
    if (complaint.guid == kNoGuid) return;
    if (complaint.port == kNoPort) {
        log_.Write<Note::kEngineFaultNode>(now_us, Raw(complaint.guid));
    } else {
        log_.Write<Note::kEngineFaultPort>(now_us, Raw(complaint.guid), Raw(complaint.port));
    }
}

/// Notes that the tables of the switches stay, if they do.
void RouteNotes::LogKept(const Work& work, std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    if (verdict.outcome != RoutingOutcome::kKept) return;
    log_.Write<Note::kRoutingKept>(now_us);
    LogVerified(work, now_us);
    if (verdict.findings.end_ports_may_deadlock) LogCreditLoop(now_us);
}

/// Notes what is proved of the routing that was made last.
void RouteNotes::LogVerified(const Work& work, std::uint64_t now_us) {
    const Findings& findings = router_.verdict().findings;
    log_.Write<Note::kVerified>(now_us, findings.routes, findings.max_hops,
                                router_.planned_lanes().count, work.verifying_us);
}

/// Notes the result of the safe routing.
void RouteNotes::LogSafe(const Work& work, std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    EMBER_ASSERT(!verdict.attempts.empty());
    if (verdict.outcome != RoutingOutcome::kSafe) {
        LogRefusal(*(verdict.attempts.end() - 1), now_us);
        return;
    }
    log_.Write<Note::kSafeRoutingTaken>(now_us, NumberOf(verdict.attempts[0].engine));
    LogVerified(work, now_us);
}

/// Notes switches without a route to some switch LID: once, and again when their number changes.
void RouteNotes::LogApart(std::uint64_t now_us) {
    const Findings& findings = router_.verdict().findings;
    if (findings.switch_pairs_apart == logged_apart_) return;
    logged_apart_ = findings.switch_pairs_apart;
    if (logged_apart_ == 0) return;
    log_.Write<Note::kWaysApart>(now_us, logged_apart_, Raw(findings.apart_at),
                                 Raw(findings.apart_lid), Raw(findings.apart_port_guid));
}

void RouteNotes::LogCreditLoop(std::uint64_t now_us) {
    const ChannelList& cycle = router_.verdict().findings.cycle;
    const std::uint8_t lane = cycle.channels.empty() ? std::uint8_t{0} : cycle.channels[0].lane;
    log_.Write<Note::kCreditLoop>(now_us, lane, cycle.length);
    if (std::equal(cycle.channels.begin(), cycle.channels.end(), logged_loop_.channels.begin(),
                   logged_loop_.channels.end())) {
        return;
    }
    logged_loop_ = cycle;
    for (const Channel& channel : cycle.channels) {
        log_.Write<Note::kCreditLoopMember>(now_us, Raw(channel.switch_guid), Raw(channel.port));
    }
}

/// Notes GUIDs and ports of option files that are not in the subnet: once, and after each change.
void RouteNotes::LogOptionMisses(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kOptionFiles; ++i) {
        const auto file = static_cast<OptionFile>(i);
        const OptionMisses& misses = router_.option_report()[file];
        if (misses == logged_misses_[file]) continue;
        logged_misses_[file] = misses;
        if (misses.guids != 0) {
            log_.Write<Note::kOptionGuidsUnknown>(now_us, i, misses.guids, Raw(misses.first_guid));
        }
        if (misses.hosts != 0) {
            log_.Write<Note::kOptionHostRoots>(now_us, i, misses.hosts, Raw(misses.first_host));
        }
        if (misses.ports != 0) {
            log_.Write<Note::kOptionPortsUnknown>(now_us, i, misses.ports, Raw(misses.first_switch),
                                                  Raw(misses.first_port));
        }
    }
}

void RouteNotes::LogResult(Resort resort, const Work& work, std::size_t switches,
                           std::uint64_t now_us) {
    switch (resort) {
        case Resort::kNone:
            break;
        case Resort::kKeeping:  // The engines' results were noted before.
            LogKept(work, now_us);
            return;
        case Resort::kSafe:
            LogSafe(work, now_us);
            return;
        case Resort::kDropping:
            return;
    }
    LogOptionMisses(now_us);
    LogAttempts(now_us);
    const Verdict& verdict = router_.verdict();
    if (verdict.mending_failed) log_.Write<Note::kMendingFailed>(now_us);
    if (!verdict.may_program()) return;
    if (verdict.was_mended) {
        log_.Write<Note::kRoutesMended>(now_us, verdict.mended.entries, verdict.mended.switches);
    }
    const std::uint64_t winner = NumberOf(verdict.last_engine());
    const Findings& findings = verdict.findings;
    if (verdict.engine == kChainWord) {
        LogChain(work, switches, now_us);
    } else {
        log_.Write<Note::kEngineFinished>(now_us, winner, switches, findings.lids, work.routing_us);
    }
    LogVerified(work, now_us);
    LogChoice(now_us);
    LogApart(now_us);
    if (verdict.outcome == RoutingOutcome::kVerified) logged_loop_ = {};
    if (verdict.outcome == RoutingOutcome::kWarned) {
        LogCreditLoop(now_us);
        log_.Write<Note::kCreditLoopAccepted>(now_us, winner);
    }
}

/// Notes what the engine took the fabric for: once, and again when that changes.
void RouteNotes::LogChoice(std::uint64_t now_us) {
    const EngineChoice& choice = router_.verdict().choice;
    if (choice == logged_choice_) return;
    logged_choice_ = choice;
    const std::uint64_t engine = NumberOf(router_.verdict().last_engine());
    if (choice.misfit.what != EngineFault::kNone) {
        log_.Write<Note::kSpareOptionUnfit>(now_us, engine, Raw(choice.misfit.what));
        LogPlace(choice.misfit, now_us);
    }
    if (choice.assumed_roots != 0)
        log_.Write<Note::kRootsAssumed>(now_us, engine, choice.assumed_roots, choice.assumed_root);
    if (choice.bridge != kNoGuid) log_.Write<Note::kRootsBridged>(now_us, engine, choice.bridge);
    if (choice.shape == FabricShape::kUnknown) return;
    log_.Write<Note::kShapeTaken>(now_us, engine, Raw(choice.shape), Raw(choice.scheme),
                                  router_.planned_lanes().count,
                                  router_.verdict().findings.longer_routes);
    for (const OddLink& link : choice.odd) {
        log_.Write<Note::kOddCable>(now_us, link.one, link.port, link.other, link.other_port);
    }
    if (choice.odd_count > choice.odd.size()) {
        log_.Write<Note::kOddCables>(now_us, choice.odd_count - choice.odd.size());
    }
    if (choice.not_tree != ShapeMismatch::kNone) {
        log_.Write<Note::kShapeDoubted>(now_us, Raw(FabricShape::kTree), Raw(choice.not_tree));
    }
    if (choice.not_grid != ShapeMismatch::kNone) {
        log_.Write<Note::kShapeDoubted>(now_us, Raw(FabricShape::kMesh), Raw(choice.not_grid));
    }
    if (choice.shortage.what != EngineFault::kNone)
        log_.Write<Note::kSchemeGivenUp>(now_us, Raw(choice.shortage.what));
}

/// Notes each refused engine, and the engine that is tried next.
void RouteNotes::LogAttempts(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    for (std::size_t i = 0; i < verdict.attempts.size(); ++i) {
        const RoutingAttempt& attempt = verdict.attempts[i];
        if (attempt.outcome != RoutingOutcome::kRefused) continue;
        LogRefusal(attempt, now_us);
        if (attempt.step_id != 0) {
            LogRefusedStep(i, now_us);
        } else if (i + 1 < verdict.attempts.size()) {
            log_.Write<Note::kFallbackTaken>(now_us, NumberOf(verdict.attempts[i + 1].engine));
        }
    }
}

/// Notes which unicast-step was refused, and the fallback that takes its place.
void RouteNotes::LogRefusedStep(std::size_t at, std::uint64_t now_us) {
    const auto& attempts = router_.verdict().attempts;
    const RoutingAttempt& refused = attempts[at];
    log_.Write<Note::kChainStepRefused>(now_us, refused.step_id, NumberOf(refused.engine));
    for (std::size_t i = at + 1; i < attempts.size(); ++i) {
        if (attempts[i].step != refused.step) continue;
        log_.Write<Note::kChainFallback>(now_us, attempts[i].step_id, NumberOf(attempts[i].engine),
                                         refused.step_id);
        return;
    }
}

/// Notes the steps of a chain whose routes count.
void RouteNotes::LogChain(const Work& work, std::size_t switches, std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    const auto is_of_it = [](const RoutingAttempt& attempt) {
        return attempt.outcome != RoutingOutcome::kRefused;
    };
    const auto steps = std::count_if(verdict.attempts.begin(), verdict.attempts.end(), is_of_it);
    log_.Write<Note::kChainFinished>(now_us, static_cast<std::uint64_t>(steps), switches,
                                     verdict.findings.lids, work.routing_us);
    for (const RoutingAttempt& attempt : verdict.attempts) {
        if (!is_of_it(attempt)) continue;
        if (attempt.stayed) {
            log_.Write<Note::kChainStepStayed>(now_us, attempt.step_id, NumberOf(attempt.engine));
        } else {
            log_.Write<Note::kChainStepRouted>(now_us, attempt.step_id, NumberOf(attempt.engine));
        }
    }
    if (verdict.laid_lanes) log_.Write<Note::kStepLanesLaid>(now_us, router_.planned_lanes().count);
}

}  // namespace ember
