// SPDX-License-Identifier: Apache-2.0
// EmberSM: which SL to VL maps and VL arbitration ports get under a routing.

#include "core/graph/routed_maps.h"

#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"

namespace ember {
namespace {

[[nodiscard]] bool LeadsToEndPort(const Fabric& fabric, const Port& port) {
    if (port.peer == kNoPortIndex || port.number == kManagementPort) return false;
    return fabric.node(port.node).type == NodeType::kSwitch &&
           fabric.node(fabric.port(port.peer).node).type != NodeType::kSwitch;
}

/// The entries of the lanes that stand for VLs, moved up to the front.
[[nodiscard]] VlArbitrationTable Share(const VlArbitrationTable& among_vls,
                                       std::size_t entries,
                                       LaneRow lanes,
                                       VlCap vls) {
    VlArbitrationTable table;
    std::size_t next = 0;
    for (std::size_t i = 0; i < entries; ++i) {
        const std::uint8_t lane = lanes.Of(among_vls.vl(i));
        if (lane == kNoLane) continue;
        table.SetEntry(next++, FoldedVl(lane, vls), among_vls.weight(i));
    }
    return table;
}

}  // namespace

SlToVlMappingTable SlToVlOf(const LaneRules& rules, LanePorts kind, VlCap vls, LaneRow routed) {
    SlToVlMappingTable map = WantedSlToVl(rules.settings, kind, vls);
    const RoutingLanes* const lanes = rules.lanes;
    if (lanes == nullptr || lanes->is_one_lane()) return map;
    const unsigned count = DataVls(vls);
    EMBER_ASSERT(count > 0);  // PlannedVls() is at least one lane.
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        if ((lanes->sls >> sl & 1U) == 0) continue;
        const std::uint8_t lane = routed.Of(sl);
        map.SetVl(sl, lane == kNoLane ? SlToVlMappingTable::kDrop
                                      : static_cast<std::uint8_t>(lane % count));
    }
    return map;
}

/// A packet from port 0 to port 0 stays in port 0.
SlToVlMappingTable SlToVlAt(
    const Fabric& fabric, const LaneRules& rules, const Port& out, PortNumber in, VlCap vls) {
    const RoutingLanes* const lanes = rules.lanes;
    LanePorts kind = LanePortsOf(fabric, out);
    LaneRow routed = lanes == nullptr ? LaneRow::Identity() : lanes->end_ports;
    const Node& node = fabric.node(out.node);
    if (node.type == NodeType::kSwitch) {
        if (in != kManagementPort) kind = LanePorts::kSwitchExternal;
        if (lanes != nullptr && out.number != kManagementPort) {
            routed = lanes->lane_map.RowOf({.at = node.switch_index, .in = in, .out = out.number});
        }
    }
    return SlToVlOf(rules, kind, vls, routed);
}

VlArbitrationTable ArbitrationAt(const Fabric& fabric,
                                 const LaneRules& rules,
                                 const Port& port,
                                 VlArbitrationBlock block,
                                 VlCap vls) {
    const std::size_t entries = ArbitrationEntries(port.info, block);
    const LanePorts kind = LanePortsOf(fabric, port);
    const bool is_shared = rules.lanes != nullptr && !rules.lanes->is_one_lane() &&
                           rules.lanes->end_shares != LaneRow::Identity() &&
                           LeadsToEndPort(fabric, port);
    if (!is_shared) return WantedArbitration(rules.settings, kind, block, entries, vls);
    const VlArbitrationTable among_vls =
        WantedArbitration(rules.settings, kind, block, entries, VlCap::kVl0To14);
    return Share(among_vls, entries, rules.lanes->end_shares, vls);
}

}  // namespace ember
