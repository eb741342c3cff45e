// SPDX-License-Identifier: Apache-2.0
// EmberSM: how often it is believed of a node that it is not as it was.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"

namespace ember {

/// Says whether a sweep may follow what was read of a node. A sweep that was for nothing costs
/// others something, and a node may say now this, now that.
///
/// What a node says is believed at once, then after 10 s, 20 s, and so on up to 640 s; what hosts
/// say together, and what switches do, every 10 s at most. Who has said nothing else for 640 s is
/// believed as at first. Of 16 nodes that is remembered one by one; all others have one patience
/// together.
class ScrubPatience {
public:
    ScrubPatience() = default;
    ScrubPatience(const ScrubPatience&) = delete;
    ScrubPatience& operator=(const ScrubPatience&) = delete;

    /// Between two sweeps, at the least, and for one node at the most.
    static constexpr std::uint64_t kPaceUs = 10'000'000;
    static constexpr std::uint64_t kMostUs = 64 * kPaceUs;

    /// Something differed at the node `who`. True, and counted, when a sweep may follow.
    [[nodiscard]] bool Grants(Guid who, bool is_switch, std::uint64_t now_us);

private:
    struct Row {
        Guid who = kNoGuid;          ///< kNoGuid: nobody, or all those without a row.
        std::uint64_t next_us = 0;   ///< No sweep before.
        std::uint64_t wait_us = 0;   ///< Between two, the next time; 0: as at first.
        std::uint64_t heard_us = 0;  ///< When something differed last.
    };
    [[nodiscard]] Row& RowOf(Guid who, std::uint64_t now_us);

    std::array<std::uint64_t, 2> next_us_{};  ///< Of hosts, and of switches: no sweep before.
    std::array<Row, 16> rows_{};
    Row crowd_;
};

}  // namespace ember
