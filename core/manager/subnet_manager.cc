// SPDX-License-Identifier: Apache-2.0
// EmberSM: what comes in, and what is due. The stages of a bring-up are in bring_up.cc.

#include "core/manager/subnet_manager.h"

#include <algorithm>

#include "core/replication/peers_met.h"
#include "core/wire/smp_check.h"

namespace ember {
namespace {

/// Datagrams taken in one step: each costs a few microseconds.
inline constexpr int kDatagramsAtOnce = 128;
/// Transactions given up in one step.
inline constexpr int kTimeoutsAtOnce = 64;

}  // namespace

SubnetManager::SubnetManager(const Memory& memory, const Limits& limits, const Platform& platform,
                             const Settings& settings, std::span<RoutingEngine* const> engines)
    : limits_(limits),
      platform_(platform),
      settings_(settings),
      scratch_(memory.scratch),
      log_(memory.log),
      fabric_(memory.fabric, limits),
      exchange_(memory.exchange, platform.port, platform.entropy),
      flapping_(memory.flapping, fabric_, log_, settings_),
      known_m_keys_({fabric_, log_, platform.store, platform.own_port}, settings_),
      discovery_(Discovery::Parts{fabric_, exchange_, log_, flapping_, scratch_, known_m_keys_},
                 limits, settings_),
      light_sweep_(fabric_, exchange_, known_m_keys_, settings_),
      lids_(memory.lids, limits, LidUpkeep::Parts{fabric_, log_, platform.store, scratch_},
            settings_),
      m_keys_({fabric_, exchange_, log_, scratch_, known_m_keys_}, settings_),
      port_values_(fabric_, settings_),
      programming_(memory.programming, limits,
                   Programming::Parts{fabric_, exchange_, log_, port_values_}, settings_),
      tables_(memory.tables, {fabric_, exchange_, log_, partitions_, own_p_keys_, port_values_},
              settings_),
      routes_(memory.routes, limits, Routes::Parts{fabric_, log_, platform.work_clock, scratch_},
              settings_, engines),
      role_(memory.role, exchange_, log_, settings_),
      managers_(role_),
      multicast_(memory.multicast, limits,
                 MulticastUpkeep::Parts{fabric_, exchange_, log_, platform.work_clock, scratch_,
                                        partitions_, &routes_},
                 settings_),
      traps_(
          TrapHandler::Parts{fabric_, exchange_, log_, flapping_, multicast_.events(), lids_.map()},
          settings_),
      sa_service_(memory.sa_service,
                  SaService::Parts{platform.port, platform.entropy, exchange_, log_, fabric_,
                                   managers_, partitions_, own_p_keys_, multicast_},
                  settings_),
      registrations_(memory.state_buffer,
                     Registrations::Parts{fabric_, log_, multicast_, sa_service_.records(),
                                          platform.state_log, platform.calendar},
                     settings_),
      replication_(memory.replication,
                   {{platform.port, platform.entropy, platform.codes, log_},
                    role_,
                    own_p_keys_,
                    fabric_,
                    registrations_,
                    lids_,
                    known_m_keys_,
                    flapping_},
                   settings_),
      round_(Round::Parts{fabric_, log_, exchange_, scratch_, flapping_, discovery_, role_, lids_,
                          registrations_, multicast_, programming_, tables_, m_keys_, routes_,
                          port_values_},
             settings_),
      scrub_(Scrub::Parts{fabric_, exchange_, log_, programming_, multicast_, tables_}, settings_),
      settings_change_(
          {settings_, log_, exchange_, programming_, routes_, role_, tables_, sa_service_},
          {tables_, multicast_, sa_service_}) {
    exchange_.Configure(settings_);
    tables_.Know(platform.codec, sa_service_.records());
    fabric_.SetSecret(platform.entropy.Draw());
    lids_.SetSecret(platform.entropy.Draw());
    multicast_.groups().SetSecret(platform.entropy.Draw());
    sa_service_.records().aliases().SetSecret(platform.entropy.Draw());
    sa_service_.records().services().SetSecret(platform.entropy.Draw());
}

void SubnetManager::Start(std::uint64_t now_us) {
    EMBER_ASSERT(!started_);
    started_ = true;
    stage_clock_.Start(now_us);
    sa_service_.Configure(now_us);
    role_.Start(now_us);
    if (MaySweep()) plan_.Hear(SweepCue::kStart);
    ObeyRole(now_us);
}

std::uint64_t SubnetManager::Step() {
    const std::uint64_t now_us = platform_.clock.NowUs();
    const std::uint64_t work_began_us = platform_.work_clock.NowUs();
    const Stage stage = status_.stage;
    if (!started_) Start(now_us);
    ObserveAbsence(now_us);
    RefreshView();

    bool more = ReceiveSome(now_us);
    ExpireSome(now_us);
    StepRole(now_us);
    more = StepServing(now_us) || more;  // Before routes are computed: clients wait for it.
    more = tables_.Step(now_us) || more;
    more = StepPartitions(now_us) || more;  // Nothing wakes us when their tables are written.
    more = Advance(now_us) || more;
    more = registrations_.Step(now_us) || more;
    more = replication_.Step(role_.has_swept(), now_us) || more;
    if (LeavesTimeForTrees(status_.stage) && role_.is_master()) {
        more = multicast_.Step(now_us) || more;
    }
    StepScrub(now_us);
    // A stage without an SMP under way gets no answer that would wake it, and a stage that has just
    // begun has not sent one yet. So both are stepped again at once.
    const bool resting = status_.stage == Stage::kResting;
    if (status_.stage != stage) {
        static_cast<void>(StepServing(now_us));  // Clients are served from the end of a sweep on.
        more = true;
    }
    if (!resting && exchange_.in_flight() == 0) more = true;

    status_.routed_as_configured = routes_.is_as_configured();
    status_.traps = traps_.statistics().heard;
    status_.traps_refused = traps_.statistics().refused;
    stage_clock_.CountWork(stage, platform_.work_clock.NowUs() - work_began_us);
    due_us_ = more ? now_us : NextDeadline(now_us);
    return due_us_;
}

std::uint64_t SubnetManager::NextDeadline(std::uint64_t now_us) const {
    const bool resting = status_.stage == Stage::kResting;
    std::uint64_t next = std::min({exchange_.NextDeadlineUs(), role_.NextDeadlineUs(),
                                   tables_.NextDeadlineUs(), sa_service_.NextDeadlineUs(),
                                   registrations_.NextDeadlineUs(), replication_.NextDeadlineUs()});
    if (resting) {
        const std::uint64_t sweep_us =
            MaySweep() ? plan_.NextDeadlineUs(Facts(), now_us) : plan_.timer_us();
        next = std::min({next, sweep_us, lids_.NextDeadlineUs(), m_keys_.NextDeadlineUs(),
                         BalanceDueUs(), MaySweep() ? great_loss_.NextDeadlineUs() : kNever});
    } else {
        next = std::min({next, discovery_.NextDeadlineUs(now_us), programming_.NextDeadlineUs()});
    }
    // Only a master programs multicast, reads the subnet again and ends quarantines.
    if (resting && role_.is_master()) {
        next = std::min({next, discovery_.NextLookUs(), multicast_.NextDeadlineUs(),
                         scrub_.NextDeadlineUs(), flapping_.NextReleaseUs()});
    }
    return std::max(next, now_us);
}

bool SubnetManager::ReceiveSome(std::uint64_t now_us) {
    Envelope envelope;
    for (int i = 0; i < kDatagramsAtOnce; ++i) {
        if (platform_.port.Receive(envelope) != Status::kOk) return false;
        if (!HandOut(envelope, now_us)) ++status_.unexpected_mads;
    }
    return true;
}

/// False: its class is not served at this queue pair, or the room that serves it drops it.
bool SubnetManager::HandOut(const Envelope& envelope, std::uint64_t now_us) {
    const std::size_t row = ServedRowOf(envelope.mad.header.mgmt_class);
    if (row == kServedClasses.size()) return false;
    if (kServedClasses[row].queue_pair != envelope.queue_pair) return false;
    switch (kServedClasses[row].room) {
        case Room::kSm:
            TakeSmp(envelope, now_us);
            break;
        case Room::kSa:
            return sa_service_.Hear(envelope, now_us);
        case Room::kReplication:
            return replication_.Take(envelope, now_us);
    }
    return true;
}

void SubnetManager::ExpireSome(std::uint64_t now_us) {
    Answer answer{};
    for (int i = 0; i < kTimeoutsAtOnce && exchange_.Expire(now_us, answer); ++i) {
        Dispatch(answer, now_us);
    }
}

void SubnetManager::TakeSmp(const Envelope& envelope, std::uint64_t now_us) {
    const MadHeader& header = envelope.mad.header;
    if (CheckSmp(envelope.mad) != Status::kOk) {
        ++status_.malformed_mads;
        log_.WriteSparingly<Note::kMadDropped>(now_us, Raw(MgmtClass{header.mgmt_class}),
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
    // clang-format off
    switch (Raw(answer.cookie.client)) {
        case Raw(kDiscoveryClient):   discovery_.Hear(answer, now_us); break;
        case Raw(kLightSweepClient):  light_sweep_.Hear(answer, now_us); break;
        case Raw(kProgrammingClient): programming_.Hear(answer, now_us); break;
        case Raw(kMulticastClient):   multicast_.Hear(answer, now_us); break;
        case Raw(kScrubClient):       scrub_.Hear(answer, now_us); break;
        case Raw(kPKeyClient): case Raw(kLaneClient):
        case Raw(kBandwidthClient):   tables_.Hear(answer, now_us); break;
        case Raw(kMKeyClient):        m_keys_.Hear(answer, now_us); break;
        case Raw(kAdministrationClient):
        case Raw(kGuidTablesClient):  sa_service_.Hear(answer, now_us); break;
        case Raw(kRoleClient):
            role_.Hear(answer, now_us);
            ObeyRole(now_us);
            break;
        default: break;
    }
    // clang-format on
}

void SubnetManager::OnRequest(const Envelope& envelope, std::uint64_t now_us) {
    const MadHeader& header = envelope.mad.header;
    const AttributeId attribute = header.attribute_id;
    if (attribute == AttributeId::kSmInfo) {
        if (!ServeSmInfo(fabric_, role_, exchange_, envelope, now_us)) ++status_.unexpected_mads;
        ObeyRole(now_us);
    } else if (attribute != AttributeId::kNotice || header.method != Method::kTrap) {
        ++status_.unexpected_mads;
    } else if (role_.is_master()) {
        for (const TrapHandler::Request& request : traps_.Hear(envelope, now_us)) {
            request.at == kNoPortIndex ? plan_.Hear(request.cue)
                                       : Want(request.cue, request.at, now_us);
        }
    }
}

void SubnetManager::StepRole(std::uint64_t now_us) {
    replication_.HoldOffer(now_us);
    role_.Step(now_us);
    ObeyRole(now_us);
    if (role_.is_succeeded()) registrations_.Discard();
    // Saving again may wait for a proof that has the scratch arena.
    if (status_.stage == Stage::kResting && !multicast_.holds_scratch()) {
        lids_.Step(now_us);
        m_keys_.SaveAgain(now_us);
    }
}

/// Reads the fabric again, switch by switch, while no other work is due.
void SubnetManager::StepScrub(std::uint64_t now_us) {
    const bool rests = status_.stage == Stage::kResting && !plan_.wants_heavy();
    if (!rests || !status_.up || !role_.is_master()) {
        scrub_.Pause();
        return;
    }
    scrub_.Step(now_us);
    if (tables_.lanes().wants_other_routes()) {
        plan_.Hear(SweepCue::kTableDiffers, tables_.lanes().changed_switch());
    }
    switch (scrub_.TakeWish()) {
        case Scrub::Wish::kNothing:
            break;
        case Scrub::Wish::kRound:
            Want(SweepCue::kTableDiffers, fabric_.ManagementPortOf(scrub_.suspect()), now_us);
            break;
        case Scrub::Wish::kSweep:
            plan_.Hear(SweepCue::kNodeDiffers);
            break;
    }
}

// Wishes of an operator and of the role.

void SubnetManager::Configure(const Settings& settings) {
    if (settings_change_.Hear(settings, status_.up)) plan_.Hear(SweepCue::kConfiguration);
}

/// Partitions that alone have changed are put in force while the subnet rests. Any other change,
/// and this one too if the subnet comes down meanwhile, waits for a heavy sweep.
bool SubnetManager::StepPartitions(std::uint64_t now_us) {
    if (status_.stage != Stage::kResting || !role_.is_master()) return false;
    if (settings_change_.TakeEndOfPartitions(now_us)) {
        if (!tables_.lack()) ++status_.partition_changes;
        FollowEndPorts(now_us);
    }
    const bool waits = settings_change_.waits() && !plan_.wants_heavy();
    if (!waits || !exchange_.port_is_alive()) return false;
    if (!settings_change_.waits_without_sweep() || !status_.up) {
        plan_.Hear(SweepCue::kConfiguration);
        return false;
    }
    settings_change_.StepPartitions(now_us);
    return true;
}

SubnetStatus SubnetManager::status() const {
    SubnetStatus status = status_;
    status.nodes = fabric_.node_count();
    status.switches = fabric_.switch_count();
    status.links = fabric_.CountLinks();
    status.top_lid = fabric_.top_lid();
    status.end_ports = fabric_.CountPortsWithLids();
    status.lids = lids_.outcome();
    status.discovery = discovery_.outcome();
    status.programming = programming_.outcome();
    status.multicast = multicast_.status();
    status.scrub = scrub_.status();
    status.port_tables = tables_.counts();
    status.mended = routes_.is_mended();
    status.routing_us = routes_.work().routing_us;
    status.verifying_us = routes_.work().verifying_us;
    status.unexpected_mads += traps_.statistics().unanswered;
    return status;
}

}  // namespace ember
