// SPDX-License-Identifier: Apache-2.0
// EmberSM: the VL arbitration and SL to VL tables of ports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/static_vector.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/graph/routing_tables.h"
#include "core/lanes/lane_tables.h"
#include "core/lanes/lane_trust.h"
#include "core/log/log.h"
#include "core/port_tables/port_tables.h"
#include "core/port_tables/table_counts.h"
#include "core/port_tables/table_programming.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kLaneClient{10};

/// Gives ports the tables by which virtual lanes share a link, from when `qos` is on or routes need
/// several lanes the first time; until then all tables stay as they are. Options qos, qos_*,
/// routing_lanes, use_optimized_slvl, suppress_sl2vl_mad_status_errors.
///
/// The tables of a port are known by five bits of its row (Port::lane_state, lane_vls), as they
/// follow from the settings and from its OperationalVLs. Tables are written anew when one of these
/// has changed, or when the port may have been reset. After a restart, and in a sweep by hand, a
/// table is read first and written if it differs; what was reset is written without a question.
///
/// kPortsAtOnce ports are looked after at a time, each table by table. A failure is told once, and
/// the table tried again after the next sweep. No port is waited for that does not answer: when no
/// other one has moved for a quarter of a second, links may go to ACTIVE.
///
/// A routing of several lanes says itself which lanes switches, hosts and port 0 give the service
/// levels of its paths; those of all other service levels are what the keys say. As its proof holds
/// only with these, switches are waited for then, one map of each port is read again, a switch that
/// is silent is asked twice, and one that lacks a table becomes suspect (LaneTrust): links stay as
/// they are, and wants_other_routes().
///
/// A switch that can take one map for all its ports (SwitchInfo:
/// OptimizedSLtoVLMappingProgramming) is sent that of the OperationalVLs that most of its ports
/// have, and one for each other port, all on behalf of port 0; unless maps of the routing differ by
/// port.
class LaneUpkeep final : public PortTablePlanner {
public:
    static constexpr std::size_t kPortsAtOnce = 64;

    struct Job {
        PortIndex port = kNoPortIndex;  ///< kNoPortIndex: the job is free.
        std::uint16_t number = 0;       ///< Of its tables: see TableAt().
        bool reads = false;             ///< Its tables may be right.
        bool has_failed = false;        ///< The port has refused a table, or has not kept one.
        bool checks = false;            ///< The scrub has asked: silence is no failure.
        bool has_written = false;       ///< The port has taken a table.
        bool verifies = false;          ///< Tables that it has taken are read again.
        bool is_unreadable = false;     ///< The port has refused to be read meanwhile.
    };
    /// All outlive it.
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
    };

    /// `settings` may change between two rounds.
    LaneUpkeep(const Parts& parts, const Settings& settings);
    LaneUpkeep(const LaneUpkeep&) = delete;
    LaneUpkeep& operator=(const LaneUpkeep&) = delete;

    /// After a sweep, before routes are made: looks which ports may be as they were left, and which
    /// switches have one lane. `forgets_all`: no table is known.
    void Begin(bool forgets_all, std::uint64_t now_us);
    /// `next` are to be the lanes of the routes, and were `before` until now: finds the ports whose
    /// maps that changes. Work under way is given up.
    void Compare(const RoutingLanes& before, const RoutingLanes& next);
    /// The switches have routes: starts to write. `lanes` are those of the routes, the `next` of
    /// Compare(); they stand still until the next call or Abandon().
    void FollowRoutes(const RoutingLanes& lanes);
    /// Begins to read the tables of one port again. A table that differs from what was written is
    /// told and written. False: the port has none that are known, or other work is under way.
    bool Check(PortIndex at, std::uint64_t now_us);
    /// Now and then gives some switches that lack tables, or are suspect, their tables again.
    void TryAgain(std::uint64_t now_us);
    /// A check by Check() is under way.
    [[nodiscard]] bool is_checking() const { return checked_ != kNoPortIndex; }
    /// The last check has found a table that differs.
    [[nodiscard]] bool found_difference() const { return is_different_; }
    /// Sends what the window admits. True: there is more to do at once.
    bool Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kLaneClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// Gives up what is under way. Tables that were not finished are written again.
    void Abandon();
    /// When Step() has something to do that no answer brings about; kNever: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// No port is waited for any more: links may go to ACTIVE.
    [[nodiscard]] bool is_settled() const { return is_settled_; }
    /// The outcome of the present round. A port counts once in `failed`.
    [[nodiscard]] const TableOutcome& outcome() const { return writer_.outcome(); }
    [[nodiscard]] const TableCounts& maps() const { return maps_; }
    [[nodiscard]] const TableCounts& arbitrations() const { return arbitrations_; }
    /// A port did not answer, and has to be asked again after another sweep.
    [[nodiscard]] bool lacks() const { return silent_ != 0; }
    /// As the last walk over all ports, or the scrub, has found.
    [[nodiscard]] const LaneFaults& faults() const { return faults_; }
    /// Other switches have one lane from the next Begin() on: routes have to be made anew.
    [[nodiscard]] bool wants_other_routes() const { return changed_ != kNoSwitch; }
    /// The first of these switches.
    [[nodiscard]] SwitchIndex changed_switch() const { return changed_; }

    [[nodiscard]] TableIndex Next(std::uint32_t& cursor) const override;
    [[nodiscard]] bool Find(TableIndex at, PortTable& table, SmpData& wanted) const override;
    void Settle(TableIndex at, Status status) override;

private:
    using Known = TableProgramming::Known;

    /// The treatment of tables that were right.
    enum class Recheck : std::uint8_t { kNone, kRead, kWrite };

    bool TurnOn();
    void ReviewAll(Recheck recheck);
    void Review(const Node& node, NodeIndex at, Recheck recheck);
    [[nodiscard]] SwitchIndex SwitchOf(const Port& port) const {
        return parts_.fabric.node(port.node).switch_index;
    }
    [[nodiscard]] bool HasLanes(const Port& port) const;
    [[nodiscard]] bool MapsAtOnce(const Node& node) const;
    [[nodiscard]] bool HasRoutedLanes() const {
        return lanes_ != nullptr && !lanes_->is_one_lane();
    }
    void Forget(PortIndex at) const;
    [[nodiscard]] VlCap MostUsedVls(const Node& node, NodeIndex at) const;
    [[nodiscard]] bool TableAt(const Job& job, PortTable& table, SmpData& wanted) const;
    [[nodiscard]] bool ShareAt(const Job& job, PortTable& table, SmpData& wanted) const;
    [[nodiscard]] bool MapAt(const Job& job, PortTable& table, SmpData& wanted) const;
    [[nodiscard]] bool MapAtOnceAt(const Job& job, PortTable& table, SmpData& wanted) const;
    [[nodiscard]] std::uint32_t TablesOf(const Port& port) const;
    [[nodiscard]] bool SkipToTable(Job& job) const;
    [[nodiscard]] bool SampleAt(const Job& job, PortTable& table, SmpData& wanted) const;
    [[nodiscard]] bool ReadsAgain(Job& job) const;
    void Advance(Job& job) const;
    void Close(Job& job, LaneState state) const;
    [[nodiscard]] bool IsDue(const Port& port) const;
    void Fill();
    void EndCheck(std::uint64_t now_us);
    // lane_faults.cc: what becomes of tables that were not taken.
    void NoteAnswer(const Answer& answer);
    void GoOn(std::uint64_t now_us);
    [[nodiscard]] bool AwaitsSwitch() const;
    [[nodiscard]] bool BeginTrial();
    void AddTrial(SwitchIndex at);
    void EndTrial(std::uint64_t now_us);
    [[nodiscard]] bool LacksTables(const Switch& row) const;
    void Judge(std::uint64_t now_us);
    void ObserveCheck(const Port& port, std::uint64_t now_us);
    void NoteChange(SwitchIndex at);
    [[nodiscard]] std::uint64_t PatienceEndsUs() const;

    /// Switches that are tried at a time.
    static constexpr std::size_t kTrials = 16;

    Parts parts_;
    const Settings& settings_;
    LaneTrust trust_;
    std::array<Known, kPortsAtOnce> known_{};
    std::array<Job, kPortsAtOnce> jobs_{};
    TableProgramming writer_;
    const RoutingLanes* lanes_ = nullptr;
    bool is_on_ = false;
    bool forgets_all_ = false;  ///< As the last Begin() said.
    bool is_settled_ = true;
    bool looks_again_ = false;  ///< A job has another table than the writer has seen.
    std::uint32_t sum_ = 0;     ///< Of the settings that the tables were made of.
    std::uint32_t cursor_ = 0;  ///< The port row that is looked at next.
    std::uint32_t silent_ = 0;  ///< Ports that did not answer in this round.
    std::uint64_t moved_us_ = 0;
    bool has_moved_ = false;
    PortIndex checked_ = kNoPortIndex;  ///< The port of jobs_[0] while that checks.
    std::uint32_t set_before_ = 0;      ///< Sets of the writer when the check began.
    bool is_different_ = false;         ///< The present or last check has found something.
    TableCounts maps_;
    TableCounts arbitrations_;
    LaneFaults faults_;
    SwitchIndex changed_ = kNoSwitch;
    bool is_walking_ = false;  ///< The cursor, or a job of its, is under way.
    /// Only ports of these are due: they were silent in this round, TryAgain() has chosen them, or
    /// the scrub has found a port of them that differs.
    bool is_trial_ = false;
    StaticVector<SwitchIndex, kTrials> trials_;
    std::uint16_t trial_differs_ = 0;  ///< A bit for each of these: it had another table.
    std::uint32_t next_trial_ = 0;     ///< Row of the switch that TryAgain() looks at next.
    std::uint64_t next_trial_us_ = 0;
};

}  // namespace ember
