// SPDX-License-Identifier: Apache-2.0
// EmberSM: answers of the subnet administrator that are under way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query/query.h"
#include "core/administration/query/record_index.h"
#include "core/administration/transactions/replies.h"
#include "core/administration/transactions/request.h"
#include "core/administration/transactions/sources.h"
#include "core/administration/transactions/statistics.h"
#include "core/administration/transactions/transfer.h"
#include "core/base/time.h"
#include "core/exchange/rmpp_sender.h"
#include "core/log/log.h"
#include "core/platform.h"

namespace ember {

/// The work of a step of the subnet administrator.
struct SaBudget {
    /// Rows that are looked at for one question before others have their turn.
    static constexpr std::uint32_t kRowsAtOnce = 20'000;

    std::uint32_t rows = 0;  ///< That may still be looked at.
    bool more = false;       ///< The step leaves something undone that could be done.

    void Spend(std::uint32_t count) { rows -= std::min(rows, count); }
    /// Rows for one question.
    [[nodiscard]] std::uint32_t share() const { return std::min(rows, kRowsAtOnce); }
};

/// The answers that are not given at once: tables in segments, and records that are looked for in
/// more than one slice. When all rows are taken, the answer whose receiver was silent for longest
/// makes room, or the question is told to come again.
class SaTransfers {
public:
    /// The part of a row of Transfer that each step looks at.
    struct Line {
        SaTalk talk{};
        bool is_single = false;  ///< A record that is looked for, not a table.
    };
    struct Memory {
        std::span<Transfer> transfers;
        std::span<Line> lines;  ///< As many as transfers.
    };
    /// All outlive the transfers.
    struct Parts {
        MadPort& port;
        Log& log;
        const AdministrationView& view;
        const RecordIndex& records;
        SourceTable& sources;
        SaReplies& replies;
        SaStatistics& statistics;
    };

    SaTransfers(const Memory& memory, const Parts& parts);
    SaTransfers(const SaTransfers&) = delete;
    SaTransfers& operator=(const SaTransfers&) = delete;

    /// True: the question repeats that of an answer under way, and is dropped. Another question
    /// under the same name ends that answer.
    [[nodiscard]] bool Answers(const Envelope& envelope, std::uint64_t now_us);
    /// ACK, STOP or ABORT of a table under way.
    void Hear(const Envelope& envelope, std::uint64_t now_us);
    /// Begins the answer to a question, or says that there is no room for it.
    void Begin(const Query& query, const SaRequest& request, std::uint64_t now_us,
               SaBudget& budget);
    /// Goes on with all of them in turn, another one first each time.
    void Advance(std::uint64_t now_us, SaBudget& budget);
    /// Looks for segments that were not acknowledged in time.
    void Expire(std::uint64_t now_us);
    /// Forgets all of them.
    void Clear();

    [[nodiscard]] std::size_t size() const { return active_; }
    /// When Expire() or Advance() has work again, if nothing arrives; kNever: it has none.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return next_deadline_us_; }

private:
    [[nodiscard]] bool IsInNameOf(const MadHeader& header, const Transfer& transfer) const;
    void AdvanceRow(std::size_t row, std::uint64_t now_us, SaBudget& budget);
    void AdvanceSingle(std::size_t row, SaBudget& budget);
    void AdvanceTable(std::size_t row, std::uint64_t now_us, SaBudget& budget);
    [[nodiscard]] bool SendSegment(std::size_t row, std::uint64_t now_us, SaBudget& budget);
    void Obey(std::size_t row, RmppEvent event);
    void Release(std::size_t row);
    [[nodiscard]] std::size_t FindTalk(const SaTalk& talk) const;
    [[nodiscard]] std::size_t FindFree(SourceIndex source, std::uint64_t now_us);
    [[nodiscard]] bool HasShare(const SaSource& source) const;
    template <typename IsMeant>
    [[nodiscard]] std::size_t Quietest(std::uint64_t now_us, IsMeant is_meant);

    std::span<Transfer> transfers_;
    std::span<Line> lines_;
    MadPort& port_;
    Log& log_;
    const AdministrationView& view_;
    const RecordIndex& records_;
    SourceTable& sources_;
    SaReplies& replies_;
    SaStatistics& statistics_;
    std::size_t active_ = 0;
    std::size_t turn_ = 0;  ///< The one that goes first in the next step.
    std::uint64_t next_deadline_us_ = kNever;
};

}  // namespace ember
