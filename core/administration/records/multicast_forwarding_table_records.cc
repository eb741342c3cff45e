// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast tables of the switches, as subnet administration tells them.

#include "core/administration/query/matching.h"
#include "core/administration/records/port_walk.h"
#include "core/administration/records/subnet_records.h"
#include "core/wire/multicast_forwarding_table.h"

namespace ember {
namespace {

constexpr unsigned kPosition = 1;
constexpr unsigned kBlockNum = 3;

}  // namespace

/// The number of blocks up to the last one in which the switch has an entry.
std::size_t MulticastForwardingTableRecords::BlocksOf(SwitchIndex at) const {
    const MftTables::Run& run = tables_.run(at);
    for (std::size_t bound = tables_.block_num_count(); bound > 0; --bound) {
        for (std::size_t i = run.first; i < run.first + run.count; ++i) {
            const std::size_t block = tables_.BlockAt(bound - 1, i);
            const bool is_empty = tables_.programmed(block) == MftTables::Block{};
            if (tables_.IsKnown(block) && !is_empty) return bound;
        }
    }
    return 0;
}

Found MulticastForwardingTableRecords::Next(const Query& query, Cursor& cursor,
                                            std::uint32_t& budget, std::span<std::uint8_t> record) {
    using Record = MulticastForwardingTableRecord;
    const Fabric& fabric = view().fabric;
    const auto asked = Asked<Record>(query);
    const PortWalk walk(view(), query, Visit::kSwitches);
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        const SwitchIndex index = fabric.node(fabric.port(at).node).switch_index;
        const MftTables::Run& run = tables_.run(index);
        const std::size_t records = BlocksOf(index) * run.count;  // Block by block.
        std::size_t item = cursor.item;
        for (; item < records; ++item) {
            const bool other_block =
                query.Has(kBlockNum) && item / run.count != asked.Get(Record::kBlockNum);
            const bool other_position =
                query.Has(kPosition) && item % run.count != asked.Get(Record::kPosition);
            if (!other_block && !other_position) break;
        }
        if (item >= records) {
            PortWalk::Pass(cursor);
            continue;
        }
        cursor.item = static_cast<std::uint32_t>(item + 1);

        const std::size_t block = tables_.BlockAt(item / run.count, run.first + item % run.count);
        const MftTables::Block content =
            tables_.IsKnown(block) ? tables_.programmed(block) : MftTables::Block{};
        MulticastForwardingTable table;
        for (std::size_t i = 0; i < content.size(); ++i) {
            table.SetMask(i, content[i]);
        }
        Record answer;
        answer.Set(Record::kLid, LidOf(fabric, at));
        answer.Set(Record::kPosition, static_cast<std::uint8_t>(item % run.count));
        answer.Set(Record::kBlockNum, static_cast<std::uint16_t>(item / run.count));
        Put(answer, Record::kTable, table);
        Deliver(answer, record);
        return Found::kRecord;
    }
    return found;
}

}  // namespace ember
