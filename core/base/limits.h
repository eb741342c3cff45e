// SPDX-License-Identifier: Apache-2.0
// EmberSM: the largest subnet that a board can hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ember {

/// The sizes of a board, and the only place where a size is written. A board supplies one constexpr
/// value; Storage<kLimits> derives the length of every array from it, and each engine the scratch
/// memory that it takes. The type is structural, so that a value can be a template argument.
struct Limits {
    std::uint32_t max_nodes;         ///< Switches, hosts and routers, the SM's own node included.
    std::uint32_t max_switches;      ///< Of these, switches.
    std::uint32_t max_ports;         ///< Rows of the port table: a switch takes its ports + 1.
    std::uint32_t max_switch_ports;  ///< External ports of the largest switch, 1..254.
    std::uint32_t max_lid;           ///< Highest unicast LID that can be assigned, 1..0xBFFF.
    std::uint32_t max_smps;          ///< SMPs in flight, 1..4096.
    std::uint32_t max_other_sms;     ///< Other subnet managers remembered.
    std::uint32_t journal_notes;     ///< Records in the ring of the log, at least 16.
    std::uint32_t scratch_bytes;     ///< Working memory of one computation.

    // Subnet administration.
    std::uint32_t max_sa_requests = 256;  ///< Requests that wait, 8..65534.
    std::uint32_t max_sa_transfers = 16;  ///< RMPP transfers at a time, 2..1024.
    std::uint32_t max_sa_sources = 64;    ///< Ports whose request rate is known, 4..4096, by 4.
    std::uint32_t max_groups = 64;        ///< Multicast groups, 1..65534.
    std::uint32_t max_members = 512;  ///< Ports in multicast groups: one for each port and group.
    std::uint32_t max_mlids = 64;     ///< Multicast LIDs, a multiple of 32, up to 16352.
    std::uint32_t max_events = 64;    ///< Events remembered for subscribers of notices.
    std::uint32_t max_alias_guids = 256;   ///< Alias GUIDs of all ports, 1..65534.
    std::uint32_t max_services = 64;       ///< Registered services, 1..65534.
    std::uint32_t max_subscriptions = 64;  ///< Subscriptions to notices, 1..65534.
    /// Octets of registrations that may change between two writes to their journal, 1,024..1 MiB;
    /// a join takes 38. The next version of a board may have more, but not less: it could not read
    /// the frames of this one.
    std::uint32_t state_buffer_bytes = 16384;

    /// 4096 on a board that, as master, feeds standbys of its kind and, as standby, follows such a
    /// master: octets of a record between them (core/replication). 0: it does neither.
    std::uint32_t replication_bytes = 0;

    std::uint32_t max_guid_tables = 64;  ///< Blocks of GUIDs that ports have to be told, 1..65534.
    std::uint32_t max_flapping_links = 32;  ///< Links whose losses are counted, 1..4096.
    /// Data VLs that routes may use, 1..15. scratch_bytes feeds the proof of one lane on any
    /// fabric; more lanes are proved where the fabric is so small that they fit in it.
    std::uint32_t max_lanes = 1;
    std::uint32_t max_routing_steps = 1;  ///< Steps of a routing plan (RoutingPlan), 1..16.
    /// Switches of the part of a later step, whose tables are then made in scratch; chains are made
    /// anew after every change. 0: any number: there is an LFT arena for them, and steps are
    /// mended.
    std::uint32_t max_step_switches = 0;

    // The QoS policy; 0 on a board without policies.
    std::uint32_t max_qos_rules = 0;     ///< Rules, a multiple of 64, up to 512.
    std::uint32_t max_qos_ranges = 256;  ///< Ranges of values that rules name, up to 49151.

    /// 2 on a board some of whose devices take limits of bandwidth (BandwidthCodec): the tables of
    /// each end port that are remembered, its own and that of its virtual port 0. 0: none take any.
    std::uint32_t bandwidth_tables = 0;

    // Routings of several lanes; 0 on a board whose engines need one. Each is taken twice: for the
    // routing as planned and as programmed.
    std::uint32_t path_sl_bytes = 0;   ///< Octets for the service levels of paths (PathSl).
    std::uint32_t lane_map_bytes = 0;  ///< Octets for SL to VL maps (LaneMap), whole words of 8.
};

/// The same for routings of so many lanes.
[[nodiscard]] constexpr Limits WithLanes(Limits limits, std::uint32_t lanes) {
    limits.max_lanes = lanes;
    return limits;
}

/// Later steps have an LFT arena of their own.
[[nodiscard]] constexpr bool HasStepArena(const Limits& limits) {
    return limits.max_routing_steps > 1 && limits.max_step_switches == 0;
}

/// The limits of the part of a later step, as a subnet by itself.
[[nodiscard]] constexpr Limits StepLimits(Limits limits) {
    if (limits.max_step_switches == 0 || limits.max_step_switches >= limits.max_switches)
        return limits;
    const std::uint64_t ports =
        limits.max_step_switches * (std::uint64_t{2} * limits.max_switch_ports + 1);
    limits.max_switches = limits.max_step_switches;
    if (ports < limits.max_ports) limits.max_ports = static_cast<std::uint32_t>(ports);
    return limits;
}

/// Entries of an LFT row: whole blocks of 64.
[[nodiscard]] constexpr std::size_t LidStride(const Limits& limits) {
    return (limits.max_lid / 64U + 1U) * std::size_t{64};
}

/// True when hardware and the specification allow a subnet of these limits.
[[nodiscard]] consteval bool Sound(const Limits& limits) {
    return limits.max_switches >= 1 && limits.max_switches <= limits.max_nodes &&
           limits.max_nodes <= 0xFFFE &&  // NodeIndex is 16 bits wide, one value means none.
           limits.max_lid >= 1 && limits.max_lid <= 0xBFFF &&                 // IBA vol. 1, 4.1.3.
           limits.max_switch_ports >= 1 && limits.max_switch_ports <= 254 &&  // 255 means no port.
           limits.max_ports >= limits.max_nodes &&  // Every node has at least one port.
           limits.max_smps >= 1 && limits.max_smps <= 4096 && limits.max_other_sms >= 1 &&
           limits.max_sa_requests >= 8 && limits.max_sa_requests <= 65534 &&
           limits.max_sa_transfers >= 2 && limits.max_sa_transfers <= 1024 &&
           limits.max_sa_sources >= 4 && limits.max_sa_sources <= 4096 &&
           limits.max_sa_sources % 4 == 0 && limits.journal_notes >= 16 && limits.max_groups >= 1 &&
           limits.max_groups <= 0xFFFE &&  // GroupIndex is 16 bits wide, one value means none.
           limits.max_members >= 1 && limits.max_mlids >= 32 && limits.max_mlids % 32 == 0 &&
           limits.max_mlids <= 0x3FE0 &&  // 0xFFFF is no multicast LID.
           limits.max_events >= 1 && limits.max_services >= 1 && limits.max_services <= 0xFFFE &&
           limits.max_subscriptions >= 1 && limits.max_subscriptions <= 0xFFFE &&
           limits.state_buffer_bytes >= 1024 && limits.state_buffer_bytes <= 1U << 20U &&
           (limits.replication_bytes == 0 || limits.replication_bytes == 4096) &&
           limits.max_flapping_links >= 1 && limits.max_flapping_links <= 4096 &&
           limits.max_guid_tables >= 1 && limits.max_guid_tables <= 65534 &&
           limits.max_routing_steps >= 1 && limits.max_routing_steps <= 16 &&
           limits.max_step_switches <= limits.max_switches && limits.max_lanes >= 1 &&
           limits.max_lanes <= 15 &&  // VL 15 is for management.
           limits.max_qos_rules <= 512 && limits.max_qos_rules % 64 == 0 &&
           limits.max_qos_ranges <= 0xBFFF &&
           (limits.bandwidth_tables == 0 || limits.bandwidth_tables == 2) &&
           limits.max_alias_guids >= 1 &&
           limits.max_alias_guids <= 0xFFFE;  // AliasIndex is 16 bits wide, one value means none.
}

}  // namespace ember
