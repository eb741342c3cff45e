// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports of a planned fabric are in which partitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/emberc/plan/planner.h"
#include "core/partitions/partitions.h"
#include "core/settings/settings.h"

namespace ember::plan {

/// Kinds of ports and partitions that a page shows; of more, the number is told.
inline constexpr std::size_t kShownKinds = 48;
inline constexpr std::size_t kShownPartitions = 40;

/// End ports that are the same in every partition.
struct PortKind {
    std::size_t ports = 0;
    std::string first;  ///< Names, in the order of the netlist.
    std::string last;
    std::vector<Membership> in;  ///< By MembershipMatrix::partitions.
    [[nodiscard]] bool is_isolated() const;
};

struct PartitionColumn {
    std::uint16_t p_key = 0;  ///< Base.
    std::string name;
    std::uint32_t line = 0;  ///< Of partition_config_file.
    std::size_t full = 0;    ///< Ports that are full members, or both.
    std::size_t limited = 0;
};

/// Partitions by kinds of ports: a fabric of any size has as many rows as there are kinds.
struct MembershipMatrix {
    std::vector<PartitionColumn> partitions;  ///< Ascending; empty: none are configured.
    std::vector<PortKind> kinds;  ///< Kinds in no partition first, then most ports first.
};

/// The partitions of every end port that has a LID, as the subnet manager would see them.
[[nodiscard]] MembershipMatrix MembershipOf(const Planned& plan, const Settings& settings);

}  // namespace ember::plan
