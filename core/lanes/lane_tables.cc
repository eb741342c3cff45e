// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables by which a port shares its link among virtual lanes.

#include "core/lanes/lane_tables.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/assert.h"
#include "core/base/crc32.h"
#include "core/fabric/port_plan.h"
#include "core/links/link_rating.h"

namespace ember {
namespace {

/// Lanes 0..14, with the defaults of OpenSM: VL 0 alone has the high priority, the others the low.
constexpr std::size_t kDefaultEntries = 15;
constexpr std::uint8_t kDefaultWeight = 4;
/// A packet of 4 KiB.
constexpr std::uint8_t kFairWeight = 64;
/// SL 15 by default: VL 15 carries no data.
constexpr std::uint8_t kVlOfTopSl = 7;

/// Without `qos` what is written serves the routing alone, and no key counts.
constexpr LaneSettings kNoKeys;

[[nodiscard]] const LaneSettings& Own(const Settings& settings, LanePorts kind) {
    return settings.qos ? settings.lanes[Raw(kind)] : kNoKeys;
}
[[nodiscard]] const LaneSettings& General(const Settings& settings) {
    return Own(settings, LanePorts::kAny);
}

[[nodiscard]] bool IsHigh(VlArbitrationBlock block) {
    return block == VlArbitrationBlock::kLowerHighPriority ||
           block == VlArbitrationBlock::kUpperHighPriority;
}
[[nodiscard]] bool IsUpper(VlArbitrationBlock block) {
    return block == VlArbitrationBlock::kUpperLowPriority ||
           block == VlArbitrationBlock::kUpperHighPriority;
}

[[nodiscard]] VlWeight DefaultEntry(bool is_high, std::size_t at) {
    if (at >= kDefaultEntries) return {};
    const bool has_weight = is_high == (at == 0);
    return {.vl = static_cast<std::uint8_t>(at),
            .weight = has_weight ? kDefaultWeight : std::uint8_t{0}};
}

[[nodiscard]] VlWeight EntryOf(const Settings& settings, LanePorts kind, bool is_high,
                               std::size_t at) {
    const auto list = is_high ? &LaneSettings::high : &LaneSettings::low;
    const VlWeights& own = Own(settings, kind).*list;
    const VlWeights& entries = own.empty() ? General(settings).*list : own;
    if (entries.empty()) return DefaultEntry(is_high, at);
    return at < entries.size() ? entries[at] : VlWeight{};
}

[[nodiscard]] std::uint8_t VlOf(const Settings& settings, LanePorts kind, std::size_t sl) {
    EMBER_ASSERT(sl < kSlToVlEntries);
    const auto& own = Own(settings, kind).sl_to_vl;
    const auto& map = own.empty() ? General(settings).sl_to_vl : own;
    if (map.empty()) {
        return sl == kSlToVlEntries - 1 ? kVlOfTopSl : static_cast<std::uint8_t>(sl);
    }
    EMBER_ASSERT(map.full());
    return map[sl];
}

/// Without levels of service all lanes are served alike. OpenSM's defaults prefer VL 0 to others.
[[nodiscard]] VlWeight FairEntry(bool is_high, std::size_t at, VlCap vls) {
    if (is_high || at >= DataVls(vls)) return {};
    return {.vl = static_cast<std::uint8_t>(at), .weight = kFairWeight};
}

template <typename List>
void AddList(const List& list, std::uint32_t& sum) {
    const std::uint64_t count = list.size();
    sum = Crc32(std::as_bytes(std::span(&count, 1)), sum);
    sum = Crc32(std::as_bytes(std::span(list.begin(), list.size())), sum);
}

}  // namespace

bool HasEnhancedPort0(const Fabric& fabric, const Node& node) {
    return node.type == NodeType::kSwitch &&
           fabric.switch_row(node.switch_index).info.Get(SwitchInfo::kEnhancedPort0) != 0;
}

LanePorts LanePortsOf(const Fabric& fabric, const Port& port) {
    const Node& node = fabric.node(port.node);
    if (node.type == NodeType::kRouter) return LanePorts::kRouter;
    if (node.type != NodeType::kSwitch) return LanePorts::kCa;
    return port.number == kManagementPort ? LanePorts::kSwitch0 : LanePorts::kSwitchExternal;
}

VlCap PlannedVls(const Fabric& fabric, const Port& port, const Settings& settings) {
    const VlCap has =
        std::clamp(port.info.Get(PortInfo::kOperationalVls), VlCap::kVl0, VlCap::kVl0To14);
    const bool is_linked = port.peer != kNoPortIndex && fabric.port(port.peer).has_info;
    const bool is_kept = (port.unkept & ManagedBit(PortInfo::kOperationalVls)) == 0;
    if (!is_linked || !is_kept) return has;
    return LinkVls(port.info, fabric.port(port.peer).info, settings.max_op_vls);
}

std::uint8_t WantedHighLimit(const Settings& settings, LanePorts kind, VlCap cap) {
    if (cap <= VlCap::kVl0) return 0;
    const std::int32_t own = Own(settings, kind).high_limit;
    const std::int32_t limit = own >= 0 ? own : General(settings).high_limit;
    return limit >= 0 ? static_cast<std::uint8_t>(limit) : std::uint8_t{0};
}

std::size_t ArbitrationEntries(const PortInfo& info, VlArbitrationBlock block) {
    if (info.Get(PortInfo::kVlCap) <= VlCap::kVl0) return 0;
    const std::size_t cap = IsHigh(block) ? info.Get(PortInfo::kVlArbitrationHighCap)
                                          : info.Get(PortInfo::kVlArbitrationLowCap);
    const std::size_t before = IsUpper(block) ? VlArbitrationTable::kEntries : 0;
    return cap <= before ? 0 : std::min(cap - before, VlArbitrationTable::kEntries);
}

/// As many of its low bits as number the VLs.
std::uint8_t FoldedVl(std::uint8_t vl, VlCap vls) {
    EMBER_ASSERT(vls >= VlCap::kVl0 && vls <= VlCap::kVl0To14);
    return static_cast<std::uint8_t>(vl & ((1U << (Raw(vls) - 1U)) - 1U));
}

VlArbitrationTable WantedArbitration(const Settings& settings, LanePorts kind,
                                     VlArbitrationBlock block, std::size_t entries, VlCap vls) {
    EMBER_ASSERT(entries <= VlArbitrationTable::kEntries);
    const std::size_t first = IsUpper(block) ? VlArbitrationTable::kEntries : 0;
    VlArbitrationTable table;
    for (std::size_t i = 0; i < entries; ++i) {
        const VlWeight entry = settings.qos ? EntryOf(settings, kind, IsHigh(block), first + i)
                                            : FairEntry(IsHigh(block), first + i, vls);
        table.SetEntry(i, FoldedVl(entry.vl, vls), entry.weight);
    }
    return table;
}

SlToVlMappingTable WantedSlToVl(const Settings& settings, LanePorts kind, VlCap vls) {
    EMBER_ASSERT(vls >= VlCap::kVl0 && vls <= VlCap::kVl0To14);
    SlToVlMappingTable table;
    for (std::size_t sl = 0; sl < SlToVlMappingTable::kEntries; ++sl) {
        const std::uint8_t vl = VlOf(settings, kind, sl);
        table.SetVl(sl, vl == SlToVlMappingTable::kDrop ? vl : FoldedVl(vl, vls));
    }
    return table;
}

bool DropsSl(const Settings& settings, LanePorts kind, std::uint8_t sl) {
    return VlOf(settings, kind, sl) == SlToVlMappingTable::kDrop;
}

std::uint32_t SumOfLanes(const Settings& settings) {
    const std::uint64_t flags = (settings.use_optimized_slvl ? 1U : 0U) | (settings.qos ? 2U : 0U);
    std::uint32_t sum = Crc32(std::as_bytes(std::span(&flags, 1)));
    for (const LaneSettings& lanes : settings.lanes) {
        AddList(lanes.high, sum);
        AddList(lanes.low, sum);
        AddList(lanes.sl_to_vl, sum);
    }
    return sum;
}

}  // namespace ember
