// SPDX-License-Identifier: Apache-2.0
// EmberSM: marks what must be planned again after a PortInfo was read, and what must be read.
#pragma once

#include "core/fabric/fabric.h"

namespace ember {

/// True when two PortInfos have the same capabilities. All that follows from them is set anew
/// where they differ: both ends of a link, tables of lanes, GUID tables.
[[nodiscard]] inline bool CanTheSame(const PortInfo& one, const PortInfo& other) {
    const auto same = [&](const auto& field) { return one.Get(field) == other.Get(field); };
    return same(PortInfo::kMtuCap) && same(PortInfo::kVlCap) && same(PortInfo::kCapabilityMask) &&
           same(PortInfo::kLinkWidthSupported) && same(PortInfo::kLinkSpeedSupported) &&
           same(PortInfo::kLinkSpeedExtSupported) && same(PortInfo::kVlArbitrationHighCap) &&
           same(PortInfo::kVlArbitrationLowCap) && same(PortInfo::kGuidCap);
}

/// The same of a switch: its tables, the P_Keys that its ports enforce, its port 0.
[[nodiscard]] inline bool CanTheSame(const SwitchInfo& one, const SwitchInfo& other) {
    const auto same = [&](const auto& field) { return one.Get(field) == other.Get(field); };
    return same(SwitchInfo::kLinearFdbCap) && same(SwitchInfo::kMulticastFdbCap) &&
           same(SwitchInfo::kPartitionEnforcementCap) && same(SwitchInfo::kEnhancedPort0) &&
           same(SwitchInfo::kInboundEnforcementCap) && same(SwitchInfo::kOutboundEnforcementCap) &&
           same(SwitchInfo::kOptimizedSlToVlMappingProgramming);
}

/// True when a port has the same tables of lanes by two PortInfos.
[[nodiscard]] inline bool HasLaneTablesAlike(const PortInfo& one, const PortInfo& other) {
    const auto same = [&](const auto& field) { return one.Get(field) == other.Get(field); };
    const std::uint32_t masks =
        one.Get(PortInfo::kCapabilityMask) ^ other.Get(PortInfo::kCapabilityMask);
    return same(PortInfo::kVlArbitrationHighCap) && same(PortInfo::kVlArbitrationLowCap) &&
           (masks & capability_mask::kIsSlMappingSupported) == 0;
}

/// Notes that a node has told of a change at this port: its PortInfo is read by the next sweep that
/// comes by.
inline void NoteStale(Port& port) {
    port.seen = 0;
}
/// The PortInfo that was read may not hold any more.
[[nodiscard]] inline bool IsStale(const Port& port) {
    return port.seen == 0 && port.has_info;
}

/// The port may have other tables of lanes than were written: the next round reads them.
inline void RecheckLaneTables(Port& port) {
    if (port.lane_state == LaneState::kRight) port.lane_state = LaneState::kUnconfirmed;
}

/// Notes that `info` was read of the port `at`, whose row still has the PortInfo before: the port
/// and its peer get new plans, and LIDs are assigned anew if the port reports others than its row
/// has.
inline void NotePortNews(Fabric& fabric, PortIndex at, const PortInfo& info) {
    const Port& port = fabric.port(at);
    fabric.Touch(at);
    const bool has_tables_alike = !port.has_info || HasLaneTablesAlike(port.info, info);
    if (!has_tables_alike) RecheckLaneTables(fabric.port(at));
    if (!IsEndPort(fabric, port)) return;
    const bool alike = port.has_info && info.Get(PortInfo::kLid) == port.lid &&
                       info.Get(PortInfo::kLmc) == port.lmc;
    if (!alike) fabric.NoteEndPortNews();
    // Port 0 of a switch has the capabilities of all its ports.
    if (fabric.node(port.node).type != NodeType::kSwitch) return;
    for (Port& sibling : fabric.PortsOf(port.node)) {
        fabric.Touch(fabric.IndexOf(sibling));
        if (!has_tables_alike) RecheckLaneTables(sibling);
    }
}

}  // namespace ember
