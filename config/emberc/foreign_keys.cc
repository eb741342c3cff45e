// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of other subnet managers.
#include "config/emberc/foreign_keys.h"

#include <array>

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
    ForeignKey{"pid_file", kReports},
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

}  // namespace ember::emberc
