// SPDX-License-Identifier: Apache-2.0
// EmberSM: a large fabric: 2,048 switches and 16,383 LIDs.
#pragma once

#include "board/sizes.h"
#include "core/base/budget.h"
#include "core/base/limits.h"

namespace ember {

/// 2,048 switches of 36 ports and 14,335 hosts. The two arenas of forwarding tables alone take
/// 64 MiB; see README.md for what the rest is.
inline constexpr Limits kSwitchLarge = LimitsOf({
    .switches = 2048,
    .switch_ports = 36,
    .hosts = 14335,
    .smps = 512,
    .other_sms = 16,
    .journal_notes = 1280,
    .scratch_bytes = 6672U << 10U,
    .clients = kManyClients,
    // SLs by pair of 362 switches. There is no room for maps by ports.
    .lanes = {.lanes = 8, .path_sl_bytes = 64U << 10U},
    .routing_steps = 8,
    .step_switches = 160,
});
static_assert(Sound(kSwitchLarge));

inline constexpr Budget kSwitchLargeBudget = {
    .memory_bytes = std::size_t{96} << 20U,
    .blob_bytes = std::size_t{352} << 10U,
    .stack_bytes = std::size_t{12} << 10U,
};

}  // namespace ember
