// SPDX-License-Identifier: Apache-2.0
// EmberSM: how often a sweep may follow a difference that the scrub has found at a node.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"

namespace ember {

/// Says whether a sweep may follow a difference at a node. A needless sweep costs all nodes, and
/// the answers of a hostile node may change each time.
///
/// A sweep may follow the first difference at a node at once, the next after 10 s, 20 s, and so on
/// up to 640 s. Differences at all hosts together get a sweep every 10 s at most, and those at all
/// switches too. A node without a difference for 640 s starts again. 16 nodes have a row each; all
/// others share one row.
class ScrubPatience {
public:
    ScrubPatience() = default;
    ScrubPatience(const ScrubPatience&) = delete;
    ScrubPatience& operator=(const ScrubPatience&) = delete;

    /// The least time between two sweeps, and the most for one node.
    static constexpr std::uint64_t kPaceUs = 10'000'000;
    static constexpr std::uint64_t kMostUs = 64 * kPaceUs;

    /// The scrub has found a difference at `node`. True, and counted, when a sweep may follow.
    [[nodiscard]] bool Grants(Guid node, bool is_switch, std::uint64_t now_us);

private:
    struct Row {
        Guid node = kNoGuid;         ///< kNoGuid: the row is free, or it is others_.
        std::uint64_t next_us = 0;   ///< No sweep before.
        std::uint64_t wait_us = 0;   ///< Until the sweep after the next; 0: none has followed.
        std::uint64_t heard_us = 0;  ///< Time of the last difference.
    };
    [[nodiscard]] Row& RowOf(Guid node, std::uint64_t now_us);

    std::array<std::uint64_t, 2> next_us_{};  ///< Of hosts, and of switches: no sweep before.
    std::array<Row, 16> rows_{};
    Row others_;  ///< Of nodes without a row.
};

}  // namespace ember
