// SPDX-License-Identifier: Apache-2.0
// EmberSM: which end ports have other partitions under new settings.
#include "core/fabric/partition_diff.h"

#include <algorithm>

namespace ember {
namespace {

/// Both rows are of the same port or class, and of the same partition.
template <typename Row>
[[nodiscard]] bool SaysTheSame(const Row& one, const Row& other) {
    const bool is_one_line = one.line == other.line || !one.is_first;
    return one.p_key == other.p_key && one.membership == other.membership &&
           one.turn == other.turn && one.is_first == other.is_first && is_one_line;
}

[[nodiscard]] bool IsBefore(const PartitionMember& one, const PartitionMember& other) {
    return one.port_guid != other.port_guid ? one.port_guid < other.port_guid
                                            : one.p_key < other.p_key;
}

void ClearPartitions(ManagerTables& tables) {
    tables.partitions = {};
    tables.partition_names = {};
    tables.partition_ports = {};
    tables.partition_classes = {};
    tables.partition_groups = {};
}

[[nodiscard]] bool HaveTheSamePartitions(const ManagerTables& one, const ManagerTables& other) {
    return ShowTheSame(one.partitions, other.partitions) &&
           ShowTheSame(one.partition_names, other.partition_names) &&
           ShowTheSame(one.partition_ports, other.partition_ports) &&
           ShowTheSame(one.partition_classes, other.partition_classes) &&
           ShowTheSame(one.partition_groups, other.partition_groups);
}

}  // namespace

bool DifferInPartitionsAlone(const Settings& one, const Settings& other) {
    if (HaveTheSamePartitions(one.manager_tables, other.manager_tables)) return false;
    Settings rest_of_one = one;
    Settings rest_of_other = other;
    ClearPartitions(rest_of_one.manager_tables);
    ClearPartitions(rest_of_other.manager_tables);
    return rest_of_one == rest_of_other;
}

PartitionDiff::PartitionDiff(const ManagerTables& before, const ManagerTables& after) {
    const auto says_the_same = [](const PartitionClass& one, const PartitionClass& other) {
        return one.ports == other.ports && SaysTheSame(one, other);
    };
    // Without a table all ports are full members of the default partition, which no row says.
    concerns_all_ =
        before.partitions.empty() != after.partitions.empty() ||
        !std::equal(before.partition_classes.begin(), before.partition_classes.end(),
                    after.partition_classes.begin(), after.partition_classes.end(), says_the_same);
    if (concerns_all_) return;
    before_ = before.partition_ports;
    after_ = after.partition_ports;
}

/// Takes the next row of either table, or that of both; kNoGuid: they say the same.
Guid PartitionDiff::TakeRow() {
    EMBER_ASSERT(!before_.empty() || !after_.empty());
    const bool is_of_before =
        !before_.empty() && (after_.empty() || !IsBefore(after_.front(), before_.front()));
    const bool is_of_after =
        !after_.empty() && (before_.empty() || !IsBefore(before_.front(), after_.front()));
    const bool is_same =
        is_of_before && is_of_after && SaysTheSame(before_.front(), after_.front());
    const Guid guid = is_of_before ? before_.front().port_guid : after_.front().port_guid;
    if (is_of_before) before_ = before_.subspan(1);
    if (is_of_after) after_ = after_.subspan(1);
    return is_same ? kNoGuid : guid;
}

}  // namespace ember
