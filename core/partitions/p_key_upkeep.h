// SPDX-License-Identifier: Apache-2.0
// EmberSM: the P_Key tables of end ports, and of the switch ports that enforce them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/fabric/port_plan.h"
#include "core/log/log.h"
#include "core/partitions/own_p_keys.h"
#include "core/partitions/p_key_placement.h"
#include "core/partitions/p_key_steps.h"
#include "core/partitions/partitions.h"
#include "core/port_tables/table_counts.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kPKeyClient{9};

/// Counts of the present round.
struct PKeyOutcome {
    std::uint32_t blocks_read = 0;
    std::uint32_t blocks_set = 0;
    std::uint32_t ports_set = 0;  ///< Switch ports whose enforcement was switched on or off.
    std::uint32_t failed = 0;     ///< End ports whose table, or its enforcement, is not as wanted.
    std::uint32_t unheard = 0;    ///< End ports that have not answered their first question yet.
    std::uint32_t left_out = 0;   ///< P_Keys for which a table has no room.
};

/// Ports that do not hold, or do not enforce, what the partitions say.
struct PartitionGaps {
    std::uint32_t unset = 0;       ///< End ports that lack P_Keys, or have others.
    std::uint32_t unenforced = 0;  ///< Switch ports that part_enforce names and that do not.
    LinkEnd first;                 ///< The first of all these.
    [[nodiscard]] bool any() const { return (unset | unenforced) != 0; }
    [[nodiscard]] bool operator==(const PartitionGaps&) const = default;
};

/// Makes the P_Key tables of end ports say what the partitions say, and lets the switch port in
/// front of each enforce it (part_enforce).
///
/// A table is read before it is written, as P_Keys keep their places. The content of a table is not
/// kept: a sum of 25 bits for each end port says which memberships were written last, so a port
/// whose memberships are the same is not asked again. Changes go through the four steps of
/// core/partitions/p_key_steps.h, each on all ports before the next begins. A port whose link is
/// not ACTIVE carries no data, and takes all steps at once; it goes to ACTIVE only with its table
/// written (Port::lacks_p_keys).
///
/// Nothing is read or written as long as no partitions have been configured since the start. When
/// the last configuration of partitions goes, all ports go back to the default partition.
///
/// kPortsAtOnce ports are looked after at a time. A port that does not answer is waited for until
/// the exchange gives it up (transaction_timeout and transaction_retries), is tried once more in
/// the same step, then after the next sweep. A silent port that leaves a
/// partition thus does not keep others from joining it; it is told, and the switch port in front of
/// it drops what it sends.
class PKeyUpkeep {
public:
    static constexpr std::size_t kPortsAtOnce = 16;

    /// The known state of an end port's tables, by its base LID.
    struct Known {
        enum class State : std::uint32_t { kUnknown, kKnown, kAsked, kFailed };
        static constexpr std::uint32_t kSumBits = 0x1FFFFFF;

        std::uint32_t sum : 25 = 0;  ///< Of the memberships that were written last.
        State state : 2 = State::kUnknown;
        std::uint32_t later : 3 = 0;  ///< Steps that are still to be taken: bits of PKeyStep / 2.
        bool is_marked : 1 = false;   ///< Its memberships are others after the next Begin...().
        bool is_unset : 1 = false;    ///< Its own table is not as its partitions say.
    };
    static_assert(sizeof(Known) == 4);

    /// An end port that has answered, and the switch port in front of it.
    struct Job {
        enum class Stage : std::uint8_t { kReading, kWriting, kEnforcing };
        using Entries = std::array<std::uint16_t, kMostPKeysOfPort>;

        PortIndex port = kNoPortIndex;   ///< kNoPortIndex: the job is free.
        PortIndex guard = kNoPortIndex;  ///< The switch port; kNoPortIndex: there is none.
        std::uint16_t generation = 0;    ///< Answers to an earlier job of the row are dropped.
        std::uint16_t size = 0;          ///< Entries of the port's table.
        std::uint16_t guard_size = 0;    ///< Entries of the guard's table; 0: it shall not enforce.
        std::uint16_t asked = 0;         ///< Questions of this stage that were posted or needless.
        std::uint16_t in_flight = 0;
        Stage stage = Stage::kReading;
        Status failure = Status::kOk;  ///< Of the last question that failed.
        bool checks = false;           ///< The scrub has asked: silence is no failure.
        bool has_failed = false;       ///< The end port did.
        bool guard_failed = false;     ///< The switch port did, which is no matter of the end port.
        bool is_short = false;         ///< P_Keys were left out.
        std::uint32_t later = 0;       ///< Bits of steps.
        Entries has{};
        Entries next{};
        Entries guard_has{};
        Entries guard_next{};
    };

    struct Memory {
        std::span<Known> known;  ///< RowsFor(limits).
        std::span<Job> jobs;     ///< kPortsAtOnce.
    };
    /// All outlive it.
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        const Partitions& partitions;
        OwnPKeys& own_p_keys;  ///< Learns what our own port holds.
        const PortPlanner& ports;
    };
    [[nodiscard]] static constexpr std::size_t RowsFor(const Limits& limits) {
        return limits.max_lid + std::size_t{1};
    }

    /// `settings` may change between two rounds.
    PKeyUpkeep(const Memory& memory, const Parts& parts, const Settings& settings);
    PKeyUpkeep(const PKeyUpkeep&) = delete;
    PKeyUpkeep& operator=(const PKeyUpkeep&) = delete;

    /// Starts a round after a sweep in which all end ports got their LIDs. `forgets_all`: all
    /// tables are read anew.
    void Begin(bool forgets_all);
    /// The memberships of this end port, if it is there, will be others when the settings change.
    /// Work under way goes on by the settings in force.
    void Mark(Guid port);
    /// Starts a round without a sweep, as the partitions have changed: at the ports that were
    /// marked, or at all that differ. Work under way goes on by the partitions of now.
    void BeginChange(bool concerns_all);
    /// Begins to read the table of one end port again, and that of the switch port in front of it.
    /// Differences from what was written are told and corrected. False: nothing is known of the
    /// port, or other work is under way.
    bool Check(PortIndex at, std::uint64_t now_us);
    /// A check of one port is under way.
    [[nodiscard]] bool is_checking() const { return checked_ != 0; }
    /// The last check has found something that differs.
    [[nodiscard]] bool found_difference() const { return is_different_; }
    /// Sends what the window admits. True: there is more to do at once.
    bool Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kPKeyClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// Gives up what is under way. Tables that were not finished are read again.
    void Abandon();
    /// When Step() has something to do that no answer brings about; kNever: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// No port is waited for any more: links may go to ACTIVE. Silent ports may still answer.
    [[nodiscard]] bool is_settled() const { return is_settled_; }
    [[nodiscard]] const PKeyOutcome& outcome() const { return outcome_; }
    [[nodiscard]] const TableCounts& counts() const { return counts_; }
    /// Some port has to be asked again after another sweep.
    [[nodiscard]] bool lacks() const { return outcome_.failed != 0 || outcome_.unheard != 0; }
    /// The ports that are not as the partitions say, by the last answers. Walks over all LIDs.
    [[nodiscard]] PartitionGaps FindGaps() const;
    /// True, once, when FindGaps() may have another result than before.
    [[nodiscard]] bool TakeNews() { return std::exchange(has_news_, false); }

private:
    using State = Known::State;
    using Entries = std::span<std::uint16_t>;
    /// Our values of Cookie::kind.
    enum class Kind : std::uint8_t { kFirst, kRead, kReadGuard, kSet, kSetGuard, kEnforce };

    [[nodiscard]] PKeyRules Rules() const;
    [[nodiscard]] PartEnforce Enforcement() const;
    [[nodiscard]] bool IsUnenforced(PortIndex guard) const;
    [[nodiscard]] std::uint32_t SumOf(PortIndex at) const;
    [[nodiscard]] PortIndex EndPortAt(Lid lid) const;
    [[nodiscard]] PortIndex GuardOf(PortIndex at) const;
    [[nodiscard]] std::uint16_t TableSizeOf(PortIndex at) const;
    [[nodiscard]] std::uint16_t EnforcementRoom(PortIndex guard) const;
    [[nodiscard]] bool IsLive(PortIndex at) const;
    [[nodiscard]] bool IsAsWeLeftIt(Lid lid) const;

    // The walk over the end ports.
    [[nodiscard]] std::uint32_t FreeJobs() const;
    void BeginWalk(bool looks_at_sums);
    [[nodiscard]] bool MayVisit() const;
    [[nodiscard]] bool IsLeftAlone(Known known);
    void VisitSome(std::uint64_t now_us);
    void Visit(Lid lid, std::uint64_t now_us);
    [[nodiscard]] bool IsDueInStep(Known& known, PortIndex at);
    [[nodiscard]] bool AwaitsAnswers() const;
    [[nodiscard]] std::uint64_t PatienceEndsUs() const;
    void StopWaiting(std::uint64_t now_us);
    void EndStep();

    // A single end port.
    void TakeFirst(const Answer& answer, std::uint64_t now_us);
    void Open(Job& job, PortIndex at, const SmpData& first);
    void Advance(Job& job, std::uint64_t now_us);
    void BeginStage(Job& job, Job::Stage stage, std::uint64_t now_us);
    void AskNext(Job& job, std::uint64_t now_us);
    void AskBlock(Job& job, std::uint32_t block, bool of_guard, std::uint64_t now_us);
    void AskToEnforce(Job& job, std::uint64_t now_us);
    void Post(Job& job, Ask& ask, Kind kind, std::uint32_t block, std::uint64_t now_us);
    void Place(Job& job, std::uint64_t now_us);
    void PlaceAtGuard(Job& job, std::uint64_t now_us);
    void Take(Job& job, const Answer& answer) const;
    void TakeSet(Job& job, const Answer& answer) const;
    void NoteDifference(const Job& job, std::uint64_t now_us);
    void Close(Job& job, std::uint64_t now_us);
    void GiveUp(const Job& job, PortIndex at, Status status, std::uint64_t now_us);
    void Fail(PortIndex at, Status status, std::uint64_t now_us);

    std::span<Known> known_;
    std::span<Job> jobs_;
    Parts parts_;
    const Settings& settings_;
    Asker asker_;
    bool manages_ = false;  ///< Partitions have been configured since the start.
    bool is_settled_ = true;
    bool looks_at_sums_ = true;    ///< The round looks for ports whose memberships have changed.
    bool visits_again_ = false;    ///< A port was late, or silent: the step's walk is made again.
    bool is_second_walk_ = false;  ///< The second walk: a port silent now is left behind.
    PKeyStep step_ = PKeyStep::kLeave;
    std::uint32_t cursor_ = 0;    ///< The LID that is visited next.
    std::uint32_t last_lid_ = 0;  ///< The end of the walk.
    std::uint32_t later_ = 0;     ///< Bits of steps that some port has still to take.
    std::uint32_t timely_ = 0;    ///< First questions whose answers may need a free job soon.
    std::uint64_t moved_us_ = 0;  ///< When something was asked of another port, or answered, last.
    std::uint16_t generation_ = 0;
    State state_before_check_ = State::kKnown;
    std::uint32_t checked_ = 0;  ///< The LID of the port that is checked; 0: the walk visits all.
    bool is_different_ = false;  ///< The present or last check has found something.
    bool has_news_ = false;      ///< See TakeNews().
    PKeyOutcome outcome_;
    TableCounts counts_;
};

}  // namespace ember
