// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the partitions of a blob must be.
#include "config/blob/partition_rows.h"

#include <array>
#include <cstddef>
#include <tuple>

#include "core/base/mgid.h"
#include "core/wire/p_key_table.h"
#include "core/wire/rate.h"

namespace ember::option_files {
namespace {

using Rows = WireStructs<schema::PartitionRow>;
using Classes = WireStructs<schema::PartitionClass>;

constexpr std::uint32_t kLastFlowLabel = 0xFFFFF;
constexpr std::uint8_t kLastSl = 15;

/// The first row that `is_below` does not hold for; as many as there are: it holds for all.
template <typename Struct, typename IsBelow>
flatbuffers::uoffset_t LowerBound(const WireStructs<Struct>* rows, const IsBelow& is_below) {
    flatbuffers::uoffset_t first = 0;
    auto count = static_cast<flatbuffers::uoffset_t>(SizeOf(rows));
    while (count > 0) {  // The count is halved each time: at most 32 turns.
        const flatbuffers::uoffset_t half = count / 2;
        if (is_below(*rows->Get(first + half))) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

bool HasPartition(const Rows* rows, std::uint16_t p_key) {
    const auto at = LowerBound(rows, [p_key](const auto& row) { return row.p_key() < p_key; });
    return at < SizeOf(rows) && rows->Get(at)->p_key() == p_key;
}

bool IsMembership(std::uint8_t membership) {
    return (membership & ~unsigned{kFormsOfPKey | kPKeyAtIndex0}) == 0 &&
           CoreMembership(membership) != Membership::kNone;
}

/// There are at most so many of them, each is right, and its key is above that of the one before.
template <typename Struct, typename Key, typename IsRight>
bool Ascend(const WireStructs<Struct>* rows, std::size_t most, const Key& key_of,
            const IsRight& is_right) {
    if (SizeOf(rows) > most) return false;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        if (!is_right(*rows->Get(i))) return false;
        if (i > 0 && !(key_of(*rows->Get(i - 1)) < key_of(*rows->Get(i)))) return false;
    }
    return true;
}

bool RowsFit(const Rows* rows) {
    return Ascend(
        rows, kMostPartitions, [](const auto& row) { return row.p_key(); },
        [](const auto& row) {
            return row.p_key() >= 1 && row.p_key() <= kPKeyBase && row.flags() <= kIpPartition &&
                   row.sl() <= kLastSl;
        });
}

/// The classes of a partition have turns 1, 2, 3 ... in some order.
bool TurnsFit(const Classes* classes, std::uint16_t p_key) {
    std::array<bool, kPortClasses> is_taken{};
    std::size_t count = 0;
    for (std::uint8_t ports = 0; ports < kPortClasses; ++ports) {
        const auto at = LowerBound(classes, [&](const auto& row) {
            return std::tuple(row.ports(), row.p_key()) < std::tuple(ports, p_key);
        });
        if (at == SizeOf(classes)) continue;
        const schema::PartitionClass& row = *classes->Get(at);
        if (row.ports() != ports || row.p_key() != p_key) continue;
        if (row.turn() < 1 || row.turn() > kPortClasses || is_taken[row.turn() - 1U]) return false;
        is_taken[row.turn() - 1U] = true;
        ++count;
    }
    for (std::size_t turn = 0; turn < count; ++turn) {
        if (!is_taken[turn]) return false;
    }
    return true;
}

bool ClassesFit(const Rows* rows, const Classes* classes) {
    const bool ascend = Ascend(
        classes, kMostPartitionClasses,
        [](const auto& row) { return std::tuple(row.ports(), row.p_key()); },
        [rows](const auto& row) {
            return row.ports() < kPortClasses && IsMembership(row.membership()) &&
                   HasPartition(rows, row.p_key());
        });
    if (!ascend) return false;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        if (!TurnsFit(classes, rows->Get(i)->p_key())) return false;
    }
    return true;
}

bool MembersFit(const Rows* rows, const WireStructs<schema::PartitionMember>* members) {
    return Ascend(
        members, kMostPartitionMembers,
        [](const auto& row) { return std::tuple(row.port_guid(), row.p_key()); },
        [rows](const auto& row) {
            return row.port_guid() != 0 && IsMembership(row.membership()) &&
                   row.turn() <= kPortClasses && HasPartition(rows, row.p_key());
        });
}

bool GroupFits(const Rows* rows, const schema::PartitionGroup& group) {
    const Gid mgid{group.mgid_high(), group.mgid_low()};
    const auto p_key = static_cast<std::uint16_t>(group.p_key() | kFullMembership);
    return IsSoundMgid(mgid) && HasPartition(rows, group.p_key()) &&
           (!IsIpMgid(mgid) || PKeyOfIpMgid(mgid) == p_key) && group.mtu() >= 1 &&
           group.mtu() <= static_cast<std::uint8_t>(Mtu::k4096) &&
           IsRate(static_cast<Rate>(group.rate())) && group.sl() <= kLastSl &&
           group.flow_label() <= kLastFlowLabel;
}

}  // namespace

bool PartitionsFit(const schema::OptionFiles& from) {
    const Rows* const rows = from.partitions();
    const bool has_rest = SizeOf(from.partition_ports()) + SizeOf(from.partition_classes()) +
                              SizeOf(from.partition_groups()) !=
                          0;
    if (rows == nullptr) return !has_rest;
    return RowsFit(rows) && HasPartition(rows, kDefaultPKey & kPKeyBase) &&
           ClassesFit(rows, from.partition_classes()) && MembersFit(rows, from.partition_ports()) &&
           Ascend(
               from.partition_groups(), kMostPartitionGroups,
               [](const auto& row) { return std::tuple(row.mgid_high(), row.mgid_low()); },
               [rows](const auto& row) { return GroupFits(rows, row); });
}

}  // namespace ember::option_files
