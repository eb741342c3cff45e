// SPDX-License-Identifier: Apache-2.0
// EmberSM: a small switch: it manages up to 64 switches in 4 MiB.
#pragma once

#include "core/base/budget.h"
#include "core/base/limits.h"

namespace ember {

/// 64 switches of 40 ports and 959 hosts: the second tier of a small cluster. Everything, the
/// configuration included, stands in 4 MiB.
inline constexpr Limits kSwitchSmall = {
    .max_nodes = 1023,
    .max_switches = 64,
    .max_ports = 3583,  // 64 switches of 40 ports and port 0, and 959 ports of hosts.
    .max_switch_ports = 64,
    .max_lid = 1023,
    .max_smps = 64,
    .max_other_sms = 8,
    .journal_notes = 512,
    .scratch_bytes = 352U << 10U,
    .max_sa_requests = 128,
    .max_sa_transfers = 8,
    .max_sa_sources = 64,
    .max_groups = 128,
    .max_members = 2048,
    .max_mlids = 128,
    .max_events = 64,
    .max_alias_guids = 256,
    .max_services = 128,
    .max_subscriptions = 256,
};
static_assert(Sound(kSwitchSmall));

inline constexpr Budget kSwitchSmallBudget = {
    .memory_bytes = std::size_t{4} << 20U,
    .blob_bytes = std::size_t{64} << 10U,
    .stack_bytes = std::size_t{12} << 10U,
};

}  // namespace ember
