// SPDX-License-Identifier: Apache-2.0
// EmberSM: a director-class fabric: 648 switches and 8,191 LIDs in 24 MiB.
#pragma once

#include "board/sizes.h"
#include "core/base/budget.h"
#include "core/base/limits.h"

namespace ember {

/// 648 switches of 36 ports and 7,543 hosts. Everything, the configuration included, stands in
/// 24 MiB.
inline constexpr Limits kSwitchMedium = LimitsOf({
    .switches = 648,
    .switch_ports = 36,
    .hosts = 7543,
    .smps = 256,
    .other_sms = 16,
    .journal_notes = 1024,
    .scratch_bytes = 4180U << 10U,
    .clients = kSomeClients,
    // SLs by pair of switches. Maps by ports of 95 switches of 36 ports: 1 KiB and 345 octets each.
    .lanes = {.lanes = 8, .path_sl_bytes = 648 * 324, .lane_map_bytes = 128U << 10U},
    .routing_steps = 4,
    .step_switches = 192,
});
static_assert(Sound(kSwitchMedium));

inline constexpr Budget kSwitchMediumBudget = {
    .memory_bytes = std::size_t{24} << 20U,
    .blob_bytes = std::size_t{192} << 10U,
    .stack_bytes = std::size_t{12} << 10U,
};

}  // namespace ember
