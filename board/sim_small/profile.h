// SPDX-License-Identifier: Apache-2.0
// EmberSM: a board that fits a test: it manages simulated fabrics of up to 64 switches.
#pragma once

#include "core/base/limits.h"

namespace ember {

/// Small enough that a test can afford several subnet managers, and that a fabric larger than the
/// board is quickly made. No hardware has these numbers.
inline constexpr Limits kSimSmall = {
    .max_nodes = 576,  // 64 switches and 512 hosts.
    .max_switches = 64,
    .max_ports = 3648,  // 64 switches of 40 ports and port 0, and 512 two-port hosts.
    .max_switch_ports = 40,
    .max_lid = 1023,
    .max_smps = 64,
    .max_other_sms = 8,
    .journal_notes = 1024,
    .scratch_bytes = 640U << 10U,
    .max_groups = 96,
    .max_members = 1024,
    .max_mlids = 96,
    .max_events = 128,
    .max_alias_guids = 256,
    .replication_bytes = 4096,
    .max_lanes = 8,
    .max_routing_steps = 16,
    .max_qos_rules = 128,
    .bandwidth_tables = 2,
    .path_sl_bytes = 32U << 10U,  // By switch and LID.
    .lane_map_bytes = 112U << 10U,
};
static_assert(Sound(kSimSmall));

}  // namespace ember
