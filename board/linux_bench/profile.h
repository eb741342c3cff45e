// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Linux host with an InfiniBand adapter, or a fabric simulated on it.
#pragma once

#include "board/sizes.h"
#include "core/base/limits.h"

namespace ember {

/// Room for a three-level fat tree of 36-port switches (1,620 switches, 11,664 hosts) and, instead,
/// for as many switches of 64 ports as there is room for.
///
/// Memory that a small fabric does not need is never touched, so it is never resident: a host can
/// afford these numbers. See README.md for the bytes.
inline constexpr Limits kLinuxBench = WithClients(
    kMostClients,
    {
        .max_nodes = 16384,
        .max_switches = 1792,
        .max_ports = 131071,  // 1,791 switches of 64 ports and port 0, and 14,656 ports of hosts.
        .max_switch_ports = 254,
        .max_lid = 16383,
        .max_smps = 1024,
        .max_other_sms = 16,
        .journal_notes = 4096,
        .scratch_bytes = 46U << 20U,
        .state_buffer_bytes = 128U << 10U,
        .replication_bytes = 4096,
        .max_flapping_links = 256,
        .max_lanes = 15,
        .max_routing_steps = 16,
        .bandwidth_tables = 2,
        .path_sl_bytes = 14U << 20U,  // By switch and LID.
        .lane_map_bytes = 4U << 20U,
    });

}  // namespace ember
