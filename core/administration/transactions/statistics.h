// SPDX-License-Identifier: Apache-2.0
// EmberSM: counters of the subnet administrator.
#pragma once

#include <cstdint>

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

}  // namespace ember
