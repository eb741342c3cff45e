// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a round ends: whether the subnet is up, what is told of it, and what follows.

#include "core/manager/subnet_manager.h"
#include "core/manager/up_notes.h"

namespace ember {

/// Notes what holds of the subnet that is up.
void SubnetManager::Summarize() {
    const LaneFaults& lanes = tables_.lanes().faults();
    routes_.ObserveLaneFaults(lanes);
    status_.up_summary = SummarizeUp(fabric_, lids_.outcome(), routes_, lanes);
}

/// The end of a sweep that found no routes.
void SubnetManager::EndRefusal(std::uint64_t now_us) {
    round_.Settle(now_us);
    const std::uint32_t blocks = programming_.outcome().blocks_set;
    if (blocks != 0) log_.Write<Note::kDeadRoutesDropped>(now_us, blocks);
    // Tables were read, and clients were asked to register again: the next try does neither.
    EndFirstSweep();
    NoteNews(now_us);
    AfterSweep(false, now_us);
}

/// The switches have routes that rely on tables which some of them lack. Links that are below
/// ACTIVE stay so until there are other routes: the next sweep makes them.
void SubnetManager::EndWithoutLanes(std::uint64_t now_us) {
    plan_.Hear(SweepCue::kTableDiffers, tables_.lanes().changed_switch());
    round_.Settle(now_us);
    EndFirstSweep();
    NoteNews(now_us);
    AfterSweep(false, now_us);
}

void SubnetManager::EndBringUp(std::uint64_t now_us) {
    round_.Settle(now_us);
    if (role_.is_first_sweep()) great_loss_.Forget();
    EndFirstSweep();
    const ProgrammingOutcome& outcome = programming_.outcome();
    sa_service_.FollowSweep(status_.up_count != 0, now_us);
    LogProgrammed(outcome, fabric_.switch_count(), log_, now_us);
    const bool good = outcome.failed == 0 && outcome.bounced == 0;
    if (round_.is_balancing() && good) {
        EndBalancing(now_us);
        return;
    }
    const bool counts_as_up = good && JudgeLoss(now_us);
    if (counts_as_up) {
        if (!status_.up) status_.up_since_us = now_us;
        ++status_.up_count;
        status_.bring_up_us = now_us - stage_clock_.sweep_began_us();
        Summarize();
        LogUp(status_.up_summary, fabric_.CountLinks(), log_, now_us);
    } else if (!good) {
        great_loss_.Note(fabric_.node_count());
        LogErrors(outcome, log_, now_us);
    }
    status_.up = counts_as_up;
    FollowPartitions(now_us);
    LogEndPorts(now_us);
    NoteNews(now_us);
    const bool settled = !discovery_.outcome().unsettled;
    AfterSweep(good && settled, now_us);
    if (good && settled) FollowEndPorts(now_us);
}

/// False while a sweep that missed more than half of the nodes is in doubt.
bool SubnetManager::JudgeLoss(std::uint64_t now_us) {
    const std::size_t nodes = fabric_.node_count();
    const std::size_t before = status_.nodes_before_loss;
    const GreatLoss::Seen seen{.nodes = nodes,
                               .is_settled = !discovery_.outcome().unsettled,
                               .is_by_hand = status_.last_reason == SweepReason::kRequest};
    const GreatLoss::Word word = great_loss_.Judge(seen, now_us);
    status_.nodes_before_loss = great_loss_.before();
    if (word == GreatLoss::Word::kUnconfirmed && before == 0) {
        log_.Write<Note::kNodesLostInDoubt>(now_us, nodes, status_.nodes_before_loss);
    }
    if (word == GreatLoss::Word::kNew) {
        log_.Write<Note::kNodesLostForGood>(now_us, nodes, status_.nodes_before_loss);
    }
    return word != GreatLoss::Word::kUnconfirmed;
}

/// Where masters have one LID, the ports do not say with which of them their clients registered.
void SubnetManager::EndFirstSweep() {
    if (!role_.EndFirstSweep()) return;
    ForEachPort(fabric_, [](PortIndex, Port& port) { port.fresh = true; });
    plan_.Hear(SweepCue::kRole);
}

void SubnetManager::NoteNews(std::uint64_t now_us) {
    const Discovery::Outcome& seen = discovery_.outcome();
    const ProgrammingOutcome& done = programming_.outcome();
    const std::uint32_t news = seen.nodes_gained | seen.nodes_lost | seen.links_changed |
                               done.changes_cleared | done.activated;
    plan_.NoteNews(news != 0, status_.last_reason, now_us);
}

void SubnetManager::LogEndPorts(std::uint64_t now_us) {
    end_port_notes_.LogNews(programming_.outcome(), programming_.awaits_end_ports(), log_, now_us);
}

/// Partitions that do not hold at some port are told, and are a condition until they do.
void SubnetManager::FollowPartitions(std::uint64_t now_us) {
    status_.partition_gaps = tables_.p_keys().FindGaps();
    partition_notes_.LogNews(status_.partition_gaps, log_, now_us);
}

/// The subnet is up. Some hosts and routers may not be.
void SubnetManager::FollowEndPorts(std::uint64_t now_us) {
    const ProgrammingOutcome& outcome = programming_.outcome();
    end_port_notes_.Note(outcome);
    const bool is_late = discovery_.outcome().late != 0 || tables_.lack();
    const bool lacks = is_late || outcome.end_ports_failed != 0;
    if (lacks || outcome.end_ports_bounced != 0) {
        plan_.FollowEndPorts(lacks, now_us);
    } else if (!programming_.awaits_end_ports()) {
        plan_.ForgetEndPorts();
    }
}

void SubnetManager::AfterSweep(bool good, std::uint64_t now_us) {
    EMBER_ASSERT(status_.stage != Stage::kResting);
    const bool heavy = status_.stage != Stage::kLightSweep && !after_light_sweep_;
    Enter(Stage::kResting, now_us);
    if (heavy && role_.has_swept()) NoteAsking(now_us);
    if (heavy) {
        const ProgrammingOutcome& done = programming_.outcome();
        plan_.EndHeavy({.good = good,
                        .targeted = discovery_.outcome().targeted,
                        .cleared = done.changes_cleared != 0,
                        .bounced = done.bounced != 0 || done.end_ports_bounced != 0},
                       now_us);
    } else {
        plan_.EndLight(now_us);
    }
}

}  // namespace ember
