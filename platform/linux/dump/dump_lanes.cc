// SPDX-License-Identifier: Apache-2.0
// EmberSM: opensm-sl2vl.dump: the lane of each service level, by ports in and out.

#include <algorithm>

#include "core/base/assert.h"
#include "core/lanes/routed_maps.h"
#include "platform/linux/dump/dump_text.h"

namespace ember {

namespace {

constexpr std::string_view kRule = "#--------------------------------------------------------\n";

/// A number in a column of `width` characters.
void AddCell(FixedText& text, unsigned number, std::size_t width) {
    const std::size_t before = text.size();
    text.AddNumber(number);
    while (text.size() < before + width) {
        text.Add(' ');
    }
}

void AddHead(const DumpView& view, const Port& owner, FixedText& text) {
    const Node& node = view.fabric.node(owner.node);
    text.Add(LongKindWord(node.type)).Add(" 0x").AddHex(Raw(owner.guid), 16);
    text.Add(", base LID ").AddNumber(unsigned{Raw(owner.lid)}).Add(", \"");
    AddName(text, node);
    text.Add("\"\n#in out : ");
    for (unsigned sl = 0; sl + 1 < SlToVlMappingTable::kEntries; ++sl) {
        AddCell(text, sl, 3);
    }
    text.AddNumber(SlToVlMappingTable::kEntries - 1).Add('\n').Add(kRule);
}

/// A row: the lanes of packets from port `in` of its node to `out`. Dashes: the port has not
/// acknowledged its tables.
void AddRow(const DumpView& view, const Port& out, PortNumber in, FixedText& text) {
    const bool is_switch = view.fabric.node(out.node).type == NodeType::kSwitch;
    AddCell(text, Raw(in), 4);
    AddCell(text, is_switch ? Raw(out.number) : 0U, 4);
    text.Add(": ");
    const VlCap vls = out.info.Get(PortInfo::kOperationalVls);
    const bool is_one_lane = vls == VlCap::kVl0;  // The port has no such table, and needs none.
    if (!is_one_lane && out.lane_state != LaneState::kRight) {
        for (unsigned sl = 0; sl < SlToVlMappingTable::kEntries; ++sl) {
            text.Add(sl + 1 < SlToVlMappingTable::kEntries ? "-  " : "- \n");
        }
        return;
    }
    EMBER_ASSERT(view.settings != nullptr);
    const SlToVlMappingTable map = SlToVlAt(view.fabric, {*view.settings, view.lanes}, out, in,
                                            is_one_lane ? vls : out.lane_vls);
    for (unsigned sl = 0; sl < SlToVlMappingTable::kEntries; ++sl) {
        AddCell(text, map.vl(sl), sl + 1 < SlToVlMappingTable::kEntries ? 3 : 2);
    }
    text.Add('\n');
}

/// The next port of a switch with a cable, from `number` on; past the last one there is none.
std::size_t NextOut(std::span<const Port> ports, std::size_t number) {
    while (number < ports.size() && ports[number].peer == kNoPortIndex) {
        ++number;
    }
    return number;
}

}  // namespace

std::size_t SortEndPorts(const Fabric& fabric, std::span<PortIndex> ports) {
    std::size_t count = 0;
    ForEachEndPort(fabric, [&](PortIndex at, const Port& port) {
        if (port.lid != kNoLid && count < ports.size()) ports[count++] = at;
    });
    std::sort(ports.begin(), ports.begin() + static_cast<std::ptrdiff_t>(count),
              [&fabric](PortIndex one, PortIndex other) {
                  return __builtin_bswap64(Raw(fabric.port(one).guid)) <
                         __builtin_bswap64(Raw(fabric.port(other).guid));
              });
    return count;
}

bool AddLaneMaps(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.end_ports.size()) return false;
    const Port& owner = view.fabric.port(view.end_ports[cursor.row]);
    const Node& node = view.fabric.node(owner.node);
    if (cursor.column == 0) AddHead(view, owner, text);
    if (node.type != NodeType::kSwitch) {
        AddRow(view, owner, kManagementPort, text);
        text.Add(kRule).Add('\n');
        cursor = {cursor.row + 1, 0};
        return true;
    }
    const std::span<const Port> ports = view.fabric.PortsOf(owner.node);
    const std::size_t out = NextOut(ports, std::max<std::size_t>(cursor.column, 1));
    if (out == ports.size()) {
        text.Add(kRule).Add('\n');
        cursor = {cursor.row + 1, 0};
        return true;
    }
    for (unsigned in = 0; in <= node.port_count; ++in) {
        AddRow(view, ports[out], static_cast<PortNumber>(in), text);
    }
    cursor.column = out + 1;
    return true;
}

}  // namespace ember
