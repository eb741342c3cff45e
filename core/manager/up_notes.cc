// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes about the result of a round.

#include "core/manager/up_notes.h"

#include "core/base/assert.h"

namespace ember {

SubnetUpSummary SummarizeUp(const Fabric& fabric, const LidOutcome& lids, const Routes& routes,
                            const LaneFaults& lanes) {
    const Verdict& verdict = routes.router().verdict();
    const bool is_safe = routes.is_safe_in_force();
    const bool is_other = is_safe || (!verdict.engine.empty() && verdict.has_refusals());
    return {
        .shortage = fabric.shortage(),
        .nodes = fabric.node_count(),
        .switches = fabric.switch_count(),
        .ports = lids.given,
        .ports_without_lid = lids.without,
        .tables_kept = verdict.outcome == RoutingOutcome::kKept && !is_safe,
        .safe_routing = is_safe,
        .may_deadlock = verdict.findings.end_ports_may_deadlock,
        .lanes = lanes,
        .engine = verdict.engine,
        .refused = is_other ? verdict.attempts[0].engine : std::string_view(),
    };
}

void LogUp(const SubnetUpSummary& up, std::size_t links, Log& log, std::uint64_t now_us) {
    if (up.shortage.is_too_large()) {
        log.Write<Note::kSubnetUpInPart>(now_us, up.switches,
                                         up.switches + up.shortage.refused_switches, up.nodes,
                                         up.nodes + up.shortage.refused_nodes);
        return;
    }
    EMBER_ASSERT(up.switches <= up.nodes);
    log.Write<Note::kSubnetUp>(now_us, up.nodes, up.switches, links, up.ports);
}

void LogErrors(const ProgrammingOutcome& outcome, Log& log, std::uint64_t now_us) {
    EMBER_ASSERT(outcome.failed != 0 || outcome.bounced != 0);
    log.Write<Note::kErrorsDuringInitialization>(
        now_us, outcome.failed,
        outcome.ports_set + outcome.switches_set + outcome.blocks_set + outcome.activated);
}

void LogProgrammed(const ProgrammingOutcome& outcome, std::size_t switches, Log& log,
                   std::uint64_t now_us) {
    log.Write<Note::kBlocksProgrammed>(now_us, outcome.blocks_set, switches, outcome.blocks_right);
    if (outcome.detours != 0) log.Write<Note::kBlocksDetoured>(now_us, outcome.detours);
    if (outcome.yielded != 0) log.Write<Note::kBlocksYielded>(now_us, outcome.yielded);
    if (outcome.unordered != 0 && outcome.lacks_order_room) {
        log.Write<Note::kNoRoomForOrder>(now_us, outcome.unordered);
    } else if (outcome.unordered != 0) {
        log.Write<Note::kBlocksUnordered>(now_us, outcome.unordered);
    }
    if (outcome.reregistered != 0) {
        log.Write<Note::kReregistersAsked>(now_us, outcome.reregistered);
    }
}

void PartitionNotes::LogNews(const PartitionGaps& gaps, Log& log, std::uint64_t now_us) {
    if (gaps == logged_) return;
    logged_ = gaps;
    if (gaps.any()) {
        EMBER_ASSERT(gaps.first.guid != kNoGuid);
        log.Write<Note::kPartitionGaps>(now_us, gaps.unenforced, gaps.unset, gaps.first.guid,
                                        gaps.first.port);
    } else {
        log.Write<Note::kPartitionGapsClosed>(now_us);
    }
}

void EndPortNotes::LogNews(const ProgrammingOutcome& outcome, bool awaits, Log& log,
                           std::uint64_t now_us) {
    if (outcome.end_ports_failed == 0) {
        if (!awaits) logged_ = 0;
        return;
    }
    const bool is_news =
        outcome.end_ports_failed != logged_ || !(outcome.failed_end_port == logged_first_);
    if (!is_news) return;
    EMBER_ASSERT(outcome.failed_end_port.guid != kNoGuid);
    logged_ = outcome.end_ports_failed;
    logged_first_ = outcome.failed_end_port;
    log.Write<Note::kEndPortsFailed>(now_us, logged_, Raw(logged_first_.guid),
                                     Raw(logged_first_.port));
}

}  // namespace ember
