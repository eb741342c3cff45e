// SPDX-License-Identifier: Apache-2.0
// EmberSM: options of routing that rest under `order balanced`, and why.
#pragma once

#include <array>
#include <string_view>

namespace ember::emberc {

/// An option that steers OpenSM's choice among equal exits, and why there is nothing to steer where
/// routes are balanced.
struct RestingOption {
    std::string_view key;
    std::string_view why;
};

// clang-format off
inline constexpr std::array kResting = {
    RestingOption{"port_profile_switch_nodes", "port 0 of a switch gets too little traffic to count, and its LIDs are spread evenly in any case"},
    RestingOption{"guid_routing_order_file", "all routes are looked at until no cable can be relieved, so none of them comes first"},
    RestingOption{"guid_routing_order_no_scatter", "scatter_ports, which it restrains, draws nothing"},
    RestingOption{"port_shifting", "equal cables get equal shares by what flows through them, without a shift"},
    RestingOption{"scatter_ports", "equal cables get equal shares by what flows through them, without chance"},
    RestingOption{"max_reverse_hops", "all end ports are reached, on whichever level they hang, without reverse hops"},
    RestingOption{"quasi_ftree_indexing", "routes are not counted by the index of a host"},
    RestingOption{"port_search_ordering_file", "which of two equal cables comes first makes no difference to what both carry"},
};
// clang-format on

}  // namespace ember::emberc
