// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys of devices, LIDs, ports, sweeps and the SM's role.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "config/keys/key.h"

namespace ember::emberc::rows {

/// PartEnforce of the schema.
inline constexpr std::array<std::string_view, 4> kEnforcementWords = {"both", "in", "out", "off"};
inline constexpr std::uint64_t kEnforceOff = 3;
static_assert(kEnforcementWords[kEnforceOff] == "off");

// clang-format off
/// The port to bind to, the keys of the management, LIDs.
inline constexpr std::array kDeviceKeys = {
    Key{{"guid", &Settings::guid}, kCore, kActedOn, kAtStart, "0x0000000000000000",
        "Port GUID to bind to; 0 picks the first port whose link is up."},
    Key{{"m_key", &Settings::m_key}, kSecurity, kActedOn, kReread, "0x0000000000000000",
        "Management key of every port, or what keys are made from under m_key_per_port; 0 is none."},
    Key{{"m_key_lease_period", &Settings::m_key_lease_period}, kSecurity, kActedOn, kReread, "0",
        "Seconds after a wrong M_Key until the protection falls; 0 is never."},
    Key{{"m_key_protection_level", {0, 3}, &Settings::m_key_protection_level},
        kSecurity, kActedOn, kReread, "0", "M_Key protect bits."},
    Key{{"m_key_lookup", &Settings::m_key_lookup}, kSecurity, kActedOn, kReread, "TRUE",
        "A port is asked with the M_Key that it shows, or had before; FALSE is with the configured "
        "one only."},
    Key{{"sm_key", &Settings::sm_key}, kSecurity, kActedOn, kReread, "0x0000000000000001",
        "Key shown in SMInfo and expected from other subnet managers."},
    Key{{"sa_key", &Settings::sa_key}, kSecurity, kActedOn, kReread, "0x0000000000000001",
        "SM_Key that marks an SA request as trusted."},
    Key{{"subnet_prefix", &Settings::subnet_prefix},
        kCore, kActedOn, kAtStart, "0xfe80000000000000", "GID prefix given to every port."},
    Key{{"lmc", {0, 7}, &Settings::lmc}, kCore, kActedOn, kAtStart, "0",
        "Each end port gets 2^lmc LIDs."},
    Key{{"lmc_esp0", &Settings::lmc_esp0}, kCore, kActedOn, kAtStart, "FALSE",
        "lmc holds for enhanced switch port 0 too; otherwise it gets one LID."},
    Key{{"sm_sl", {0, 15}, &Settings::sm_sl}, kCore, kActedOn, kReread, "0",
        "Service level of traffic to the SM and SA (PortInfo:MasterSMSL)."},
    Key{{"honor_guid2lid_file", &Settings::honor_guid2lid_file}, kCore, kActedOn, kReread, "FALSE",
        "Leaving STANDBY: trust the stored LIDs instead of those found in the fabric."},
    Key{{"reassign_lids", &Settings::reassign_lids}, kCore, kActedOn, kReread, "FALSE",
        "First sweep as master: forget every stored and present LID."},
    Key{{"fsync_high_avail_files", kBool}, kCore, kNoted, kReread, "TRUE",
        "Flush stored tables to the medium at once. EmberSM always does."},
    Key{{"sm_assigned_guid", kU8}, kSa, kWarned, kReread, "0x00",
        "Octet 3 of alias GUIDs that the SA makes up."},
};

/// Keys whose values the SM writes into PortInfo and SwitchInfo.
inline constexpr std::array kLinkKeys = {
    Key{{"packet_life_time", {0, 31}, &Settings::packet_life_time},
        kCore, kActedOn, kReread, "0x12",
        "SwitchInfo:LifeTimeValue, 4.096 us * 2^n; 20 and more switch it off."},
    Key{{"subnet_timeout", {0, 31}, &Settings::subnet_timeout}, kCore, kActedOn, kReread, "18",
        "PortInfo:SubnetTimeOut, 4.096 us * 2^n; also the packet life time in paths."},
    Key{{"max_op_vls", {1, 5}, &Settings::max_op_vls}, kCore, kActedOn, kReread, "5",
        "Upper limit of OperationalVLs: 1 is VL0, 2 VL0-1, 3 VL0-3, 4 VL0-7, 5 VL0-14."},
    Key{{"vl_stall_count", {0, 7}, &Settings::vl_stall_count}, kCore, kActedOn, kReread, "0x07",
        "Dropped packets until a VL stalls, on switch ports to switches."},
    Key{{"leaf_vl_stall_count", {0, 7}, &Settings::leaf_vl_stall_count},
        kCore, kActedOn, kReread, "0x07", "The same on switch ports to hosts and routers."},
    Key{{"head_of_queue_lifetime", {0, 31}, &Settings::head_of_queue_lifetime},
        kCore, kActedOn, kReread, "0x12",
        "PortInfo:HOQLife on switch ports to switches, 4.096 us * 2^n; 20 and more switch it off."},
    Key{{"leaf_head_of_queue_lifetime", {0, 31}, &Settings::leaf_head_of_queue_lifetime},
        kCore, kActedOn, kReread, "0x10", "The same on switch ports to hosts and routers."},
    Key{{"force_link_speed", {0, 7, 15, 15}, &Settings::force_link_speed},
        kCore, kActedOn, kReread, "15",
        "PortInfo:LinkSpeedEnabled: 0 leaves it alone, 15 enables all that is supported."},
    Key{{"force_link_speed_ext", {0, 7, 30, 31}, &Settings::force_link_speed_ext},
        kCore, kActedOn, kReread, "31",
        "PortInfo:LinkSpeedExtEnabled: 0 leaves it alone, 30 disables, 31 enables all."},
    Key{{"force_link_width", {0, 31, 255, 255}, &Settings::force_link_width},
        kCore, kActedOn, kReread, "255",
        "PortInfo:LinkWidthEnabled: 0 leaves it alone, 255 enables all that is supported."},
    Key{{"fdr10", kU8, {0, 2, 255, 255}}, kVendor, kWarned, kReread, "1",
        "FDR10 on ports that have it: 0 and 255 leave it alone, 1 enables, 2 disables."},
    Key{{"local_phy_errors_threshold", {0, 15}, &Settings::local_phy_errors_threshold},
        kCore, kActedOn, kReread, "0x08", "PortInfo:LocalPhyErrors."},
    Key{{"overrun_errors_threshold", {0, 15}, &Settings::overrun_errors_threshold},
        kCore, kActedOn, kReread, "0x08", "PortInfo:OverrunErrors."},
    Key{{"use_mfttop", &Settings::use_mfttop}, kCore, kActedOn, kReread, "TRUE",
        "Set SwitchInfo:MulticastFDBTop on switches that know it."},
};

/// Partitions.
inline constexpr std::array kPartitionKeys = {
    Key{{"partition_config_file", kText},
        kSecurity, kActedOn, kAtStart, "/etc/opensm/partitions.conf",
        "File of the partitions. Without one P_Key tables are left as they are."},
    Key{{"no_partition_enforcement", kBool}, kSecurity, kActedOn, kReread, "FALSE",
        "Old spelling of `part_enforce off`."},
    Key{{"part_enforce", {0, 3}, &Settings::part_enforce},
        kSecurity, kActedOn, kReread, "both",
        "Where switches check P_Keys on ports to hosts.", {}, kEnforcementWords},
    Key{{"allow_both_pkeys", &Settings::allow_both_pkeys}, kSecurity, kActedOn, kAtStart, "FALSE",
        "A port may hold the full and the limited form of one key."},
    Key{{"keep_pkey_indexes", &Settings::keep_pkey_indexes}, kSecurity, kActedOn, kReread, "TRUE",
        "Keep the places of known keys in the P_Key tables."},
};

/// Sweeps, and the SMPs that they take.
inline constexpr std::array kSweepKeys = {
    Key{{"sweep_interval", &Settings::sweep_interval}, kCore, kActedOn, kReread, "10",
        "Seconds between light sweeps; 0 is none."},
    Key{{"force_heavy_sweep", &Settings::force_heavy_sweep}, kCore, kActedOn, kReread, "FALSE",
        "Every timed sweep is a heavy one."},
    Key{{"sweep_on_trap", &Settings::sweep_on_trap}, kCore, kActedOn, kReread, "TRUE",
        "Traps 128 and 144 start a heavy sweep."},
    Key{{"max_wire_smps", {0, 0x7FFFFFFF}, &Settings::max_wire_smps},
        kCore, kActedOn, kReread, "32",
        "SMPs in flight; 0 is as many as the board can hold. OpenSM's default is 4."},
    Key{{"max_wire_smps2", {0, 0x7FFFFFFF}, &Settings::max_wire_smps2},
        kCore, kActedOn, kReread, "0",
        "Ceiling to which the window may grow while answers stall; 0 is max_wire_smps."},
    Key{{"max_smps_timeout", &Settings::max_smps_timeout}, kCore, kActedOn, kReread, "600000",
        "Microseconds of silence after which one more SMP is let out."},
    Key{{"transaction_timeout", {1, 600000}, &Settings::transaction_timeout},
        kCore, kActedOn, kAtStart, "200", "Milliseconds to wait for an answer."},
    Key{{"transaction_retries", {1, 255}, &Settings::transaction_retries},
        kCore, kActedOn, kAtStart, "3", "Tries of a datagram in all."},
    Key{{"long_transaction_timeout", kU32, {1, 600000}}, kCore, kNoted, kAtStart, "500",
        "Milliseconds to wait for the answer to a slow Set()."},
    Key{{"max_msg_fifo_timeout", &Settings::max_msg_fifo_timeout}, kSa, kActedOn, kReread, "10000",
        "Milliseconds in the queue after which new SA requests are dropped; 0 is never."},
    Key{{"single_thread", kBool}, kCore, kNoted, kAtStart, "FALSE",
        "One thread for everything. EmberSM has one thread anyway."},
};

/// SMInfo, the election, and the process.
inline constexpr std::array kRoleKeys = {
    Key{{"sm_priority", {0, 15}, &Settings::sm_priority}, kCore, kActedOn, kReread, "0",
        "Priority in SMInfo; the highest becomes master."},
    Key{{"ignore_other_sm", &Settings::ignore_other_sm}, kCore, kActedOn, kReread, "FALSE",
        "Act as if there were no other subnet manager."},
    Key{{"sminfo_polling_timeout", &Settings::sminfo_polling_timeout},
        kCore, kActedOn, kReread, "0",
        "Milliseconds between two polls of the master; 0, as when it is not written, is 800, or 200 "
        "of a peer. OpenSM's default is 10000."},
    Key{{"polling_retry_number", &Settings::polling_retry_number}, kCore, kActedOn, kReread, "4",
        "Polls in a row that may fail before a standby takes over."},
    Key{{"sm_inactive", &Settings::sm_inactive}, kCore, kActedOn, kReread, "FALSE",
        "Start in NOTACTIVE."},
    Key{{"exit_on_fatal", kBool}, kCore, kNoted, kReread, "TRUE",
        "End the process on a fatal conflict at start."},
    Key{{"daemon", kBool}, kCore, kNoted, kAtStart, "FALSE", "Run in the background."},
    Key{{"babbling_port_policy", &Settings::babbling_port_policy},
        kSecurity, kActedOn, kReread, "FALSE",
        "Disable ports that send 250 traps 129 to 131 in a row, at the end nearer to the SM."},
    Key{{"drop_event_subscriptions", &Settings::drop_event_subscriptions},
        kSa, kActedOn, kReread, "FALSE", "Drop subscriptions when the subscriber's port goes."},
    Key{{"no_clients_rereg", &Settings::no_clients_rereg}, kSa, kActedOn, kReread, "FALSE",
        "Never ask clients to register again."},
    Key{{"enable_quirks", &Settings::enable_quirks}, kVendor, kActedOn, kReread, "FALSE",
        "Work around faults of particular devices: paths of old InfiniHost adapters have 1 KiB "
        "packets."},
};
// clang-format on

}  // namespace ember::emberc::rows
