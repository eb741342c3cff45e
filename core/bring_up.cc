// SPDX-License-Identifier: Apache-2.0
// EmberSM: the main flow, from a sweep to SUBNET UP, stage by stage.

#include <algorithm>

#include "core/subnet_manager.h"

namespace ember {
namespace {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};
inline constexpr std::uint64_t kSecondUs = 1'000'000;

/// Heavy sweeps in a row that follow an unsettled one at once, before the timer paces them.
inline constexpr std::uint32_t kHastyRetries = 3;
/// Wait before sweeping again when our own port is down.
inline constexpr std::uint64_t kPortDownRetryUs = kSecondUs;
/// And after errors, where no timer does it.
inline constexpr std::uint64_t kRetryUs = 10 * kSecondUs;
/// After a targeted sweep, if no other follows.
inline constexpr std::uint64_t kLookAgainUs = 300'000;

}  // namespace

void SubnetManager::Enter(Stage stage, std::uint64_t now_us) {
    const auto at = static_cast<std::size_t>(status_.stage);
    const std::uint64_t smps = exchange_.statistics().sent;
    status_.stage_us[at] += now_us - stage_began_us_;
    status_.stage_smps[at] += smps - stage_began_smps_;
    stage_began_us_ = now_us;
    stage_began_smps_ = smps;
    status_.stage = stage;
}

/// Advances the stage under way. True when there is more to do at once, without an answer.
bool SubnetManager::Advance(std::uint64_t now_us) {
    switch (status_.stage) {
        case Stage::kResting:
            StartDueSweep(now_us);
            return false;
        case Stage::kDiscovering:
            discovery_.Pump(now_us);
            if (discovery_.done() || discovery_.MayEndEarly(now_us, heavy_wanted_)) {
                EndDiscovery(now_us);
            }
            return false;
        case Stage::kElecting:
            if (!role_.electing()) EndElection(now_us);
            return status_.stage != Stage::kElecting;
        case Stage::kPreparing:
            return AdvancePreparing(now_us);
        case Stage::kProgramming:
        case Stage::kActivating:
            return AdvanceProgramming(now_us);
        case Stage::kLightSweep:
            if (heavy_wanted_) {  // It would wait for peers that a trap has told us are gone.
                GiveUpSweep();
                Enter(Stage::kResting, now_us);
                return true;
            }
            light_sweep_.Pump(now_us);
            if (light_sweep_.done() || light_sweep_.outcome().has_seen_enough()) {
                light_sweep_.Abandon();
                EndLightSweep(now_us);
            }
            return light_sweep_.hungry() && exchange_.has_room();
    }
    return false;
}

bool SubnetManager::AdvanceProgramming(std::uint64_t now_us) {
    if (MustGiveUpRound()) {
        GiveUpRound(now_us);
        return true;
    }
    programming_.Hurry(heavy_wanted_);
    programming_.Pump(now_us);
    if (programming_.done() && status_.stage == Stage::kProgramming) {
        resort_ == Resort::kDropping ? EndRefusal(now_us) : BeginActivating(now_us);
    } else if (programming_.done()) {
        EndBringUp(now_us);
    }
    return programming_.hungry() && exchange_.has_room();
}

void SubnetManager::BeginActivating(std::uint64_t now_us) {
    Enter(Stage::kActivating, now_us);
    programming_.Begin(Programming::Stage::kActivation);
}

void SubnetManager::EndLightSweep(std::uint64_t now_us) {
    const LightSweep::Outcome& seen = light_sweep_.outcome();
    journal_.Write<Note::kLightSweepFinished>(now_us, status_.light_sweeps, seen.asked,
                                              seen.changed + seen.silent + seen.awoken);
    if (seen.wants_heavy()) {
        RequestSweep(true, seen.silent != 0 ? SweepReason::kSilence : SweepReason::kChange);
    }
    if (role_.others().empty() || heavy_wanted_) {
        AfterSweep(true, now_us);
        return;
    }
    after_light_sweep_ = true;
    role_.Review();
    Enter(Stage::kElecting, now_us);
}

void SubnetManager::BeginHeavySweep(std::uint64_t now_us) {
    ApplySettings(now_us);
    multicast_.Pause();
    const ProgrammingOutcome& last = programming_.outcome();
    flapping_.BeginSweep(last.bounced == 0 && last.end_ports_bounced == 0);
    programming_.Abandon();  // End ports that have not answered yet are asked again if need be.
    const bool targeted = MayTarget();
    const bool is_leisurely = is_leisurely_ && suspects_.empty();
    is_leisurely_ = false;
    look_again_us_ = kNever;
    heavy_wanted_ = false;
    light_wanted_ = false;
    light_hinted_ = light_hinted_ && targeted;  // It does not read what a light sweep would.
    whole_wanted_ = false;
    after_light_sweep_ = false;
    balancing_ = false;
    status_.last_reason = wanted_reason_;
    ++status_.heavy_sweeps;
    status_.stage_us.fill(0);
    status_.stage_work_us.fill(0);
    status_.stage_smps.fill(0);
    sweep_began_us_ = now_us;
    stage_began_us_ = now_us;
    stage_began_smps_ = exchange_.statistics().sent;
    journal_.Write<Note::kHeavySweepStarted>(now_us, status_.heavy_sweeps, Raw(wanted_reason_));
    Enter(Stage::kDiscovering, now_us);
    if (targeted) {
        ++status_.targeted_sweeps;
        journal_.Write<Note::kSweepTargeted>(now_us, suspects_.size());
        discovery_.BeginAt({suspects_.begin(), suspects_.size()}, now_us);
    } else {
        discovery_.Begin(now_us);
        if (is_leisurely) discovery_.TakeTime();
    }
    suspects_.clear();
}

/// The subnet is well known but for some switches that have news: asking them is enough. What was
/// cleared there is confirmed by a heavy sweep when the timer is due; see AfterSweep().
bool SubnetManager::MayTarget() const {
    const bool settled = !discovery_.outcome().unsettled;
    const bool is_confirmed = settings_.sweep_interval != 0;  // By the timer, afterwards.
    return is_confirmed && !whole_wanted_ && !suspects_.empty() && status_.up && settled &&
           role_.is_master() && !role_.is_first_sweep() && !fabric_.shortage().any();
}

void SubnetManager::EndDiscovery(std::uint64_t now_us) {
    const Discovery::Outcome outcome = discovery_.Finish(now_us, multicast_.events());
    journal_.Write<Note::kHeavySweepFinished>(now_us, status_.heavy_sweeps, fabric_.node_count(),
                                              exchange_.statistics().sent - stage_began_smps_,
                                              now_us - sweep_began_us_);
    const bool odd = outcome.unsettled || outcome.conflicts != 0;
    if (outcome.targeted && odd) {  // What was learnt does not fit together.
        RequestSweep(true, SweepReason::kTrap);
        BeginHeavySweep(now_us);
        return;
    }
    if (!outcome.cut_off && status_.cut_off) bad_in_a_row_ = 0;  // Somebody answers again.
    status_.cut_off = outcome.cut_off;
    if (outcome.cut_off) {  // That is no subnet of one node.
        status_.up = false;
        AfterSweep(false, now_us);
        next_sweep_us_ = now_us + kPortDownRetryUs;
        return;
    }
    if (outcome.own_port_down || fabric_.own_port() == kNoPortIndex) {
        status_.up = false;
        role_.LosePort(now_us);
        const Act ignored = role_.TakeAct();  // It wants a sweep: so do we, in a while.
        static_cast<void>(ignored);
        AfterSweep(false, now_us);
        next_sweep_us_ = now_us + kPortDownRetryUs;
        return;
    }
    BeginElection(now_us);
}

void SubnetManager::BeginElection(std::uint64_t now_us) {
    const Port& own = fabric_.port(fabric_.own_port());
    role_.SetOwnPort(own.guid, own.lid != kNoLid ? own.lid : own.info.Get(PortInfo::kLid));
    role_.BeginElection();
    serve_ = false;
    ForEachEndPort(fabric_, [&](PortIndex at, const Port& port) {
        const bool is_sm = port.has_info &&
                           (port.info.Get(PortInfo::kCapabilityMask) & capability_mask::kIsSm) != 0;
        if (!is_sm || at == fabric_.own_port()) return;
        if (IsEdgePort(fabric_, settings_, port.peer)) return;  // No SM may be there.
        DirectedPath path;
        if (fabric_.PathTo(at, path) != Status::kOk) return;
        const Status invited = role_.Invite(port.guid, port.info.Get(PortInfo::kLid), path, now_us);
        static_cast<void>(invited);  // kFull is noted by the role, and that SM is not heard.
    });
    Enter(Stage::kElecting, now_us);
    role_.Step(now_us);
}

void SubnetManager::EndElection(std::uint64_t now_us) {
    role_.Conclude(now_us);
    ObeyRole(now_us);  // Anything but kServe gives the sweep up, and the stage is kResting.
    if (status_.stage != Stage::kElecting) return;
    const bool goes_on = serve_ && role_.is_master();
    serve_ = false;
    if (!goes_on || after_light_sweep_) {
        AfterSweep(true, now_us);
        return;
    }
    BeginPreparing(now_us);
}

void SubnetManager::BeginPreparing(std::uint64_t now_us) {
    Enter(Stage::kPreparing, now_us);
    flapping_.Review(now_us, scratch_);
    preparation_ = Preparation::kLoadLids;
    routing_done_ = false;
}

void SubnetManager::PrepareLids(bool first, std::uint64_t now_us) {
    only_touched_ = !first && discovery_.outcome().targeted && !fabric_.has_end_port_news();
    if (!only_touched_) {
        GiveLids(!(first && settings_.reassign_lids), now_us);
        return;
    }
    status_.lids.moved = 0;  // They are those of before.
    status_.lids.duplicates = 0;
}

/// The pure computations before the first Set, one a step: each takes a millisecond or two on the
/// largest boards.
void SubnetManager::Prepare(std::uint64_t now_us) {
    const bool first = role_.is_first_sweep();
    switch (preparation_) {
        case Preparation::kLoadLids:
            if (first) LoadLids(now_us);
            preparation_ = Preparation::kAssignLids;
            break;
        case Preparation::kAssignLids:
            PrepareLids(first, now_us);
            preparation_ = Preparation::kForget;
            break;
        case Preparation::kForget:
            multicast_.Observe(first || ReadsTablesAnew());
            if (first) ForgetRegistered();
            preparation_ = first ? Preparation::kRestore : Preparation::kBeginRound;
            break;
        case Preparation::kRestore:
            if (RestoreRegistered(now_us)) break;
            multicast_.MakeOwnGroups(now_us);
            preparation_ = Preparation::kBeginRound;
            break;
        case Preparation::kBeginRound:
            if (ReadsTablesAnew()) programming_.ReadAnew();
            programming_.BeginRound(first, only_touched_);
            if (discovery_.outcome().targeted) programming_.Hasten();
            programming_.Begin(Programming::Stage::kPorts);
            BeginRouting(now_us, MayMend());
            preparation_ = Preparation::kDone;
            break;
        case Preparation::kDone:
            break;
    }
}

/// Ports and switches are set while routes are computed: the one waits for answers, the other
/// works.
bool SubnetManager::AdvancePreparing(std::uint64_t now_us) {
    if (preparation_ != Preparation::kDone) {
        Prepare(now_us);
        return true;
    }
    programming_.Pump(now_us);
    if (MustGiveUpRound()) programming_.Abandon();  // When routes are made; see GiveUpRound().
    if (programming_.done()) {
        switch (programming_.stage()) {
            case Programming::Stage::kPorts:
                programming_.Begin(Programming::Stage::kReading);
                break;
            case Programming::Stage::kReading:
                programming_.Begin(Programming::Stage::kSwitches);
                break;
            case Programming::Stage::kIdle:
            case Programming::Stage::kSwitches:
            case Programming::Stage::kBlocks:
            case Programming::Stage::kActivation:
                programming_.Begin(Programming::Stage::kIdle);
                break;
        }
        programming_.Pump(now_us);
    }
    if (!routing_done_) AdvanceRouting();
    const bool sets_done = programming_.stage() == Programming::Stage::kIdle && programming_.done();
    if (routing_done_ && sets_done) EndRouting(now_us);
    return !routing_done_ || status_.stage != Stage::kPreparing ||
           (programming_.hungry() && exchange_.has_room());
}

void SubnetManager::EndBringUp(std::uint64_t now_us) {
    programming_.Begin(Programming::Stage::kIdle);
    const ProgrammingOutcome& outcome = programming_.outcome();
    SaveLids(now_us);
    role_.EndFirstSweep();
    if (!balancing_) multicast_.Resume(router_.hops(), now_us);
    records_.FollowSweep();
    KeepRegistered();
    TellWhoCameAndWent(now_us);
    WriteProgrammed(now_us);
    const bool good = outcome.failed == 0 && outcome.bounced == 0;
    if (balancing_ && good) {
        EndBalancing(now_us);
        return;
    }
    const bool settled = !discovery_.outcome().unsettled;
    if (good) {
        if (!status_.up) status_.up_since_us = now_us;
        status_.up = true;
        ++status_.up_count;
        status_.bring_up_us = now_us - sweep_began_us_;
        WriteUp(now_us);
    } else {
        status_.up = false;
        journal_.Write<Note::kErrorsDuringInitialization>(
            now_us, outcome.failed,
            outcome.ports_set + outcome.switches_set + outcome.blocks_set + outcome.activated);
    }
    TellEndPorts(now_us);
    PaceTraps(now_us);
    AfterSweep(good && settled, now_us);
    if (good && settled) FollowEndPorts(now_us);
}

void SubnetManager::AfterSweep(bool good, std::uint64_t now_us) {
    // A light sweep settles nothing that a heavy one could not: hasty retries are not earned anew.
    const bool heavy = status_.stage != Stage::kLightSweep && !after_light_sweep_;
    Enter(Stage::kResting, now_us);
    if (heavy) bad_in_a_row_ = good ? 0 : bad_in_a_row_ + 1;
    if (!good && bad_in_a_row_ <= kHastyRetries) RequestSweep(true, SweepReason::kErrors);
    const std::uint64_t interval_us = settings_.sweep_interval * kSecondUs;
    // A change between the reading of a port and the clearing of its switch's PortStateChange
    // leaves no trace there. So what was cleared is confirmed once, by a heavy sweep when the timer
    // is due.
    // So is what a targeted sweep took for granted, and what a sweep with errors may have missed.
    if (heavy) {
        confirmation_due_ =
            !good || discovery_.outcome().targeted || programming_.outcome().changes_cleared != 0;
    }
    // Without a timer a subnet with errors would stay so for ever.
    const std::uint64_t next_us = interval_us != 0 ? now_us + interval_us
                                  : good           ? kNever
                                                   : now_us + kRetryUs;
    // Targeted sweeps, and light ones that follow them, do not put off what confirms them.
    const bool targeted = heavy && discovery_.outcome().targeted;
    const bool puts_off = heavy ? !targeted : !confirmation_due_;
    next_sweep_us_ = puts_off ? next_us : std::min(next_sweep_us_, next_us);
    // It looked only where a trap came from: a light sweep finds what lost ones would have told.
    if (targeted) look_again_us_ = now_us + kLookAgainUs;
}

}  // namespace ember
