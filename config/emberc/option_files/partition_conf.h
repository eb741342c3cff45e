// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a partition_config_file says, as rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/settings/partition_rows.h"

namespace ember::emberc {

/// partition_config_file. Rows are as the core has them, but that names stand with partitions.
struct PartitionConf {
    struct Partition {
        std::uint16_t p_key = 0;
        std::string name;
        std::uint32_t line = 0;
        std::uint8_t sl = 0;
        bool is_ip = false;
        [[nodiscard]] bool operator==(const Partition&) const = default;
    };
    std::vector<Partition> partitions;
    std::vector<PartitionMember> ports;
    std::vector<PartitionClass> classes;
    std::vector<PartitionGroup> groups;
    [[nodiscard]] bool operator==(const PartitionConf&) const = default;
};

/// The room that partitions take.
struct PartitionSizes {
    std::size_t most_of_a_port = 0;  ///< Partitions: of a named port that is of every class too.
    std::size_t blob_bytes = 0;
};
[[nodiscard]] PartitionSizes SizesOf(const PartitionConf& conf);

/// Ports that the file puts into more partitions than a port can hold P_Keys of.
struct CrowdedPorts {
    std::size_t count = 0;   ///< Named ones; a class of all ports counts as one.
    Guid port = kNoGuid;     ///< The first; kNoGuid: every port.
    std::size_t p_keys = 0;  ///< P_Keys that it would hold, at least.
    std::uint32_t line = 0;  ///< Where it is told of one that has no room.
};
/// `both`: allow_both_pkeys, by which a port may hold two P_Keys of a partition.
[[nodiscard]] CrowdedPorts FindCrowded(const PartitionConf& conf, bool both);

/// A line of a file that says the same.
struct PartitionLine {
    std::string text;
};
[[nodiscard]] std::vector<PartitionLine> EntriesOf(const PartitionConf& conf);
[[nodiscard]] std::string AsLine(const PartitionLine& line);

}  // namespace ember::emberc
