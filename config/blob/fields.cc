// SPDX-License-Identifier: Apache-2.0
// EmberSM: the range of every setting. A hostile blob is checked against it, and so is a mistake.
#include "config/blob/fields.h"

#include <array>

#include "config/schema/settings_generated.h"

namespace ember {
namespace {

using enum FieldKind;

constexpr std::uint64_t kAnyU32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kAnyU64 = std::numeric_limits<std::uint64_t>::max();

// Ranges are the specification's or OpenSM's. OpenSM does not check time-outs and retries; zero or
// absurd ones would stall the sweep, so those have bounds of our own.
// clang-format off
constexpr std::array kFields = {
    // Device, keys, LIDs.
    SettingField{"guid",                                              kU64,              0,  kAnyU64},
    SettingField{"m_key",                                             kU64,              0,  kAnyU64},
    SettingField{"m_key_lease_period",                                kU16,              0,  0xFFFF},
    SettingField{"m_key_protection_level",                            kU8,               0,  3},
    SettingField{"m_key_lookup",                                      kBool,             0,  1},
    SettingField{"sm_key",                                            kU64,              0,  kAnyU64},
    SettingField{"sa_key",                                            kU64,              0,  kAnyU64},
    SettingField{"subnet_prefix",                                     kU64,              0,  kAnyU64},
    SettingField{"lmc",                                               kU8,               0,  7},
    SettingField{"lmc_esp0",                                          kBool,             0,  1},
    SettingField{"sm_sl",                                             kU8,               0,  15},
    SettingField{"honor_guid2lid_file",                               kBool,             0,  1},
    SettingField{"reassign_lids",                                     kBool,             0,  1},
    SettingField{"fsync_high_avail_files",                            kBool,             0,  1},
    SettingField{"sm_assigned_guid",                                  kU8,               0,  0xFF},
    // Link and port values.
    SettingField{"packet_life_time",                                  kU8,               0,  31},
    SettingField{"subnet_timeout",                                    kU8,               0,  31},
    SettingField{"max_op_vls",                                        kU8,               1,  5},
    SettingField{"vl_stall_count",                                    kU8,               0,  7},
    SettingField{"leaf_vl_stall_count",                               kU8,               0,  7},
    SettingField{"head_of_queue_lifetime",                            kU8,               0,  31},
    SettingField{"leaf_head_of_queue_lifetime",                       kU8,               0,  31},
    SettingField{"force_link_speed",                                  kU8,               0,  7, 15, 15},
    SettingField{"force_link_speed_ext",                              kU8,               0,  7, 30, 31},
    SettingField{"force_link_width",                                  kU8,               0,  31, 255, 255},
    SettingField{"fdr10",                                             kU8,               0,  2},
    SettingField{"local_phy_errors_threshold",                        kU8,               0,  15},
    SettingField{"overrun_errors_threshold",                          kU8,               0,  15},
    SettingField{"use_mfttop",                                        kBool,             0,  1},
    // Partitions.
    SettingField{"partition_config_file",                             kText,             0,  1023},
    SettingField{"no_partition_enforcement",                          kBool,             0,  1},
    SettingField{"part_enforce",                                      kChoice,           0,  3},
    SettingField{"allow_both_pkeys",                                  kBool,             0,  1},
    SettingField{"keep_pkey_indexes",                                 kBool,             0,  1},
    // Sweeping and sending.
    SettingField{"sweep_interval",                                    kU32,              0,  kAnyU32},
    SettingField{"force_heavy_sweep",                                 kBool,             0,  1},
    SettingField{"sweep_on_trap",                                     kBool,             0,  1},
    SettingField{"max_wire_smps",                                     kU32,              0,  0x7FFFFFFF},
    SettingField{"max_wire_smps2",                                    kU32,              0,  0x7FFFFFFF},
    SettingField{"max_smps_timeout",                                  kU32,              0,  kAnyU32},
    SettingField{"transaction_timeout",                               kU32,              1,  600000},
    SettingField{"transaction_retries",                               kU32,              1,  255},
    SettingField{"long_transaction_timeout",                          kU32,              1,  600000},
    SettingField{"max_msg_fifo_timeout",                              kU32,              0,  kAnyU32},
    SettingField{"single_thread",                                     kBool,             0,  1},
    // SM role.
    SettingField{"sm_priority",                                       kU8,               0,  15},
    SettingField{"ignore_other_sm",                                   kBool,             0,  1},
    SettingField{"sminfo_polling_timeout",                            kU32,              1,  kAnyU32},
    SettingField{"polling_retry_number",                              kU32,              0,  kAnyU32},
    SettingField{"sm_inactive",                                       kBool,             0,  1},
    SettingField{"exit_on_fatal",                                     kBool,             0,  1},
    SettingField{"daemon",                                            kBool,             0,  1},
    SettingField{"babbling_port_policy",                              kBool,             0,  1},
    SettingField{"drop_event_subscriptions",                          kBool,             0,  1},
    SettingField{"no_clients_rereg",                                  kBool,             0,  1},
    SettingField{"enable_quirks",                                     kBool,             0,  1},
    // Routing.
    SettingField{"routing_engine",                                    kEngines,          0,  14},
    SettingField{"avoid_throttled_links",                             kBool,             0,  1},
    SettingField{"connect_roots",                                     kBool,             0,  1},
    SettingField{"use_ucast_cache",                                   kBool,             0,  1},
    SettingField{"hop_weights_file",                                  kText,             0,  1023},
    SettingField{"port_search_ordering_file",                         kText,             0,  1023},
    SettingField{"port_prof_ignore_file",                             kText,             0,  1023},
    SettingField{"port_profile_switch_nodes",                         kBool,             0,  1},
    SettingField{"lid_matrix_dump_file",                              kText,             0,  1023},
    SettingField{"lfts_file",                                         kText,             0,  1023},
    SettingField{"root_guid_file",                                    kText,             0,  1023},
    SettingField{"cn_guid_file",                                      kText,             0,  1023},
    SettingField{"io_guid_file",                                      kText,             0,  1023},
    SettingField{"max_reverse_hops",                                  kU16,              0,  0xFFFF},
    SettingField{"ids_guid_file",                                     kText,             0,  1023},
    SettingField{"guid_routing_order_file",                           kText,             0,  1023},
    SettingField{"guid_routing_order_no_scatter",                     kBool,             0,  1},
    SettingField{"port_shifting",                                     kBool,             0,  1},
    SettingField{"scatter_ports",                                     kU32,              0,  kAnyU32},
    SettingField{"do_mesh_analysis",                                  kBool,             0,  1},
    SettingField{"lash_start_vl",                                     kU8,               0,  15},
    SettingField{"torus_config",                                      kText,             0,  1023},
    SettingField{"nue_max_num_vls",                                   kU8,               0,  15},
    SettingField{"nue_include_switches",                              kBool,             0,  1},
    SettingField{"quasi_ftree_indexing",                              kBool,             0,  1},
    // Quality of service.
    SettingField{"qos",                                               kBool,             0,  1},
    SettingField{"qos_policy_file",                                   kText,             0,  1023},
    SettingField{"suppress_sl2vl_mad_status_errors",                  kBool,             0,  1},
    SettingField{"use_optimized_slvl",                                kBool,             0,  1},
    SettingField{"qos_max_vls",                                       kU32,              0,  15},
    SettingField{"qos_high_limit",                                    kI32,              -1, 255},
    SettingField{"qos_vlarb_high",                                    kVlWeights,        0,  14},
    SettingField{"qos_vlarb_low",                                     kVlWeights,        0,  14},
    SettingField{"qos_sl2vl",                                         kSlToVl,           0,  15},
    SettingField{"qos_ca_max_vls",                                    kU32,              0,  15},
    SettingField{"qos_ca_high_limit",                                 kI32,              -1, 255},
    SettingField{"qos_ca_vlarb_high",                                 kVlWeights,        0,  14},
    SettingField{"qos_ca_vlarb_low",                                  kVlWeights,        0,  14},
    SettingField{"qos_ca_sl2vl",                                      kSlToVl,           0,  15},
    SettingField{"qos_sw0_max_vls",                                   kU32,              0,  15},
    SettingField{"qos_sw0_high_limit",                                kI32,              -1, 255},
    SettingField{"qos_sw0_vlarb_high",                                kVlWeights,        0,  14},
    SettingField{"qos_sw0_vlarb_low",                                 kVlWeights,        0,  14},
    SettingField{"qos_sw0_sl2vl",                                     kSlToVl,           0,  15},
    SettingField{"qos_swe_max_vls",                                   kU32,              0,  15},
    SettingField{"qos_swe_high_limit",                                kI32,              -1, 255},
    SettingField{"qos_swe_vlarb_high",                                kVlWeights,        0,  14},
    SettingField{"qos_swe_vlarb_low",                                 kVlWeights,        0,  14},
    SettingField{"qos_swe_sl2vl",                                     kSlToVl,           0,  15},
    SettingField{"qos_rtr_max_vls",                                   kU32,              0,  15},
    SettingField{"qos_rtr_high_limit",                                kI32,              -1, 255},
    SettingField{"qos_rtr_vlarb_high",                                kVlWeights,        0,  14},
    SettingField{"qos_rtr_vlarb_low",                                 kVlWeights,        0,  14},
    SettingField{"qos_rtr_sl2vl",                                     kSlToVl,           0,  15},
    // Congestion control.
    SettingField{"congestion_control",                                kBool,             0,  1},
    SettingField{"cc_key",                                            kU64,              0,  kAnyU64},
    SettingField{"cc_max_outstanding_mads",                           kU32,              0,  kAnyU32},
    SettingField{"cc_sw_cong_setting_control_map",                    kU32,              0,  kAnyU32},
    SettingField{"cc_sw_cong_setting_victim_mask",                    kMask256,          0,  0xFF},
    SettingField{"cc_sw_cong_setting_credit_mask",                    kMask256,          0,  0xFF},
    SettingField{"cc_sw_cong_setting_threshold",                      kU8,               0,  15},
    SettingField{"cc_sw_cong_setting_packet_size",                    kU8,               0,  0xFF},
    SettingField{"cc_sw_cong_setting_credit_starvation_threshold",    kU8,               0,  15},
    SettingField{"cc_sw_cong_setting_credit_starvation_return_delay", kShiftMultiplier,  0,  0xFFFF},
    SettingField{"cc_sw_cong_setting_marking_rate",                   kU16,              0,  0xFFFF},
    SettingField{"cc_ca_cong_setting_port_control",                   kU16,              0,  0xFFFF},
    SettingField{"cc_ca_cong_setting_control_map",                    kU16,              0,  0xFFFF},
    SettingField{"cc_ca_cong_setting_ccti_timer",                     kPerSl,            0,  65535},
    SettingField{"cc_ca_cong_setting_ccti_increase",                  kPerSl,            0,  255},
    SettingField{"cc_ca_cong_setting_trigger_threshold",              kPerSl,            0,  255},
    SettingField{"cc_ca_cong_setting_ccti_min",                       kPerSl,            0,  255},
    SettingField{"cc_cct",                                            kShiftMultipliers, 0,  0xFFFF},
    // SA and multicast.
    SettingField{"disable_multicast",                                 kBool,             0,  1},
    SettingField{"ipoib_mcgroup_creation_validation",                 kBool,             0,  1},
    SettingField{"mcgroup_join_validation",                           kBool,             0,  1},
    SettingField{"consolidate_ipv6_snm_req",                          kBool,             0,  1},
    SettingField{"use_original_extended_sa_rates_only",               kBool,             0,  1},
    SettingField{"max_rate_enum",                                     kU8,               2,  24, 63, 63},
    SettingField{"prefix_routes_file",                                kText,             0,  1023},
    SettingField{"sa_db_file",                                        kText,             0,  1023},
    SettingField{"sa_db_dump",                                        kBool,             0,  1},
    // Logging, dumps, console, plug-ins.
    SettingField{"log_file",                                          kText,             0,  1023},
    SettingField{"log_flags",                                         kU8,               0,  0xFF},
    SettingField{"log_max_size",                                      kU32,              0,  kAnyU32},
    SettingField{"force_log_flush",                                   kBool,             0,  1},
    SettingField{"accum_log_file",                                    kBool,             0,  1},
    SettingField{"log_prefix",                                        kText,             0,  1023},
    SettingField{"per_module_logging_file",                           kText,             0,  1023},
    SettingField{"dump_files_dir",                                    kText,             0,  1023},
    SettingField{"console",                                           kChoice,           0,  3},
    SettingField{"console_port",                                      kU16,              0,  0xFFFF},
    SettingField{"node_name_map_name",                                kText,             0,  1023},
    SettingField{"event_plugin_name",                                 kText,             0,  1023},
    SettingField{"event_plugin_options",                              kText,             0,  1023},
    // Performance manager.
    SettingField{"perfmgr",                                           kBool,             0,  1},
    SettingField{"perfmgr_redir",                                     kBool,             0,  1},
    SettingField{"perfmgr_sweep_time_s",                              kU16,              1,  65535},
    SettingField{"perfmgr_max_outstanding_queries",                   kU32,              1,  kAnyU32},
    SettingField{"perfmgr_ignore_cas",                                kBool,             0,  1},
    SettingField{"perfmgr_rm_nodes",                                  kBool,             0,  1},
    SettingField{"perfmgr_log_errors",                                kBool,             0,  1},
    SettingField{"perfmgr_query_cpi",                                 kBool,             0,  1},
    SettingField{"perfmgr_xmit_wait_log",                             kBool,             0,  1},
    SettingField{"perfmgr_xmit_wait_threshold",                       kU32,              0,  kAnyU32},
    SettingField{"event_db_dump_file",                                kText,             0,  1023},
    // NVIDIA's additions.
    SettingField{"pgrp_policy_file",                                  kText,             0,  1023},
    SettingField{"topo_policy_file",                                  kText,             0,  1023},
    SettingField{"rch_policy_file",                                   kText,             0,  1023},
    SettingField{"enhanced_qos_policy_file",                          kText,             0,  1023},
    SettingField{"enhanced_qos_vport0_unlimit_default_rl",            kBool,             0,  1},
    SettingField{"activity_report_subjects",                          kText,             0,  1023},
    SettingField{"offsweep_balancing_enabled",                        kBool,             0,  1},
    SettingField{"offsweep_balancing_window",                         kU32,              0,  kAnyU32},
    // EmberSM's own.
    SettingField{"order",                                             kChoice,           0,  2},
    SettingField{"require_deadlock_free",                             kBool,             0,  1},
    SettingField{"flapping_link_policy",                              kChoice,           0,  1},
    SettingField{"flapping_link_count",                               kU8,               2,  16},
    SettingField{"flapping_link_window",                              kU32,              1,  86400},
    SettingField{"flapping_link_hold",                                kU32,              1,  86400},
    SettingField{"sa_max_requests_per_source",                        kU32,              0,  kAnyU32},
    SettingField{"sa_allow_proxies",                                  kBool,             0,  1},
    SettingField{"multicast_hold",                                    kU32,              0,  86400},
    SettingField{"sm_peers",                                          kGuids,            1,  16},
    SettingField{"scrub_interval",                                    kU32,              0,  86400},
    SettingField{"edge_ports",                                        kText,             0,  1023},
};
// clang-format on

static_assert(schema::Settings::VT_GUID == FieldOffset(0));
static_assert(schema::Settings::VT_EDGE_PORTS == FieldOffset(kFields.size() - 1),
              "every field of settings.fbs has a row here, in the same order");

}  // namespace

std::span<const SettingField> SettingsFields() {
    return kFields;
}

}  // namespace ember
