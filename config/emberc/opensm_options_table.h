// SPDX-License-Identifier: Apache-2.0
// EmberSM: the options of OpenSM's command line.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ember::emberc {

/// The effect of an option of OpenSM.
enum class OptionAct : std::uint8_t {
    kValue,      ///< Its value is that of the key.
    kHex,        ///< Likewise, read as hexadecimal with 0x or without.
    kFixed,      ///< The key gets the value of the row.
    kBase,       ///< Its value names a configuration that is read first.
    kLouder,     ///< Another bit of log_flags.
    kLoudest,    ///< All bits of log_flags, and each line is flushed.
    kDebug,      ///< A number that stands for one of several keys.
    kExplained,  ///< There is no key for it, or need of one; the row says why.
};

/// A row of `opensm --help`, or of its manual page.
struct OpensmOption {
    std::string_view name;  ///< Long, without "--".
    char letter = '\0';     ///< Short, or none.
    bool has_value = false;
    OptionAct act = OptionAct::kExplained;
    std::string_view key;    ///< Empty for those that set none.
    std::string_view value;  ///< Of kFixed; of kExplained: the sentence.
};

// clang-format off
inline constexpr std::array kOpensmOptions = {
    OpensmOption{"version", '\0', false, OptionAct::kExplained, "", "OpenSM prints its version and ends: nothing is configured by it"},
    OpensmOption{"config", 'F', true, OptionAct::kBase, "", ""},
    OpensmOption{"create-config", 'c', true, OptionAct::kExplained, "", "OpenSM writes a file of all keys and ends: `emberc keys` lists them, and the file can be read by emberc"},
    OpensmOption{"guid", 'g', true, OptionAct::kHex, "guid", ""},
    OpensmOption{"lmc", 'l', true, OptionAct::kValue, "lmc", ""},
    OpensmOption{"priority", 'p', true, OptionAct::kValue, "sm_priority", ""},
    OpensmOption{"subnet_prefix", '\0', true, OptionAct::kHex, "subnet_prefix", ""},
    OpensmOption{"smkey", 'k', true, OptionAct::kHex, "sm_key", ""},
    OpensmOption{"reassign_lids", 'r', false, OptionAct::kFixed, "reassign_lids", "TRUE"},
    OpensmOption{"routing_engine", 'R', true, OptionAct::kValue, "routing_engine", ""},
    OpensmOption{"do_mesh_analysis", '\0', false, OptionAct::kFixed, "do_mesh_analysis", "TRUE"},
    OpensmOption{"lash_start_vl", '\0', true, OptionAct::kValue, "lash_start_vl", ""},
    OpensmOption{"sm_sl", '\0', true, OptionAct::kValue, "sm_sl", ""},
    OpensmOption{"nue_max_num_vls", '\0', true, OptionAct::kValue, "nue_max_num_vls", ""},
    OpensmOption{"connect_roots", 'z', false, OptionAct::kFixed, "connect_roots", "TRUE"},
    OpensmOption{"ucast_cache", 'A', false, OptionAct::kFixed, "use_ucast_cache", "TRUE"},
    OpensmOption{"lid_matrix_file", 'M', true, OptionAct::kValue, "lid_matrix_dump_file", ""},
    OpensmOption{"lfts_file", 'U', true, OptionAct::kValue, "lfts_file", ""},
    OpensmOption{"sadb_file", 'S', true, OptionAct::kValue, "sa_db_file", ""},
    OpensmOption{"root_guid_file", 'a', true, OptionAct::kValue, "root_guid_file", ""},
    OpensmOption{"cn_guid_file", 'u', true, OptionAct::kValue, "cn_guid_file", ""},
    OpensmOption{"io_guid_file", 'G', true, OptionAct::kValue, "io_guid_file", ""},
    OpensmOption{"port-shifting", '\0', false, OptionAct::kFixed, "port_shifting", "TRUE"},
    OpensmOption{"scatter-ports", '\0', true, OptionAct::kValue, "scatter_ports", ""},
    OpensmOption{"max_reverse_hops", 'H', true, OptionAct::kValue, "max_reverse_hops", ""},
    OpensmOption{"ids_guid_file", 'm', true, OptionAct::kValue, "ids_guid_file", ""},
    OpensmOption{"guid_routing_order_file", 'X', true, OptionAct::kValue, "guid_routing_order_file", ""},
    OpensmOption{"torus_config", '\0', true, OptionAct::kValue, "torus_config", ""},
    OpensmOption{"once", 'o', false, OptionAct::kExplained, "", "it is an option of the program and no key: start `embersm --once`"},
    OpensmOption{"sweep", 's', true, OptionAct::kValue, "sweep_interval", ""},
    OpensmOption{"timeout", 't', true, OptionAct::kValue, "transaction_timeout", ""},
    OpensmOption{"retries", '\0', true, OptionAct::kValue, "transaction_retries", ""},
    OpensmOption{"maxsmps", 'n', true, OptionAct::kValue, "max_wire_smps", ""},
    OpensmOption{"console", 'q', true, OptionAct::kExplained, "", "there is no console: `emberctl` talks with a running embersm"},
    OpensmOption{"console-port", 'C', true, OptionAct::kExplained, "", "there is no console, and so no port of it"},
    OpensmOption{"ignore_guids", 'i', true, OptionAct::kValue, "port_prof_ignore_file", ""},
    OpensmOption{"hop_weights_file", 'w', true, OptionAct::kValue, "hop_weights_file", ""},
    OpensmOption{"port_search_ordering_file", 'O', true, OptionAct::kValue, "port_search_ordering_file", ""},
    OpensmOption{"dimn_ports_file", '\0', true, OptionAct::kValue, "port_search_ordering_file", ""},
    OpensmOption{"honor_guid2lid", 'x', false, OptionAct::kFixed, "honor_guid2lid_file", "TRUE"},
    OpensmOption{"dump_files_dir", '\0', true, OptionAct::kValue, "dump_files_dir", ""},
    OpensmOption{"log_file", 'f', true, OptionAct::kValue, "log_file", ""},
    OpensmOption{"log_limit", 'L', true, OptionAct::kValue, "log_max_size", ""},
    OpensmOption{"erase_log_file", 'e', false, OptionAct::kFixed, "accum_log_file", "FALSE"},
    OpensmOption{"Pconfig", 'P', true, OptionAct::kValue, "partition_config_file", ""},
    OpensmOption{"no_part_enforce", 'N', false, OptionAct::kFixed, "part_enforce", "off"},
    OpensmOption{"part_enforce", 'Z', true, OptionAct::kValue, "part_enforce", ""},
    OpensmOption{"allow_both_pkeys", 'W', false, OptionAct::kFixed, "allow_both_pkeys", "TRUE"},
    OpensmOption{"qos", 'Q', false, OptionAct::kFixed, "qos", "TRUE"},
    OpensmOption{"qos_policy_file", 'Y', true, OptionAct::kValue, "qos_policy_file", ""},
    OpensmOption{"congestion_control", '\0', false, OptionAct::kFixed, "congestion_control", "TRUE"},
    OpensmOption{"congestion-control", '\0', false, OptionAct::kFixed, "congestion_control", "TRUE"},
    OpensmOption{"cc_key", '\0', true, OptionAct::kValue, "cc_key", ""},
    OpensmOption{"cckey", '\0', true, OptionAct::kValue, "cc_key", ""},
    OpensmOption{"stay_on_fatal", 'y', false, OptionAct::kFixed, "exit_on_fatal", "FALSE"},
    OpensmOption{"daemon", 'B', false, OptionAct::kExplained, "", "embersm runs in the foreground, under its service: `systemctl start embersm`"},
    OpensmOption{"pidfile", 'J', true, OptionAct::kExplained, "", "the service manager knows the process: there is no file of its number"},
    OpensmOption{"inactive", 'I', false, OptionAct::kFixed, "sm_inactive", "TRUE"},
    OpensmOption{"perfmgr", '\0', false, OptionAct::kFixed, "perfmgr", "TRUE"},
    OpensmOption{"perfmgr_sweep_time_s", '\0', true, OptionAct::kValue, "perfmgr_sweep_time_s", ""},
    OpensmOption{"prefix_routes_file", '\0', true, OptionAct::kValue, "prefix_routes_file", ""},
    OpensmOption{"consolidate_ipv6_snm_req", '\0', false, OptionAct::kFixed, "consolidate_ipv6_snm_req", "TRUE"},
    OpensmOption{"guid_routing_order_no_scatter", '\0', false, OptionAct::kFixed, "guid_routing_order_no_scatter", "TRUE"},
    OpensmOption{"log_prefix", '\0', true, OptionAct::kValue, "log_prefix", ""},
    OpensmOption{"verbose", 'v', false, OptionAct::kLouder, "log_flags", ""},
    OpensmOption{"V", 'V', false, OptionAct::kLoudest, "log_flags", ""},
    OpensmOption{"D", 'D', true, OptionAct::kValue, "log_flags", ""},
    OpensmOption{"debug", 'd', true, OptionAct::kDebug, "", ""},
    OpensmOption{"help", 'h', false, OptionAct::kExplained, "", "OpenSM prints its options and ends: nothing is configured by it"},
    OpensmOption{"?", '?', false, OptionAct::kExplained, "", "OpenSM prints its options and ends: nothing is configured by it"},
};

/// The key that a number behind -d stands for.
struct DebugOption {
    std::string_view number;
    std::string_view key;  ///< Set to TRUE; empty: there is none.
};
inline constexpr std::array kDebugOptions = {
    DebugOption{"0", "ignore_other_sm"},
    DebugOption{"1", "single_thread"},
    DebugOption{"2", "force_log_flush"},
    DebugOption{"3", "disable_multicast"},
    DebugOption{"10", ""},
};
// clang-format on

}  // namespace ember::emberc
