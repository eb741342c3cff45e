// SPDX-License-Identifier: Apache-2.0
// EmberSM: the GUID tables of ports, and which of them have to be written.

#include "core/aliases/guid_tables.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

GuidInfo GuidTables::TableOf(PortIndex at, std::uint8_t block) const {
    EMBER_ASSERT(block <= 0xFF / GuidInfo::kEntries);
    const Port& port = fabric_.port(at);
    const std::uint32_t guids = port.info.Get(PortInfo::kGuidCap);
    GuidInfo table;
    if (block == 0) table.SetGuid(0, port.guid);
    if (!aliases_.any()) return table;
    for (std::size_t i = block == 0 ? 1 : 0; i < GuidInfo::kEntries; ++i) {
        const auto place = static_cast<std::uint8_t>(block * GuidInfo::kEntries + i);
        if (place < guids) table.SetGuid(i, aliases_.At(port.guid, place));
    }
    return table;
}

bool GuidTables::HasRoomFor(Guid port, std::uint8_t block) const {
    EMBER_ASSERT(port != kNoGuid);
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

void GuidTables::Update(Guid port, std::uint8_t block) {
    EMBER_ASSERT(port != kNoGuid);
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
             .is_blind = !row.is_of_walk,
             .is_passing = true};
    wanted = std::bit_cast<SmpData>(TableOf(port, row.block));
    return true;
}

void GuidTables::Settle(TableIndex at, Status status) {
    EMBER_ASSERT(Raw(at) < rows_.size());
    Row& row = rows_[Raw(at)];
    if (status == Status::kOk) {
        if (row.block == 0) Mark(row.port);
        row = Row{};
    } else {
        row.has_failed = true;
    }
    has_walk_row_ = true;
}

/// Block 0 of a port is as it shall be.
void GuidTables::Mark(Guid port) {
    const PortIndex at = port == kNoGuid ? kNoPortIndex : fabric_.FindPort(port);
    if (at == kNoPortIndex || mode_ == kLeaveRouterAliases) return;
    const Port& row = fabric_.port(at);
    const std::uint32_t lid = Raw(row.lid);
    if (row.lid == kNoLid || IsSettled(lid)) return;
    EMBER_ASSERT(lid / 64 < settled_.size());
    settled_[lid / 64] |= 1ULL << lid % 64;
    ++walked_.settled;
}

void GuidTables::BeginWalk(std::uint8_t mode) {
    if (mode != mode_) std::fill(settled_.begin(), settled_.end(), 0);
    mode_ = mode;
    walked_ = Walked{};
    next_lid_ = 1;
    end_lid_ = mode == kLeaveRouterAliases ? next_lid_ : fabric_.max_lid() + 1;
    has_walk_row_ = true;
    is_reported_ = mode != kMakeRouterAliases;
}

/// Half of the rows are for what clients ask for.
GuidTables::Row* GuidTables::RowForWalk() {
    Row* free = nullptr;
    std::size_t waiting = 0;
    for (Row& row : rows_) {
        const bool is_free = row.port == kNoGuid || (row.has_failed && free == nullptr);
        if (is_free) free = &row;
        if (row.is_of_walk && !row.has_failed) ++waiting;
    }
    return waiting < (rows_.size() + 1) / 2 ? free : nullptr;
}

/// False: there is no row for the port's block.
bool GuidTables::LookAt(const Port& port) {
    EMBER_ASSERT(port.guid != kNoGuid);
    EMBER_ASSERT(port.lid != kNoLid);
    const bool is_named = std::any_of(rows_.begin(), rows_.end(),
                                      [&](const Row& row) { return row.Is(port.guid, 0); });
    if (!is_named && !IsSettled(Raw(port.lid)) && RouterAliases::HasPlace(port)) {
        Row* const row = RowForWalk();
        has_walk_row_ = row != nullptr;
        if (row == nullptr) return false;
        *row = {.port = port.guid, .is_of_walk = true};
        ++revision_;
    }
    const bool is_made = mode_ == kMakeRouterAliases;
    if (is_made && aliases_.RouterAliasOf(port.guid) == kNoGuid) ++walked_.without;
    return true;
}

bool GuidTables::Walk() {
    EMBER_ASSERT(end_lid_ <= std::uint32_t{Raw(kTopUnicastLid)} + 1);
    for (std::uint32_t i = 0; i < kLidsAtOnce && next_lid_ < end_lid_; ++i) {
        const PortIndex at = fabric_.PortByLid(static_cast<Lid>(next_lid_));
        const bool is_base = at != kNoPortIndex && Raw(fabric_.port(at).lid) == next_lid_;
        if (is_base && !LookAt(fabric_.port(at))) return false;
        ++next_lid_;
    }
    const bool waits = std::any_of(rows_.begin(), rows_.end(), [](const Row& row) {
        return row.is_of_walk && !row.has_failed;
    });
    if (is_reported_ || next_lid_ < end_lid_ || waits) return false;
    is_reported_ = true;
    return true;
}

}  // namespace ember
