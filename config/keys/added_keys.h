// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys that OpenSM does not have.
#pragma once

#include <array>
#include <string_view>

#include "config/keys/key.h"
#include "config/schema/settings_generated.h"

namespace ember::emberc::rows {

/// Order of the schema, by number.
inline constexpr std::array<std::string_view, 3> kOrderWords = {"opensm", "guid", "balanced"};

/// FlappingLinkPolicy of the schema, by number.
inline constexpr std::array<std::string_view, 2> kFlappingPolicyWords = {"damp", "quarantine"};

/// StandbyConsistency of the schema, by number.
inline constexpr std::array<std::string_view, 2> kConsistencyWords = {"warn", "strict"};

// clang-format off
/// NVIDIA's additions.
inline constexpr std::array kNvidiaKeys = {
    Key{{"pgrp_policy_file", kText}, kQos, kActedOn, kAtStart, "(null)",
        "File of port groups, for rules of enhanced_qos_policy_file and topologies."},
    Key{{"topo_policy_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of topologies made from port groups, for steps of rch_policy_file."},
    Key{{"rch_policy_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of the routing chain, which routes instead of routing_engine."},
    Key{{"enhanced_qos_policy_file", kText}, kQos, kActedOn, kAtStart, "(null)",
        "File of bandwidths for each SL and port, where devices take them."},
    Key{{"enhanced_qos_vport0_unlimit_default_rl",
         &Settings::enhanced_qos_vport0_unlimit_default_rl},
        kQos, kActedOn, kReread, "TRUE",
        "SLs of virtual port 0 without a rule are unlimited."},
    Key{{"activity_report_subjects", kText}, kLogging, kWarned, kAtStart, "(null)",
        "Subjects of the activity report: mc, prtn, virt, routing; all, none."},
    Key{{"offsweep_balancing_enabled", &Settings::offsweep_balancing_enabled},
        kRouting, kActedOn, kAtStart, "FALSE", "Balance routes again between sweeps."},
    Key{{"offsweep_balancing_window", &Settings::offsweep_balancing_window},
        kRouting, kActedOn, kAtStart, "180", "Seconds after a sweep until that happens."},
};

/// EmberSM's own: the last rows of the table.
inline constexpr std::array kOwnKeys = {
    Key{{"order", {0, 2}, &Settings::order}, kCore, kActedOn, kAtStart, "balanced",
        "LIDs as OpenSM and routes by EmberSM's own balance, or both as OpenSM, or by ascending "
        "GUID.", {}, kOrderWords},
    Key{{"require_deadlock_free", &Settings::require_deadlock_free},
        kRouting, kActedOn, kAtStart, "FALSE",
        "Refuse tables that could close a loop of credits instead of warning."},
    Key{{"flapping_link_policy", {0, 1}, &Settings::flapping_link_policy},
        kRouting, kActedOn, kReread, "quarantine",
        "Cables that flap: `damp` their traps only, or leave them out for a while unless somebody "
        "would be cut off.", {}, kFlappingPolicyWords},
    Key{{"flapping_link_count", {2, 16}, &Settings::flapping_link_count},
        kRouting, kActedOn, kReread, "5",
        "Losses of a cable, or traps 129 to 131 about it, that make it one that flaps."},
    Key{{"flapping_link_window", {1, 86400}, &Settings::flapping_link_window},
        kRouting, kActedOn, kReread, "120", "Seconds within which they are counted."},
    Key{{"flapping_link_hold", {1, 86400}, &Settings::flapping_link_hold},
        kRouting, kActedOn, kReread, "60",
        "Seconds that a cable is left out; twice as long each time it follows, up to 64 times."},
    Key{{"sa_max_requests_per_source", &Settings::sa_max_requests_per_source},
        kSa, kActedOn, kReread, "2000",
        "SA requests a second that each port may send for long; all ports together may send five "
        "times as many beyond theirs; 0 is any number."},
    Key{{"sa_allow_proxies", &Settings::sa_allow_proxies}, kSa, kActedOn, kReread, "FALSE",
        "Ports may join groups, register services and take alias GUIDs for others without sa_key, "
        "as with OpenSM."},
    Key{{"multicast_hold", {0, 86400}, &Settings::multicast_hold}, kSa, kActedOn, kReread, "60",
        "Seconds that multicast tables of the master before are left in place for members to "
        "register again; 0 empties them."},
    Key{{"sm_peers", kGuids, {1, 16}}, kSecurity, kActedOn, kReread, "(null)",
        "Port GUIDs of subnet managers: no other takes part, is heard, or is told sm_key."},
    Key{{"scrub_interval", {0, 86400}, &Settings::scrub_interval}, kCore, kActedOn, kReread, "1",
        "Seconds in which one switch after the other is read again and compared; 0 is never."},
    Key{{"edge_ports", kText}, kSecurity, kActedOn, kReread, "(null)",
        "File of switch ports with one end node each, never a switch or SM: switch GUID, port."},
    Key{{"rtr_pr_flow_label", {0, 0xFFFFF}, &Settings::rtr_pr_flow_label},
        kSa, kActedOn, kReread, "0",
        "FlowLabel of paths to other subnets. NVIDIA's key, as all `rtr_` ones."},
    Key{{"rtr_pr_tclass", &Settings::rtr_pr_tclass}, kSa, kActedOn, kReread, "0",
        "TClass of paths to other subnets."},
    Key{{"rtr_pr_sl", {0, 15}, &Settings::rtr_pr_sl}, kSa, kActedOn, kReread, "0",
        "SL of paths to other subnets, unless the routing has its own; 0 is that of any other "
        "path."},
    Key{{"rtr_pr_mtu", {1, 5, 255, 255}, &Settings::rtr_pr_mtu}, kSa, kActedOn, kReread, "4",
        "Largest MTU code of paths to other subnets: 4 is 2048; 255 is that of the path to the "
        "router."},
    Key{{"rtr_pr_rate", {2, 26, 255, 255}, &Settings::rtr_pr_rate}, kSa, kActedOn, kReread, "255",
        "Highest rate code of paths to other subnets; 255 is that of the path to the router."},
    Key{{"rtr_aguid_enable", {0, 2}, &Settings::rtr_aguid_enable}, kSa, kActedOn, kReread, "0",
        "1: each end port gets the alias GUID 0x0014050000000000 + its LID, by which routers send "
        "to it; 2: takes such aliases back; 0 leaves the ports' tables alone."},
    Key{{"m_key_per_port", &Settings::m_key_per_port}, kSecurity, kActedOn, kReread, "FALSE",
        "Each port has an M_Key of its own, made from m_key and its GUID."},
    Key{{"guid2mkey_file", kText}, kSecurity, kActedOn, kReread, "(null)",
        "OpenSM's guid2mkey: M_Keys that ports may have."},
    Key{{"neighbors_file", kText}, kSecurity, kActedOn, kReread, "(null)",
        "OpenSM's neighbors: by which M_Key a port that does not answer is asked."},
    Key{{"replication_key", kText, {kLeastReplicationKeyOctets, kMostReplicationKeyOctets}},
        kSecurity, kActedOn, kReread, "(null)",
        "Secret of 16 to 64 characters, best drawn, by which subnet managers of this kind know "
        "each other; the same in all of them."},
    Key{{"chain_lanes", &Settings::chain_lanes}, kRouting, kActedOn, kAtStart, "FALSE",
        "Steps of rch_policy_file have virtual lanes of their own, so that no mix of them can "
        "deadlock."},
    Key{{"standby_consistency", {0, 1}, &Settings::standby_consistency},
        kSecurity, kActedOn, kReread, "warn",
        "A standby that is configured otherwise than its master: `warn` of it only, or, `strict`, "
        "keep it out of elections until that ends; one that never answers a greeting is handed "
        "the subnet only if sm_peers lists it, or by hand.", {}, kConsistencyWords},
    Key{{"routing_lanes", &Settings::routing_lanes}, kRouting, kActedOn, kReread, "TRUE",
        "A routing that needs several virtual lanes gets them, under `order balanced` without "
        "`qos` too; FALSE: one lane, with longer paths where that is not enough."},
    Key{{"guid2lid_file", kText}, kCore, kActedOn, kAtStart, "(null)",
        "OpenSM's guid2lid: LIDs that ports keep, unless the store or a device knows better."},
};
// clang-format on

static_assert(schema::Settings::VT_GUID2LID_FILE ==
                  schema::Settings::VT_ORDER + 2 * (kOwnKeys.size() - 1),
              "each field from `order` to the last has a row in kOwnKeys, in the same order");

}  // namespace ember::emberc::rows
