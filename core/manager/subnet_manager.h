// SPDX-License-Identifier: Apache-2.0
// EmberSM: the one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/records.h"
#include "core/administration/reports/reports.h"
#include "core/administration/transactions/administration.h"
#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/discovery/discovery.h"
#include "core/discovery/light_sweep.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/node_names.h"
#include "core/journal/registrations.h"
#include "core/lids/lid_map.h"
#include "core/lids/lid_upkeep.h"
#include "core/links/flapping_links.h"
#include "core/log/log.h"
#include "core/m_keys/known_m_keys.h"
#include "core/m_keys/m_key_upkeep.h"
#include "core/manager/great_loss.h"
#include "core/manager/look_patience.h"
#include "core/manager/round.h"
#include "core/manager/sa_service.h"
#include "core/manager/scrub.h"
#include "core/manager/settings_change.h"
#include "core/manager/stage_clock.h"
#include "core/manager/subnet_status.h"
#include "core/manager/sweep_plan.h"
#include "core/manager/table_upkeep.h"
#include "core/manager/trap_handler.h"
#include "core/manager/up_notes.h"
#include "core/multicast/multicast_upkeep.h"
#include "core/partitions/own_p_keys.h"
#include "core/partitions/partitions.h"
#include "core/platform.h"
#include "core/ports/port_values.h"
#include "core/programming/programming.h"
#include "core/replication/replication_upkeep.h"
#include "core/role/role.h"
#include "core/role/role_managers.h"
#include "core/routing/engine.h"
#include "core/routing/router.h"
#include "core/routing/routes.h"
#include "core/settings/settings.h"

namespace ember {

/// The subnet manager: one object, one thread, run to completion.
///
/// Step() takes the datagrams that have arrived, advances what is due and returns the next
/// deadline; it never blocks, and every wait is a state. The parts do not know each other; this
/// class dispatches what comes in and keeps the order of a bring-up. Everything lives in the
/// board's Storage (core/manager/storage.h).
class SubnetManager {
public:
    /// Views of the board's storage; Storage::memory() makes one.
    struct Memory {
        Fabric::Memory fabric;
        Exchange::Memory exchange;
        std::span<FlappingLink> flapping;
        LidMap::Memory lids;
        Programming::Memory programming;
        TableUpkeep::Memory tables;
        Routes::Memory routes;
        Role::Memory role;
        ReplicationUpkeep::Memory replication;
        MulticastUpkeep::Memory multicast;
        SaService::Memory sa_service;
        std::span<std::byte> scratch;
        std::span<LogRecord> log;
        std::span<std::byte> state_buffer;  ///< state_buffer_bytes.
    };
    /// The machine underneath. `work_clock` measures the work of computations, best in CPU time;
    /// on a simulated fabric `clock` is virtual and `work_clock` is the host's.
    struct Platform {
        MadPort& port;
        const Clock& clock;
        const Clock& work_clock;
        Store& store;
        Entropy& entropy;
        StateLog* state_log = nullptr;       ///< nullptr: registrations do not survive a restart.
        const Calendar* calendar = nullptr;  ///< nullptr: the machine has none.
        Guid own_port = kNoGuid;             ///< PortGUID of `port`; kNoGuid: it cannot tell.
        /// How the devices of the subnet take limits of bandwidth; nullptr: they take none.
        const BandwidthCodec* codec = nullptr;
        /// nullptr: the machine can make none, and replication_key has no effect but a note.
        MessageCodes* codes = nullptr;
    };

    SubnetManager(const Memory& memory, const Limits& limits, const Platform& platform,
                  const Settings& settings,
                  std::span<RoutingEngine* const> engines);  ///< All that the board has.
    SubnetManager(const SubnetManager&) = delete;
    SubnetManager& operator=(const SubnetManager&) = delete;

    /// Does what is due, a few milliseconds of work at most, and returns the time of Clock at which
    /// it wants to be called again at the latest: now when there is more to do at once. To be
    /// called when a datagram has arrived, too.
    std::uint64_t Step();

    /// Asks for a sweep; it starts when the present one has ended. Step() is due at once. Asserted:
    /// the rule of `cue` asks for no switch.
    void RequestSweep(SweepCue cue) { plan_.Hear(cue); }
    /// New settings, in force from the heavy sweep that this starts; in a role that does not sweep,
    /// at the next step. Where partitions alone differ and the subnet is up, there is no sweep: see
    /// SettingsChange. Step() is due at once.
    void Configure(const Settings& settings);
    /// An operator wants that standby to be master; see Role::OfferTo(). Step() is due at once.
    [[nodiscard]] Role::Offer OfferTo(Guid standby);
    /// An operator gives us another priority, 0..15, until Configure(). Step() is due at once.
    void SetPriority(std::uint8_t priority);
    /// The process ends for good: a master offers the subnet to its highest standby. Without one
    /// nothing is sent.
    void Leave();
    /// To be called before Stop() when the process ends, instead of Step(): the journal of
    /// registrations gets what it lacks, and, after Leave(), a standby the subnet, which takes a
    /// second at most. True: call again soon, as long as there is patience.
    [[nodiscard]] bool HandOver();
    /// Tells a host that the process ends. Nothing is sent.
    void Stop() { log_.Write<Note::kStopped>(platform_.clock.NowUs()); }

    /// Everything for the status page; counting takes a walk over the tables.
    [[nodiscard]] SubnetStatus status() const;
    [[nodiscard]] Stage stage() const { return status_.stage; }
    /// The last heavy sweep as master ended without errors at any switch, or link between switches.
    [[nodiscard]] bool is_up() const { return status_.up; }
    /// As status(), without what is counted, or collected from the parts, for it (nodes, switches,
    /// end ports, links, LIDs, discovery, routing times, programming): costs nothing at every step.
    [[nodiscard]] const SubnetStatus& progress() const { return status_; }
    [[nodiscard]] const SweepPlan& plan() const { return plan_; }
    [[nodiscard]] const Fabric& fabric() const { return fabric_; }
    [[nodiscard]] const Exchange& exchange() const { return exchange_; }
    [[nodiscard]] const Role& role() const { return role_; }
    [[nodiscard]] const ReplicationPeers& peers() const { return replication_.peers(); }
    [[nodiscard]] const ReplicationUpkeep& replication() const { return replication_; }
    [[nodiscard]] const Router& router() const { return routes_.router(); }
    [[nodiscard]] const Programming& programming() const { return programming_; }
    [[nodiscard]] const PKeyUpkeep& p_keys() const { return tables_.p_keys(); }
    [[nodiscard]] const LaneUpkeep& lanes() const { return tables_.lanes(); }
    [[nodiscard]] const KnownMKeys& m_keys() const { return known_m_keys_; }
    [[nodiscard]] const BandwidthUpkeep& bandwidths() const { return tables_.bandwidths(); }
    [[nodiscard]] const FlappingLinks& flapping() const { return flapping_; }
    /// By the clock of its platform, in which all times here are.
    [[nodiscard]] std::uint64_t now_us() const { return platform_.clock.NowUs(); }
    [[nodiscard]] const LidMap& lid_map() const { return lids_.map(); }
    [[nodiscard]] const Administration& administration() const {
        return sa_service_.administration();
    }
    [[nodiscard]] const Records& records() const { return sa_service_.records(); }
    /// Why subnet administration decides as it does. To be asked while administration() serves.
    [[nodiscard]] Explainer& explainer() { return sa_service_.records().explainer(); }
    [[nodiscard]] const Reports& reports() const { return sa_service_.reports(); }
    [[nodiscard]] const SaJournal& sa_journal() const { return registrations_.journal(); }
    /// The registrations that were restored when this run was master first.
    [[nodiscard]] const SaRestored& restored() const { return registrations_.restored(); }
    [[nodiscard]] const MulticastUpkeep& multicast() const { return multicast_; }
    [[nodiscard]] MulticastUpkeep& multicast() { return multicast_; }
    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }
    /// The operator's names of nodes, for logs and pages.
    [[nodiscard]] const NodeNames& names() const { return names_; }
    [[nodiscard]] Log& log() { return log_; }
    [[nodiscard]] const Log& log() const { return log_; }
    /// All that the board has: a note names an engine by its place here.
    [[nodiscard]] std::span<RoutingEngine* const> engines() const { return routes_.engines(); }
    /// The routes that were verified last; row = switch, column = LID. Meaningful when
    /// router().verdict().may_program().
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> planned() const {
        return routes_.planned();
    }
    [[nodiscard]] const Arena& scratch() const { return scratch_; }

private:
    // other_managers.cc: the role, and what other subnet managers may have done meanwhile.
    void ObeyRole(std::uint64_t now_us);
    void ObserveAbsence(std::uint64_t now_us);
    [[nodiscard]] bool IsOverruled(std::uint64_t now_us);

    // subnet_manager.cc: what comes in, what is due, what the operator asks for.
    void Start(std::uint64_t now_us);
    bool ReceiveSome(std::uint64_t now_us);
    [[nodiscard]] bool HandOut(const Envelope& envelope, std::uint64_t now_us);
    void ExpireSome(std::uint64_t now_us);
    void TakeSmp(const Envelope& envelope, std::uint64_t now_us);
    void OnRequest(const Envelope& envelope, std::uint64_t now_us);
    void Dispatch(const Answer& answer, std::uint64_t now_us);
    void RefreshView() {
        sa_service_.Refresh(programming_.programmed(), router().programmed_lanes(),
                            MovesTables(status_.stage));
    }
    /// Clients are served by the master, from the end of its first sweep on.
    bool StepServing(std::uint64_t now_us) {
        RefreshView();
        return sa_service_.Step(role_.has_swept(), now_us);
    }
    void StepRole(std::uint64_t now_us);
    void StepScrub(std::uint64_t now_us);
    bool StepPartitions(std::uint64_t now_us);
    [[nodiscard]] bool MaySweep() const {
        return role_.state() == SmState::kMaster || role_.state() == SmState::kDiscovering;
    }
    [[nodiscard]] std::uint64_t NextDeadline(std::uint64_t now_us) const;

    // bring_up.cc: from one stage to the next.
    bool Advance(std::uint64_t now_us);
    void Enter(Stage stage, std::uint64_t now_us) {
        stage_clock_.Enter(stage, now_us, exchange_.statistics().sent);
    }
    [[nodiscard]] SweepFacts Facts() const;
    void Want(SweepCue cue, PortIndex at, std::uint64_t now_us);
    bool RestsForGood();
    void EndQuarantines(std::uint64_t now_us);
    [[nodiscard]] std::uint64_t BalanceDueUs() const;
    void StartDueSweep(std::uint64_t now_us);
    void BeginLightSweep(std::uint64_t now_us);
    bool AdvanceLightSweep(std::uint64_t now_us);
    void EndLightSweep(std::uint64_t now_us);
    void BeginHeavySweep(std::uint64_t now_us);
    void EndDiscovery(std::uint64_t now_us);
    void EndAtOwnPort(std::uint64_t now_us);
    void NoteAsking(std::uint64_t now_us);
    void BeginElection(std::uint64_t now_us);
    void EndElection(std::uint64_t now_us);
    void BeginRound(std::uint64_t now_us);
    bool AdvanceRound(std::uint64_t now_us);
    void EndRound(std::uint64_t now_us);
    void GiveUpRound(std::uint64_t now_us);
    void GiveUpSweep();
    void AbandonSets() {
        programming_.Abandon();
        tables_.Abandon();
    }
    void BeginBalancing(std::uint64_t now_us);
    void EndBalancing(std::uint64_t now_us);
    void EndRefusal(std::uint64_t now_us);
    void EndWithoutLanes(std::uint64_t now_us);
    void EndBringUp(std::uint64_t now_us);
    [[nodiscard]] bool JudgeLoss(std::uint64_t now_us);
    void EndFirstSweep();
    void NoteNews(std::uint64_t now_us);
    void LogEndPorts(std::uint64_t now_us);
    void FollowEndPorts(std::uint64_t now_us);
    void FollowPartitions(std::uint64_t now_us);
    void Summarize();
    void AfterSweep(bool good, std::uint64_t now_us);

    Limits limits_;
    Platform platform_;
    Settings settings_;  ///< In force; the parts hold references to it.
    Arena scratch_;
    Log log_;
    Fabric fabric_;
    Partitions partitions_{fabric_, settings_.manager_tables};
    OwnPKeys own_p_keys_;
    NodeNames names_{fabric_, settings_};
    Exchange exchange_;
    FlappingLinks flapping_;
    KnownMKeys known_m_keys_;
    Discovery discovery_;
    LightSweep light_sweep_;
    LidUpkeep lids_;
    MKeyUpkeep m_keys_;
    PortValues port_values_;
    Programming programming_;
    TableUpkeep tables_;
    Routes routes_;
    Role role_;
    RoleManagers managers_;
    MulticastUpkeep multicast_;
    TrapHandler traps_;
    SaService sa_service_;
    Registrations registrations_;
    ReplicationUpkeep replication_;
    Round round_;
    Scrub scrub_;
    SettingsChange settings_change_;
    EndPortNotes end_port_notes_;
    PartitionNotes partition_notes_;
    SweepPlan plan_{settings_};
    LookPatience look_patience_;
    GreatLoss great_loss_;

    bool started_ = false;
    bool serve_ = false;                   ///< The role says: go on as master.
    bool after_light_sweep_ = false;       ///< The election under way follows a light sweep.
    bool is_elected_ = false;              ///< The sweep under way needs no election: it was held.
    std::uint64_t election_began_us_ = 0;  ///< When the latest sweep of all ports had ended.
    std::uint64_t due_us_ = kNever;        ///< The result of the last Step().
    std::uint64_t next_overruled_us_ = 0;  ///< See IsOverruled().
    SubnetStatus status_;
    StageClock stage_clock_{status_};
};

}  // namespace ember
