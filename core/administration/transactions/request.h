// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is kept of a question to the subnet administrator while it waits.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/platform.h"
#include "core/wire/sa_mad.h"

namespace ember {

/// Row of the table of sources. kNoSource: the row shared by all sources that have none.
enum class SourceIndex : std::uint16_t {};
inline constexpr SourceIndex kNoSource{0xFFFF};

/// The name of a conversation.
struct SaTalk {
    std::uint64_t transaction_id = 0;
    std::uint32_t queue_pair = 0;
    Lid lid = kNoLid;  ///< kNoLid: no conversation.
    [[nodiscard]] bool operator==(const SaTalk&) const = default;
};

[[nodiscard]] inline SaTalk TalkOf(const Envelope& envelope) {
    return {.transaction_id = Raw(TransactionId{envelope.mad.header.transaction_id}),
            .queue_pair = envelope.remote_queue_pair,
            .lid = envelope.peer};
}

/// A question that waits. Rows of the board's storage, Limits::max_sa_requests.
struct SaRequest {
    Envelope envelope{};
    std::uint64_t arrived_us = 0;
    SourceIndex source = kNoSource;
};

}  // namespace ember
