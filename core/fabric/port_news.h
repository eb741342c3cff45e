// SPDX-License-Identifier: Apache-2.0
// EmberSM: what follows from a PortInfo that was read.
#pragma once

#include "core/fabric/fabric.h"

namespace ember {

/// Whether both say the same of what the port can; both ends of its link are set by that.
[[nodiscard]] inline bool CanTheSame(const PortInfo& one, const PortInfo& other) {
    const auto same = [&](const auto& field) { return one.Get(field) == other.Get(field); };
    return same(PortInfo::kMtuCap) && same(PortInfo::kVlCap) && same(PortInfo::kCapabilityMask) &&
           same(PortInfo::kLinkWidthSupported) && same(PortInfo::kLinkSpeedSupported) &&
           same(PortInfo::kLinkSpeedExtSupported);
}

/// `info` was read of the port `at`, whose row has what was known before: its plan and that of its
/// neighbor are looked at anew, and LIDs are given anew if it says others than it shall.
inline void NotePortNews(Fabric& fabric, PortIndex at, const PortInfo& info) {
    const Port& port = fabric.port(at);
    fabric.Touch(at);
    if (!IsEndPort(fabric, port)) return;
    const bool alike = port.has_info && info.Get(PortInfo::kLid) == port.lid &&
                       info.Get(PortInfo::kLmc) == port.lmc;
    if (!alike) fabric.NoteEndPortNews();
    // A switch tells at port 0 what all its ports can.
    if (fabric.node(port.node).type != NodeType::kSwitch) return;
    for (const Port& sibling : fabric.PortsOf(port.node)) {
        fabric.Touch(fabric.IndexOf(sibling));
    }
}

}  // namespace ember
