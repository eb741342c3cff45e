// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is behind a port that was an end node's.
#pragma once

#include <cstddef>

#include "core/fabric/fabric.h"

namespace ember {

/// Calls `visit(PortIndex)` for each door on the way to `door`, itself first, until it says false.
/// A door is a port of a switch, or our own, with what is behind it.
template <typename Visit>
void ForEachDoorTo(const Fabric& fabric, PortIndex door, Visit visit) {
    // Directed routes are no longer; while a sweep runs, what is left of old ways may be a circle.
    constexpr std::size_t kMostHops = 64;
    for (std::size_t hops = 0; hops < kMostHops && door != kNoPortIndex; ++hops) {
        if (!visit(door)) return;
        const NodeIndex owner = fabric.port(door).node;
        door = owner == kNoNode ? kNoPortIndex : fabric.node(owner).entry;
    }
}

/// The door on the way to `door`, itself included, that was an end node's and is nearest to us;
/// kNoPortIndex: none was.
[[nodiscard]] inline PortIndex DoubtfulDoorTo(const Fabric& fabric, PortIndex door) {
    PortIndex doubtful = kNoPortIndex;
    ForEachDoorTo(fabric, door, [&](PortIndex at) {
        if (fabric.port(at).was_end_nodes) doubtful = at;
        return true;
    });
    return doubtful;
}

/// True when the way to the switch of `door` leads through a port that was an end node's.
[[nodiscard]] inline bool LiesBehindEndNode(const Fabric& fabric, PortIndex door) {
    const NodeIndex owner = fabric.port(door).node;
    return owner != kNoNode && DoubtfulDoorTo(fabric, fabric.node(owner).entry) != kNoPortIndex;
}

/// True for a switch that the way leads to through a port that was an end node's: a host may play
/// it. Until another cable or a restart shows that it is one, it counts for as much as a host.
[[nodiscard]] inline bool IsGuest(const Fabric& fabric, const Node& node) {
    return node.type == NodeType::kSwitch && DoubtfulDoorTo(fabric, node.entry) != kNoPortIndex;
}

}  // namespace ember
