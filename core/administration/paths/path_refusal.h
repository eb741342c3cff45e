// SPDX-License-Identifier: Apache-2.0
// EmberSM: why there is no path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ember {

/// Why no path between two LIDs fulfils a question. To subnet administration all of them are an
/// answer without records: this says which rule it was, for people.
enum class PathRefusal : std::uint8_t {
    kNone,      ///< There is one.
    kUnrouted,  ///< The forwarding tables do not lead there.
    kMtu,
    kRate,
    kLifeTime,
    kPKeyNotShared,   ///< The ends do not share the P_Key asked for.
    kPKeyNotOfLevel,  ///< The level lists others.
    kNoPartition,     ///< No partition is shared, or none that the level lists.
    kSlNotOfLevel,    ///< The SL asked for is not that of the level, or of rtr_pr_sl.
    kSlDropped,       ///< A SL to VL table drops its packets.
    kSlNotOfRouting,  ///< The routing has another SL than the one asked for.
    kNotReversible,   ///< And the question wants one that is.
};

/// By PathRefusal: the end of "no path: ".
inline constexpr std::array<std::string_view, 12> kPathRefusalWords{
    "there is one",
    "the forwarding tables do not lead there",
    "the MTU asked for cannot be had",
    "the rate asked for cannot be had",
    "the packet life-time asked for cannot be had",
    "they do not share the partition asked for",
    "the QoS level does not list the P_Key asked for",
    "they share no partition that may be used",
    "the QoS level, or rtr_pr_sl, has another service level than the one asked for",
    "a table of SL to VL drops packets of this service level",
    "the routing has another service level than the one asked for",
    "the way back differs, and one that can be reversed is asked for"};
static_assert(kPathRefusalWords.size() ==
              static_cast<std::size_t>(PathRefusal::kNotReversible) + 1);

}  // namespace ember
