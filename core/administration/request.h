// SPDX-License-Identifier: Apache-2.0
// EmberSM: whoever asks the subnet administrator, and what is kept of a question.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/platform.h"
#include "core/wire/sa_mad.h"

namespace ember {

/// Row of the table of sources; kNoSource: the one that all share who found no place.
enum class SourceIndex : std::uint16_t {};
inline constexpr SourceIndex kNoSource{0xFFFF};

/// Where a question came from, and the answer goes.
struct SaPeer {
    Lid lid = kNoLid;
    std::uint8_t service_level = 0;
    std::uint32_t queue_pair = 0;
    [[nodiscard]] bool operator==(const SaPeer&) const = default;
};

/// A conversation is known by these.
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
[[nodiscard]] inline SaPeer PeerOf(const Envelope& envelope) {
    return {.lid = envelope.peer,
            .service_level = envelope.service_level,
            .queue_pair = envelope.remote_queue_pair};
}

/// A question that waits to be looked at. Rows of the board's storage, Limits::max_sa_requests.
struct SaRequest {
    Envelope envelope{};
    std::uint64_t arrived_us = 0;
    SourceIndex source = kNoSource;
};

}  // namespace ember
