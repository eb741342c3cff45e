// SPDX-License-Identifier: Apache-2.0
// EmberSM: the Limits of a board from the fabric that it is made for.
#pragma once

#include <cstdint>

#include "core/base/limits.h"

namespace ember {

/// Limits that no fabric decides: how many clients may ask subnet administration at once, and how
/// much they may register. See the fields of Limits that have the same names.
struct ClientRoom {
    std::uint32_t requests, transfers, sources;
    std::uint32_t groups, members, mlids;
    std::uint32_t events, alias_guids, services, subscriptions;
    std::uint32_t qos_rules, qos_ranges;
};

// clang-format off
// In the order of the fields.
inline constexpr ClientRoom kFewClients   = { 128,  8,  64,  128,  2048,  128,   64,   256,  128,  256, 128,  256};
inline constexpr ClientRoom kSomeClients  = { 256, 16, 128,  256,  8192,  128,  256,  1024,  512, 2048, 128,  512};
inline constexpr ClientRoom kManyClients  = { 512, 32, 256,  512, 16384,  128,  512,  4096, 1024, 4096, 128,  512};
inline constexpr ClientRoom kMostClients  = {1024, 64, 256, 4096, 65536, 1024, 1024, 16384, 4096, 8192, 512, 2048};
// clang-format on

/// Room for routings of several lanes. See the fields of Limits that have the same names.
struct LaneRoom {
    std::uint32_t lanes = 1;
    std::uint32_t path_sl_bytes = 0;
    std::uint32_t lane_map_bytes = 0;
};

/// These limits with room for so many clients.
[[nodiscard]] constexpr Limits WithClients(const ClientRoom& clients, Limits limits) {
    limits.max_sa_requests = clients.requests;
    limits.max_sa_transfers = clients.transfers;
    limits.max_sa_sources = clients.sources;
    limits.max_groups = clients.groups;
    limits.max_members = clients.members;
    limits.max_mlids = clients.mlids;
    limits.max_events = clients.events;
    limits.max_alias_guids = clients.alias_guids;
    limits.max_services = clients.services;
    limits.max_subscriptions = clients.subscriptions;
    limits.max_qos_rules = clients.qos_rules;
    limits.max_qos_ranges = clients.qos_ranges;
    return limits;
}

/// A fabric of equal switches, and what a subnet manager of it may take.
struct FabricSize {
    std::uint32_t switches;
    std::uint32_t switch_ports;         ///< External ports of each switch.
    std::uint32_t hosts;                ///< Each with one port and one LID.
    std::uint32_t largest_switch = 64;  ///< External ports of a switch that may stand among them.
    std::uint32_t smps;                 ///< In flight.
    std::uint32_t other_sms;            ///< Other subnet managers remembered.
    std::uint32_t journal_notes;        ///< Lines of the log remembered.
    std::uint32_t scratch_bytes;        ///< Working memory of one computation.
    ClientRoom clients;
    LaneRoom lanes = {};
    std::uint32_t routing_steps = 1;  ///< Steps of a routing chain.
    std::uint32_t step_switches = 0;  ///< Switches of a later one; 0: any number, in an arena.
};

/// Room for a fabric of this size: a row of the port table for each port, port 0 of switches
/// included, and a LID for each node.
[[nodiscard]] constexpr Limits LimitsOf(const FabricSize& size) {
    const std::uint32_t nodes = size.switches + size.hosts;
    return WithClients(size.clients,
                       {.max_nodes = nodes,
                        .max_switches = size.switches,
                        .max_ports = size.switches * (size.switch_ports + 1) + size.hosts,
                        .max_switch_ports = size.largest_switch,
                        .max_lid = nodes,
                        .max_smps = size.smps,
                        .max_other_sms = size.other_sms,
                        .journal_notes = size.journal_notes,
                        .scratch_bytes = size.scratch_bytes,
                        .replication_bytes = 4096,
                        .max_lanes = size.lanes.lanes,
                        .max_routing_steps = size.routing_steps,
                        .max_step_switches = size.step_switches,
                        .path_sl_bytes = size.lanes.path_sl_bytes,
                        .lane_map_bytes = size.lanes.lane_map_bytes});
}

}  // namespace ember
