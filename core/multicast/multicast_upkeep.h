// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast between sweeps: from members of groups to the tables of the switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/time.h"
#include "core/exchange/exchange.h"
#include "core/fabric/events.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/multicast/groups.h"
#include "core/multicast/joint_proof.h"
#include "core/multicast/mft_tables.h"
#include "core/multicast/multicast_programming.h"
#include "core/multicast/trees.h"
#include "core/partitions/partitions.h"
#include "core/platform.h"
#include "core/routing/routes.h"
#include "core/settings/settings.h"

namespace ember {

/// Multicast as the status page shows it.
struct MulticastStatus {
    std::size_t groups = 0;
    std::size_t members = 0;
    std::size_t mlids = 0;       ///< In use.
    std::size_t mlid_count = 0;  ///< Assignable.
    std::size_t held = 0;        ///< Of another subnet manager's groups, forwarded for a while.
    std::uint64_t rounds = 0;    ///< Of trees and Sets.
    std::uint64_t trees = 0;     ///< Made since start.
    std::uint64_t plain_trees = 0;
    std::uint64_t rerooted_trees = 0;  ///< Taken because the shortest tree closed a credit loop.
    std::uint64_t lost_members = 0;    ///< In the last round; see TreeOutcome.
    std::uint64_t blocks_set = 0;      ///< Set(MulticastForwardingTable) since start.
    std::uint64_t cuts = 0;            ///< Of these.
    bool is_settled = true;            ///< Every join and leave has reached the switches.
};

/// Multicast between sweeps.
///
/// Joins and leaves mark their MLID. A round begins while the subnet rests, 20 ms after the last
/// join or leave, but at most 2 s after the first. The round takes all marked MLIDs together: it
/// computes the trees of those MLIDs only, reads tables that are not known, and writes blocks that
/// differ (core/multicast/multicast_programming.h). MLIDs that are marked meanwhile wait for the
/// next round, so that a hundred joins cost no more Sets than one. A sweep ends the round: unicast
/// does not wait. All MLIDs are marked after the sweep; members whose port is lost have left.
///
/// Before a round reads and writes tables its trees are proved together with unicast (JointProof).
/// A tree that closes a credit loop is given up for one that follows unicast's paths to one switch,
/// the same for all such trees. If that does not do, all trees follow unicast to it, then all are
/// parts of one breadth-first tree from it, and so on with other switches. If nothing does, the
/// first trees are taken, and that is told.
///
/// A new master does not know the groups of the master before it, and must not stop their packets.
/// Its first round reads all tables. MLIDs that some switch forwards are held (Groups) for
/// `multicast_hold` seconds, in which members register again. The tree of a held MLID leads to all
/// ports in its tables, besides the members of groups that have it now. No other group gets it
/// while another MLID is free.
class MulticastUpkeep {
public:
    struct Memory {
        Groups::Memory groups;
        MftTables::Memory tables;
        Trees::Memory trees;
        MulticastProgramming::Memory programming;
        std::span<std::uint64_t> planned_words;  ///< A bit per MLID.
        std::span<SubnetEvent> events;           ///< max_events.
    };
    /// All outlive it.
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        const Clock& work_clock;
        Arena& scratch;  ///< Held between two calls while holds_scratch().
        const Partitions& partitions;
        const Routes* routes = nullptr;  ///< nullptr: trees are not proved together with unicast.
    };

    MulticastUpkeep(const Memory& memory, const Limits& limits, const Parts& parts,
                    const Settings& settings);
    MulticastUpkeep(const MulticastUpkeep&) = delete;
    MulticastUpkeep& operator=(const MulticastUpkeep&) = delete;

    /// A heavy sweep begins, or we are no longer master. Ends the round.
    void Pause();
    /// The sweep has found all nodes, and nothing is set yet. `first_master_sweep`: no table of a
    /// switch is known.
    void Observe(bool first_master_sweep);
    /// Removes all groups: another SM is, or was, master of the subnet.
    void Forget();
    /// In the first sweep as master, when no journal has the members of groups: holds the MLIDs
    /// that switches forward.
    void HoldTables() {
        is_survey_due_ = settings_.multicast_hold != 0 && !settings_.disable_multicast;
    }
    /// After the first master sweep, when registrations are restored: creates the groups that exist
    /// without a client's request, and removes those that no full member keeps alive.
    void BeginFirstSweep(std::uint64_t now_us);
    /// Partitions are others, or ports have gone: creates and ends the groups that exist without a
    /// client's request, and removes members that have left the partition of their group. MLIDs of
    /// groups that change are marked, as by joins and leaves.
    void FollowPartitions(std::uint64_t now_us);
    /// Routes are made. `hops` does not change until the next sweep.
    void Resume(Trees::Hops hops, std::uint64_t now_us);

    /// The routes are others, and nothing else has changed.
    void JudgeAnew(std::uint64_t now_us);
    /// The scratch arena is used by a proof, which LendScratch() ends; it begins anew at Step().
    [[nodiscard]] bool holds_scratch() const { return joint_.is_at_work(); }
    void LendScratch() { joint_.Stop(); }

    /// Does a slice of some 0.5 ms of the work that is due. To be called while the subnet rests.
    /// True when there is more to do at once.
    bool Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kMulticastClient.
    void Hear(const Answer& answer, std::uint64_t now_us) { programming_.Hear(answer, now_us); }
    /// When Step() has work without an answer or a join; kNever: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// While the subnet rests: the switch has this content of a block. A round corrects it.
    void Correct(std::size_t block, const MftTables::Block& content, std::uint64_t now_us);

    [[nodiscard]] Groups& groups() { return groups_; }
    [[nodiscard]] const Groups& groups() const { return groups_; }
    [[nodiscard]] SubnetEvents& events() { return events_; }
    [[nodiscard]] const MftTables& tables() const { return tables_; }
    [[nodiscard]] MulticastStatus status() const;
    /// The verdict of the last proof of the trees together with unicast.
    [[nodiscard]] const JointVerdict& joint() const { return joint_.verdict(); }

private:
    enum class Phase : std::uint8_t {
        kResting,
        kSurveying,
        kFetching,  ///< As kReading, before trees are made: those of held MLIDs depend on it.
        kPlanning,
        kProving,  ///< Trees and unicast together.
        kReading,
        kJudging,
        kCutting,
        kWriting,
        kTops
    };

    void EnsureOwnGroups(std::uint64_t now_us);
    [[nodiscard]] bool HasLeft(const Member& member) const;
    void Watch(std::uint64_t now_us);
    void BeginRound(std::uint64_t now_us);
    void PlanSome(std::uint64_t now_us);
    void OweProof();
    void BeginProof(std::uint64_t now_us);
    void ProveSome(std::uint64_t now_us);
    [[nodiscard]] TreeOutcome PlanOne(MlidIndex mlid);
    [[nodiscard]] bool Reroot();
    [[nodiscard]] bool RerootOne(MlidIndex mlid);
    void TryNextTree(MlidIndex mlid);
    void PlanAllAnew();
    void EndProof(std::uint64_t now_us);
    void LogJoint(std::uint64_t now_us);
    void JudgeSome(std::uint64_t now_us);
    void Enter(Phase phase, MulticastProgramming::Stage stage, std::uint64_t now_us);
    [[nodiscard]] bool FollowProgramming(std::uint64_t now_us);
    void EndReading(std::uint64_t now_us);
    void EndSurvey(std::uint64_t now_us);
    [[nodiscard]] bool MarkHeldAnew();
    void EndHold(std::uint64_t now_us);
    void EndRound(std::uint64_t now_us);
    [[nodiscard]] bool HasTime(std::uint64_t began_us) const;

    const Fabric& fabric_;
    Log& log_;
    const Clock& work_clock_;
    Arena& scratch_;
    const Partitions& partitions_;
    const Settings& settings_;
    SubnetEvents events_;
    Groups groups_;
    MftTables tables_;
    Trees trees_;
    BitSet planned_;  ///< MLIDs whose tables may hold parts of an old and of a new tree.
    MulticastProgramming programming_;
    const Routes* routes_;
    JointProof joint_;
    JointOutcome logged_ = JointOutcome::kUnknown;  ///< By the last note about it.
    MlidIndex logged_mlid_ = kNoMlid;               ///< Likewise.
    bool is_unjudged_ = false;                      ///< Routes are others than at the last proof.
    bool owes_whole_ = false;   ///< The routes were made anew, and no tree was proved with them.
    bool wants_whole_ = false;  ///< The next proof shall be one of everything.
    Trees::Roots roots_;        ///< The switch to which trees follow unicast, if there is one.
    bool all_along_ = false;    ///< All trees do,
    bool all_breadth_first_ = false;  ///< or are breadth-first trees from that switch instead.
    // In this round:
    bool gave_up_ = false;        ///< No other tree is tried any more.
    std::uint32_t tries_ = 0;     ///< Of other trees.
    std::uint32_t rerooted_ = 0;  ///< Trees that were given up for others.
    MlidIndex first_rerooted_ = kNoMlid;
    Phase phase_ = Phase::kResting;
    MlidIndex next_{0};
    std::uint64_t marks_seen_ = 0;
    std::uint64_t first_mark_us_ = kNever;  ///< Of the joins that wait; kNever: none does.
    std::uint64_t due_us_ = kNever;         ///< When a round begins; kNever: none is due.
    std::uint64_t hold_until_us_ = kNever;  ///< kNever: nothing is held.
    bool is_survey_due_ = false;
    bool is_ready_ = false;
    bool lacks_room_ = false;  ///< For a group that exists without a client's request.
    bool is_owed_ = false;     ///< The last round was not finished, or something failed in it.
    std::uint32_t planned_in_round_ = 0;
    MulticastStatus status_;
};

}  // namespace ember
