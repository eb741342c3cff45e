// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the tables that ports shall have to Set() datagrams, and only those that change
// something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/port_tables/port_tables.h"
#include "core/settings/settings.h"

namespace ember {

/// Counts of the present round.
struct TableOutcome {
    std::uint32_t read = 0;
    std::uint32_t set = 0;
    std::uint32_t failed = 0;  ///< Not read or not set, for lack of an answer, a path or consent.
};

/// Writes the tables of ports that a planner names (GUIDs, SL to VL, VL arbitration), each a block
/// of 64 octets, where they differ from what the planner wants.
///
/// A round is a cursor over the planner's tables in the planner's order, so nothing is queued and
/// Step() sends what the window admits. The content of a table is known by a sum of 29 bits, after
/// it was read or a Set was acknowledged. A table that is not known is read, and written if it
/// differs: a restart writes nothing that is right. A table that cannot be read is taken to be
/// empty.
///
/// No table waits for another one, but for the one that its planner names (PortTable::after). A
/// node that has let a question time out is not asked again in the round: the exchange lends it no
/// more of the window. A table that failed is told by one line of the log until it succeeds or
/// something else is wanted, and is tried again in the next round.
class TableProgramming {
public:
    /// A table, as far as it is known. Zeros: not at all.
    struct Known {
        enum class State : std::uint32_t {
            kUnknown,
            kKnown,
            kAsked,   ///< Its Get or Set is under way.
            kFailed,  ///< In this round, with the content of `sum`.
        };
        static constexpr std::uint32_t kSumBits = 0x1FFFFFFF;
        void Remember(std::uint32_t crc) { sum = crc & kSumBits; }
        [[nodiscard]] bool Says(std::uint32_t crc) const { return sum == (crc & kSumBits); }

        std::uint32_t sum : 29 = 0;  ///< Of what the port has; else of what was wanted last.
        State state : 2 = State::kUnknown;
        bool is_logged : 1 = false;  ///< The log says that its Set failed.
    };
    static_assert(sizeof(Known) == 4);
    /// All outlive it. `client` is no one else's.
    struct Parts {
        const Fabric& fabric;
        Exchange& exchange;
        Log& log;
        PortTablePlanner& planner;
        Client client;
        /// Between two questions, while other clients have SMPs under way; 0: as the window admits.
        std::uint32_t gap_us = 0;
    };

    /// `known`: a row for each number that the planner gives; none where it gives none.
    TableProgramming(std::span<Known> known, const Parts& parts, const Settings& settings);
    TableProgramming(const TableProgramming&) = delete;
    TableProgramming& operator=(const TableProgramming&) = delete;

    /// After a sweep, before anything is set: tables of ports that may have been reset since they
    /// were written are not known any more. `forgets_all`: no table is. A pass over all numbers.
    void Observe(bool forgets_all);
    /// Starts a round: failed tables are tried again, and work under way goes on.
    void Begin();
    /// Tries failed tables again.
    void TryAgain();
    /// The planner wants something else, or names other tables: all are looked at once more.
    void Revise();
    /// The planner names further tables: all are looked at once more.
    void LookAgain();
    /// Sends what the window admits; looks at a bounded number of tables.
    void Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of the client.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// Gives up what is under way. Tables asked for or sent, and not answered, are not known.
    void Abandon();
    /// When Step() has work that no answer brings about: 0: at once; kNever: it has none.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;
    /// The round has ended: no table is left to look at, and no question is under way.
    [[nodiscard]] bool done() const { return at_end_ && asker_.in_flight() == 0; }
    [[nodiscard]] const TableOutcome& outcome() const { return outcome_; }

private:
    using State = Known::State;

    [[nodiscard]] bool MaySend(std::uint64_t now_us) const;
    [[nodiscard]] std::uint32_t SumOf(const PortTable& table, const SmpData& content) const;
    [[nodiscard]] bool IsRight(TableIndex at) const;
    [[nodiscard]] Guid NodeOf(const PortTable& table) const;
    [[nodiscard]] bool IsSilent(Guid node) const;
    void Look(TableIndex at, std::uint64_t now_us);
    void Send(TableIndex at, const PortTable& table, const SmpData& wanted, std::uint64_t now_us);
    void Take(TableIndex at, const Answer& answer, std::uint64_t now_us);
    void Fail(TableIndex at, const Answer& answer, std::uint64_t now_us);
    void GiveUp(TableIndex at, Status status);

    std::span<Known> known_;
    Parts parts_;
    Asker asker_;
    StaticVector<Guid, 16> silent_;  ///< Nodes that let a question time out; more are asked again.
    std::uint32_t cursor_ = 0;
    bool at_end_ = true;
    bool looks_again_ = false;   ///< When the cursor has come to its end.
    bool holds_ = false;         ///< A table waits for the one that its planner names.
    std::uint64_t next_us_ = 0;  ///< Beside others, nothing is asked before.
    TableOutcome outcome_;
};

}  // namespace ember
