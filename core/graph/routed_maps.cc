// SPDX-License-Identifier: Apache-2.0
// EmberSM: which SL to VL maps ports get under a routing.

#include "core/graph/routed_maps.h"

#include <cstdint>

#include "core/base/assert.h"

namespace ember {

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

}  // namespace ember
