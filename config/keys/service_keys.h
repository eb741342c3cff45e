// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys of subnet administration, of logs and of the performance manager.
#pragma once

#include <array>
#include <string_view>

#include "config/keys/key.h"

namespace ember::emberc::rows {

/// Console of the schema.
inline constexpr std::array<std::string_view, 4> kConsoleWords = {"off", "local", "loopback",
                                                                  "socket"};

// clang-format off
/// Multicast groups, rates, and the records of the SA.
inline constexpr std::array kAdministrationKeys = {
    Key{{"disable_multicast", &Settings::disable_multicast}, kSa, kActedOn, kReread, "FALSE",
        "Groups are kept, but nothing is forwarded."},
    Key{{"ipoib_mcgroup_creation_validation", &Settings::ipoib_mcgroup_creation_validation},
        kSa, kActedOn, kReread, "TRUE", "IP multicast groups need a matching broadcast group."},
    Key{{"mcgroup_join_validation", &Settings::mcgroup_join_validation},
        kSa, kActedOn, kReread, "TRUE", "A port that joins must meet the group's MTU and rate."},
    Key{{"consolidate_ipv6_snm_req", &Settings::consolidate_ipv6_snm_req},
        kSa, kActedOn, kReread, "FALSE",
        "IPv6 solicited-node groups of a P_Key and scope share an MLID."},
    Key{{"use_original_extended_sa_rates_only", kBool}, kSa, kActedOn, kReread, "FALSE",
        "Old spelling of `max_rate_enum 18`."},
    Key{{"max_rate_enum", {2, 26, 63, 63}, &Settings::max_rate_enum}, kSa, kActedOn, kReread, "63",
        "Highest rate code that the SA reports; 63 is no limit."},
    Key{{"prefix_routes_file", kText}, kSa, kActedOn, kAtStart, "/etc/opensm/prefix-routes.conf",
        "File of GID prefixes beyond this subnet and their routers; the default may be missing."},
    Key{{"sa_db_file", kText}, kSa, kActedOn, kAtStart, "(null)",
        "File of SA records that are loaded in the first sweep as master, unless a journal of "
        "them counts."},
    Key{{"sa_db_dump", &Settings::sa_db_dump}, kSa, kActedOn, kReread, "FALSE",
        "Write the SA records out after sweeps, into embersm's `--dump-directory`."},
};

/// Logs, dumps, console and plug-ins of OpenSM.
inline constexpr std::array kLoggingKeys = {
    Key{{"log_file", kText}, kLogging, kNoted, kAtStart, "/var/log/opensm.log", "File of the log."},
    Key{{"log_flags", &Settings::log_flags}, kLogging, kActedOn, kReread, "0x03",
        "Bit 40: dump files after each routing, into embersm's `--dump-directory`. The others, 01 "
        "errors, 02 information, 04 verbose, 08 debug, 10 functions, 20 frames and 80 syslog, change "
        "nothing: embersm's options say what is logged."},
    Key{{"log_max_size", kU32}, kLogging, kNoted, kReread, "0",
        "Megabytes at which the log starts anew; 0 is no limit."},
    Key{{"force_log_flush", kBool}, kLogging, kNoted, kReread, "FALSE",
        "Write each line through at once."},
    Key{{"accum_log_file", kBool}, kLogging, kNoted, kReread, "TRUE",
        "Append to an old log at start."},
    Key{{"log_prefix", kText}, kLogging, kNoted, kReread, "(null)", "Text in front of every line."},
    Key{{"per_module_logging_file", kText},
        kLogging, kNoted, kAtStart, "/etc/opensm/per-module-logging.conf",
        "File of log flags for single modules."},
    Key{{"dump_files_dir", kText}, kLogging, kNoted, kAtStart, "/var/log/", "Folder of dumps."},
    Key{{"console", kChoice, {0, 3}}, kCore, kNoted, kAtStart, "off",
        "Kind of the console.", {}, kConsoleWords},
    Key{{"console_port", kU16}, kCore, kNoted, kAtStart, "10000",
        "TCP port of the console.", "console"},
    Key{{"node_name_map_name", kText}, kLogging, kActedOn, kAtStart, "(null)",
        "File of names for NodeGUIDs, which logs and pages tell in the place of NodeDescriptions."},
    Key{{"event_plugin_name", kText}, kVendor, kWarned, kAtStart, "(null)", "Plug-ins to load."},
    Key{{"event_plugin_options", kText}, kVendor, kWarned, kAtStart, "(null)",
        "Text handed to plug-ins.", "event_plugin_name"},
};

/// The performance manager of OpenSM.
inline constexpr std::array kPerformanceKeys = {
    Key{{"perfmgr", kBool}, kPerf, kWarned, kAtStart, "FALSE", "Run the performance manager."},
    Key{{"perfmgr_redir", kBool}, kPerf, kWarned, kAtStart, "TRUE",
        "Follow redirections.", "perfmgr"},
    Key{{"perfmgr_sweep_time_s", kU16, {1, 65535}}, kPerf, kWarned, kAtStart, "180",
        "Seconds between two rounds.", "perfmgr"},
    Key{{"perfmgr_max_outstanding_queries", kU32, {1, RangeOf(kU32).max}},
        kPerf, kWarned, kAtStart, "500", "Queries in flight.", "perfmgr"},
    Key{{"perfmgr_ignore_cas", kBool}, kPerf, kWarned, kAtStart, "FALSE",
        "Leave hosts out.", "perfmgr"},
    Key{{"perfmgr_rm_nodes", kBool}, kPerf, kWarned, kAtStart, "TRUE",
        "Forget nodes that are gone.", "perfmgr"},
    Key{{"perfmgr_log_errors", kBool}, kPerf, kWarned, kAtStart, "TRUE",
        "Log error counters that rise.", "perfmgr"},
    Key{{"perfmgr_query_cpi", kBool}, kPerf, kWarned, kAtStart, "TRUE",
        "Ask for ClassPortInfo first.", "perfmgr"},
    Key{{"perfmgr_xmit_wait_log", kBool}, kPerf, kWarned, kAtStart, "FALSE",
        "Log PortXmitWait.", "perfmgr"},
    Key{{"perfmgr_xmit_wait_threshold", kU32}, kPerf, kWarned, kAtStart, "65535",
        "Rise of PortXmitWait that is logged.", "perfmgr"},
    Key{{"event_db_dump_file", kText}, kPerf, kWarned, kAtStart, "(null)",
        "File for the counters.", "perfmgr"},
};
// clang-format on

}  // namespace ember::emberc::rows
