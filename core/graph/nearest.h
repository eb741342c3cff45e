// SPDX-License-Identifier: Apache-2.0
// EmberSM: the nearest of some switches, but for few that are nearer than their level is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/graph/hops.h"

namespace ember {

/// Links to the nearest of `ends`, of those that are an even number of links away or of those that
/// are an odd one, whichever weigh more together; of all, where both weigh as much. kNoHops: none
/// is reached. `hops`: from the switch to every other; `weight(end)`: what one counts.
///
/// In a tree all leaf switches are an even, or all an odd, number of links away from an upper one,
/// and so are all roots from a lower one, but for what a stray cable or an edge switch on a core
/// brings nearer.
template <typename Weight>
[[nodiscard]] std::uint8_t NearestByParity(std::span<const std::uint8_t> hops,
                                           std::span<const SwitchIndex> ends, Weight weight) {
    std::array<std::size_t, 2> weights{};
    std::array<std::uint8_t, 2> nearest{kNoHops, kNoHops};
    for (const SwitchIndex end : ends) {
        const std::uint8_t links = hops[Raw(end)];
        if (links == kNoHops) continue;
        weights[links % 2] += weight(end);
        nearest[links % 2] = std::min(nearest[links % 2], links);
    }
    if (weights[0] == weights[1]) return std::min(nearest[0], nearest[1]);
    return nearest[weights[1] > weights[0] ? 1 : 0];
}

}  // namespace ember
