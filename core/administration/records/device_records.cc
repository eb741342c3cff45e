// SPDX-License-Identifier: Apache-2.0
// EmberSM: records of tables that only devices know.
#include "core/administration/records/device_records.h"

#include <algorithm>
#include <bit>

#include "core/administration/query/matching.h"
#include "core/base/assert.h"
#include "core/wire/p_key_table.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {
namespace {

/// Tables asked for beyond the one that is looked for, and the rows that looking for them may take.
constexpr int kAhead = 16;
constexpr std::uint32_t kAheadBudget = 64;
/// P_Keys that are asked for, whatever the device says that it holds: no device is known to hold
/// more than a fraction of them, and one that claims 65,535 would be asked for 2,048 blocks.
constexpr std::uint32_t kMostPKeys = 1024;

[[nodiscard]] bool IsSwitch(const Fabric& fabric, PortIndex at) {
    return fabric.node(fabric.port(at).node).type == NodeType::kSwitch;
}

/// The port that an AttributeModifier names: it counts at a switch only.
[[nodiscard]] PortNumber Named(const Fabric& fabric, PortIndex at) {
    return IsSwitch(fabric, at) ? fabric.port(at).number : kManagementPort;
}

/// The question names a port of a switch, and another one than this.
[[nodiscard]] bool NamesAnother(const Fabric& fabric, PortIndex at, bool is_asked,
                                PortNumber asked) {
    return is_asked && IsSwitch(fabric, at) && fabric.port(at).number != asked;
}

}  // namespace

Found DeviceRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                          std::span<std::uint8_t> record) {
    Wanted wanted;
    Found found = Find(query, cursor, budget, wanted);
    for (; found == Found::kRecord; found = Find(query, cursor, budget, wanted)) {
        SmpData data{};
        auto word = DeviceTables::Word::kTable;
        if (!wanted.is_blank) word = tables_.Look(wanted.key, data);
        if (word == DeviceTables::Word::kLater) {
            WantMore(query, cursor, budget);
            return Found::kLater;
        }
        EMBER_ASSERT(wanted.key.port != kNoPortIndex);
        if (word == DeviceTables::Word::kTable) Make(cursor, data, record);
        ++cursor.item;
        if (word == DeviceTables::Word::kTable) return Found::kRecord;
    }
    return found;
}

void DeviceRecords::WantMore(const Query& query, Cursor cursor, std::uint32_t& budget) {
    const std::uint32_t allowed = std::min(budget, kAheadBudget);
    std::uint32_t left = allowed;
    for (int i = 0; i < kAhead; ++i) {
        ++cursor.item;
        Wanted wanted;
        if (Find(query, cursor, left, wanted) != Found::kRecord) break;
        if (!wanted.is_blank) tables_.Want(wanted.key);
    }
    EMBER_ASSERT(left <= allowed);
    budget -= allowed - left;
}

PortIndex DeviceRecords::PortAt(const Cursor& cursor) const {
    EMBER_ASSERT(fabric().IsLive(static_cast<NodeIndex>(cursor.row)));
    const Node& node = fabric().node(static_cast<NodeIndex>(cursor.row));
    return static_cast<PortIndex>(Raw(node.first_port) + cursor.column);
}

// --- SL to VL. The cursor's item is the input port, its extra the output port.

namespace {

/// The pairs of ports of a node, numbered 0 to `top`, that a question wants.
struct Pairs {
    std::uint32_t first_input = 0;
    std::uint32_t last_input = 0;
    std::uint32_t first_output = 0;
    std::uint32_t last_output = 0;
    std::uint32_t top = 0;

    /// Moves the cursor to the first pair at or behind it; false when there is none.
    [[nodiscard]] bool Find(Cursor& cursor) const {
        EMBER_ASSERT(first_input <= last_input);
        EMBER_ASSERT(first_output <= last_output);
        if (cursor.extra < first_output) {
            cursor = {cursor.row, cursor.column, first_input, first_output};
        }
        cursor.item = std::max(cursor.item, first_input);
        if (cursor.item > last_input) {
            cursor.item = first_input;
            ++cursor.extra;
        }
        return last_input <= top && last_output <= top && cursor.extra <= last_output;
    }
};

}  // namespace

Found SlToVlMappingTableRecords::Find(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                      Wanted& wanted) const {
    using Record = SlToVlMappingTableRecord;
    const auto asked = Asked<Record>(query);
    const std::uint32_t input = Raw(asked.Get(Record::kInputPort));
    const std::uint32_t output = Raw(asked.Get(Record::kOutputPort));
    const PortWalk walk(view(), query, Visit::kEndPorts);
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        const bool is_switch = IsSwitch(fabric(), at);
        const std::uint32_t top = is_switch ? fabric().node(fabric().port(at).node).port_count : 0U;
        Pairs pairs{.last_input = top, .last_output = top, .top = top};
        if (is_switch && query.Has(1)) pairs.first_input = pairs.last_input = input;
        if (is_switch && query.Has(2)) pairs.first_output = pairs.last_output = output;
        if (!pairs.Find(cursor)) {
            PortWalk::Pass(cursor);
            continue;
        }
        wanted.key = {at, AttributeId::kSlToVlMappingTable,
                      SlToVlMappingTable::Modifier(static_cast<PortNumber>(cursor.item),
                                                   static_cast<PortNumber>(cursor.extra))};
        return Found::kRecord;
    }
    return found;
}

void SlToVlMappingTableRecords::Make(const Cursor& cursor, const SmpData& data,
                                     std::span<std::uint8_t> record) const {
    SlToVlMappingTableRecord answer;
    answer.Set(SlToVlMappingTableRecord::kLid, LidOf(fabric(), PortAt(cursor)));
    answer.Set(SlToVlMappingTableRecord::kInputPort, static_cast<PortNumber>(cursor.item));
    answer.Set(SlToVlMappingTableRecord::kOutputPort, static_cast<PortNumber>(cursor.extra));
    Put(answer, SlToVlMappingTableRecord::kTable, std::bit_cast<SlToVlMappingTable>(data));
    Deliver(answer, record);
}

// --- VL arbitration. The cursor's item is the block, less one.

Found VlArbitrationTableRecords::Find(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                      Wanted& wanted) const {
    using Record = VlArbitrationTableRecord;
    constexpr std::uint32_t kBlocks = 4;
    const auto asked = Asked<Record>(query);
    const PortWalk walk(view(), query, Visit::kAllPorts);
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        const std::uint32_t only = asked.Get(Record::kBlockNum);
        if (query.Has(2) && cursor.item + 1 < only) cursor.item = only - 1;
        const bool is_past = cursor.item >= kBlocks || (query.Has(2) && cursor.item + 1 != only);
        if (is_past || NamesAnother(fabric(), at, query.Has(1), asked.Get(Record::kOutputPort))) {
            PortWalk::Pass(cursor);
            continue;
        }
        // Blocks 1 and 2 are the low table, 3 and 4 the high one, 32 entries a block.
        const PortInfo& info = fabric().port(at).info;
        const std::uint8_t entries = cursor.item < 2 ? info.Get(PortInfo::kVlArbitrationLowCap)
                                                     : info.Get(PortInfo::kVlArbitrationHighCap);
        wanted.is_blank = entries <= (cursor.item % 2) * VlArbitrationTable::kEntries;
        const auto block = static_cast<VlArbitrationBlock>(cursor.item + 1);
        wanted.key = {at, AttributeId::kVlArbitrationTable,
                      VlArbitrationTable::Modifier(block, Named(fabric(), at))};
        return Found::kRecord;
    }
    return found;
}

void VlArbitrationTableRecords::Make(const Cursor& cursor, const SmpData& data,
                                     std::span<std::uint8_t> record) const {
    EMBER_ASSERT(cursor.item < 4);
    VlArbitrationTableRecord answer;
    const PortIndex at = PortAt(cursor);
    answer.Set(VlArbitrationTableRecord::kLid, LidOf(fabric(), at));
    answer.Set(VlArbitrationTableRecord::kOutputPort, fabric().port(at).number);
    answer.Set(VlArbitrationTableRecord::kBlockNum, static_cast<std::uint8_t>(cursor.item + 1));
    Put(answer, VlArbitrationTableRecord::kTable, std::bit_cast<VlArbitrationTable>(data));
    Deliver(answer, record);
}

// --- P_Keys. The cursor's item is the block.

Found PKeyTableRecords::Find(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             Wanted& wanted) const {
    using Record = PKeyTableRecord;
    const auto asked = Asked<Record>(query);
    const PortWalk walk(view(), query, Visit::kAllPorts);
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        const std::uint32_t only = asked.Get(Record::kBlockNum);
        if (query.Has(1) && cursor.item < only) cursor.item = only;
        const bool is_past = cursor.item >= BlocksOf(at) || (query.Has(1) && cursor.item != only);
        if (is_past || NamesAnother(fabric(), at, query.Has(2), asked.Get(Record::kPortNum))) {
            PortWalk::Pass(cursor);
            continue;
        }
        wanted.key = {
            at, AttributeId::kPKeyTable,
            PKeyTable::Modifier(Named(fabric(), at), static_cast<std::uint16_t>(cursor.item))};
        return Found::kRecord;
    }
    return found;
}

std::uint32_t PKeyTableRecords::BlocksOf(PortIndex at) const {
    const Port& port = fabric().port(at);
    const Node& node = fabric().node(port.node);
    std::uint32_t keys = node.partition_cap;
    if (node.type == NodeType::kSwitch && port.number != kManagementPort) {
        if (port.peer == kNoPortIndex) return 0;
        keys =
            fabric().switch_row(node.switch_index).info.Get(SwitchInfo::kPartitionEnforcementCap);
    }
    keys = std::min(keys, kMostPKeys);
    return static_cast<std::uint32_t>((keys + PKeyTable::kEntries - 1) / PKeyTable::kEntries);
}

void PKeyTableRecords::Make(const Cursor& cursor, const SmpData& data,
                            std::span<std::uint8_t> record) const {
    PKeyTableRecord answer;
    const PortIndex at = PortAt(cursor);
    answer.Set(PKeyTableRecord::kLid, LidOf(fabric(), at));
    answer.Set(PKeyTableRecord::kBlockNum, static_cast<std::uint16_t>(cursor.item));
    answer.Set(PKeyTableRecord::kPortNum, fabric().port(at).number);
    Put(answer, PKeyTableRecord::kTable, std::bit_cast<PKeyTable>(data));
    Deliver(answer, record);
}

}  // namespace ember
