// SPDX-License-Identifier: Apache-2.0
// EmberSM: the GUID tables of ports, and which of them have to be written.

#include "core/fabric/guid_tables.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

GuidInfo GuidTables::TableOf(PortIndex at, std::uint8_t block) const {
    const Port& port = fabric_.port(at);
    const std::uint32_t guids = port.info.Get(PortInfo::kGuidCap);
    GuidInfo table;
    if (block == 0) table.SetGuid(0, port.guid);
    if (aliases_.count() == 0) return table;
    for (std::size_t i = block == 0 ? 1 : 0; i < GuidInfo::kEntries; ++i) {
        const auto place = static_cast<std::uint8_t>(block * GuidInfo::kEntries + i);
        if (place < guids) table.SetGuid(i, aliases_.At(port.guid, place));
    }
    return table;
}

bool GuidTables::MayTell(Guid port, std::uint8_t block) const {
    std::size_t waiting = 0;
    bool has_room = false;
    for (const Row& row : rows_) {
        if (row.Is(port, block)) return true;
        const bool is_free = row.port == kNoGuid || row.has_failed;
        has_room = has_room || is_free;
        if (!is_free && row.port == port) ++waiting;
    }
    return has_room && waiting < kRowsOfOne;
}

void GuidTables::Tell(Guid port, std::uint8_t block) {
    const auto find = [this](auto is_it) {
        return std::find_if(rows_.begin(), rows_.end(), is_it);
    };
    auto row = find([&](const Row& one) { return one.Is(port, block); });
    if (row == rows_.end()) row = find([](const Row& one) { return one.port == kNoGuid; });
    if (row == rows_.end()) row = find([](const Row& one) { return one.has_failed; });
    EMBER_ASSERT(row != rows_.end());
    *row = {.port = port, .block = block};
    ++revision_;
}

void GuidTables::Clear() {
    std::fill(rows_.begin(), rows_.end(), Row{});
}

void GuidTables::DropDeparted() {
    for (Row& row : rows_) {
        if (row.port != kNoGuid && fabric_.FindPort(row.port) == kNoPortIndex) row = Row{};
    }
}

TableIndex GuidTables::Next(std::uint32_t& cursor) const {
    while (cursor < rows_.size()) {
        const auto at = static_cast<TableIndex>(cursor++);
        if (rows_[Raw(at)].port != kNoGuid) return at;
    }
    return kNoTable;
}

bool GuidTables::Find(TableIndex at, PortTable& table, SmpData& wanted) const {
    EMBER_ASSERT(Raw(at) < rows_.size());
    const Row& row = rows_[Raw(at)];
    const PortIndex port = row.port == kNoGuid ? kNoPortIndex : fabric_.FindPort(row.port);
    if (port == kNoPortIndex) return false;
    table = {.port = port,
             .attribute = AttributeId::kGuidInfo,
             .modifier = row.block,
             .is_blind = true,
             .is_passing = true};
    wanted = std::bit_cast<SmpData>(TableOf(port, row.block));
    return true;
}

void GuidTables::Settle(TableIndex at, Status status) {
    EMBER_ASSERT(Raw(at) < rows_.size());
    Row& row = rows_[Raw(at)];
    if (status == Status::kOk) {
        row = Row{};
    } else {
        row.has_failed = true;
    }
}

}  // namespace ember
