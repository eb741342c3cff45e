// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys of routing.
#pragma once

#include <array>

#include "config/keys/key.h"

namespace ember::emberc::rows {

// clang-format off
/// Engines, and what each of them looks at.
inline constexpr std::array kRoutingKeys = {
    Key{{"routing_engine", kEngines, {0, 15}}, kRouting, kActedOn, kAtStart, "(null)",
        "Engines to try, in order; unset is auto, or minhop under `order opensm` and `guid`. This "
        "release has minhop, updn, dnup, file, ftree, dor, torus-2QoS, sssp, dfsssp, lash, nue, "
        "auto and pqft."},
    Key{{"avoid_throttled_links", &Settings::avoid_throttled_links},
        kRouting, kActedOn, kAtStart, "FALSE",
        "sssp, dfsssp, nue: no path takes a link below its enabled speed or width, where there is "
        "another."},
    Key{{"connect_roots", &Settings::connect_roots}, kRouting, kActedOn, kReread, "FALSE",
        "updn, dnup, ftree: connect root switches to each other too."},
    Key{{"use_ucast_cache", kBool}, kRouting, kNoted, kAtStart, "FALSE",
        "Accepted without effect: `order balanced` mends routes in any case, the others compute "
        "all anew in each heavy sweep."},
    Key{{"hop_weights_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of hop weights (minhop, dor, updn): switch GUID, port, weight 1..255."},
    Key{{"port_search_ordering_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of the order in which ports are tried: switch GUID, ports."},
    Key{{"port_prof_ignore_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of ports that are left out of load counting, under `order balanced` with the hosts on "
        "them: switch GUID, port."},
    Key{{"port_profile_switch_nodes", &Settings::port_profile_switch_nodes},
        kRouting, kActedOn, kReread, "FALSE", "LIDs of switches count in the load of a port too."},
    Key{{"lid_matrix_dump_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "Hop matrix that engine `file` loads, as opensm-lid-matrix.dump."},
    Key{{"lfts_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "Forwarding tables that engine `file` loads, as opensm-lfts.dump."},
    Key{{"root_guid_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of the root switches' GUIDs (updn, ftree)."},
    Key{{"cn_guid_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of the compute nodes' port GUIDs (ftree, sssp, dfsssp, nue); under `order balanced` "
        "they get their exits first."},
    Key{{"io_guid_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of the I/O nodes' port GUIDs (ftree, sssp, dfsssp, nue); under `order balanced` they "
        "get their exits behind the compute nodes."},
    Key{{"max_reverse_hops", &Settings::max_reverse_hops}, kRouting, kActedOn, kAtStart, "0",
        "ftree: hops in the wrong direction allowed towards I/O nodes."},
    Key{{"ids_guid_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of numbers that order switches of equal rank (updn): switch GUID, number."},
    Key{{"guid_routing_order_file", kText}, kRouting, kActedOn, kAtStart, "(null)",
        "File of the port GUIDs that are routed first, in its order."},
    Key{{"guid_routing_order_no_scatter", &Settings::guid_routing_order_no_scatter},
        kRouting, kActedOn, kAtStart, "FALSE",
        "Do not scatter ports for the destinations in that file."},
    Key{{"port_shifting", &Settings::port_shifting}, kRouting, kActedOn, kReread, "FALSE",
        "Spread LIDs by turning the port order."},
    Key{{"scatter_ports", &Settings::scatter_ports}, kRouting, kActedOn, kReread, "0",
        "Seed of a random choice among equal ports; 0 is no chance."},
    Key{{"do_mesh_analysis", &Settings::do_mesh_analysis}, kRouting, kActedOn, kReread, "FALSE",
        "lash: look for a mesh first and take its order."},
    Key{{"lash_start_vl", {0, 15}, &Settings::lash_start_vl}, kRouting, kActedOn, kReread, "0",
        "lash: first VL that paths take."},
    Key{{"torus_config", kText}, kRouting, kActedOn, kAtStart, "/etc/opensm/torus-2QoS.conf",
        "File of the torus that torus-2QoS routes: its shape and its seeds."},
    Key{{"nue_max_num_vls", {0, 15}, &Settings::nue_max_num_vls}, kRouting, kActedOn, kReread, "1",
        "nue: VLs it may use; 0 is all that are usable."},
    Key{{"nue_include_switches", &Settings::nue_include_switches},
        kRouting, kActedOn, kAtStart, "FALSE",
        "nue: switches send and receive traffic too."},
    Key{{"quasi_ftree_indexing", &Settings::quasi_ftree_indexing},
        kRouting, kActedOn, kReread, "FALSE",
        "ftree: other numbering of children, for uneven trees."},
};
// clang-format on

}  // namespace ember::emberc::rows
