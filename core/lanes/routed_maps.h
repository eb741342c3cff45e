// SPDX-License-Identifier: Apache-2.0
// EmberSM: which SL to VL maps and VL arbitration ports get under a routing.
#pragma once

#include "core/fabric/fabric.h"
#include "core/graph/routing_tables.h"
#include "core/lanes/lane_tables.h"
#include "core/settings/settings.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {

/// The rules by which a service level has its lane.
struct LaneRules {
    const Settings& settings;
    const RoutingLanes* lanes = nullptr;  ///< Before the keys; nullptr: a routing of one lane.
};

/// The map of a port of this kind with these VLs. `routed` are the lanes of the routing there; they
/// are folded on a link with fewer: the verifier has proved the routing on the lanes that each link
/// has, and a link to a host may have fewer lanes than those between switches. Service levels that
/// the routing leaves alone have the lanes of the keys.
[[nodiscard]] SlToVlMappingTable SlToVlOf(const LaneRules& rules, LanePorts kind, VlCap vls,
                                          LaneRow routed);

/// The map of the port `out` with these VLs for packets that come in by port `in` of its node, a
/// switch's; for a host's port `in` means nothing. IBA vol. 1, 14.2.5.8.
[[nodiscard]] SlToVlMappingTable SlToVlAt(const Fabric& fabric, const LaneRules& rules,
                                          const Port& out, PortNumber in, VlCap vls);

/// A block of VL arbitration of a port with these VLs, as WantedArbitration(). A switch's port to
/// an end port shares among the lanes of RoutingLanes::end_shares: what the keys give the VLs of
/// links between switches holds for the lane that stands for them there. Where levels of service
/// have lanes each, a level's lanes have its weight.
[[nodiscard]] VlArbitrationTable ArbitrationAt(const Fabric& fabric, const LaneRules& rules,
                                               const Port& port, VlArbitrationBlock block,
                                               VlCap vls);

}  // namespace ember
