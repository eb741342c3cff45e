// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches behind a port that was an end node's.
#pragma once

#include <cstddef>

#include "core/fabric/fabric.h"

namespace ember {

/// Calls `visit(PortIndex)` for `door` and then for each door on the path to it, from the far end
/// on, until `visit` returns false. A door is a port of a switch, or our own, and leads to the
/// nodes behind it.
template <typename Visit>
void ForEachDoorTo(const Fabric& fabric, PortIndex door, Visit visit) {
    // Directed routes have at most 63 hops. During a sweep, parts of old paths may form a loop.
    constexpr std::size_t kMostHops = 64;
    static_assert(kMostHops > kMaxHops);
    for (std::size_t hops = 0; hops < kMostHops && door != kNoPortIndex; ++hops) {
        if (!visit(door)) return;
        const NodeIndex owner = fabric.port(door).node;
        door = owner == kNoNode ? kNoPortIndex : fabric.node(owner).entry;
    }
}

/// The door on the path to `door`, itself included, that had an end node behind it and is nearest
/// to the SM; kNoPortIndex: none had.
[[nodiscard]] inline PortIndex DoubtfulDoorTo(const Fabric& fabric, PortIndex door) {
    PortIndex doubtful = kNoPortIndex;
    ForEachDoorTo(fabric, door, [&](PortIndex at) {
        if (fabric.port(at).was_end_nodes) doubtful = at;
        return true;
    });
    return doubtful;
}

/// True when the path to the switch of `door` leads through a port that was an end node's.
[[nodiscard]] inline bool LiesBehindEndNode(const Fabric& fabric, PortIndex door) {
    const NodeIndex owner = fabric.port(door).node;
    return owner != kNoNode && DoubtfulDoorTo(fabric, fabric.node(owner).entry) != kNoPortIndex;
}

/// True for a switch whose path leads through a port that was an end node's: a host may play it. It
/// counts as a host until another link or a restart shows that it is a switch.
[[nodiscard]] inline bool IsGuest(const Fabric& fabric, const Node& node) {
    return node.type == NodeType::kSwitch && DoubtfulDoorTo(fabric, node.entry) != kNoPortIndex;
}

}  // namespace ember
