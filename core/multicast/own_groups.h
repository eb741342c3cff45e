// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast groups that exist without a client's request.
#pragma once

#include <cstdint>

#include "core/multicast/groups.h"
#include "core/settings/settings.h"

namespace ember {

/// The MGID of the IPv4 broadcast group of a partition and scope. RFC 4391, 4.
[[nodiscard]] constexpr Gid BroadcastMgid(std::uint8_t scope, std::uint16_t p_key) {
    return {
        0xFF10401B00000000ULL | std::uint64_t{scope & 0xFU} << 48U | std::uint64_t{p_key} << 16U,
        0xFFFFFFFFULL};
}

/// Makes the groups that exist as long as their partitions do: those of partition_config_file;
/// without one the IPv4 broadcast group of the default partition, as OpenSM does. A group that
/// exists already gets the configured values. A group that is no longer configured ends when it has
/// no full members. Nothing that is right is changed. A pass over all groups.
///
/// kFull: some had no row or no MLID; the others are made.
Status MakeOwnGroups(Groups& groups, const Settings& settings);

}  // namespace ember
