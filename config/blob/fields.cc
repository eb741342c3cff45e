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
    Field{"guid",                                              kU64,              0,  kAnyU64},
    Field{"m_key",                                             kU64,              0,  kAnyU64},
    Field{"m_key_lease_period",                                kU16,              0,  0xFFFF},
    Field{"m_key_protection_level",                            kU8,               0,  3},
    Field{"m_key_lookup",                                      kBool,             0,  1},
    Field{"sm_key",                                            kU64,              0,  kAnyU64},
    Field{"sa_key",                                            kU64,              0,  kAnyU64},
    Field{"subnet_prefix",                                     kU64,              0,  kAnyU64},
    Field{"lmc",                                               kU8,               0,  7},
    Field{"lmc_esp0",                                          kBool,             0,  1},
    Field{"sm_sl",                                             kU8,               0,  15},
    Field{"honor_guid2lid_file",                               kBool,             0,  1},
    Field{"reassign_lids",                                     kBool,             0,  1},
    Field{"fsync_high_avail_files",                            kBool,             0,  1},
    Field{"sm_assigned_guid",                                  kU8,               0,  0xFF},
    // Link and port values.
    Field{"packet_life_time",                                  kU8,               0,  31},
    Field{"subnet_timeout",                                    kU8,               0,  31},
    Field{"max_op_vls",                                        kU8,               1,  5},
    Field{"vl_stall_count",                                    kU8,               0,  7},
    Field{"leaf_vl_stall_count",                               kU8,               0,  7},
    Field{"head_of_queue_lifetime",                            kU8,               0,  31},
    Field{"leaf_head_of_queue_lifetime",                       kU8,               0,  31},
    Field{"force_link_speed",                                  kU8,               0,  7, 15, 15},
    Field{"force_link_speed_ext",                              kU8,               0,  7, 30, 31},
    Field{"force_link_width",                                  kU8,               0,  31, 255, 255},
    Field{"fdr10",                                             kU8,               0,  2},
    Field{"local_phy_errors_threshold",                        kU8,               0,  15},
    Field{"overrun_errors_threshold",                          kU8,               0,  15},
    Field{"use_mfttop",                                        kBool,             0,  1},
    // Partitions.
    Field{"partition_config_file",                             kText,             0,  1023},
    Field{"no_partition_enforcement",                          kBool,             0,  1},
    Field{"part_enforce",                                      kChoice,           0,  3},
    Field{"allow_both_pkeys",                                  kBool,             0,  1},
    Field{"keep_pkey_indexes",                                 kBool,             0,  1},
    // Sweeping and sending.
    Field{"sweep_interval",                                    kU32,              0,  kAnyU32},
    Field{"force_heavy_sweep",                                 kBool,             0,  1},
    Field{"sweep_on_trap",                                     kBool,             0,  1},
    Field{"max_wire_smps",                                     kU32,              0,  0x7FFFFFFF},
    Field{"max_wire_smps2",                                    kU32,              0,  0x7FFFFFFF},
    Field{"max_smps_timeout",                                  kU32,              0,  kAnyU32},
    Field{"transaction_timeout",                               kU32,              1,  600000},
    Field{"transaction_retries",                               kU32,              1,  255},
    Field{"long_transaction_timeout",                          kU32,              1,  600000},
    Field{"max_msg_fifo_timeout",                              kU32,              0,  kAnyU32},
    Field{"single_thread",                                     kBool,             0,  1},
    // SM role.
    Field{"sm_priority",                                       kU8,               0,  15},
    Field{"ignore_other_sm",                                   kBool,             0,  1},
    Field{"sminfo_polling_timeout",                            kU32,              1,  kAnyU32},
    Field{"polling_retry_number",                              kU32,              0,  kAnyU32},
    Field{"sm_inactive",                                       kBool,             0,  1},
    Field{"exit_on_fatal",                                     kBool,             0,  1},
    Field{"daemon",                                            kBool,             0,  1},
    Field{"babbling_port_policy",                              kBool,             0,  1},
    Field{"drop_event_subscriptions",                          kBool,             0,  1},
    Field{"no_clients_rereg",                                  kBool,             0,  1},
    Field{"enable_quirks",                                     kBool,             0,  1},
    // Routing.
    Field{"routing_engine",                                    kEngines,          0,  14},
    Field{"avoid_throttled_links",                             kBool,             0,  1},
    Field{"connect_roots",                                     kBool,             0,  1},
    Field{"use_ucast_cache",                                   kBool,             0,  1},
    Field{"hop_weights_file",                                  kText,             0,  1023},
    Field{"port_search_ordering_file",                         kText,             0,  1023},
    Field{"port_prof_ignore_file",                             kText,             0,  1023},
    Field{"port_profile_switch_nodes",                         kBool,             0,  1},
    Field{"lid_matrix_dump_file",                              kText,             0,  1023},
    Field{"lfts_file",                                         kText,             0,  1023},
    Field{"root_guid_file",                                    kText,             0,  1023},
    Field{"cn_guid_file",                                      kText,             0,  1023},
    Field{"io_guid_file",                                      kText,             0,  1023},
    Field{"max_reverse_hops",                                  kU16,              0,  0xFFFF},
    Field{"ids_guid_file",                                     kText,             0,  1023},
    Field{"guid_routing_order_file",                           kText,             0,  1023},
    Field{"guid_routing_order_no_scatter",                     kBool,             0,  1},
    Field{"port_shifting",                                     kBool,             0,  1},
    Field{"scatter_ports",                                     kU32,              0,  kAnyU32},
    Field{"do_mesh_analysis",                                  kBool,             0,  1},
    Field{"lash_start_vl",                                     kU8,               0,  15},
    Field{"torus_config",                                      kText,             0,  1023},
    Field{"nue_max_num_vls",                                   kU8,               0,  15},
    Field{"nue_include_switches",                              kBool,             0,  1},
    Field{"quasi_ftree_indexing",                              kBool,             0,  1},
    // Quality of service.
    Field{"qos",                                               kBool,             0,  1},
    Field{"qos_policy_file",                                   kText,             0,  1023},
    Field{"suppress_sl2vl_mad_status_errors",                  kBool,             0,  1},
    Field{"use_optimized_slvl",                                kBool,             0,  1},
    Field{"qos_max_vls",                                       kU32,              0,  15},
    Field{"qos_high_limit",                                    kI32,              -1, 255},
    Field{"qos_vlarb_high",                                    kVlWeights,        0,  14},
    Field{"qos_vlarb_low",                                     kVlWeights,        0,  14},
    Field{"qos_sl2vl",                                         kSlToVl,           0,  15},
    Field{"qos_ca_max_vls",                                    kU32,              0,  15},
    Field{"qos_ca_high_limit",                                 kI32,              -1, 255},
    Field{"qos_ca_vlarb_high",                                 kVlWeights,        0,  14},
    Field{"qos_ca_vlarb_low",                                  kVlWeights,        0,  14},
    Field{"qos_ca_sl2vl",                                      kSlToVl,           0,  15},
    Field{"qos_sw0_max_vls",                                   kU32,              0,  15},
    Field{"qos_sw0_high_limit",                                kI32,              -1, 255},
    Field{"qos_sw0_vlarb_high",                                kVlWeights,        0,  14},
    Field{"qos_sw0_vlarb_low",                                 kVlWeights,        0,  14},
    Field{"qos_sw0_sl2vl",                                     kSlToVl,           0,  15},
    Field{"qos_swe_max_vls",                                   kU32,              0,  15},
    Field{"qos_swe_high_limit",                                kI32,              -1, 255},
    Field{"qos_swe_vlarb_high",                                kVlWeights,        0,  14},
    Field{"qos_swe_vlarb_low",                                 kVlWeights,        0,  14},
    Field{"qos_swe_sl2vl",                                     kSlToVl,           0,  15},
    Field{"qos_rtr_max_vls",                                   kU32,              0,  15},
    Field{"qos_rtr_high_limit",                                kI32,              -1, 255},
    Field{"qos_rtr_vlarb_high",                                kVlWeights,        0,  14},
    Field{"qos_rtr_vlarb_low",                                 kVlWeights,        0,  14},
    Field{"qos_rtr_sl2vl",                                     kSlToVl,           0,  15},
    // Congestion control.
    Field{"congestion_control",                                kBool,             0,  1},
    Field{"cc_key",                                            kU64,              0,  kAnyU64},
    Field{"cc_max_outstanding_mads",                           kU32,              0,  kAnyU32},
    Field{"cc_sw_cong_setting_control_map",                    kU32,              0,  kAnyU32},
    Field{"cc_sw_cong_setting_victim_mask",                    kMask256,          0,  0xFF},
    Field{"cc_sw_cong_setting_credit_mask",                    kMask256,          0,  0xFF},
    Field{"cc_sw_cong_setting_threshold",                      kU8,               0,  15},
    Field{"cc_sw_cong_setting_packet_size",                    kU8,               0,  0xFF},
    Field{"cc_sw_cong_setting_credit_starvation_threshold",    kU8,               0,  15},
    Field{"cc_sw_cong_setting_credit_starvation_return_delay", kShiftMultiplier,  0,  0xFFFF},
    Field{"cc_sw_cong_setting_marking_rate",                   kU16,              0,  0xFFFF},
    Field{"cc_ca_cong_setting_port_control",                   kU16,              0,  0xFFFF},
    Field{"cc_ca_cong_setting_control_map",                    kU16,              0,  0xFFFF},
    Field{"cc_ca_cong_setting_ccti_timer",                     kPerSl,            0,  65535},
    Field{"cc_ca_cong_setting_ccti_increase",                  kPerSl,            0,  255},
    Field{"cc_ca_cong_setting_trigger_threshold",              kPerSl,            0,  255},
    Field{"cc_ca_cong_setting_ccti_min",                       kPerSl,            0,  255},
    Field{"cc_cct",                                            kShiftMultipliers, 0,  0xFFFF},
    // SA and multicast.
    Field{"disable_multicast",                                 kBool,             0,  1},
    Field{"ipoib_mcgroup_creation_validation",                 kBool,             0,  1},
    Field{"mcgroup_join_validation",                           kBool,             0,  1},
    Field{"consolidate_ipv6_snm_req",                          kBool,             0,  1},
    Field{"use_original_extended_sa_rates_only",               kBool,             0,  1},
    Field{"max_rate_enum",                                     kU8,               2,  24, 63, 63},
    Field{"prefix_routes_file",                                kText,             0,  1023},
    Field{"sa_db_file",                                        kText,             0,  1023},
    Field{"sa_db_dump",                                        kBool,             0,  1},
    // Logging, dumps, console, plug-ins.
    Field{"log_file",                                          kText,             0,  1023},
    Field{"log_flags",                                         kU8,               0,  0xFF},
    Field{"log_max_size",                                      kU32,              0,  kAnyU32},
    Field{"force_log_flush",                                   kBool,             0,  1},
    Field{"accum_log_file",                                    kBool,             0,  1},
    Field{"log_prefix",                                        kText,             0,  1023},
    Field{"per_module_logging_file",                           kText,             0,  1023},
    Field{"dump_files_dir",                                    kText,             0,  1023},
    Field{"console",                                           kChoice,           0,  3},
    Field{"console_port",                                      kU16,              0,  0xFFFF},
    Field{"node_name_map_name",                                kText,             0,  1023},
    Field{"event_plugin_name",                                 kText,             0,  1023},
    Field{"event_plugin_options",                              kText,             0,  1023},
    // Performance manager.
    Field{"perfmgr",                                           kBool,             0,  1},
    Field{"perfmgr_redir",                                     kBool,             0,  1},
    Field{"perfmgr_sweep_time_s",                              kU16,              1,  65535},
    Field{"perfmgr_max_outstanding_queries",                   kU32,              1,  kAnyU32},
    Field{"perfmgr_ignore_cas",                                kBool,             0,  1},
    Field{"perfmgr_rm_nodes",                                  kBool,             0,  1},
    Field{"perfmgr_log_errors",                                kBool,             0,  1},
    Field{"perfmgr_query_cpi",                                 kBool,             0,  1},
    Field{"perfmgr_xmit_wait_log",                             kBool,             0,  1},
    Field{"perfmgr_xmit_wait_threshold",                       kU32,              0,  kAnyU32},
    Field{"event_db_dump_file",                                kText,             0,  1023},
    // NVIDIA's additions.
    Field{"pgrp_policy_file",                                  kText,             0,  1023},
    Field{"topo_policy_file",                                  kText,             0,  1023},
    Field{"rch_policy_file",                                   kText,             0,  1023},
    Field{"enhanced_qos_policy_file",                          kText,             0,  1023},
    Field{"enhanced_qos_vport0_unlimit_default_rl",            kBool,             0,  1},
    Field{"activity_report_subjects",                          kText,             0,  1023},
    Field{"offsweep_balancing_enabled",                        kBool,             0,  1},
    Field{"offsweep_balancing_window",                         kU32,              0,  kAnyU32},
    // EmberSM's own.
    Field{"order",                                             kChoice,           0,  2},
    Field{"require_deadlock_free",                             kBool,             0,  1},
};
// clang-format on

static_assert(schema::Settings::VT_GUID == FieldOffset(0));
static_assert(schema::Settings::VT_REQUIRE_DEADLOCK_FREE == FieldOffset(kFields.size() - 1),
              "every field of settings.fbs has a row here, in the same order");

}  // namespace

std::span<const Field> SettingsFields() {
    return kFields;
}

}  // namespace ember
