// SPDX-License-Identifier: Apache-2.0
// EmberSM: which tables of lanes a port has, by number, and what they hold.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/lanes/lane_upkeep.h"
#include "core/lanes/routed_maps.h"

namespace ember {
namespace {

inline constexpr std::array kBlocks = {
    VlArbitrationBlock::kLowerLowPriority, VlArbitrationBlock::kUpperLowPriority,
    VlArbitrationBlock::kLowerHighPriority, VlArbitrationBlock::kUpperHighPriority};

[[nodiscard]] SmpData DataOf(const SlToVlMappingTable& table) {
    return std::bit_cast<SmpData>(table);
}

/// Port 0 of a switch says it for all ports.
[[nodiscard]] bool TakesMaps(const Fabric& fabric, const Port& port) {
    const Node& node = fabric.node(port.node);
    const PortInfo& whole =
        node.type == NodeType::kSwitch ? fabric.port(node.first_port).info : port.info;
    return (whole.Get(PortInfo::kCapabilityMask) & capability_mask::kIsSlMappingSupported) != 0;
}

/// The first other port to a switch, where packets come in that have passed others; else port 0.
[[nodiscard]] PortNumber EntryOf(const Fabric& fabric, const Port& out) {
    for (const Port& port : fabric.PortsOf(out.node).subspan(1)) {
        const bool is_trunk = port.peer != kNoPortIndex && port.number != out.number &&
                              !IsEndPort(fabric, fabric.port(port.peer));
        if (is_trunk) return port.number;
    }
    return kManagementPort;
}

}  // namespace

// The tables of a port have numbers: blocks of VL arbitration, then SL to VL maps.

/// Numbers that a port may have tables for.
std::uint32_t LaneUpkeep::TablesOf(const Port& port) const {
    const Node& node = parts_.fabric.node(port.node);
    const std::uint32_t maps = node.type == NodeType::kSwitch ? node.port_count + 2U : 1U;
    return static_cast<std::uint32_t>(kBlocks.size()) + maps;
}

/// From its number on. False: the port has no table more.
bool LaneUpkeep::SkipToTable(Job& job) const {
    PortTable table;
    SmpData wanted;
    const std::uint32_t count = TablesOf(parts_.fabric.port(job.port));
    while (job.number < count) {
        if (TableAt(job, table, wanted)) return true;
        ++job.number;
    }
    return false;
}

bool LaneUpkeep::TableAt(const Job& job, PortTable& table, SmpData& wanted) const {
    const Fabric& fabric = parts_.fabric;
    const Port& port = fabric.port(job.port);
    table = {.port = job.port, .is_blind = !job.reads, .is_passing = true};
    table.is_quiet = port.lane_state == LaneState::kFailed;
    if (job.verifies && !job.checks) return job.number == 0 && SampleAt(job, table, wanted);
    if (job.number < kBlocks.size()) return ShareAt(job, table, wanted);
    const Node& node = fabric.node(port.node);
    if (!TakesMaps(fabric, port)) return false;
    table.attribute = AttributeId::kSlToVlMappingTable;
    table.is_quiet = table.is_quiet || settings_.suppress_sl2vl_mad_status_errors;
    return MapsAtOnce(node) && !job.checks ? MapAtOnceAt(job, table, wanted)
                                           : MapAt(job, table, wanted);
}

bool LaneUpkeep::ShareAt(const Job& job, PortTable& table, SmpData& wanted) const {
    EMBER_ASSERT(job.number < kBlocks.size());
    const Fabric& fabric = parts_.fabric;
    const Port& port = fabric.port(job.port);
    const Node& node = fabric.node(port.node);
    if (port.number == kManagementPort && !HasEnhancedPort0(fabric, node)) return false;
    const VlArbitrationBlock block = kBlocks[job.number];
    if (ArbitrationEntries(port.info, block) == 0) return false;
    const bool at_switch = node.type == NodeType::kSwitch;
    table.attribute = AttributeId::kVlArbitrationTable;
    table.modifier = VlArbitrationTable::Modifier(block, at_switch ? port.number : kManagementPort);
    wanted = std::bit_cast<SmpData>(
        ArbitrationAt(fabric, {settings_, lanes_}, port, block, port.lane_vls));
    return true;
}

/// From each port to this one.
bool LaneUpkeep::MapAt(const Job& job, PortTable& table, SmpData& wanted) const {
    EMBER_ASSERT(job.number >= kBlocks.size());
    const Fabric& fabric = parts_.fabric;
    const Port& port = fabric.port(job.port);
    const Node& node = fabric.node(port.node);
    const std::uint32_t in = job.number - static_cast<std::uint32_t>(kBlocks.size());
    const bool is_switch = node.type == NodeType::kSwitch;
    if (in > (is_switch ? node.port_count : 0U)) return false;
    const auto number = static_cast<PortNumber>(in);
    if (is_switch) table.modifier = SlToVlMappingTable::Modifier(number, port.number);
    wanted = DataOf(SlToVlAt(fabric, {settings_, lanes_}, port, number, port.lane_vls));
    return true;
}

/// The map by which a switch shows that it keeps what it takes: that of a turn which packets may
/// make, as a switch may keep nothing of others.
bool LaneUpkeep::SampleAt(const Job& job, PortTable& table, SmpData& wanted) const {
    EMBER_ASSERT(job.verifies);
    const Fabric& fabric = parts_.fabric;
    const Port& port = fabric.port(job.port);
    const auto ports = fabric.PortsOf(port.node);
    const bool is_for_all = port.number == kManagementPort;
    if (!TakesMaps(fabric, port) || is_for_all != MapsAtOnce(fabric.node(port.node))) return false;
    const auto found = std::find_if(ports.begin() + 1, ports.end(), [&](const Port& other) {
        return HasLanes(other) && (is_for_all || other.number == port.number);
    });
    if (found == ports.end()) return false;
    const PortNumber in = EntryOf(fabric, *found);
    table.attribute = AttributeId::kSlToVlMappingTable;
    table.modifier = SlToVlMappingTable::Modifier(in, found->number);
    table.is_quiet = true;
    wanted = DataOf(
        SlToVlAt(fabric, {settings_, lanes_}, *found, in, PlannedVls(fabric, *found, settings_)));
    return true;
}

/// For port 0: to every port; then to those of other VLs; then from port 0 to itself.
bool LaneUpkeep::MapAtOnceAt(const Job& job, PortTable& table, SmpData& wanted) const {
    EMBER_ASSERT(job.number >= kBlocks.size());
    EMBER_ASSERT(lanes_ != nullptr);
    EMBER_ASSERT(!job.checks);
    const Fabric& fabric = parts_.fabric;
    const Port& port = fabric.port(job.port);
    const Node& node = fabric.node(port.node);
    if (port.number != kManagementPort) return false;
    const std::uint32_t out = job.number - static_cast<std::uint32_t>(kBlocks.size());
    const VlCap most = MostUsedVls(node, port.node);
    VlCap vls = most;
    LanePorts kind = LanePorts::kSwitchExternal;
    table.is_blind = true;
    table.modifier = SlToVlMappingTable::kEveryPairOfPorts;
    if (out > node.port_count) {
        if (!HasEnhancedPort0(fabric, node)) return false;
        kind = LanePorts::kSwitch0;
        vls = port.lane_vls;
        table.modifier = SlToVlMappingTable::Modifier(kManagementPort, kManagementPort);
    } else if (out != 0) {
        const Port& other = fabric.PortsOf(port.node)[out];
        vls = PlannedVls(fabric, other, settings_);
        if (!HasLanes(other) || vls == most) return false;
        table.modifier = SlToVlMappingTable::FromEveryPort(other.number);
    }
    const LaneRow routed = kind == LanePorts::kSwitch0 ? lanes_->end_ports : LaneRow::Identity();
    const SlToVlMappingTable all =
        SlToVlOf({settings_, lanes_}, LanePorts::kSwitchExternal, most, LaneRow::Identity());
    wanted = DataOf(SlToVlOf({settings_, lanes_}, kind, vls, routed));
    return out <= node.port_count || wanted != DataOf(all);
}

}  // namespace ember
