// SPDX-License-Identifier: Apache-2.0
// EmberSM: marks what must be planned again after a PortInfo was read, and what must be read.
#pragma once

#include "core/fabric/fabric.h"

namespace ember {

/// True when two PortInfos have the same capabilities: both ends of a link are set by those.
[[nodiscard]] inline bool CanTheSame(const PortInfo& one, const PortInfo& other) {
    const auto same = [&](const auto& field) { return one.Get(field) == other.Get(field); };
    return same(PortInfo::kMtuCap) && same(PortInfo::kVlCap) && same(PortInfo::kCapabilityMask) &&
           same(PortInfo::kLinkWidthSupported) && same(PortInfo::kLinkSpeedSupported) &&
           same(PortInfo::kLinkSpeedExtSupported);
}

/// Notes that a node has told of a change at this port: its PortInfo is read by the next sweep that
/// comes by.
inline void NoteStale(Port& port) {
    port.seen = 0;
}
/// What was read of the port may not hold any more.
[[nodiscard]] inline bool IsStale(const Port& port) {
    return port.seen == 0 && port.has_info;
}

/// Notes that `info` was read of the port `at`, whose row still has the PortInfo before: the port
/// and its peer get new plans, and LIDs are assigned anew if the port reports others than its row
/// has.
inline void NotePortNews(Fabric& fabric, PortIndex at, const PortInfo& info) {
    const Port& port = fabric.port(at);
    fabric.Touch(at);
    if (!IsEndPort(fabric, port)) return;
    const bool alike = port.has_info && info.Get(PortInfo::kLid) == port.lid &&
                       info.Get(PortInfo::kLmc) == port.lmc;
    if (!alike) fabric.NoteEndPortNews();
    // Port 0 of a switch has the capabilities of all its ports.
    if (fabric.node(port.node).type != NodeType::kSwitch) return;
    for (const Port& sibling : fabric.PortsOf(port.node)) {
        fabric.Touch(fabric.IndexOf(sibling));
    }
}

}  // namespace ember
