// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LFTs of the switches.
#include <algorithm>

#include "core/administration/query/matching.h"
#include "core/administration/records/port_walk.h"
#include "core/administration/records/subnet_records.h"
#include "core/wire/linear_forwarding_table.h"

namespace ember {
namespace {

constexpr unsigned kBlockNum = 1;

}  // namespace

Found LinearForwardingTableRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                         std::span<std::uint8_t> record) {
    using Record = LinearForwardingTableRecord;
    constexpr std::size_t kEntries = LinearForwardingTable::kEntries;
    const Fabric& fabric = view().fabric;
    const auto asked = Asked<Record>(query);
    const PortWalk walk(view(), query, Visit::kSwitches);
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        const SwitchIndex index = fabric.node(fabric.port(at).node).switch_index;
        const std::span<const std::uint8_t> row = view().lfts[index];
        const SwitchInfo& info = fabric.switch_row(index).info;
        const std::size_t blocks = std::min<std::size_t>(
            LftBlocks(info.Get(SwitchInfo::kLinearFdbTop)), row.size() / kEntries);
        std::uint32_t block = cursor.item;
        if (query.Has(kBlockNum) && block == 0) block = asked.Get(Record::kBlockNum);
        if (block >= blocks) {
            PortWalk::Pass(cursor);
            continue;
        }
        cursor.item = block + 1;
        if (query.Has(kBlockNum)) PortWalk::Pass(cursor);

        LinearForwardingTable table;
        std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(block * kEntries), kEntries,
                    table.octets().begin());
        Record answer;
        answer.Set(Record::kLid, LidOf(fabric, at));
        answer.Set(Record::kBlockNum, static_cast<std::uint16_t>(block));
        Put(answer, Record::kTable, table);
        Deliver(answer, record);
        return Found::kRecord;
    }
    return found;
}

}  // namespace ember
