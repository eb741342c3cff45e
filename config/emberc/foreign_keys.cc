// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of other subnet managers.
#include "config/emberc/foreign_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "config/emberc/suggestion.h"

namespace ember::emberc {
namespace {

struct ForeignKey {
    std::string_view name;  ///< A whole name, or what a family of names begins with: "hm_".
    std::string_view feature;
};

constexpr std::string_view kVirtualPorts = "virtual ports";
constexpr std::string_view kRouters = "InfiniBand routers";
constexpr std::string_view kAdaptive = "adaptive routing";
constexpr std::string_view kHealing = "self-healing of routes";
constexpr std::string_view kHealth = "unhealthy ports";
constexpr std::string_view kClassKeys = "keys of the management classes";
constexpr std::string_view kTrust = "trust in requesters";
constexpr std::string_view kHashing = "hash-based forwarding";
constexpr std::string_view kThreads = "threads";
constexpr std::string_view kRoutingParts = "parts of its routing";
constexpr std::string_view kTopologies = "topologies and tenants";
constexpr std::string_view kCongestion = "congestion control";
constexpr std::string_view kLanes = "virtual lanes";
constexpr std::string_view kLinks = "link settings";
constexpr std::string_view kRole = "role and discovery";
constexpr std::string_view kMulticast = "multicast";
constexpr std::string_view kAdministration = "subnet administration";
constexpr std::string_view kReports = "dumps, logs and statistics";

// clang-format off
constexpr std::array kForeignKeys = {
    ForeignKey{"virt_", kVirtualPorts},
    ForeignKey{"enable_virt_rec_ext", kVirtualPorts},
    ForeignKey{"router_policy_", kRouters},
    ForeignKey{"lids_per_rtr", kRouters},
    ForeignKey{"aguid_", kRouters},
    ForeignKey{"flid_compression", kRouters},
    ForeignKey{"global_flid_", kRouters},
    ForeignKey{"local_flid_", kRouters},
    ForeignKey{"ar_", kAdaptive},
    ForeignKey{"adv_routing_engine", kAdaptive},
    ForeignKey{"enable_ar_", kAdaptive},
    ForeignKey{"enable_empty_arlft_optimization", kAdaptive},
    ForeignKey{"cache_ar_group_id", kAdaptive},
    ForeignKey{"dump_ar", kAdaptive},
    ForeignKey{"shield_mode", kHealing},
    ForeignKey{"pfrn_", kHealing},
    ForeignKey{"fast_recovery_", kHealing},
    ForeignKey{"port_recovery_policy_", kHealing},
    ForeignKey{"hm_", kHealth},
    ForeignKey{"held_back_sw_file", kHealth},
    ForeignKey{"key_mgr_seed", kClassKeys},
    ForeignKey{"periodic_key_update", kClassKeys},
    ForeignKey{"cc_key_", kClassKeys},
    ForeignKey{"vs_", kClassKeys},
    ForeignKey{"n2n_", kClassKeys},
    ForeignKey{"allowed_sm_guids", kTrust},
    ForeignKey{"sa_enhanced_trust_model", kTrust},
    ForeignKey{"sa_etm_", kTrust},
    ForeignKey{"sa_check_sgid_spoofing", kTrust},
    ForeignKey{"sa_rate_threshold", kTrust},
    ForeignKey{"hbf_", kHashing},
    ForeignKey{"routing_threads_num", kThreads},
    ForeignKey{"max_threads_per_core", kThreads},
    ForeignKey{"smp_threads", kThreads},
    ForeignKey{"gmp_threads", kThreads},
    ForeignKey{"gmp_traps_threads_num", kThreads},
    ForeignKey{"dfp_", kRoutingParts},
    ForeignKey{"routing_flags", kRoutingParts},
    ForeignKey{"calc_missing_routes", kRoutingParts},
    ForeignKey{"enhanced_missing_routes", kRoutingParts},
    ForeignKey{"max_cas_on_spine", kRoutingParts},
    ForeignKey{"find_roots_color_algorithm", kRoutingParts},
    ForeignKey{"updn_lid_tracking_", kRoutingParts},
    ForeignKey{"use_scatter_for_switch_lid", kRoutingParts},
    ForeignKey{"improved_lmc_path_distribution", kRoutingParts},
    ForeignKey{"dor_hyper_cube_mode", kRoutingParts},
    ForeignKey{"pqft_structure", kRoutingParts},
    ForeignKey{"planarized_routing_enabled", kRoutingParts},
    ForeignKey{"ftree_ca_order_dump_file", kRoutingParts},
    ForeignKey{"enable_queries_during_routing", kRoutingParts},
    ForeignKey{"max_topologies_per_sw", kTopologies},
    ForeignKey{"auto_join_hca_wo_topo", kTopologies},
    ForeignKey{"topo_config_", kTopologies},
    ForeignKey{"tenants_policy_", kTopologies},
    ForeignKey{"fabric_mode_", kTopologies},
    ForeignKey{"device_configuration_file", kTopologies},
    ForeignKey{"sharp_enabled", kTopologies},
    ForeignKey{"nvlink_enable", kTopologies},
    ForeignKey{"nvl_", kTopologies},
    ForeignKey{"mlnx_congestion_control", kCongestion},
    ForeignKey{"congestion_control_policy_file", kCongestion},
    ForeignKey{"ppcc_algo_dir", kCongestion},
    ForeignKey{"max_op_vls_", kLanes},
    ForeignKey{"qos_config_vl_enabled", kLanes},
    ForeignKey{"qos_sw2sw_", kLanes},
    ForeignKey{"enable_vl_packing", kLanes},
    ForeignKey{"use_optimized_port_mask_slvl", kLanes},
    ForeignKey{"adaptive_timeout_sl_mask", kLanes},
    ForeignKey{"force_link_speed_ext2", kLinks},
    ForeignKey{"support_mepi_speeds", kLinks},
    ForeignKey{"mepi_", kLinks},
    ForeignKey{"additional_mepi_force_devices", kLinks},
    ForeignKey{"support_mlnx_enhanced_link", kLinks},
    ForeignKey{"mlnx_enhanced_link_enable", kLinks},
    ForeignKey{"max_neighbor_mtu", kLinks},
    ForeignKey{"allow_sm_port_reset", kLinks},
    ForeignKey{"prp_override_allow_sm_port_reset", kLinks},
    ForeignKey{"master_sm_priority", kRole},
    ForeignKey{"master_sm_lid", kRole},
    ForeignKey{"enable_sm_port_failover", kRole},
    ForeignKey{"max_seq_redisc", kRole},
    ForeignKey{"rediscovery_", kRole},
    ForeignKey{"max_alt_dr_path_retries", kRole},
    ForeignKey{"max_wire_smps_per_device", kRole},
    ForeignKey{"light_sweep_spst", kRole},
    ForeignKey{"force_heavy_sweep_window", kRole},
    ForeignKey{"sweep_every_hup_signal", kRole},
    ForeignKey{"validate_smps", kRole},
    ForeignKey{"drop_unreachable_ports_enabled", kRole},
    ForeignKey{"issu_", kRole},
    ForeignKey{"mc_primary_root_guid", kMulticast},
    ForeignKey{"mc_secondary_root_guid", kMulticast},
    ForeignKey{"mc_roots_file", kMulticast},
    ForeignKey{"default_mcg_", kMulticast},
    ForeignKey{"override_create_mcg_sl", kMulticast},
    ForeignKey{"enable_inc_mc_routing", kMulticast},
    ForeignKey{"get_mft_tables", kMulticast},
    ForeignKey{"consolidate_ipv4_mask", kMulticast},
    ForeignKey{"enable_sa", kAdministration},
    ForeignKey{"max_sa_reports_", kAdministration},
    ForeignKey{"max_msg_fifo_len", kAdministration},
    ForeignKey{"sa_pr_full_world_queries_allowed", kAdministration},
    ForeignKey{"load_inform_info_from_sadb", kAdministration},
    ForeignKey{"drop_subscr_on_report_fail", kAdministration},
    ForeignKey{"drop_unreachable_event_subscriptions", kAdministration},
    ForeignKey{"client_rereg_mode", kAdministration},
    ForeignKey{"rereg_on_guid_migr", kAdministration},
    ForeignKey{"sm_assign_guid_func", kAdministration},
    ForeignKey{"service_name2key_map_file", kAdministration},
    ForeignKey{"additional_gi_supporting_devices", kAdministration},
    ForeignKey{"disable_default_gi_support", kAdministration},
    ForeignKey{"osm_stats_", kReports},
    ForeignKey{"osm_perflog_", kReports},
    ForeignKey{"enable_performance_", kReports},
    ForeignKey{"enable_subnet_lst", kReports},
    ForeignKey{"subnet_lst_file", kReports},
    ForeignKey{"sm_db_dump", kReports},
    ForeignKey{"sa_db_dump_file", kReports},
    ForeignKey{"cache_files_dir", kReports},
    ForeignKey{"log_num_backlogs", kReports},
    ForeignKey{"syslog_log_flags", kReports},
    ForeignKey{"verbose_bypass_policy_file", kReports},
    ForeignKey{"enable_crashd", kReports},
    ForeignKey{"calculate_missing_routes", kRoutingParts},
    ForeignKey{"multicast_optimization", kMulticast},
    ForeignKey{"plugin_name", kReports},
    ForeignKey{"port_ame_bit_change_action", kLinks},
    ForeignKey{"port_ext_speed_change_action", kLinks},
    ForeignKey{"port_ext_speed2_change_action", kLinks},
    ForeignKey{"port_mepi_speed_change_action", kLinks},
    ForeignKey{"port_mtu_change_action", kLinks},
    ForeignKey{"port_speed_change_action", kLinks},
    ForeignKey{"port_vl_change_action", kLinks},
    ForeignKey{"reports", kReports},
    ForeignKey{"rtr_selection_", kRouters},
    ForeignKey{"standalone", kRole},
    ForeignKey{"suppress_mc_pkey_traps", kMulticast},
    ForeignKey{"ltr_enabled", kHealth},
    ForeignKey{"tcp_port", kAdministration},
    ForeignKey{"pid_file", kReports},
};
// clang-format on

/// The value that NVIDIA's manager writes for a key that is not set, where that is not "nothing":
/// limits, pauses and masks of features that other keys turn on.
struct NeutralValue {
    std::string_view name;
    std::string_view value;
};

// clang-format off
constexpr std::array kNeutralValues = {
    NeutralValue{"adaptive_timeout_sl_mask", "0xffff"},
    NeutralValue{"adv_routing_engine", "auto"},
    NeutralValue{"aguid_default_hop_limit", "1"},
    NeutralValue{"ar_sl_mask", "0xffff"},
    NeutralValue{"ar_transport_mask", "0x000a"},
    NeutralValue{"ar_tree_asymmetric_flow", "2"},
    NeutralValue{"auto_join_hca_wo_topo", "true"},
    NeutralValue{"cache_ar_group_id", "true"},
    NeutralValue{"calculate_missing_routes", "true"},
    NeutralValue{"cc_key_lease_period", "60"},
    NeutralValue{"cc_key_protect_bit", "1"},
    NeutralValue{"client_rereg_mode", "2"},
    NeutralValue{"consolidate_ipv4_mask", "0xffffffff"},
    NeutralValue{"dfp_down_up_turns_mode", "2"},
    NeutralValue{"dfp_max_cas_on_spine", "2"},
    NeutralValue{"drop_subscr_on_report_fail", "true"},
    NeutralValue{"enable_ar_by_device_cap", "true"},
    NeutralValue{"enable_crashd", "true"},
    NeutralValue{"enable_inc_mc_routing", "true"},
    NeutralValue{"enable_performance_logging", "true"},
    NeutralValue{"enable_queries_during_routing", "true"},
    NeutralValue{"enable_virt_rec_ext", "true"},
    NeutralValue{"enable_vl_packing", "true"},
    NeutralValue{"find_roots_color_algorithm", "true"},
    NeutralValue{"force_heavy_sweep_window", "-1"},
    NeutralValue{"force_link_speed_ext2", "7"},
    NeutralValue{"ftree_ca_order_dump_file", "opensm-ftree-ca-order"},
    NeutralValue{"get_mft_tables", "true"},
    NeutralValue{"gmp_traps_threads_num", "1"},
    NeutralValue{"hbf_hash_fields", "0x0000000040f00c0f"},
    NeutralValue{"hbf_seed", "0xffffffff"},
    NeutralValue{"hbf_sl_mask", "0xffff"},
    NeutralValue{"hbf_weights", "auto"},
    NeutralValue{"hm_ca_flapping_action", "report"},
    NeutralValue{"hm_ca_illegal_action", "report"},
    NeutralValue{"hm_ca_manual_action", "ignore"},
    NeutralValue{"hm_ca_noisy_action", "report"},
    NeutralValue{"hm_ca_reboot_action", "report"},
    NeutralValue{"hm_ca_seterr_action", "ignore"},
    NeutralValue{"hm_ca_unresponsive_action", "report"},
    NeutralValue{"hm_num_flapping_sweeps", "5"},
    NeutralValue{"hm_num_flapping_sweeps_window", "30"},
    NeutralValue{"hm_num_illegal", "1"},
    NeutralValue{"hm_num_no_resp_sweeps", "5"},
    NeutralValue{"hm_num_no_resp_sweeps_window", "7"},
    NeutralValue{"hm_num_reboots", "10"},
    NeutralValue{"hm_num_set_err_sweeps", "5"},
    NeutralValue{"hm_num_set_err_sweeps_window", "7"},
    NeutralValue{"hm_num_traps", "60"},
    NeutralValue{"hm_num_traps_period_secs", "90"},
    NeutralValue{"hm_reboots_period_secs", "900"},
    NeutralValue{"hm_sw_flapping_action", "report"},
    NeutralValue{"hm_sw_illegal_action", "report"},
    NeutralValue{"hm_sw_manual_action", "no_discover"},
    NeutralValue{"hm_sw_noisy_action", "report"},
    NeutralValue{"hm_sw_reboot_action", "report"},
    NeutralValue{"hm_sw_seterr_action", "ignore"},
    NeutralValue{"hm_sw_unresponsive_action", "report"},
    NeutralValue{"hm_unhealthy_ports_checks", "true"},
    NeutralValue{"improved_lmc_path_distribution", "true"},
    NeutralValue{"load_inform_info_from_sadb", "true"},
    NeutralValue{"max_cas_on_spine", "2"},
    NeutralValue{"max_msg_fifo_len", "200000"},
    NeutralValue{"max_sa_reports_on_wire", "256"},
    NeutralValue{"max_sa_reports_queued", "512"},
    NeutralValue{"max_seq_redisc", "4"},
    NeutralValue{"max_topologies_per_sw", "4"},
    NeutralValue{"max_wire_smps_per_device", "2"},
    NeutralValue{"mepi_cache_enabled", "true"},
    NeutralValue{"mepi_enabled_speeds", "1"},
    NeutralValue{"mlnx_enhanced_link_enable", "true"},
    NeutralValue{"n2n_key_lease_period", "60"},
    NeutralValue{"n2n_key_protect_bit", "1"},
    NeutralValue{"n2n_max_outstanding_mads", "500"},
    NeutralValue{"osm_perflog_dump_limit", "20"},
    NeutralValue{"osm_stats_dump_limit", "20"},
    NeutralValue{"osm_stats_dump_per_sm_port", "true"},
    NeutralValue{"osm_stats_interval", "60"},
    NeutralValue{"override_create_mcg_sl", "0xff"},
    NeutralValue{"pfrn_mask_clear_timeout", "180"},
    NeutralValue{"pfrn_mask_force_clear_timeout", "720"},
    NeutralValue{"pfrn_sl", "4"},
    NeutralValue{"port_ame_bit_change_action", "physical"},
    NeutralValue{"port_ext_speed2_change_action", "no_reset"},
    NeutralValue{"port_ext_speed_change_action", "no_reset"},
    NeutralValue{"port_mepi_speed_change_action", "no_reset"},
    NeutralValue{"port_mtu_change_action", "logical"},
    NeutralValue{"port_speed_change_action", "no_reset"},
    NeutralValue{"port_vl_change_action", "logical"},
    NeutralValue{"reports", "1"},
    NeutralValue{"rtr_selection_algo_parameters", "sgid,dgid"},
    NeutralValue{"rtr_selection_function", "crc32"},
    NeutralValue{"sa_check_sgid_spoofing", "true"},
    NeutralValue{"sa_etm_allow_guidinfo_rec_by_vf", "true"},
    NeutralValue{"sa_etm_allow_untrusted_guidinfo_rec", "true"},
    NeutralValue{"sa_etm_allow_untrusted_proxy_requests", "true"},
    NeutralValue{"sm_assign_guid_func", "uniq_count"},
    NeutralValue{"sm_db_dump", "true"},
    NeutralValue{"standalone", "1"},
    NeutralValue{"support_mepi_speeds", "true"},
    NeutralValue{"suppress_mc_pkey_traps", "0x1"},
    NeutralValue{"sweep_every_hup_signal", "true"},
    NeutralValue{"updn_lid_tracking_converge_routes", "true"},
    NeutralValue{"use_optimized_port_mask_slvl", "true"},
    NeutralValue{"validate_smps", "true"},
    NeutralValue{"virt_default_hop_limit", "2"},
    NeutralValue{"virt_max_ports_in_process", "64"},
    NeutralValue{"vs_key_ci_protect_bits", "1"},
    NeutralValue{"vs_key_lease_period", "60"},
    NeutralValue{"vs_max_outstanding_mads", "500"},
};
// clang-format on

}  // namespace

std::string_view FeatureOfForeignKey(std::string_view name) {
    for (const ForeignKey& key : kForeignKeys) {
        const bool is_family = key.name.ends_with('_');
        if (is_family ? name.starts_with(key.name) : name == key.name) return key.feature;
    }
    return {};
}

std::string_view NearestForeignKey(std::string_view name) {
    std::vector<std::string_view> names;
    for (const ForeignKey& key : kForeignKeys) {
        if (!key.name.ends_with('_')) names.push_back(key.name);
    }
    return Nearest(name, names);
}

std::string_view NearestToForeignEngine(std::string_view word) {
    constexpr std::array<std::array<std::string_view, 2>, 9> kEngines = {
        {{"ar_updn", "updn"},
         {"ar_ftree", "ftree"},
         {"ar_dor", "dor"},
         {"ar_torus", "torus-2QoS"},
         {"ar_min_hop", "minhop"},
         {"dfp", "auto"},
         {"dfp2", "auto"},
         {"kdor-hc", "auto"},
         {"kdor-ghc", "auto"}}};
    const auto* const row = std::find_if(kEngines.begin(), kEngines.end(),
                                         [word](const auto& pair) { return pair[0] == word; });
    return row == kEngines.end() ? std::string_view() : (*row)[1];
}

bool AsksForNothing(std::string_view name, std::string_view value) {
    std::string text(value);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 7> kNothing = {"",       "false", "no",  "off",
                                                          "(null)", "null",  "none"};
    if (std::find(kNothing.begin(), kNothing.end(), text) != kNothing.end()) return true;
    const bool is_neutral = std::any_of(
        kNeutralValues.begin(), kNeutralValues.end(),
        [&](const NeutralValue& neutral) { return neutral.name == name && neutral.value == text; });
    if (is_neutral) return true;
    if (text.starts_with("0x")) text.erase(0, 2);
    return !text.empty() && text.find_first_not_of("0,:.") == std::string::npos;
}

}  // namespace ember::emberc
