// SPDX-License-Identifier: Apache-2.0
// EmberSM: the main flow, from a sweep to SUBNET UP, stage by stage.

#include "core/manager/subnet_manager.h"
#include "core/replication/peers_met.h"

namespace ember {
namespace {

/// A link in quarantine is reviewed again after this time, unless a sweep reviews it before.
inline constexpr std::uint64_t kReviewUs = kSecondUs;

}  // namespace

/// Advances the stage under way. True when there is more to do at once, without an answer.
bool SubnetManager::Advance(std::uint64_t now_us) {
    switch (status_.stage) {
        case Stage::kResting:
            StartDueSweep(now_us);
            return false;
        case Stage::kDiscovering:
            discovery_.Step(now_us);
            if (discovery_.done() || discovery_.MayEndEarly(now_us, plan_.wants_heavy())) {
                EndDiscovery(now_us);
            }
            return false;
        case Stage::kElecting:
            if (!role_.electing()) EndElection(now_us);
            return status_.stage != Stage::kElecting;
        case Stage::kPreparing:
        case Stage::kProgramming:
        case Stage::kActivating:
            return AdvanceRound(now_us);
        case Stage::kLightSweep:
            return AdvanceLightSweep(now_us);
    }
    return false;
}

// Which sweep is next.

SweepFacts SubnetManager::Facts() const {
    const bool serves = role_.has_swept();
    return {
        .is_up = status_.up,
        .is_well_known = serves && !discovery_.outcome().unsettled && !fabric_.shortage().any()};
}

/// A cue about a port. A targeted sweep under way asks its switch too.
void SubnetManager::Want(SweepCue cue, PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoPortIndex);
    const SwitchIndex suspect = fabric_.node(fabric_.port(at).node).switch_index;
    const bool joins = suspect != kNoSwitch && status_.stage == Stage::kDiscovering &&
                       discovery_.outcome().targeted;
    if (joins && discovery_.AlsoAt(suspect, now_us)) return;
    plan_.Hear(cue, suspect);
}

/// The management port is gone for good, so a sweep would get no answer. The host learns it from
/// Exchange::port_is_alive(), and may start the subnet manager again on another port.
bool SubnetManager::RestsForGood() {
    if (exchange_.port_is_alive()) return false;
    status_.up = false;
    plan_.Abandon();
    return true;
}

/// Asks for a sweep of each link whose quarantine is over, which is routed again after that sweep.
void SubnetManager::EndQuarantines(std::uint64_t now_us) {
    if (!role_.is_master() || now_us < flapping_.NextReleaseUs()) return;
    flapping_.PutOff(now_us + kReviewUs);  // Until a sweep has come so far as to review it.
    bool is_known = false;
    flapping_.ForEachDue(now_us, [&](PortIndex at) {
        is_known = true;
        Want(SweepCue::kQuarantine, at, now_us);
    });
    if (is_known) return;
    multicast_.LendScratch();
    flapping_.Review(now_us, scratch_);
}

/// When mended routes are balanced; kNever: not. The round would forget Sets that end ports have
/// not answered yet, and sets no port itself.
std::uint64_t SubnetManager::BalanceDueUs() const {
    const bool is_free = !settings_change_.waits() && !programming_.awaits_end_ports();
    const bool may = status_.up && MaySweep() && is_free;
    return may ? routes_.BalanceDueUs() : kNever;
}

void SubnetManager::StartDueSweep(std::uint64_t now_us) {
    if (RestsForGood()) return;
    if (!MaySweep()) {
        settings_change_.Apply(now_us);  // A standby obeys too: its priority may have been raised.
        return;
    }
    EndQuarantines(now_us);
    if (great_loss_.TakeLook(now_us)) plan_.Hear(SweepCue::kGreatLoss);
    if (discovery_.TakeLook(now_us)) plan_.Hear(SweepCue::kProbation);
    if (status_.up && end_port_notes_.HasChanged(programming_.outcome())) {
        LogEndPorts(now_us);  // Their Sets have timed out since the sweep ended.
        FollowEndPorts(now_us);
    }
    if (status_.up && tables_.are_settled() && tables_.TakePartitionNews()) {
        FollowPartitions(now_us);
    }
    if (status_.up && tables_.lanes().faults() != status_.up_summary.lanes) Summarize();
    switch (plan_.Choose(Facts(), now_us)) {
        case SweepChoice::kNone:
            if (now_us >= BalanceDueUs()) BeginBalancing(now_us);
            break;
        case SweepChoice::kLight:
            BeginLightSweep(now_us);
            break;
        case SweepChoice::kHeavy:
            BeginHeavySweep(now_us);
            break;
    }
}

void SubnetManager::BeginLightSweep(std::uint64_t now_us) {
    ++status_.light_sweeps;
    const auto reason = now_us >= plan_.timer_us() ? SweepReason::kTimer : SweepReason::kTrap;
    log_.Write<Note::kLightSweepStarted>(now_us, status_.light_sweeps, Raw(reason));
    Enter(Stage::kLightSweep, now_us);
    light_sweep_.Begin(now_us);
}

bool SubnetManager::AdvanceLightSweep(std::uint64_t now_us) {
    if (plan_.wants_heavy()) {  // The sweep would wait for peers that a trap told are gone.
        GiveUpSweep();
        Enter(Stage::kResting, now_us);
        return true;
    }
    light_sweep_.Step(now_us);
    if (light_sweep_.done() || light_sweep_.outcome().has_seen_enough()) {
        light_sweep_.Abandon();
        EndLightSweep(now_us);
    }
    return light_sweep_.hungry() && exchange_.has_room();
}

void SubnetManager::EndLightSweep(std::uint64_t now_us) {
    const LightSweep::Outcome& seen = light_sweep_.outcome();
    log_.Write<Note::kLightSweepFinished>(now_us, status_.light_sweeps, seen.asked,
                                          seen.changed + seen.silent + seen.awoken);
    if (seen.wants_heavy()) {
        plan_.Hear(seen.silent != 0 ? SweepCue::kLightSawSilence : SweepCue::kLightSawChange);
    } else if (look_patience_.Grants(seen.mute != 0, now_us)) {
        plan_.Hear(SweepCue::kLightSawMute);
    }
    if (role_.others().empty() || plan_.wants_heavy()) {
        AfterSweep(true, now_us);
        return;
    }
    after_light_sweep_ = true;
    ReviewPeers(fabric_, role_);
    Enter(Stage::kElecting, now_us);
}

// A heavy sweep.

void SubnetManager::BeginHeavySweep(std::uint64_t now_us) {
    settings_change_.Apply(now_us);
    multicast_.Pause();
    const ProgrammingOutcome& last = programming_.outcome();
    flapping_.BeginSweep(last.bounced == 0 && last.end_ports_bounced == 0);
    AbandonSets();  // End ports that have not answered yet are asked again if need be.
    const SweepOrder order = plan_.BeginHeavy(Facts());
    after_light_sweep_ = false;
    is_elected_ = false;
    status_.last_reason = order.reason;
    ++status_.heavy_sweeps;
    stage_clock_.BeginSweep(now_us, exchange_.statistics().sent);
    log_.Write<Note::kHeavySweepStarted>(now_us, status_.heavy_sweeps, Raw(order.reason));
    Enter(Stage::kDiscovering, now_us);
    if (order.targets.empty()) {
        discovery_.Begin(now_us);
        if (order.is_leisurely) discovery_.TakeTime();
        return;
    }
    ++status_.targeted_sweeps;
    log_.Write<Note::kSweepTargeted>(now_us, order.targets.size());
    discovery_.BeginAt(order.targets, now_us);
}

namespace {

/// Another subnet manager has been master and has set our own port: it bears another LID than we
/// gave it. Other ports need not show that: the other manager may have given itself the LID that
/// was ours.
[[nodiscard]] bool IsSetByAnother(const Fabric& fabric) {
    if (fabric.own_port() == kNoPortIndex) return false;
    const Port& own = fabric.port(fabric.own_port());
    if (!own.has_info || own.lid == kNoLid) return false;
    const Lid reported = own.info.Get(PortInfo::kLid);
    return reported != kNoLid && reported != own.lid;
}

}  // namespace

void SubnetManager::EndDiscovery(std::uint64_t now_us) {
    const Discovery::Outcome outcome = discovery_.Finish(now_us, multicast_.events());
    log_.Write<Note::kHeavySweepFinished>(now_us, status_.heavy_sweeps, fabric_.node_count(),
                                          exchange_.statistics().sent - stage_clock_.began_smps(),
                                          now_us - stage_clock_.sweep_began_us());
    const bool odd =
        outcome.targeted && (outcome.unsettled || outcome.conflicts != 0 || IsOverruled(now_us));
    if (odd || outcome.made_room) {  // Odd: it contradicts what is known of the rest.
        plan_.Hear(odd ? SweepCue::kPartlyOdd : SweepCue::kRoomMade);
        BeginHeavySweep(now_us);
        return;
    }
    if (!outcome.cut_off && status_.cut_off) plan_.ForgiveErrors();  // Our neighbor answers again.
    status_.cut_off = outcome.cut_off;
    if (outcome.cut_off) {  // The subnet is behind the silent neighbor: it is not one node.
        EndAtOwnPort(now_us);
        return;
    }
    if (outcome.own_port_down || fabric_.own_port() == kNoPortIndex) {
        role_.LosePort(now_us);
        static_cast<void>(role_.TakeAct());  // A sweep that it asks for follows at EndAtOwnPort().
        EndAtOwnPort(now_us);
        return;
    }
    if (role_.has_swept() && IsSetByAnother(fabric_)) {
        role_.SuspectOtherMaster();
        plan_.Hear(SweepCue::kRole);
        BeginHeavySweep(now_us);
        return;
    }
    BeginElection(now_us);
}

void SubnetManager::EndAtOwnPort(std::uint64_t now_us) {
    status_.up = false;
    AfterSweep(false, now_us);
    plan_.EndAtOwnPort(now_us);
}

// The round after a sweep, and its end.

bool SubnetManager::AdvanceRound(std::uint64_t now_us) {
    const bool more = round_.Step(plan_.wants_heavy(), now_us);
    switch (round_.phase()) {
        case Round::Phase::kIdle:
            EndRound(now_us);
            break;
        case Round::Phase::kPreparing:
            break;
        case Round::Phase::kProgramming:
            if (routes_.is_refused()) status_.up = false;
            Enter(Stage::kProgramming, now_us);
            break;
        case Round::Phase::kActivating:
            Enter(Stage::kActivating, now_us);
            break;
    }
    return more;
}

void SubnetManager::EndRound(std::uint64_t now_us) {
    switch (round_.end()) {
        case Round::End::kNone:
            break;
        case Round::End::kDone:
            EndBringUp(now_us);
            break;
        case Round::End::kRefused:
            EndRefusal(now_us);
            break;
        case Round::End::kSilent:
            GiveUpRound(now_us);
            break;
        case Round::End::kLanes:
            EndWithoutLanes(now_us);
            break;
    }
}

/// The switches keep the entries that they have by now. A block that was sent and not acknowledged
/// counts as unknown, and the routes are those that were planned last. So the next round can go on
/// from there.
void SubnetManager::GiveUpRound(std::uint64_t now_us) {
    log_.Write<Note::kRoundGivenUp>(now_us, programming_.outcome().unanswered);
    programming_.Abandon();
    Enter(Stage::kResting, now_us);
    plan_.Hear(SweepCue::kRoundGivenUp);
    BeginHeavySweep(now_us);
}

void SubnetManager::GiveUpSweep() {
    AbandonSets();  // To end ports that have not answered yet.
    switch (status_.stage) {
        case Stage::kResting:
        case Stage::kElecting:
            break;
        case Stage::kDiscovering:
            discovery_.Abandon();
            break;
        case Stage::kPreparing:
        case Stage::kProgramming:
        case Stage::kActivating:
            round_.Abandon();
            break;
        case Stage::kLightSweep:
            light_sweep_.Abandon();
            break;
    }
}

/// A round without a sweep before it, while nothing else is to be done.
void SubnetManager::BeginBalancing(std::uint64_t now_us) {
    ++status_.balancings;
    after_light_sweep_ = false;
    Enter(Stage::kPreparing, now_us);
    round_.BeginBalancing(now_us);
}

void SubnetManager::EndBalancing(std::uint64_t now_us) {
    routes_.EndBalancing();
    Summarize();
    log_.Write<Note::kRoutesBalanced>(now_us, programming_.outcome().blocks_set);
    Enter(Stage::kResting, now_us);
}

}  // namespace ember
