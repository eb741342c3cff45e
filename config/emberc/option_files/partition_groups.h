// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast groups of a partition_config_file while it is read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/partition_words.h"
#include "core/base/gid.h"
#include "core/settings/partition_rows.h"

namespace ember::emberc {

/// Groups of all partitions.
class GroupTable {
public:
    explicit GroupTable(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    struct Wanted {
        Gid mgid{};
        std::uint16_t p_key = 0;
        GroupFlags flags;
        bool is_implied = false;  ///< By `ipoib`.
        Spot spot;
    };
    /// Takes in a group for each of its scopes, and of all groups of its definition. Other flags
    /// that it does not have are those of `of_all`. A group that is there already draws a warning,
    /// or an error where it has other values.
    void AddAll(Wanted wanted, const GroupFlags& of_all);

    /// In their order. An IP group without the broadcast group of its scope, or of another MTU or
    /// rate, is reported.
    [[nodiscard]] std::vector<PartitionGroup> Rows();

private:
    using Key = std::pair<std::uint64_t, std::uint64_t>;

    [[nodiscard]] PartitionGroup RowOf(const Wanted& wanted) const;
    void Add(const Wanted& wanted);
    void Error(const Wanted& wanted, Code code, std::string text);
    void CheckIp(const Wanted& wanted);

    Diagnostics& diagnostics_;
    std::map<Key, Wanted> groups_;
};

}  // namespace ember::emberc
