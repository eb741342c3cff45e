// SPDX-License-Identifier: Apache-2.0
// EmberSM: which end ports have other partitions under new settings.
#include "core/partitions/partition_diff.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/settings/option_views.h"

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

void PutPartitions(const ManagerTables& from, ManagerTables& into) {
    into.partitions = from.partitions;
    into.partition_names = from.partition_names;
    into.partition_ports = from.partition_ports;
    into.partition_classes = from.partition_classes;
    into.partition_groups = from.partition_groups;
}

[[nodiscard]] bool HaveTheSamePartitions(const ManagerTables& one, const ManagerTables& other) {
    return ShowTheSame(one.partitions, other.partitions) &&
           ShowTheSame(one.partition_names, other.partition_names) &&
           ShowTheSame(one.partition_ports, other.partition_ports) &&
           ShowTheSame(one.partition_classes, other.partition_classes) &&
           ShowTheSame(one.partition_groups, other.partition_groups);
}

}  // namespace

bool DifferInPartitionsAlone(const Settings& one, Settings& other) {
    if (HaveTheSamePartitions(one.manager_tables, other.manager_tables)) return false;
    const ManagerTables kept = other.manager_tables;
    PutPartitions(one.manager_tables, other.manager_tables);
    const bool is_rest_the_same = one == other;
    PutPartitions(kept, other.manager_tables);
    return is_rest_the_same;
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
