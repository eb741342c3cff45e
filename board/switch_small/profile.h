// SPDX-License-Identifier: Apache-2.0
// EmberSM: a small switch: it manages up to 64 switches in 4 MiB.
#pragma once

#include "board/sizes.h"
#include "core/base/budget.h"
#include "core/base/limits.h"

namespace ember {

/// 64 switches of 40 ports and 959 hosts: the second tier of a small cluster. Everything, the
/// configuration included, stands in 4 MiB.
inline constexpr Limits kSwitchSmall = LimitsOf({
    .switches = 64,
    .switch_ports = 40,
    .hosts = 959,
    .smps = 64,
    .other_sms = 8,
    .journal_notes = 512,
    .scratch_bytes = 480U << 10U,
    .clients = kFewClients,
    // SLs by switch and LID, and maps of switches of 40 ports.
    .lanes = {.lanes = 8, .path_sl_bytes = 32U << 10U, .lane_map_bytes = 112U << 10U},
    .routing_steps = 8,
});
static_assert(Sound(kSwitchSmall));

inline constexpr Budget kSwitchSmallBudget = {
    .memory_bytes = std::size_t{4} << 20U,
    .blob_bytes = std::size_t{64} << 10U,
    .stack_bytes = std::size_t{12} << 10U,
};

}  // namespace ember
