// SPDX-License-Identifier: Apache-2.0
// EmberSM: a director-class fabric: 648 switches and 8,191 LIDs in 24 MiB.
#pragma once

#include "core/base/budget.h"
#include "core/base/limits.h"

namespace ember {

/// 648 switches of 36 ports and 7,543 hosts. Everything, the configuration included, stands in
/// 24 MiB.
inline constexpr Limits kSwitchMedium = {
    .max_nodes = 8191,
    .max_switches = 648,
    .max_ports = 31519,  // 648 switches of 36 ports and port 0, and 7,543 ports of hosts.
    .max_switch_ports = 64,
    .max_lid = 8191,
    .max_smps = 256,
    .max_other_sms = 16,
    .journal_notes = 1024,
    .scratch_bytes = 3456U << 10U,
    .max_sa_requests = 256,
    .max_sa_transfers = 16,
    .max_sa_sources = 128,
    .max_groups = 256,
    .max_members = 8192,
    .max_mlids = 128,
    .max_events = 256,
    .max_alias_guids = 1024,
    .max_services = 512,
    .max_subscriptions = 2048,
};
static_assert(Sound(kSwitchMedium));

inline constexpr Budget kSwitchMediumBudget = {
    .memory_bytes = std::size_t{24} << 20U,
    .blob_bytes = std::size_t{192} << 10U,
    .stack_bytes = std::size_t{12} << 10U,
};

}  // namespace ember
