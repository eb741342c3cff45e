// SPDX-License-Identifier: Apache-2.0
// EmberSM: what comes in, and what is due. The stages of a bring-up are in bring_up.cc.

#include "core/subnet_manager.h"

#include <algorithm>
#include <bit>

#include "core/role/sender.h"
#include "core/wire/smp_check.h"

namespace ember {
namespace {

/// Datagrams taken in one step: each costs a few microseconds.
inline constexpr int kDatagramsAtOnce = 128;
/// Transactions given up in one step.
inline constexpr int kTimeoutsAtOnce = 64;

}  // namespace

SubnetManager::SubnetManager(const Memory& memory,
                             const Limits& limits,
                             const Platform& platform,
                             const Settings& settings,
                             std::span<RoutingEngine* const> engines)
    : limits_(limits),
      platform_(platform),
      settings_(settings),
      next_settings_(settings),
      engines_(engines),
      scratch_(memory.scratch),
      journal_(memory.journal),
      fabric_(memory.fabric, limits),
      exchange_(memory.exchange, platform.port, platform.entropy),
      flapping_(memory.flapping, fabric_, journal_, settings_),
      discovery_(
          Discovery::Parts{fabric_, exchange_, journal_, flapping_, scratch_}, limits, settings_),
      light_sweep_(fabric_, exchange_, settings_),
      lid_map_(memory.lids, limits.max_lid),
      port_values_(fabric_, settings_),
      programming_(memory.programming,
                   limits,
                   Programming::Parts{fabric_, exchange_, journal_, port_values_},
                   settings_),
      router_(memory.router, limits),
      role_(memory.role, exchange_, journal_, settings_),
      managers_(role_),
      view_{fabric_, settings_, programming_.programmed(), 0},
      multicast_(
          memory.multicast,
          limits,
          MulticastUpkeep::Parts{fabric_, exchange_, journal_, platform.work_clock, scratch_},
          settings_),
      records_(memory.records,
               Records::Parts{view_, exchange_, journal_, managers_, multicast_.groups(),
                              multicast_.tables(), multicast_.events()}),
      administration_(memory.administration,
                      Administration::Parts{platform.port, journal_, view_, records_}),
      reports_(Reports::Parts{platform.port, journal_, view_, records_.subscriptions(),
                              multicast_.events()}),
      sa_journal_(memory.state_buffer,
                  SaJournal::Parts{platform.state_log, journal_, Registered()}),
      sa_restorer_(memory.state_buffer,
                   SaRestorer::Parts{platform.state_log, fabric_, Registered()}),
      scrub_(Scrub::Parts{fabric_, exchange_, journal_, programming_, multicast_}, settings_),
      planned_(memory.planned, limits) {
    exchange_.Configure(settings_);
    fabric_.SetSecret(platform.entropy.Draw());
    lid_map_.SetSecret(platform.entropy.Draw());
    multicast_.groups().SetSecret(platform.entropy.Draw());
    records_.aliases().SetSecret(platform.entropy.Draw());
    records_.services().SetSecret(platform.entropy.Draw());
}

Matrix<SwitchIndex, const std::uint8_t> SubnetManager::planned() const {
    return planned_.read_only();
}

void SubnetManager::Start(std::uint64_t now_us) {
    started_ = true;
    stage_began_us_ = now_us;
    next_sweep_us_ = ~std::uint64_t{0};
    role_.Start(now_us);
    ObeyRole(now_us);
    if (heavy_wanted_) wanted_reason_ = SweepReason::kStart;
}

namespace {

bool LeavesTimeForTrees(Stage stage) {
    return stage == Stage::kResting || stage == Stage::kLightSweep;
}

}  // namespace

std::uint64_t SubnetManager::Step() {
    const std::uint64_t now_us = platform_.clock.NowUs();
    const std::uint64_t work_began_us = platform_.work_clock.NowUs();
    const auto stage = static_cast<std::size_t>(status_.stage);
    if (!started_) Start(now_us);
    RefreshView();

    bool more = ReceiveSome(now_us);
    Answer answer{};
    for (int i = 0; i < kTimeoutsAtOnce && exchange_.Expire(now_us, answer); ++i) {
        Dispatch(answer, now_us);
    }
    StepRole(now_us);
    more = StepAdministration(now_us) || more;  // Before routes are computed: clients wait for it.
    more = Advance(now_us) || more;
    more = sa_journal_.Step(now_us) || more;
    if (LeavesTimeForTrees(status_.stage) && role_.is_master()) {
        more = multicast_.Step(now_us) || more;
    }
    StepScrub(now_us);
    // A stage that waits for nothing would never be woken: with no SMP under way there is no answer
    // to wait for, and a stage that has just begun has not asked yet.
    const bool resting = status_.stage == Stage::kResting;
    if (static_cast<std::size_t>(status_.stage) != stage) {
        static_cast<void>(StepAdministration(now_us));  // The end of a sweep may have opened it.
        more = true;
    }
    if (!resting && exchange_.in_flight() == 0) more = true;

    const std::uint64_t worked_us = platform_.work_clock.NowUs() - work_began_us;
    status_.stage_work_us[stage] += worked_us;
    status_.longest_step_us = std::max(status_.longest_step_us, worked_us);
    return more ? now_us : NextDeadline(now_us);
}

std::uint64_t SubnetManager::NextDeadline(std::uint64_t now_us) const {
    const bool resting = status_.stage == Stage::kResting;
    std::uint64_t next = std::min({exchange_.NextDeadlineUs(), role_.NextDeadlineUs(),
                                   administration_.NextDeadlineUs(), records_.NextDeadlineUs(),
                                   reports_.NextDeadlineUs(), sa_journal_.NextDeadlineUs()});
    if (resting) {
        next = std::min({next, next_sweep_us_, save_again_us_, BalanceDueUs()});
        if (MaySweep()) next = std::min(next, look_again_us_);
    } else {
        next = std::min({next, discovery_.NextDeadlineUs(now_us), programming_.NextDeadlineUs()});
    }
    // Who is not master makes no trees, however long they are due.
    if (resting && role_.is_master()) {
        next = std::min({next, multicast_.NextDeadlineUs(), scrub_.NextDeadlineUs(),
                         flapping_.NextReleaseUs()});
    }
    if (resting && heavy_wanted_ && MaySweep()) {
        next = std::min(next, MayTarget() ? now_us : next_trap_sweep_us_);
    }
    if (resting && light_hinted_ && MaySweep()) next = std::min(next, next_hinted_sweep_us_);
    return std::max(next, now_us);
}

bool SubnetManager::ReceiveSome(std::uint64_t now_us) {
    Envelope envelope;
    for (int i = 0; i < kDatagramsAtOnce; ++i) {
        if (platform_.port.Receive(envelope) != Status::kOk) return false;
        const MgmtClass mgmt_class = envelope.mad.header.mgmt_class;
        const bool is_smp =
            mgmt_class == MgmtClass::kSubnLid || mgmt_class == MgmtClass::kSubnDirected;
        if (envelope.queue_pair == 1 && mgmt_class == MgmtClass::kSubnAdm) {
            const bool is_taken =
                administration_.Take(envelope, now_us) || reports_.Take(envelope, now_us);
            if (!is_taken) ++status_.unexpected_mads;
        } else if (envelope.queue_pair == 0 && is_smp) {
            TakeSmp(envelope, now_us);
        } else {
            ++status_.unexpected_mads;
        }
    }
    return true;
}

void SubnetManager::TakeSmp(const Envelope& envelope, std::uint64_t now_us) {
    const MadHeader& header = envelope.mad.header;
    if (CheckSmp(envelope.mad) != Status::kOk) {
        ++status_.malformed_mads;
        journal_.WriteSparingly<Note::kMadDropped>(now_us, Raw(MgmtClass{header.mgmt_class}),
                                                   Raw(AttributeId{header.attribute_id}),
                                                   Raw(Status::kMalformed), status_.malformed_mads);
        return;
    }
    if (!IsResponse(header.method)) {
        OnRequest(envelope, now_us);
        return;
    }
    Answer answer{};
    if (exchange_.Take(envelope, now_us, answer) == Status::kOk) Dispatch(answer, now_us);
}

void SubnetManager::Dispatch(const Answer& answer, std::uint64_t now_us) {
    switch (answer.cookie.client) {
        case Client::kDiscovery:
            discovery_.OnAnswer(answer, now_us);
            break;
        case Client::kLightSweep:
            light_sweep_.OnAnswer(answer);
            break;
        case Client::kProgramming:
            programming_.OnAnswer(answer, now_us);
            break;
        case Client::kRole:
            role_.Hear(answer, now_us);
            ObeyRole(now_us);
            break;
        case Client::kAdministration:
            records_.Hear(answer, now_us);
            break;
        case Client::kMulticast:
            multicast_.Hear(answer, now_us);
            break;
        case Client::kScrub:
            scrub_.Hear(answer, now_us);
            break;
        case Client::kNone:
            break;
    }
}

/// What was learnt is read again while there is nothing better to do.
void SubnetManager::StepScrub(std::uint64_t now_us) {
    const bool rests = status_.stage == Stage::kResting && !heavy_wanted_;
    if (!rests || !status_.up || !role_.is_master()) {
        scrub_.Pause();
        return;
    }
    scrub_.Step(now_us);
    switch (scrub_.TakeWish()) {
        case Scrub::Wish::kNothing:
            break;
        case Scrub::Wish::kRound:
            Suspect(fabric_.ManagementPortOf(scrub_.suspect()), SweepReason::kChange, now_us);
            break;
        case Scrub::Wish::kSweep:
            RequestSweep(true, SweepReason::kChange);
            break;
    }
}

void SubnetManager::OnRequest(const Envelope& envelope, std::uint64_t now_us) {
    const MadHeader& header = envelope.mad.header;
    const AttributeId attribute = header.attribute_id;
    if (attribute == AttributeId::kSmInfo) {
        // Known from the first answer of the first sweep.
        const PortIndex own = fabric_.own_port();
        if (!role_.knows_own_port() && own != kNoPortIndex) {
            role_.SetOwnPort(fabric_.port(own).guid, kNoLid);
        }
        Envelope reply;
        const SmpSender sender = SenderOf(fabric_, role_, envelope);
        const Status served = role_.Serve(envelope, sender, now_us, reply);
        if (served == Status::kOk) {
            // Lost when the port is full; whoever asked repeats its question.
            if (exchange_.Tell(reply) != Status::kOk) ++status_.unexpected_mads;
        } else if (served == Status::kMalformed) {
            ++status_.malformed_mads;
        }
        ObeyRole(now_us);
        return;
    }
    if (attribute == AttributeId::kNotice && header.method == Method::kTrap) {
        OnTrap(envelope, now_us);
        return;
    }
    ++status_.unexpected_mads;
}

void SubnetManager::RequestSweep(bool heavy, SweepReason reason) {
    if (!heavy) {
        (reason == SweepReason::kTrap ? light_hinted_ : light_wanted_) = true;
        return;
    }
    // Traps may be paced; whoever else asks is not.
    if (!heavy_wanted_ || wanted_reason_ == SweepReason::kTrap) wanted_reason_ = reason;
    heavy_wanted_ = true;
    whole_wanted_ = true;
    is_leisurely_ = false;
}

/// Something has changed. If a switch says so, at its ports, it is asked, and not everybody.
void SubnetManager::Suspect(PortIndex issuer, SweepReason reason, std::uint64_t now_us) {
    const SwitchIndex at = fabric_.node(fabric_.port(issuer).node).switch_index;
    if (at == kNoSwitch) {
        RequestSweep(true, reason);
        return;
    }
    const bool joins = status_.stage == Stage::kDiscovering && discovery_.outcome().targeted;
    if (joins && discovery_.AlsoAt(at, now_us)) return;
    const bool known = std::find(suspects_.begin(), suspects_.end(), at) != suspects_.end();
    if (!known && suspects_.TryPush(at) != Status::kOk) whole_wanted_ = true;
    if (!heavy_wanted_) wanted_reason_ = reason;
    heavy_wanted_ = true;
}

void SubnetManager::Configure(const Settings& settings) {
    next_settings_ = settings;
    settings_changed_ = true;
    RequestSweep(true, SweepReason::kConfiguration);
}

void SubnetManager::ApplySettings(std::uint64_t now_us) {
    if (!settings_changed_) return;
    settings_changed_ = false;
    if (!RouteAlike(settings_, next_settings_)) status_.routed_as_configured = false;
    settings_ = next_settings_;
    planned_is_base_ = false;
    told_misses_ = {};
    exchange_.Configure(settings_);
    programming_.ForgetStubbornness();
    role_.Reconsider(now_us);
}

void SubnetManager::Leave() {
    if (!exchange_.port_is_alive()) return;
    const std::uint64_t now_us = platform_.clock.NowUs();
    role_.Leave(now_us);
    ObeyRole(now_us);
}

/// No sweep goes on meanwhile: the next master makes one as for the first time.
bool SubnetManager::HandOver() {
    const std::uint64_t now_us = platform_.clock.NowUs();
    if (role_.leaves(now_us)) {
        static_cast<void>(ReceiveSome(now_us));
        Answer answer{};
        for (int i = 0; i < kTimeoutsAtOnce && exchange_.Expire(now_us, answer); ++i) {
            Dispatch(answer, now_us);
        }
        role_.Step(now_us);
        ObeyRole(now_us);
    }
    const bool waits = sa_journal_.HandOver(now_us);
    return role_.leaves(now_us) || waits;
}

void SubnetManager::Stop() {
    journal_.Write<Note::kStopped>(platform_.clock.NowUs());
}

/// Does what the role has decided. kServe inside an election is for EndElection() to take.
void SubnetManager::ObeyRole(std::uint64_t now_us) {
    const Act act = role_.TakeAct();
    switch (act) {
        case Act::kNothing:
        case Act::kTell:
            return;
        case Act::kLook:
            RequestSweep(true, SweepReason::kRole);
            return;
        case Act::kServe:
            serve_ = true;
            offers_ = false;
            if (status_.stage == Stage::kResting) RequestSweep(true, SweepReason::kRole);
            return;
        case Act::kSweep:
            GiveUpSweep();
            Enter(Stage::kResting, now_us);
            RequestSweep(true, SweepReason::kRole);
            return;
        case Act::kFollow:
        case Act::kSleep:
            was_standby_ = true;
            follows_ = true;
            is_overruled_ = is_overruled_ || offers_;
            [[fallthrough]];
        case Act::kHandOver:
        case Act::kAwait:
            GiveUpSweep();
            multicast_.Pause();  // Tables are the next master's.
            offers_ = act == Act::kHandOver;
            heavy_wanted_ = false;
            light_wanted_ = false;
            light_hinted_ = false;
            status_.up = false;
            next_sweep_us_ = ~std::uint64_t{0};
            Enter(Stage::kResting, now_us);
            return;
    }
}

SubnetStatus SubnetManager::status() const {
    SubnetStatus status = status_;
    status.nodes = fabric_.node_count();
    status.switches = fabric_.switch_count();
    status.links = fabric_.CountLinks();
    status.top_lid = fabric_.top_lid();
    status.end_ports = fabric_.CountPortsWithLids();
    status.discovery = discovery_.outcome();
    status.programming = programming_.outcome();
    status.multicast = multicast_.status();
    status.scrub = scrub_.status();
    return status;
}

}  // namespace ember
