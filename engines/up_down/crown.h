// SPDX-License-Identifier: Apache-2.0
// EmberSM: an order of switches in which each connected part has one above all others.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/fabric/guid_order.h"
#include "core/graph/topology.h"

namespace ember {

/// The most that Crown() takes from its arena, and gives back.
[[nodiscard]] constexpr std::size_t CrownScratchBytes(const Limits& limits) {
    return 3 * Arena::BytesFor<std::uint16_t>(limits.max_switches) +
           2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
           Arena::BytesFor<std::uint64_t>(limits.max_switches) +
           SortScratchBytes<SwitchIndex>(limits.max_switches);
}

/// Reorders `from_top`, all switches of `topology` from the top to the bottom, such that in each
/// island (connected part) every switch but the first has a neighbor above it. Then a path that
/// goes up as long as possible ends at the first switch, from which all others are reached by going
/// down. So up/down routing in this order loses no pair, and as it is an order, no credit loop is
/// possible.
///
/// A switch without a neighbor above it is a top. An only top of an island stays the first. Else
/// the switch in the middle between two of them becomes it, and from every top one shortest path
/// leads to it, along the tree of a breadth-first search, so these paths soon meet. The switches on
/// them are raised above all others, the nearer to the first the higher. All others keep their
/// order. In a tree whose parts have lost each other, mostly a leaf and the switches above it in
/// its pod are raised: as all of them are below the leaf, it loses none of its links upwards, and
/// pairs that had a path without it are routed as before.
void Crown(const Topology& topology, std::span<SwitchIndex> from_top, Arena& scratch);

}  // namespace ember
