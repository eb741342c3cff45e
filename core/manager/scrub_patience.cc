// SPDX-License-Identifier: Apache-2.0
// EmberSM: how often a sweep may follow a difference that the scrub has found at a node.

#include "core/manager/scrub_patience.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

bool ScrubPatience::Grants(Guid node, bool is_switch, std::uint64_t now_us) {
    EMBER_ASSERT(node != kNoGuid);
    std::uint64_t& all_next_us = next_us_[is_switch ? 1 : 0];
    Row& row = RowOf(node, now_us);
    row.heard_us = now_us;
    if (now_us < std::max(row.next_us, all_next_us)) return false;
    const std::uint64_t wait_us = std::max(row.wait_us, kPaceUs);
    row.next_us = now_us + wait_us;
    row.wait_us = std::min(wait_us * 2, kMostUs);
    EMBER_ASSERT(wait_us <= kMostUs);
    all_next_us = now_us + kPaceUs;
    return true;
}

ScrubPatience::Row& ScrubPatience::RowOf(Guid node, std::uint64_t now_us) {
    EMBER_ASSERT(node != kNoGuid);
    const auto refresh = [now_us](Row& row) {
        if (now_us >= row.heard_us + kMostUs) row = Row{};
    };
    refresh(others_);
    Row* free = &others_;
    for (Row& row : rows_) {
        refresh(row);
        if (row.node == node) return row;
        if (row.node == kNoGuid) free = &row;
    }
    if (free != &others_) free->node = node;
    return *free;
}

}  // namespace ember
