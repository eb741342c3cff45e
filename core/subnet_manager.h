// SPDX-License-Identifier: Apache-2.0
// EmberSM: the one object.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/administration/administration.h"
#include "core/administration/records.h"
#include "core/administration/reports.h"
#include "core/administration/sa_journal.h"
#include "core/administration/sa_restorer.h"
#include "core/assignment/lid_map.h"
#include "core/assignment/lids.h"
#include "core/assignment/port_values.h"
#include "core/base/arena.h"
#include "core/base/lft_arena.h"
#include "core/base/limits.h"
#include "core/discovery/discovery.h"
#include "core/discovery/light_sweep.h"
#include "core/discovery/traps.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/flapping_links.h"
#include "core/fabric/node_names.h"
#include "core/log/journal.h"
#include "core/multicast_upkeep.h"
#include "core/platform.h"
#include "core/programming/programming.h"
#include "core/role/role.h"
#include "core/routing/engine.h"
#include "core/routing/router.h"
#include "core/scrub.h"
#include "core/settings.h"
#include "core/subnet_status.h"

namespace ember {

/// The subnet manager: one object, one thread, run to completion.
///
/// Step() takes the datagrams that have arrived, advances what is due and returns the next
/// deadline; it never blocks, and every wait is a state. The parts do not know each other; this
/// class carries what one learns to the next. Everything lives in the board's Storage
/// (core/storage.h).
class SubnetManager {
public:
    /// Views of the board's storage; Storage::memory() makes one.
    struct Memory {
        Fabric::Memory fabric;
        Exchange::Memory exchange;
        std::span<FlappingLink> flapping;
        LidMap::Memory lids;
        Programming::Memory programming;
        Router::Memory router;
        Role::Memory role;
        MulticastUpkeep::Memory multicast;
        Records::Memory records;
        Administration::Memory administration;
        std::span<std::uint8_t> planned;  ///< LFT arena: max_switches rows of LidStride().
        std::span<std::byte> scratch;
        std::span<Record> journal;
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
    };

    SubnetManager(const Memory& memory,
                  const Limits& limits,
                  const Platform& platform,
                  const Settings& settings,
                  std::span<RoutingEngine* const> engines);  ///< All that the board has.
    SubnetManager(const SubnetManager&) = delete;
    SubnetManager& operator=(const SubnetManager&) = delete;

    /// Does what is due, a few milliseconds of work at most, and returns the time of Clock at which
    /// it wants to be called again at the latest: now when there is more to do at once. It must
    /// also be called when a datagram has arrived.
    std::uint64_t Step();

    /// Asks for a sweep; it starts when the present one has ended. Step() is due at once.
    void RequestSweep(bool heavy, SweepReason reason);
    /// New settings, in force from the heavy sweep that this starts; in a role that does not sweep,
    /// at the next step. Step() is due at once.
    void Configure(const Settings& settings);
    /// The process ends for good: a master offers the subnet to its highest standby. Without one
    /// nothing is sent.
    void Leave();
    /// To be called before Stop() when the process ends, instead of Step(): the journal of
    /// registrations gets what it lacks, and, after Leave(), a standby the subnet, which takes a
    /// second at most. True: call again soon, as long as there is patience.
    [[nodiscard]] bool HandOver();
    /// Tells a host that the process ends. Nothing is sent.
    void Stop();

    /// Everything for the status page; counting takes a walk over the tables.
    [[nodiscard]] SubnetStatus status() const;
    [[nodiscard]] Stage stage() const { return status_.stage; }
    /// The last heavy sweep as master ended without errors at any switch, or link between switches.
    [[nodiscard]] bool is_up() const { return status_.up; }
    /// As status(), without what has to be counted for it (nodes, switches, end ports, links, top
    /// LID, discovery, programming): costs nothing, for whoever looks at every step.
    [[nodiscard]] const SubnetStatus& progress() const { return status_; }
    [[nodiscard]] const Fabric& fabric() const { return fabric_; }
    [[nodiscard]] const Exchange& exchange() const { return exchange_; }
    [[nodiscard]] const Role& role() const { return role_; }
    [[nodiscard]] const Router& router() const { return router_; }
    [[nodiscard]] const Programming& programming() const { return programming_; }
    [[nodiscard]] const FlappingLinks& flapping() const { return flapping_; }
    /// By the clock of its platform, in which all times here are.
    [[nodiscard]] std::uint64_t now_us() const { return platform_.clock.NowUs(); }
    [[nodiscard]] const LidMap& lid_map() const { return lid_map_; }
    [[nodiscard]] const Administration& administration() const { return administration_; }
    [[nodiscard]] const Records& records() const { return records_; }
    [[nodiscard]] const Reports& reports() const { return reports_; }
    [[nodiscard]] const SaJournal& sa_journal() const { return sa_journal_; }
    /// What was restored when this run was master first.
    [[nodiscard]] const SaRestored& restored() const { return sa_restorer_.outcome(); }
    [[nodiscard]] const MulticastUpkeep& multicast() const { return multicast_; }
    [[nodiscard]] MulticastUpkeep& multicast() { return multicast_; }
    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }
    /// What people call the nodes, for logs and pages.
    [[nodiscard]] const NodeNames& names() const { return names_; }
    [[nodiscard]] Journal& journal() { return journal_; }
    [[nodiscard]] const Journal& journal() const { return journal_; }
    /// All that the board has: a note names an engine by its place here.
    [[nodiscard]] std::span<RoutingEngine* const> engines() const { return engines_; }
    /// The routes that were verified last; row = switch, column = LID. Meaningful when
    /// router().verdict().may_program().
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> planned() const;
    [[nodiscard]] const Arena& scratch() const { return scratch_; }

private:
    enum class Preparation : std::uint8_t {
        kLoadLids,
        kAssignLids,
        kForget,
        kRestore,
        kBeginRound,
        kDone
    };

    /// What is left in a round in which every engine was refused, in this order.
    enum class Resort : std::uint8_t { kNone, kKeeping, kSafe, kDropping };

    // subnet_manager.cc: what comes in, and what is due.
    void Start(std::uint64_t now_us);
    bool ReceiveSome(std::uint64_t now_us);
    void TakeSmp(const Envelope& envelope, std::uint64_t now_us);
    void OnRequest(const Envelope& envelope, std::uint64_t now_us);
    void Dispatch(const Answer& answer, std::uint64_t now_us);
    void StepScrub(std::uint64_t now_us);
    void ObeyRole(std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadline(std::uint64_t now_us) const;

    // trap_hearing.cc: traps of the fabric.
    void OnTrap(const Envelope& envelope, std::uint64_t now_us);
    void Repress(const Envelope& trap);
    void ForwardTrap(const Notice& notice, TrapWish wish, PortIndex issuer, std::uint64_t now_us);
    void ObeyTrap(TrapWish wish, PortIndex issuer, std::uint64_t now_us);
    void PaceTraps(std::uint64_t now_us);

    // flapping.cc: cables that flap.
    void HearComplaint(const Notice& notice, PortIndex issuer, std::uint64_t now_us);
    void EndQuarantines(std::uint64_t now_us);

    // serving.cc: what the subnet administrator answers from, and when.
    void RefreshView();
    bool StepAdministration(std::uint64_t now_us);
    void StepRole(std::uint64_t now_us);
    void TellWhoCameAndWent(std::uint64_t now_us);

    // registrations.cc: what clients registered, over a restart.
    [[nodiscard]] SaTables Registered();
    [[nodiscard]] bool IsManagedByAnother() const;
    void ForgetRegistered();
    bool RestoreRegistered(std::uint64_t now_us);
    void KeepRegistered();
    void ForsakeRegistered();

    // bring_up.cc: from one stage to the next.
    bool Advance(std::uint64_t now_us);
    void Enter(Stage stage, std::uint64_t now_us);
    [[nodiscard]] bool MaySweep() const {
        return role_.state() == SmState::kMaster || role_.state() == SmState::kDiscovering;
    }
    bool AdvanceProgramming(std::uint64_t now_us);
    /// Who asks for a sweep by hand may know better than we what the switches have.
    [[nodiscard]] bool ReadsTablesAnew() const {
        return status_.last_reason == SweepReason::kRequest;
    }
    void BeginActivating(std::uint64_t now_us);
    void StartDueSweep(std::uint64_t now_us);
    void StartDueLightSweep(bool due, std::uint64_t now_us);
    void BeginHeavySweep(std::uint64_t now_us);
    [[nodiscard]] bool MayTarget() const;
    void Suspect(PortIndex issuer, SweepReason reason, std::uint64_t now_us);
    void EndDiscovery(std::uint64_t now_us);
    void BeginElection(std::uint64_t now_us);
    void EndElection(std::uint64_t now_us);
    void BeginPreparing(std::uint64_t now_us);
    void Prepare(std::uint64_t now_us);
    void PrepareLids(bool first, std::uint64_t now_us);
    void GiveLids(bool trust_present, std::uint64_t now_us);
    void TellLids(std::uint64_t now_us);
    bool AdvancePreparing(std::uint64_t now_us);
    void EndBringUp(std::uint64_t now_us);
    void EndLightSweep(std::uint64_t now_us);
    void AfterSweep(bool good, std::uint64_t now_us);
    void LoadLids(std::uint64_t now_us);
    void SaveLids(std::uint64_t now_us);
    void ApplySettings(std::uint64_t now_us);

    // follow_up.cc: what is given up, and what is followed up.
    [[nodiscard]] bool MustGiveUpRound() const;
    void GiveUpRound(std::uint64_t now_us);
    void GiveUpSweep();
    [[nodiscard]] bool RestsForGood();
    void TellEndPorts(std::uint64_t now_us);
    void FollowEndPorts(std::uint64_t now_us);

    // routes.cc: routes of a bring-up, and off-sweep: made, mended, kept or balanced.
    void ChooseEngines(std::uint64_t now_us);
    void BeginRouting(std::uint64_t now_us, bool may_mend);
    void AdvanceRouting();
    void EndRouting(std::uint64_t now_us);
    void RememberBalance(std::uint64_t now_us);
    [[nodiscard]] bool MayMend() const;
    [[nodiscard]] std::uint64_t BalanceDueUs() const;
    void BeginBalancing(std::uint64_t now_us);
    void EndBalancing(std::uint64_t now_us);
    [[nodiscard]] RoutingEngine* SafestEngine() const;
    [[nodiscard]] bool TryNextResort();
    void RememberSafety(std::uint64_t now_us);
    void BeginDropping(std::uint64_t now_us);
    void EndRefusal(std::uint64_t now_us);
    [[nodiscard]] std::span<RoutingEngine* const> Chosen() const {
        return {chosen_.begin(), chosen_.size()};
    }

    // verdict_notes.cc: what the router found and how the subnet came up, in words.
    [[nodiscard]] std::uint64_t EngineNumber(std::string_view name) const;
    void WriteVerdict(std::uint64_t now_us);
    void WriteOptionMisses(std::uint64_t now_us);
    void WriteRefusal(const RoutingAttempt& attempt, std::uint64_t now_us);
    void WriteComplaint(const RoutingAttempt& attempt, std::uint64_t now_us);
    void WriteKept(std::uint64_t now_us);
    void WriteSafe(std::uint64_t now_us);
    void WriteApart(std::uint64_t now_us);
    void WriteCreditLoop(std::uint64_t now_us);
    void WriteUp(std::uint64_t now_us);
    void RememberUp();
    void WriteProgrammed(std::uint64_t now_us);

    Limits limits_;
    Platform platform_;
    Settings settings_;       ///< In force; the parts hold references to it.
    Settings next_settings_;  ///< Taken over when a heavy sweep begins.
    std::span<RoutingEngine* const> engines_;
    StaticVector<RoutingEngine*, kMaxEngines> chosen_;  ///< As configured; nullptr: not here.
    Arena scratch_;
    Journal journal_;
    Fabric fabric_;
    NodeNames names_{fabric_, settings_};
    Exchange exchange_;
    FlappingLinks flapping_;
    Discovery discovery_;
    LightSweep light_sweep_;
    LidMap lid_map_;
    PortValues port_values_;
    Programming programming_;
    Router router_;
    Role role_;
    RoleManagers managers_;
    TrapDesk trap_desk_;
    AdministrationView view_;
    MulticastUpkeep multicast_;
    Records records_;
    Administration administration_;
    Reports reports_;
    SaJournal sa_journal_;
    SaRestorer sa_restorer_;
    Scrub scrub_;
    LftArena planned_;

    OptionReport told_misses_;        ///< Of option files, by the last note about each.
    std::uint64_t told_apart_ = 0;    ///< Findings::switch_pairs_apart by the last note about it.
    std::uint64_t mended_at_us_ = 0;  ///< Last time, while status_.mended.
    std::uint64_t generation_ = 1;    ///< Of the tables that stand still; see RefreshView().
    bool tables_moved_ = false;       ///< Since that number was given.
    bool started_ = false;
    bool settings_changed_ = false;
    bool lids_loaded_ = false;   ///< The map was read from the store in this incarnation.
    bool may_restore_ = false;   ///< In the first sweep: nobody else was master meanwhile.
    bool was_standby_ = false;   ///< Another was master since we last were.
    bool registers_ = false;     ///< What clients registered is kept, and nobody else has served.
    bool is_succeeded_ = false;  ///< Another has served since we last did.
    bool follows_ = false;       ///< Another is master; it has not shown yet that it serves.
    bool is_overruled_ = false;  ///< We were, and handed over to it.
    bool offers_ = false;        ///< The subnet is offered to another.
    bool serve_ = false;         ///< The role says: go on as master.
    bool routing_done_ = true;
    bool balancing_ = false;        ///< The round under way is off-sweep.
    bool planned_is_base_ = false;  ///< What is planned was balanced under these settings.
    Resort resort_ = Resort::kNone;
    bool safe_in_force_ = false;  ///< The switches' tables are the safe routing's.
    Preparation preparation_ = Preparation::kDone;
    bool only_touched_ = false;       ///< LIDs are as before, and ports that nobody read are right.
    bool after_light_sweep_ = false;  ///< The election under way follows a light sweep.
    bool heavy_wanted_ = false;
    bool whole_wanted_ = false;  ///< And it shall ask everybody, not only the suspects.
    StaticVector<SwitchIndex, Discovery::kMaxTargets> suspects_;  ///< Switches that have news.
    bool light_wanted_ = false;
    bool light_hinted_ = false;               ///< By a trap: once a second is enough.
    std::uint64_t next_hinted_sweep_us_ = 0;  ///< Not before it does a trap start a light sweep.
    bool confirmation_due_ = false;           ///< The next timed sweep is heavy; see AfterSweep().
    bool is_leisurely_ = false;  ///< The sweep that is wanted only follows up on end ports.
    std::uint32_t leisurely_in_a_row_ = 0;
    std::uint32_t told_end_ports_ = 0;  ///< End ports that failed, as told last,
    std::uint32_t seen_end_ports_ = 0;  ///< and as counted last.
    LinkEnd told_end_port_;
    /// When a light sweep shall follow a targeted one.
    std::uint64_t look_again_us_ = ~std::uint64_t{0};
    std::uint32_t bad_in_a_row_ = 0;        ///< Heavy sweeps that ended with errors.
    std::uint32_t fruitless_traps_ = 0;     ///< Sweeps in a row that traps wanted for nothing.
    std::uint64_t next_trap_sweep_us_ = 0;  ///< Not before it does a trap start a sweep.
    SweepReason wanted_reason_ = SweepReason::kStart;
    std::uint64_t sweep_began_us_ = 0;
    std::uint64_t stage_began_us_ = 0;
    std::uint64_t stage_began_smps_ = 0;
    std::uint64_t save_again_us_ = ~std::uint64_t{0};  ///< When a slow store is asked how it went.
    std::uint64_t next_sweep_us_ = 0;  ///< When the timer wants the next one; kNever: not.
    SubnetStatus status_;
};

}  // namespace ember
