// SPDX-License-Identifier: Apache-2.0
// EmberSM: what may be configured. config/ fills it; the core only reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/engine_kind.h"
#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/settings/bandwidth_rows.h"
#include "core/settings/chain_rows.h"
#include "core/settings/engine_options.h"
#include "core/settings/lane_settings.h"
#include "core/settings/partition_rows.h"
#include "core/settings/port_group_rows.h"
#include "core/settings/qos_tables.h"

namespace ember {

/// The treatment of links that flap; see core/links/flapping_links.h.
enum class FlappingLinkPolicy : std::uint8_t {
    kDamp,        ///< Traps that repeat are no longer obeyed; the link stays in use.
    kQuarantine,  ///< And the link is left out for a while, unless a node would be cut off.
};

/// The treatment of a standby that is configured otherwise than its master; see core/replication.
enum class StandbyConsistency : std::uint8_t {
    kWarn,    ///< The standby says so, and takes over all the same.
    kStrict,  ///< The standby stays out of elections as long as that is so.
};

/// Which packets a switch port to an end port checks for their P_Key; see
/// core/partitions/p_key_upkeep.h.
enum class PartEnforce : std::uint8_t {
    kBoth,
    kIn,   ///< Packets that the switch receives there.
    kOut,  ///< Packets that it sends there.
    kOff,
};

/// Engines that routing_engine can list.
inline constexpr std::size_t kMaxEngines = 16;

/// The engines that routing_engine names, to be tried in this order.
using EngineList = StaticVector<EngineKind, kMaxEngines>;

/// The engines to try: those listed. Where the option names none, auto, whose routes are free of
/// credit loops; under any other order than EmberSM's own minhop, as in OpenSM.
[[nodiscard]] constexpr EngineList EnginesToTry(const EngineList& listed, Order order) {
    EngineList engines = listed;
    const bool is_balanced = order == Order::kBalanced;
    if (engines.empty()) {
        static_cast<void>(engines.TryPush(is_balanced ? EngineKind::kAuto : EngineKind::kMinHop));
    }
    return engines;
}

/// A line of prefix_routes_file: by which router a GID of another subnet is reached.
struct PrefixRoute {
    std::uint64_t prefix = 0;  ///< Of the GID; 0: any.
    Guid router = kNoGuid;     ///< PortGUID; kNoGuid: the first router there is.
    [[nodiscard]] bool operator==(const PrefixRoute&) const = default;
};

/// Lines of it that a configuration can hold.
inline constexpr std::size_t kMostPrefixRoutes = 1024;

/// A line of node_name_map_name: what people call a node.
struct NodeName {
    Guid guid = kNoGuid;       ///< NodeGUID; once in the table.
    std::uint32_t first = 0;   ///< Its first octet in ManagerTables::name_octets.
    std::uint32_t octets = 0;  ///< 1..kMostNameOctets.
    [[nodiscard]] bool operator==(const NodeName&) const = default;
};

/// A line of guid2mkey_file: the M_Key that a port was given.
struct PortMKey {
    Guid guid = kNoGuid;  ///< PortGUID; once in the table.
    std::uint64_t m_key = 0;
    [[nodiscard]] bool operator==(const PortMKey&) const = default;
};

/// LIDs that a port can have: those of LMC 7.
inline constexpr std::uint32_t kMostFiledLids = 128;

/// A line of guid2lid_file: the LIDs that a port had under the subnet manager before.
struct PortLids {
    Guid guid = kNoGuid;  ///< PortGUID; once in the table.
    Lid least = kNoLid;
    Lid most = kNoLid;  ///< Not below `least`; at most kMostFiledLids in all.
    [[nodiscard]] bool operator==(const PortLids&) const = default;
};

/// A line of neighbors_file: which port is behind a port. Both are named by the PortGUID of the end
/// port that has their M_Key: that of port 0 for all ports of a switch.
struct Neighbor {
    Guid guid = kNoGuid;
    PortNumber port{};
    Guid peer = kNoGuid;
    [[nodiscard]] bool operator==(const Neighbor&) const = default;
};

/// Octets of a name, as many as a NodeDescription has: printable ASCII but for quotation marks,
/// between which names stand.
inline constexpr std::size_t kMostNameOctets = 64;
[[nodiscard]] constexpr bool IsNameOctet(std::uint8_t octet) {
    return octet >= 0x20 && octet < 0x7F && octet != '"';
}

/// GUIDs in a list of switches or end ports; emberc and the blob's reader take no more. No subnet
/// has more, as each of them has a LID.
inline constexpr std::size_t kMostListedGuids = 0xBFFF;

/// SMs that sm_peers can list.
inline constexpr std::size_t kMostSmPeers = 16;

/// Octets of replication_key: that of HMAC-SHA-256 is as long as a block of the hash.
inline constexpr std::size_t kLeastReplicationKeyOctets = 16;
inline constexpr std::size_t kMostReplicationKeyOctets = 64;
using ReplicationKey = StaticVector<std::uint8_t, kMostReplicationKeyOctets>;

/// Which configuration the settings are of. Settings are compared by what they say, so any two of
/// these are equal.
struct ConfigurationId {
    std::uint64_t counter = 0;  ///< Of its blob; 0: the settings are of none.
    /// SHA-256 of what it says, but for the keys that concern one subnet manager alone.
    std::array<std::uint8_t, 32> digest{};
    [[nodiscard]] bool operator==(const ConfigurationId& /*other*/) const { return true; }
};

/// The content of option files that no route is made from; views as in EngineTables. All but
/// prefix_routes and the QoS policy, which are in the order of their lines, ascend: by GUID, then
/// by port, where nothing else is said.
struct ManagerTables {
    std::span<const SwitchPort> edge_ports;  ///< edge_ports: behind each is one end node, no SM.
    std::span<const PrefixRoute> prefix_routes;  ///< prefix_routes_file: the first that fits.
    /// sa_db_file, as a journal of registrations (core/administration/registrations/sa_frames.h).
    std::span<const std::byte> registrations;
    std::span<const NodeName> node_names;  ///< node_name_map_name.
    std::span<const std::uint8_t> name_octets;
    // partition_config_file. Without partitions all five are empty, else one is the default one.
    std::span<const PartitionRow> partitions;           ///< Ascending P_Key.
    std::span<const std::uint8_t> partition_names;      ///< Octets of their names.
    std::span<const PartitionMember> partition_ports;   ///< By PortGUID, then P_Key.
    std::span<const PartitionClass> partition_classes;  ///< By class, then P_Key.
    std::span<const PartitionGroup> partition_groups;   ///< By MGID.
    // qos_policy_file; no levels: there is no policy.
    std::span<const QosLevel> qos_levels;
    std::span<const QosRange> qos_level_ranges;
    std::span<const QosGroup> qos_groups;
    std::span<const QosRange> qos_group_ranges;
    std::span<const QosPortName> qos_port_names;
    std::span<const std::uint8_t> qos_port_name_octets;
    std::span<const QosRule> qos_rules;  ///< In the order in which they are tried.
    std::span<const QosRange> qos_rule_ranges;
    std::span<const std::uint32_t> qos_rule_lines;  ///< Of qos_rules, from 1; none: not known.
    std::span<const std::uint8_t> qos_names;  ///< Of levels, then groups, each with a 0 behind it.
    std::span<const PortMKey> m_keys;         ///< guid2mkey_file.
    std::span<const Neighbor> neighbors;      ///< neighbors_file.
    std::span<const PortLids> port_lids;      ///< guid2lid_file: ascending GUID.
    // enhanced_qos_policy_file.
    std::span<const BandwidthSet> bandwidth_sets;
    std::span<const BandwidthRule> bandwidth_rules;          ///< BW_RULES, by GUID.
    std::span<const BandwidthGroupRule> bandwidth_groups;    ///< BW_RULES, in the file's order.
    std::span<const BandwidthRule> bandwidth_virtual_rules;  ///< VPORT_BW_RULES, by GUID.
    bool has_bandwidth = false;  ///< The file was named: without rules it lifts all limits.
    // pgrp_policy_file.
    std::span<const PortGroup> port_groups;  ///< Each names rows before it only.
    std::span<const PortGroupRule> port_group_rules;
    std::span<const PortGroupHost> port_group_hosts;
    std::span<const std::uint8_t> port_group_host_octets;
    std::span<const NamePattern> name_patterns;
    std::span<const std::uint16_t> name_pattern_cells;
    std::span<const std::uint8_t> name_pattern_classes;  ///< kPatternCharacters for each pattern.
    /// Names of groups, then expressions, each with a 0 behind it.
    std::span<const std::uint8_t> port_group_names;
    std::span<const PortTopology> topologies;  ///< topo_policy_file: ascending id.
    /// rch_policy_file: ascending id; none: routing_engine says how routes are made.
    std::span<const ChainStep> chain_steps;
    std::span<const EngineTables> step_tables;  ///< Option files of its steps.

    /// Compares what the views show.
    [[nodiscard]] bool operator==(const ManagerTables& other) const;
};

/// All that option files say.
struct OptionTables : EngineTables, ManagerTables {};

/// rtr_aguid_enable: the GUID tables of ports are left alone, have an alias of the port's LID each,
/// or lose it.
inline constexpr std::uint8_t kLeaveRouterAliases = 0;
inline constexpr std::uint8_t kMakeRouterAliases = 1;
inline constexpr std::uint8_t kEndRouterAliases = 2;

/// rtr_pr_mtu and rtr_pr_rate: a path to another subnet has what the path to the router has.
inline constexpr std::uint8_t kNoFarBound = 255;

/// Everything an operator may decide, with its default: a plain value but for the tables of option
/// files. Names are opensm.conf's where OpenSM has the option; the sentence says the unit and
/// range. The part that engines may see is a base, as its members are settings like all others.
struct Settings : EngineOptions {
    // Device, keys, LIDs.
    Guid guid = kNoGuid;                      ///< Port to bind to; 0: first port with its link up.
    std::uint64_t m_key = 0;                  ///< Of every port; see core/fabric/m_key.h. 0: none.
    bool m_key_per_port = false;              ///< Each port's own is made from m_key.
    bool m_key_lookup = true;                 ///< A port is asked with the M_Key that it has.
    std::uint16_t m_key_lease_period = 0;     ///< Seconds; 0: for ever.
    std::uint8_t m_key_protection_level = 0;  ///< 0..3.
    std::uint64_t sm_key = 1;                 ///< Shown in SMInfo, expected from other SMs.
    /// PortGUIDs of SMs, EmberSM's own key: no other counts as one. None: any does.
    StaticVector<Guid, kMostSmPeers> sm_peers;
    /// EmberSM's own key, by which subnet managers of this kind prove each other. None: they do
    /// not; see core/replication/peers.h.
    ReplicationKey replication_key;
    /// Between subnet managers that prove each other. EmberSM's own key.
    StandbyConsistency standby_consistency = StandbyConsistency::kWarn;
    std::uint64_t subnet_prefix = 0xFE80000000000000;
    std::uint8_t lmc = 0;              ///< 0..7: 2^lmc LIDs an end port.
    bool lmc_esp0 = false;             ///< lmc holds for enhanced switch port 0 too.
    std::uint8_t sm_sl = 0;            ///< 0..15: PortInfo:MasterSMSL.
    bool honor_guid2lid_file = false;  ///< Leaving STANDBY: trust the stored LIDs.
    bool reassign_lids = false;        ///< First master sweep: forget all LIDs.

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

    // Partitions.
    PartEnforce part_enforce = PartEnforce::kBoth;
    bool allow_both_pkeys = false;  ///< A port may hold the full and the limited form of a P_Key.
    bool keep_pkey_indexes = true;  ///< A P_Key that a port's table holds stays where it is.

    // Virtual lanes.
    bool qos = false;                 ///< Ports get VL arbitration and SL to VL tables.
    bool use_optimized_slvl = false;  ///< A single Set for all ports of a switch that can.
    bool suppress_sl2vl_mad_status_errors = false;   ///< No line of the log about a failed one.
    std::array<LaneSettings, kLanePortKinds> lanes;  ///< By LanePorts.

    // Bandwidth.
    /// The default rule for virtual ports is not for virtual port 0 of any port.
    bool enhanced_qos_vport0_unlimit_default_rl = true;

    // Sweeping and sending.
    std::uint32_t sweep_interval = 10;  ///< Seconds between light sweeps; 0: none.
    bool force_heavy_sweep = false;     ///< Every timed sweep is heavy.
    bool sweep_on_trap = true;          ///< Traps 128 and 144 start a heavy sweep.
    std::uint32_t scrub_interval = 1;   ///< Seconds in which one switch is read again; 0: none.
    std::uint32_t max_wire_smps = 32;   ///< SMPs in flight; 0: Limits::max_smps, the most.
    std::uint32_t max_wire_smps2 = 0;   ///< Ceiling while answers stall; 0: max_wire_smps.
    std::uint32_t max_smps_timeout = 600000;  ///< Microseconds of silence before one more goes out.
    std::uint32_t transaction_timeout = 200;  ///< Milliseconds until a retry.
    std::uint32_t transaction_retries = 3;    ///< Tries in all, 1..

    // Cables that flap. Keys of EmberSM's own, but for babbling_port_policy.
    FlappingLinkPolicy flapping_link_policy = FlappingLinkPolicy::kQuarantine;
    std::uint8_t flapping_link_count = 5;      ///< Losses or complaints that are too many, 2..16,
    std::uint32_t flapping_link_window = 120;  ///< within so many seconds, 1..86400.
    std::uint32_t flapping_link_hold = 60;     ///< Seconds of the first quarantine, 1..86400.
    bool babbling_port_policy = false;         ///< Disable ports that send 250 traps 129 to 131.

    // Role.
    std::uint8_t sm_priority = 0;  ///< 0..15.
    bool ignore_other_sm = false;
    /// Milliseconds between polls of the master; 0: not set.
    std::uint32_t sminfo_polling_timeout = 0;
    std::uint32_t polling_retry_number = 4;  ///< Polls in a row that may go unanswered.
    bool sm_inactive = false;                ///< Start in NOTACTIVE.
    bool no_clients_rereg = false;           ///< Never set ClientReregister.

    // Multicast.
    std::uint32_t multicast_hold = 60;  ///< Seconds that tables of the master before stay.
    bool disable_multicast = false;     ///< Groups are kept, but nothing is forwarded.
    bool use_mfttop = true;             ///< Set SwitchInfo:MulticastFDBTop where a switch knows it.
    bool ipoib_mcgroup_creation_validation = true;  ///< IP groups need their broadcast group.
    bool mcgroup_join_validation = true;    ///< A member must reach the group's MTU and rate.
    bool consolidate_ipv6_snm_req = false;  ///< Solicited-node groups of a partition share a MLID.

    // Routing.
    bool require_deadlock_free = false;  ///< EmberSM's own key: refuse a possible credit loop.
    bool chain_lanes = false;            ///< EmberSM's own key: steps have lanes of their own.
    bool routing_lanes = true;           ///< EmberSM's own key: a routing may need several lanes.
    EngineList routing_engine;           ///< In order; see EnginesToTry().
    bool no_fallback = false;            ///< A word of routing_engine: see core/routing/DESIGN.md.
    bool offsweep_balancing_enabled = false;        ///< Restore the balance between sweeps.
    std::uint32_t offsweep_balancing_window = 180;  ///< Seconds of rest before that.

    // Subnet administration.
    std::uint64_t sa_key = 1;               ///< SM_Key of trusted questions.
    bool drop_event_subscriptions = false;  ///< When their port goes, or another was master.
    bool sa_allow_proxies = false;  ///< Ports may act for others without the key, as with OpenSM.
    std::uint32_t sa_max_requests_per_source = 2000;  ///< A second, of one port; 0: any number.
    std::uint32_t max_msg_fifo_timeout = 10000;  ///< Milliseconds a question waits; 0: for ever.

    // Paths, as subnet administration tells them.
    std::uint8_t max_rate_enum = 63;  ///< Highest rate code told, 2..26; 63: as the client knows.
    bool enable_quirks = false;       ///< Paths of old InfiniHost adapters have an MTU of 1 KiB.
    bool sa_db_dump = false;          ///< Registrations of clients are written out after sweeps.
    std::uint8_t log_flags = 0x03;    ///< OpenSM's; kLogRouting alone is looked at.
    // Routers; see core/administration/paths/far_paths.h and core/aliases/router_aliases.h.
    std::uint8_t rtr_aguid_enable = 0;       ///< kLeaveRouterAliases, kMake..., kEnd....
    std::uint32_t rtr_pr_flow_label = 0;     ///< 0..0xFFFFF.
    std::uint8_t rtr_pr_tclass = 0;          ///< TClass.
    std::uint8_t rtr_pr_sl = 0;              ///< 0..15; 0: as of any other path.
    std::uint8_t rtr_pr_mtu = 4;             ///< Largest MTU, code 1..5; kNoFarBound.
    std::uint8_t rtr_pr_rate = kNoFarBound;  ///< Highest rate, code 2..26; kNoFarBound.
    ManagerTables manager_tables;
    ConfigurationId configuration;  ///< No key: config/blob fills it.

    [[nodiscard]] bool operator==(const Settings&) const = default;
};

/// Whether SL to VL maps are written for a routing that needs several lanes. OpenSM writes none
/// without `qos`; under `order balanced` the lanes of a routing are no matter of the operator's
/// levels of service, and `qos` says of these alone.
[[nodiscard]] inline bool OffersLanes(const Settings& settings) {
    return settings.routing_lanes && (settings.qos || settings.order == Order::kBalanced);
}

/// Whether both have the same chain, with the same topologies and port groups.
[[nodiscard]] bool ChainAlike(const ManagerTables& one, const ManagerTables& two);

/// Whether the same engines make the same routes under both, of the same subnet.
[[nodiscard]] inline bool RouteAlike(const Settings& one, const Settings& two) {
    return one.routing_engine == two.routing_engine && one.no_fallback == two.no_fallback &&
           one.lmc == two.lmc && one.lmc_esp0 == two.lmc_esp0 &&
           one.require_deadlock_free == two.require_deadlock_free &&
           one.chain_lanes == two.chain_lanes && OffersLanes(one) == OffersLanes(two) &&
           static_cast<const EngineOptions&>(one) == two &&
           ChainAlike(one.manager_tables, two.manager_tables);
}

}  // namespace ember
