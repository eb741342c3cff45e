// SPDX-License-Identifier: Apache-2.0
// EmberSM: every unicast LID there is: 49,151.
#pragma once

#include "core/base/budget.h"
#include "core/base/limits.h"

namespace ember {

/// 6,144 switches of 36 ports and 43,007 hosts: all unicast LIDs. It shows what the largest subnet
/// takes; nobody has to build it.
inline constexpr Limits kSwitchMax = {
    .max_nodes = 49151,
    .max_switches = 6144,
    .max_ports = 270335,  // 6,144 switches of 36 ports and port 0, and 43,007 ports of hosts.
    .max_switch_ports = 64,
    .max_lid = 49151,
    .max_smps = 2048,
    .max_other_sms = 16,
    .journal_notes = 4096,
    .scratch_bytes = 24U << 20U,
    .max_sa_requests = 1024,
    .max_sa_transfers = 64,
    .max_sa_sources = 256,
    .max_groups = 4096,
    .max_members = 65536,
    .max_mlids = 1024,
    .max_events = 1024,
    .max_alias_guids = 16384,
    .max_services = 4096,
    .max_subscriptions = 8192,
};
static_assert(Sound(kSwitchMax));

inline constexpr Budget kSwitchMaxBudget = {
    .memory_bytes = std::size_t{896} << 20U,
    .blob_bytes = std::size_t{2048} << 10U,
    .stack_bytes = std::size_t{12} << 10U,
};

}  // namespace ember
