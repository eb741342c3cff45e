// SPDX-License-Identifier: Apache-2.0
// EmberSM: a large fabric: 2,048 switches and 16,383 LIDs.
#pragma once

#include "core/base/budget.h"
#include "core/base/limits.h"

namespace ember {

/// 2,048 switches of 36 ports and 14,335 hosts. The two arenas of forwarding tables alone take
/// 64 MiB; see README.md for what the rest is.
inline constexpr Limits kSwitchLarge = {
    .max_nodes = 16383,
    .max_switches = 2048,
    .max_ports = 90111,  // 2,048 switches of 36 ports and port 0, and 14,335 ports of hosts.
    .max_switch_ports = 64,
    .max_lid = 16383,
    .max_smps = 512,
    .max_other_sms = 16,
    .journal_notes = 2048,
    .scratch_bytes = 6656U << 10U,
    .max_sa_requests = 512,
    .max_sa_transfers = 32,
    .max_sa_sources = 256,
    .max_groups = 512,
    .max_members = 16384,
    .max_mlids = 128,
    .max_events = 512,
    .max_alias_guids = 4096,
    .max_services = 1024,
    .max_subscriptions = 4096,
};
static_assert(Sound(kSwitchLarge));

inline constexpr Budget kSwitchLargeBudget = {
    .memory_bytes = std::size_t{96} << 20U,
    .blob_bytes = std::size_t{352} << 10U,
    .stack_bytes = std::size_t{12} << 10U,
};

}  // namespace ember
