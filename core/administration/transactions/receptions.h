// SPDX-License-Identifier: Apache-2.0
// EmberSM: questions that come in several segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/transactions/replies.h"
#include "core/administration/transactions/request.h"
#include "core/administration/transactions/statistics.h"
#include "core/administration/transactions/transfer.h"
#include "core/exchange/rmpp_receiver.h"

namespace ember {

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

/// Puts questions together that come by RMPP, and keeps those of several segments until they are
/// answered. A question is forgotten after four seconds without a segment.
class SaReceptions {
public:
    SaReceptions(std::span<SaReception> rows, SaReplies& replies, SaStatistics& statistics)
        : rows_(rows), replies_(replies), statistics_(statistics) {}
    SaReceptions(const SaReceptions&) = delete;
    SaReceptions& operator=(const SaReceptions&) = delete;

    /// Takes a segment. Not nullptr: the datagram of a question that is whole with it and fits one
    /// segment; a longer one waits() here.
    [[nodiscard]] const SaReception* Take(const Envelope& envelope, SourceIndex source,
                                          std::uint64_t now_us);
    /// Questions of several segments that are whole.
    [[nodiscard]] std::size_t waits() const { return whole_; }
    /// The next of these, whose place is free from the next Take() on; nullptr: there is none.
    [[nodiscard]] const SaReception* Next();
    /// Forgets all of them.
    void Clear();

private:
    [[nodiscard]] SaReception* PlaceFor(const Envelope& envelope, std::uint64_t now_us);

    std::span<SaReception> rows_;
    SaReplies& replies_;
    SaStatistics& statistics_;
    std::size_t whole_ = 0;
};

}  // namespace ember
