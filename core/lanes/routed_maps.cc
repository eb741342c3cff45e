// SPDX-License-Identifier: Apache-2.0
// EmberSM: which SL to VL maps and VL arbitration ports get under a routing.

#include "core/lanes/routed_maps.h"

#include <algorithm>
#include <array>
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
[[nodiscard]] VlArbitrationTable Share(const VlArbitrationTable& among_vls, std::size_t entries,
                                       LaneRow lanes, VlCap vls) {
    VlArbitrationTable table;
    std::size_t next = 0;
    for (std::size_t i = 0; i < entries; ++i) {
        const std::uint8_t lane = lanes.Of(among_vls.vl(i));
        if (lane == kNoLane) continue;
        table.SetEntry(next++, FoldedVl(lane, vls), among_vls.weight(i));
    }
    return table;
}

using LevelWeights = std::array<std::uint32_t, kServiceLevels>;

/// The weights of the levels in a table of the keys, of both of its blocks: the sum of the entries
/// with a VL to which the keys send an SL of the level.
[[nodiscard]] LevelWeights WeightsOf(const LaneRules& rules, LanePorts kind, bool is_high) {
    const LaneLevels& levels = rules.lanes->levels;
    const SlToVlMappingTable map = WantedSlToVl(rules.settings, kind, VlCap::kVl0To14);
    LaneRow level_of_vl;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        const std::uint8_t level = levels.level_of.Of(sl);
        if (level != LaneLevels::kNoLevel && levels.path_sl_of.Of(sl) == 0)
            level_of_vl.Set(map.vl(sl), level);
    }
    const auto blocks = is_high ? std::array{VlArbitrationBlock::kLowerHighPriority,
                                             VlArbitrationBlock::kUpperHighPriority}
                                : std::array{VlArbitrationBlock::kLowerLowPriority,
                                             VlArbitrationBlock::kUpperLowPriority};
    LevelWeights weights{};
    for (const VlArbitrationBlock block : blocks) {
        const VlArbitrationTable table = WantedArbitration(
            rules.settings, kind, block, VlArbitrationTable::kEntries, VlCap::kVl0To14);
        for (std::size_t i = 0; i < VlArbitrationTable::kEntries; ++i) {
            const std::uint8_t level = level_of_vl.Of(table.vl(i));
            if (level != LaneLevels::kNoLevel) weights[level] += table.weight(i);
        }
    }
    return weights;
}

/// An entry for each lane of each level that has a weight. Lanes of a level share alike, and levels
/// with as many lanes each share as their weights say.
[[nodiscard]] VlArbitrationTable ShareAmongLevels(const LaneRules& rules, LanePorts kind,
                                                  bool is_high, std::size_t entries, VlCap vls) {
    constexpr std::uint32_t kTopWeight = 255;
    const LevelWeights weights = WeightsOf(rules, kind, is_high);
    const std::uint32_t most =
        std::max(kTopWeight, *std::max_element(weights.begin(), weights.end()));
    const LaneLevels& levels = rules.lanes->levels;
    VlArbitrationTable table;
    std::size_t next = 0;
    for (unsigned level = 0; level < levels.count; ++level) {
        if (weights[level] == 0) continue;
        const auto weight =
            static_cast<std::uint8_t>(std::max(1U, weights[level] * kTopWeight / most));
        for (unsigned lane = 0; lane < rules.lanes->count && next < entries; ++lane) {
            const auto vl = static_cast<std::uint8_t>(level * levels.stride + lane);
            table.SetEntry(next++, FoldedVl(vl, vls), weight);
        }
    }
    return table;
}

[[nodiscard]] bool IsHigh(VlArbitrationBlock block) {
    return block == VlArbitrationBlock::kLowerHighPriority ||
           block == VlArbitrationBlock::kUpperHighPriority;
}
[[nodiscard]] bool IsLower(VlArbitrationBlock block) {
    return block == VlArbitrationBlock::kLowerHighPriority ||
           block == VlArbitrationBlock::kLowerLowPriority;
}

}  // namespace

SlToVlMappingTable SlToVlOf(const LaneRules& rules, LanePorts kind, VlCap vls, LaneRow routed) {
    SlToVlMappingTable map = WantedSlToVl(rules.settings, kind, vls);
    const RoutingLanes* const lanes = rules.lanes;
    if (lanes == nullptr || lanes->is_one_lane()) return map;
    const unsigned count = DataVls(vls);
    EMBER_ASSERT(count > 0);  // PlannedVls() is at least one lane.
    const LaneRow row = lanes->PacketRow(routed);
    const std::uint16_t sls = lanes->packet_sls();
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        if ((sls >> sl & 1U) == 0) continue;
        const std::uint8_t lane = row.Of(sl);
        map.SetVl(sl, lane == kNoLane ? SlToVlMappingTable::kDrop
                                      : static_cast<std::uint8_t>(lane % count));
    }
    return map;
}

/// A packet from port 0 to port 0 stays in port 0.
SlToVlMappingTable SlToVlAt(const Fabric& fabric, const LaneRules& rules, const Port& out,
                            PortNumber in, VlCap vls) {
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

VlArbitrationTable ArbitrationAt(const Fabric& fabric, const LaneRules& rules, const Port& port,
                                 VlArbitrationBlock block, VlCap vls) {
    const std::size_t entries = ArbitrationEntries(port.info, block);
    const LanePorts kind = LanePortsOf(fabric, port);
    if (rules.lanes != nullptr && rules.lanes->levels.in_force()) {
        if (!IsLower(block)) return {};
        return ShareAmongLevels(rules, kind, IsHigh(block), entries, vls);
    }
    const bool is_shared = rules.lanes != nullptr && !rules.lanes->is_one_lane() &&
                           rules.lanes->end_shares != LaneRow::Identity() &&
                           LeadsToEndPort(fabric, port);
    if (!is_shared) return WantedArbitration(rules.settings, kind, block, entries, vls);
    const VlArbitrationTable among_vls =
        WantedArbitration(rules.settings, kind, block, entries, VlCap::kVl0To14);
    return Share(among_vls, entries, rules.lanes->end_shares, vls);
}

}  // namespace ember
