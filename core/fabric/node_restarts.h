// SPDX-License-Identifier: Apache-2.0
// EmberSM: how often nodes were lost with all of their links at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// Nodes that were restarted lately. The one that was quiet for longest gives its row to a new one.
class NodeRestarts {
public:
    static constexpr std::size_t kRows = 16;
    static constexpr std::size_t kMostCounted = 16;

    /// The node was restarted. The number of times that this was so since `since_us`.
    std::uint32_t Count(Guid node, std::uint64_t since_us, std::uint64_t now_us) {
        EMBER_ASSERT(node != kNoGuid);
        Row* row = std::find_if(rows_.begin(), rows_.end(),
                                [node](const Row& one) { return one.node == node; });
        if (row == rows_.end()) {
            row = std::min_element(rows_.begin(), rows_.end(), [](const Row& one, const Row& two) {
                return one.last_us < two.last_us;
            });
            *row = Row{.node = node};
        }
        row->last_us = now_us;
        row->at_us[row->events++ % kMostCounted] = now_us;
        const std::size_t known = std::min<std::size_t>(row->events, kMostCounted);
        return static_cast<std::uint32_t>(std::count_if(
            row->at_us.begin(), row->at_us.begin() + static_cast<std::ptrdiff_t>(known),
            [since_us](std::uint64_t at_us) { return at_us >= since_us; }));
    }

private:
    struct Row {
        Guid node = kNoGuid;  ///< kNoGuid: the row is free.
        std::uint32_t events = 0;
        std::uint64_t last_us = 0;
        std::array<std::uint64_t, kMostCounted> at_us{};  ///< In a ring.
    };
    std::array<Row, kRows> rows_{};
};

}  // namespace ember
