// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet administrator: questions come in, records go out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query/query.h"
#include "core/administration/query/record_index.h"
#include "core/administration/transactions/request.h"
#include "core/administration/transactions/sources.h"
#include "core/administration/transactions/transfer.h"
#include "core/base/limits.h"
#include "core/base/ring.h"
#include "core/base/time.h"
#include "core/exchange/rmpp_receiver.h"
#include "core/log/log.h"
#include "core/platform.h"

namespace ember {

/// Counters of the subnet administrator since start.
struct SaStatistics {
    std::uint64_t questions = 0;        ///< Datagrams that ask something, whatever became of them.
    std::uint64_t answers = 0;          ///< Datagrams of one record, or of a status.
    std::uint64_t tables = 0;           ///< Answers in segments that were told to the end.
    std::uint64_t segments = 0;         ///< Of these, segments, sent again or not.
    std::uint64_t refused = 0;          ///< Of the answers, those with a status, busy apart.
    std::uint64_t denied = 0;           ///< Of these, changes of what is another port's.
    std::uint64_t busy = 0;             ///< Of the answers, those that say: ask again.
    std::uint64_t duplicates = 0;       ///< Questions that are being answered already.
    std::uint64_t stale = 0;            ///< Waited longer than max_msg_fifo_timeout; dropped.
    std::uint64_t wrong_keys = 0;       ///< SM_Key neither 0 nor sa_key; dropped.
    std::uint64_t wrong_p_keys = 0;     ///< With a P_Key that lets us not communicate; dropped.
    std::uint64_t strangers = 0;        ///< From a LID that no port has; dropped.
    std::uint64_t unknown = 0;          ///< Attribute that no source serves; dropped.
    std::uint64_t malformed = 0;        ///< Of another version of the class; told so, not answered.
    std::uint64_t closed = 0;           ///< Came while this SM does not serve; dropped.
    std::uint64_t turned_away = 0;      ///< Beyond the rate or the share of their source.
    std::uint64_t transfers_ended = 0;  ///< Answers not told to the end: the receiver stopped
                                        ///< or asked something else in the same name,
    std::uint64_t transfers_lost = 0;   ///< ... fell silent or broke the protocol,
    std::uint64_t transfers_torn = 0;   ///< ... or missed a segment that is different by now.
    std::uint64_t port_busy = 0;        ///< Times that the port took no more.
};

/// A question that comes in several segments. Rows of the board's storage.
struct SaReception {
    SaTalk talk{};
    SourceIndex source = kNoSource;
    bool is_whole = false;  ///< The question waits to be answered.
    std::uint64_t heard_us = 0;
    RmppReceiver receiver{};
    Envelope first{};  ///< The datagram of the first segment.
    std::size_t octets = 0;
    SaRequestOctets question{};
};

/// The subnet administrator.
///
/// Take() hears datagrams of class SubnAdm. Step() answers some of the questions and goes on with
/// tables under way; it takes a millisecond at most. The administration reads the tables of the
/// subnet manager, and is stepped during sweeps and routings too. Its memory is fixed: questions
/// wait in a ring, tables are told from rows of Transfer; when either is full the answer is BUSY.
///
/// The requester must be an end port of this subnet. A question with SM_Key 0 is an ordinary one,
/// with sa_key a trusted one; with any other SM_Key it is not answered. A question for an attribute
/// that no source serves is not answered, as by OpenSM.
class Administration {
public:
    /// Rows that are looked at for one question before others have their turn.
    static constexpr std::uint32_t kRowsAtOnce = 20'000;

    /// The part of a row of Transfer that each step looks at.
    struct Line {
        SaTalk talk{};
        bool is_single = false;  ///< A record that is looked for, not a table.
    };
    struct Memory {
        std::span<SaRequest> requests;
        std::span<Transfer> transfers;
        std::span<Line> lines;  ///< As many as transfers.
        std::span<SaReception> receptions;
        std::span<SaSource> sources;
    };
    /// All outlive the administration.
    struct Parts {
        MadPort& port;
        Log& log;
        const AdministrationView& view;
        const RecordIndex& records;
    };

    Administration(const Memory& memory, const Parts& parts);
    Administration(const Administration&) = delete;
    Administration& operator=(const Administration&) = delete;

    /// Rows of receptions for these limits.
    [[nodiscard]] static constexpr std::size_t ReceptionsFor(const Limits& limits) {
        return limits.max_sa_transfers / 4U + 1U;
    }

    /// True from the end of the first sweep as master on. False: what is under way is forgotten.
    void Serve(bool serves);
    [[nodiscard]] bool serves() const { return serves_; }

    /// A datagram of class SubnAdm from queue pair 1. False: it neither asks nor belongs to an
    /// answer under way (it is a report, a trap or an answer), and may be for another part of the
    /// manager.
    bool Take(const Envelope& envelope, std::uint64_t now_us);

    /// The answer to `request` with an empty record and status 0, not yet sent.
    [[nodiscard]] static Envelope ReplyOf(const Envelope& request, const RmppHeader& rmpp);

    /// Does a slice of what is due. True when there is more to do at once.
    bool Step(std::uint64_t now_us);

    /// When Step() has work again, if nothing arrives; kNever: it has none.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return next_deadline_us_; }

    [[nodiscard]] const SaStatistics& statistics() const { return statistics_; }
    [[nodiscard]] std::span<const SaSource> sources() const { return sources_.rows(); }
    [[nodiscard]] std::size_t transfers() const { return active_; }
    [[nodiscard]] std::size_t waiting() const { return requests_.size(); }

private:
    // administration.cc: what comes in, and whose turn it is.
    [[nodiscard]] bool IsBeingAnswered(const Envelope& envelope, std::uint64_t now_us);
    void TakeConversation(const Envelope& envelope, std::uint64_t now_us);
    [[nodiscard]] bool IsInNameOf(const MadHeader& header, const Transfer& transfer) const;
    [[nodiscard]] bool Meet(const Envelope& envelope, std::uint64_t now_us, SourceIndex& source);
    [[nodiscard]] bool Admit(const Envelope& envelope, std::uint64_t now_us, SourceIndex& source);
    [[nodiscard]] bool HasPKey(const Envelope& envelope, PortIndex requester, std::uint64_t now_us);
    void Enqueue(const Envelope& envelope, SourceIndex source, std::uint64_t now_us);
    [[nodiscard]] SaRequest PopRequest();
    void TakeSegment(const Envelope& envelope, SourceIndex source, std::uint64_t now_us);
    [[nodiscard]] SaReception* ReceptionFor(const Envelope& envelope, std::uint64_t now_us);
    void EndReception(SaReception& reception, std::uint64_t now_us);
    [[nodiscard]] bool MayAnswer() const;
    [[nodiscard]] bool IsStale(std::uint64_t arrived_us, std::uint64_t now_us) const;
    void AnswerSome(std::uint64_t now_us);
    void AnswerSegmented(std::uint64_t now_us);
    void AdvanceTransfers(std::uint64_t now_us);
    void LookAtClock(std::uint64_t now_us);

    // answers.cc: from a question to an answer.
    void Respond(const SaRequest& request, std::span<const std::uint8_t> record,
                 std::uint64_t now_us);
    void Change(const Query& query, RecordSource& source, const SaRequest& request,
                std::uint64_t now_us);
    void FindOne(const Query& query, RecordSource& source, const SaRequest& request,
                 std::uint64_t now_us);
    void BeginTransfer(const Query& query, const SaRequest& request, std::uint64_t now_us);
    void RefuseVersion(const Envelope& envelope, std::uint64_t now_us);
    void ReplyOnly(Transfer& transfer, Found found);
    void ReplyStatus(const Envelope& request, SaStatus status);
    void ReplyRecord(const Envelope& request, std::span<const std::uint8_t> record);
    void Transmit(const Envelope& envelope);

    // transfers.cc: answers under way.
    void Advance(std::size_t row, std::uint64_t now_us);
    void AdvanceSingle(std::size_t row);
    void AdvanceTable(std::size_t row, std::uint64_t now_us);
    [[nodiscard]] bool SendSegment(std::size_t row, std::uint64_t now_us);
    void Obey(std::size_t row, RmppEvent event);
    void ReplyEnd(const Envelope& request, RmppStatus status);
    void Release(std::size_t row);
    [[nodiscard]] std::size_t FindTalk(const SaTalk& talk) const;
    [[nodiscard]] std::size_t FindFree(SourceIndex source, std::uint64_t now_us);
    [[nodiscard]] bool HasShare(const SaSource& source) const;
    template <typename IsMeant>
    [[nodiscard]] std::size_t Quietest(std::uint64_t now_us, IsMeant is_meant);
    void Spend(std::uint32_t rows) { budget_ -= std::min(budget_, rows); }

    Ring<SaRequest> requests_;
    std::span<Transfer> transfers_;
    std::span<Line> lines_;
    std::span<SaReception> receptions_;
    SourceTable sources_;
    MadPort& port_;
    Log& log_;
    const AdministrationView& view_;
    const RecordIndex& records_;

    bool serves_ = false;
    std::size_t whole_ = 0;     ///< Receptions that wait to be answered.
    bool more_ = false;         ///< This step leaves something undone that could be done.
    bool holds_reply_ = false;  ///< The port was full: reply_ goes first.
    std::uint32_t budget_ = 0;  ///< Of this step, in rows looked at.
    std::size_t active_ = 0;    ///< Transfers under way.
    std::size_t turn_ = 0;      ///< The transfer that goes first in the next step.
    std::uint64_t next_deadline_us_ = kNever;
    Envelope reply_{};
    Transfer scratch_;  ///< For questions that are answered in one go.
    SaStatistics statistics_;
};

}  // namespace ember
