// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet administrator: questions come in, records go out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query/query.h"
#include "core/administration/query/record_index.h"
#include "core/administration/transactions/receptions.h"
#include "core/administration/transactions/replies.h"
#include "core/administration/transactions/request.h"
#include "core/administration/transactions/sources.h"
#include "core/administration/transactions/statistics.h"
#include "core/administration/transactions/transfer.h"
#include "core/administration/transactions/transfers.h"
#include "core/base/limits.h"
#include "core/base/ring.h"
#include "core/base/time.h"
#include "core/log/log.h"
#include "core/platform.h"

namespace ember {

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
    struct Memory {
        std::span<SaRequest> requests;
        SaTransfers::Memory transfers;
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

    /// Does a slice of what is due. True when there is more to do at once.
    bool Step(std::uint64_t now_us);

    /// When Step() has work again, if nothing arrives; kNever: it has none.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const {
        return std::min(transfers_.NextDeadlineUs(), reply_due_us_);
    }

    [[nodiscard]] const SaStatistics& statistics() const { return statistics_; }
    [[nodiscard]] std::span<const SaSource> sources() const { return sources_.rows(); }
    [[nodiscard]] std::size_t transfers() const { return transfers_.size(); }
    [[nodiscard]] std::size_t waiting() const { return requests_.size(); }

private:
    // The questions that come, and whose turn it is.
    [[nodiscard]] bool Meet(const Envelope& envelope, std::uint64_t now_us, SourceIndex& source);
    [[nodiscard]] bool Admit(const Envelope& envelope, std::uint64_t now_us, SourceIndex& source);
    [[nodiscard]] bool HasPKey(const Envelope& envelope, PortIndex requester, std::uint64_t now_us);
    void RefuseVersion(const Envelope& envelope, std::uint64_t now_us);
    void Enqueue(const Envelope& envelope, SourceIndex source, std::uint64_t now_us);
    [[nodiscard]] SaRequest PopRequest();
    [[nodiscard]] bool MayAnswer() const;
    [[nodiscard]] bool IsStale(std::uint64_t arrived_us, std::uint64_t now_us) const;
    void AnswerSome(std::uint64_t now_us);
    void AnswerSegmented(std::uint64_t now_us);

    // From a question to its answer.
    void Respond(const SaRequest& request, std::span<const std::uint8_t> record,
                 std::uint64_t now_us);
    void Change(const Query& query, RecordSource& source, const SaRequest& request,
                std::uint64_t now_us);
    void FindOne(const Query& query, RecordSource& source, const SaRequest& request,
                 std::uint64_t now_us);

    Ring<SaRequest> requests_;
    SourceTable sources_;
    Log& log_;
    const AdministrationView& view_;
    const RecordIndex& records_;

    SaStatistics statistics_;
    SaReplies replies_;
    SaReceptions receptions_;
    SaTransfers transfers_;
    bool serves_ = false;
    SaBudget budget_;                      ///< Of the present step.
    std::uint64_t reply_due_us_ = kNever;  ///< When a reply that waits for the port is tried again.
    Transfer scratch_;                     ///< For questions that are answered in one go.
};

}  // namespace ember
