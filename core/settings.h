// SPDX-License-Identifier: Apache-2.0
// EmberSM: what may be configured. config/ fills it; the core only reads it.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace ember {

/// In which order LIDs are given out and destinations are routed.
enum class Order : std::uint8_t {
    kOpensm,  ///< As OpenSM on a little-endian host: ascending byte-reversed GUID.
    kGuid,    ///< Ascending GUID.
};

/// Everything an operator may decide, with its default: a plain value, no pointers. Names are
/// opensm.conf's where OpenSM has the option; the sentence says the unit and range.
struct Settings {
    // Device, keys, LIDs.
    Guid guid = kNoGuid;                      ///< Port to bind to; 0: first port with its link up.
    std::uint64_t m_key = 0;                  ///< Sent in every SMP and set on every port.
    std::uint16_t m_key_lease_period = 0;     ///< Seconds; 0: for ever.
    std::uint8_t m_key_protection_level = 0;  ///< 0..3.
    std::uint64_t sm_key = 1;                 ///< Shown in SMInfo, expected from other SMs.
    std::uint64_t subnet_prefix = 0xFE80000000000000;
    std::uint8_t lmc = 0;              ///< 0..7: 2^lmc LIDs an end port.
    bool lmc_esp0 = false;             ///< lmc holds for enhanced switch port 0 too.
    std::uint8_t sm_sl = 0;            ///< 0..15: PortInfo:MasterSMSL.
    bool honor_guid2lid_file = false;  ///< Leaving STANDBY: trust the stored LIDs.
    bool reassign_lids = false;        ///< First master sweep: forget all LIDs.
    Order order = Order::kOpensm;      ///< EmberSM's own key `order`: opensm | guid.

    // Link and port values.
    std::uint8_t packet_life_time = 0x12;             ///< SwitchInfo:LifeTimeValue, 0..31.
    std::uint8_t subnet_timeout = 18;                 ///< PortInfo:SubnetTimeOut, 0..31.
    std::uint8_t max_op_vls = 5;                      ///< Upper bound of OperationalVLs, code 1..5.
    std::uint8_t vl_stall_count = 7;                  ///< 0..7, switch ports to switches.
    std::uint8_t leaf_vl_stall_count = 7;             ///< 0..7, switch ports to end ports.
    std::uint8_t head_of_queue_lifetime = 0x12;       ///< 0..31, switch ports to switches.
    std::uint8_t leaf_head_of_queue_lifetime = 0x10;  ///< 0..31, switch ports to end ports.
    std::uint8_t force_link_speed = 15;           ///< 0 leave, 1..7 that value, 15 all supported.
    std::uint8_t force_link_speed_ext = 31;       ///< 0 leave, 30 disable, 31 all, else the value.
    std::uint8_t force_link_width = 255;          ///< 0 leave, 255 all supported, else the value.
    std::uint8_t local_phy_errors_threshold = 8;  ///< 0..15.
    std::uint8_t overrun_errors_threshold = 8;    ///< 0..15.

    // Sweeping and sending.
    std::uint32_t sweep_interval = 10;        ///< Seconds between light sweeps; 0: none.
    bool force_heavy_sweep = false;           ///< Every timed sweep is heavy.
    bool sweep_on_trap = true;                ///< Traps 128 and 144 start a heavy sweep.
    std::uint32_t max_wire_smps = 32;         ///< SMPs in flight, 1..Limits::max_smps.
    std::uint32_t max_wire_smps2 = 0;         ///< Ceiling while answers stall; 0: max_wire_smps.
    std::uint32_t max_smps_timeout = 600000;  ///< Microseconds of silence before one more goes out.
    std::uint32_t transaction_timeout = 200;  ///< Milliseconds until a retry.
    std::uint32_t transaction_retries = 3;    ///< Tries in all, 1..

    // Role.
    std::uint8_t sm_priority = 0;  ///< 0..15.
    bool ignore_other_sm = false;
    std::uint32_t sminfo_polling_timeout = 10000;  ///< Milliseconds between polls of the master.
    std::uint32_t polling_retry_number = 4;        ///< Polls in a row that may go unanswered.
    bool sm_inactive = false;                      ///< Start in NOTACTIVE.
    bool no_clients_rereg = false;                 ///< Never set ClientReregister.

    // Routing.
    bool require_deadlock_free = false;      ///< EmberSM's own key: refuse a possible credit loop.
    bool port_profile_switch_nodes = false;  ///< Count switch LIDs in the load of a port too.

    [[nodiscard]] bool operator==(const Settings&) const = default;
};

}  // namespace ember
