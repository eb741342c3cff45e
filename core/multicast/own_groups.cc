// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast groups that exist without a client's request.

#include "core/multicast/own_groups.h"

#include <algorithm>
#include <span>

#include "core/base/assert.h"
#include "core/wire/p_key_table.h"

namespace ember {
namespace {

inline constexpr std::uint8_t kLinkLocal = 2;

[[nodiscard]] constexpr std::uint8_t ScopeOf(const Gid& mgid) {
    return static_cast<std::uint8_t>(mgid.high >> 48U & 0xFU);
}

/// While `qos` is off no port has SL to VL maps of ours, and paths are told with SL 0: groups too.
[[nodiscard]] GroupValues ValuesOf(const PartitionGroup& group, const Settings& settings) {
    return {.q_key = group.q_key,
            .p_key = static_cast<std::uint16_t>(group.p_key | kFullMembership),
            .mtu = static_cast<Mtu>(group.mtu),
            .rate = static_cast<Rate>(group.rate),
            .packet_life_time = settings.subnet_timeout,
            .sl = settings.qos ? group.sl : std::uint8_t{0},
            .t_class = group.tclass,
            .scope = ScopeOf(group.mgid),
            .flow_label = group.flow_label};
}

[[nodiscard]] GroupValues BroadcastValues(const Settings& settings) {
    return {.q_key = 0x0B1B,
            .p_key = kDefaultPKey,
            .mtu = Mtu::k2048,
            .rate = Rate::k10Gb,
            .packet_life_time = settings.subnet_timeout,
            .scope = kLinkLocal};
}

[[nodiscard]] bool IsConfigured(const Gid& mgid, const ManagerTables& tables) {
    if (tables.partitions.empty()) return mgid == BroadcastMgid(kLinkLocal, kDefaultPKey);
    const std::span<const PartitionGroup> rows = tables.partition_groups;
    const auto is_before = [](const PartitionGroup& one, const Gid& other) {
        return one.mgid.high != other.high ? one.mgid.high < other.high : one.mgid.low < other.low;
    };
    const auto row = std::lower_bound(rows.begin(), rows.end(), mgid, is_before);
    return row != rows.end() && row->mgid == mgid;
}

Status Make(Groups& groups, const Gid& mgid, const GroupValues& values) {
    GroupIndex at = groups.Find(mgid);
    if (at == kNoGroup) {
        const Result<GroupIndex> made = groups.Create(mgid, values, Groups::Place{});
        if (!made.ok()) return made.status();
        at = made.value();
    }
    const Group& group = groups.group(at);
    EMBER_ASSERT(group.mgid == mgid);
    if (!group.is_well_known || group.values != values) groups.SetWellKnown(at, values);
    return Status::kOk;
}

}  // namespace

Status MakeOwnGroups(Groups& groups, const Settings& settings) {
    const ManagerTables& tables = settings.manager_tables;
    for (std::size_t i = 0; i < groups.group_bound(); ++i) {
        const auto at = static_cast<GroupIndex>(i);
        const bool is_ours = groups.IsLive(at) && groups.group(at).is_well_known;
        if (is_ours && !IsConfigured(groups.group(at).mgid, tables)) {
            groups.EndWellKnown(at);
        }
    }
    if (tables.partitions.empty()) {
        return Make(groups, BroadcastMgid(kLinkLocal, kDefaultPKey), BroadcastValues(settings));
    }
    Status status = Status::kOk;
    for (const PartitionGroup& row : tables.partition_groups) {
        const Status made = Make(groups, row.mgid, ValuesOf(row, settings));
        if (made != Status::kOk) status = made;
    }
    return status;
}

}  // namespace ember
