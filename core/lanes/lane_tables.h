// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables by which a port shares its link among virtual lanes.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"
#include "core/settings/lane_settings.h"
#include "core/settings/settings.h"
#include "core/wire/port_info.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {

// Without `qos` the keys count for nothing: lanes are those of the routing, all served alike.
//
// Options qos, qos_*; behaviour of OpenSM 3.3.24, osm_qos.c. A VL that the link does not have
// becomes one that it has: as many of its low bits as number the link's VLs. VL 15 of an SL to VL
// table stays: it drops the packet.

/// Which keys a port follows: any port of a live node but a base port 0, which has no lanes.
[[nodiscard]] LanePorts LanePortsOf(const Fabric& fabric, const Port& port);

/// Whether port 0 of a switch is an enhanced one, an end port with lanes of its own.
[[nodiscard]] bool HasEnhancedPort0(const Fabric& fabric, const Node& node);

/// The OperationalVLs that a port gets with its PortPlan: those of its link, or what it has where
/// there is no link or the device does not keep what is set. Never kNoChange.
[[nodiscard]] VlCap PlannedVls(const Fabric& fabric, const Port& port, const Settings& settings);

/// PortInfo:VLHighLimit of a port of this kind that can have more than one data VL; 0 for others.
[[nodiscard]] std::uint8_t WantedHighLimit(const Settings& settings, LanePorts kind, VlCap cap);

/// The entries of one block that a port arbitrates with: of 64, as many as its capability says. 0:
/// it has no such block, or only one data VL and nothing to arbitrate. IBA vol. 1, 7.6.9.
[[nodiscard]] std::size_t ArbitrationEntries(const PortInfo& info, VlArbitrationBlock block);

/// The VL that packets of `vl` have on a link with these VLs.
[[nodiscard]] std::uint8_t FoldedVl(std::uint8_t vl, VlCap vls);

/// A block of VL arbitration for a port on which `vls` are operational, with as many entries as
/// ArbitrationEntries() says; zeros behind them.
[[nodiscard]] VlArbitrationTable WantedArbitration(const Settings& settings, LanePorts kind,
                                                   VlArbitrationBlock block, std::size_t entries,
                                                   VlCap vls);

/// The VL of each service level on a link on which `vls` are operational.
[[nodiscard]] SlToVlMappingTable WantedSlToVl(const Settings& settings, LanePorts kind, VlCap vls);

/// Ports of this kind drop packets of service level `sl`, 0..15.
[[nodiscard]] bool DropsSl(const Settings& settings, LanePorts kind, std::uint8_t sl);

/// A sum over all settings that these functions look at.
[[nodiscard]] std::uint32_t SumOfLanes(const Settings& settings);

}  // namespace ember
