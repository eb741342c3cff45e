// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches behind a port that was an end node's.
#pragma once

#include <cstddef>

#include "core/fabric/fabric.h"

namespace ember {

/// Calls `visit(PortIndex)` for `exit` and then for each exit on the path to it, from the far end
/// on, until `visit` returns false. An exit is a port of a switch, or our own port, that leads to
/// the nodes behind it.
template <typename Visit>
void ForEachExitOn(const Fabric& fabric, PortIndex exit, Visit visit) {
    // Directed routes have at most 63 hops. During a sweep, parts of old paths may form a loop.
    constexpr std::size_t kMostHops = 64;
    static_assert(kMostHops > kMaxHops);
    for (std::size_t hops = 0; hops < kMostHops && exit != kNoPortIndex; ++hops) {
        if (!visit(exit)) return;
        const NodeIndex owner = fabric.port(exit).node;
        exit = owner == kNoNode ? kNoPortIndex : fabric.node(owner).entry;
    }
}

/// The exit on the path to `exit`, itself included, that had an end node behind it and is nearest
/// to the SM; kNoPortIndex: none had.
[[nodiscard]] inline PortIndex FormerEndNodePortOn(const Fabric& fabric, PortIndex exit) {
    PortIndex suspect = kNoPortIndex;
    ForEachExitOn(fabric, exit, [&](PortIndex at) {
        if (fabric.port(at).had_end_node) suspect = at;
        return true;
    });
    return suspect;
}

/// True when the path to the switch of `exit` leads through a port that was an end node's.
[[nodiscard]] inline bool LiesBehindEndNode(const Fabric& fabric, PortIndex exit) {
    const NodeIndex owner = fabric.port(exit).node;
    return owner != kNoNode &&
           FormerEndNodePortOn(fabric, fabric.node(owner).entry) != kNoPortIndex;
}

/// True for a switch whose path leads through a port that was an end node's: a host may play it.
/// The switch counts as a host until another link or a restart shows that it is one.
[[nodiscard]] inline bool IsUntrustedSwitch(const Fabric& fabric, const Node& node) {
    return node.type == NodeType::kSwitch &&
           FormerEndNodePortOn(fabric, node.entry) != kNoPortIndex;
}

[[nodiscard]] inline bool IsSwitchPort(const Fabric& fabric, PortIndex at) {
    return fabric.node(fabric.port(at).node).type == NodeType::kSwitch;
}

/// True for a port of a trusted switch: no host can be playing it.
[[nodiscard]] inline bool IsTrustedPort(const Fabric& fabric, PortIndex at) {
    return IsSwitchPort(fabric, at) &&
           !IsUntrustedSwitch(fabric, fabric.node(fabric.port(at).node));
}

}  // namespace ember
