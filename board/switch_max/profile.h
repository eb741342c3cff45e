// SPDX-License-Identifier: Apache-2.0
// EmberSM: every unicast LID there is: 49,151.
#pragma once

#include "board/sizes.h"
#include "core/base/budget.h"
#include "core/base/limits.h"

namespace ember {

/// 6,144 switches of 36 ports and 43,007 hosts: all unicast LIDs. The profile shows what the
/// largest subnet takes; it need not be built.
inline constexpr Limits kSwitchMax = LimitsOf({
    .switches = 6144,
    .switch_ports = 36,
    .hosts = 43007,
    .smps = 2048,
    .other_sms = 16,
    .journal_notes = 4096,
    .scratch_bytes = 36U << 20U,
    .clients = kMostClients,
    // SLs by pair of switches. Maps by ports of 6,127 switches of 36 ports.
    .lanes = {.lanes = 15, .path_sl_bytes = 6144 * 3072, .lane_map_bytes = 8U << 20U},
    .routing_steps = 16,
    .step_switches = 512,
});
static_assert(Sound(kSwitchMax));

inline constexpr Budget kSwitchMaxBudget = {
    .memory_bytes = std::size_t{896} << 20U,
    .blob_bytes = std::size_t{2048} << 10U,
    .stack_bytes = std::size_t{12} << 10U,
};

}  // namespace ember
