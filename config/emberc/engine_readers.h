// SPDX-License-Identifier: Apache-2.0
// EmberSM: which options of routing act: which engines look at them, as the engines themselves say
// it, and which rest under `order balanced`.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/engine_kind.h"
#include "core/base/ids.h"
#include "core/settings/engine_options.h"

namespace ember::emberc {

/// A set of engines: a bit for each EngineKind.
using Kinds = std::uint32_t;

constexpr Kinds SetOf(std::initializer_list<EngineKind> kinds) {
    Kinds set = 0;
    for (const EngineKind kind : kinds) {
        set |= 1U << Raw(kind);
    }
    return set;
}

/// The engines that look at an option under this order; none for an option that concerns every
/// engine.
[[nodiscard]] Kinds ReadersOf(std::string_view option, Order order);

/// The options that only some engines look at, whatever the order, each once.
[[nodiscard]] std::vector<std::string_view> OptionsOfEngines();

/// The names of these engines, with commas between them.
[[nodiscard]] std::string WordsOf(Kinds engines);

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
