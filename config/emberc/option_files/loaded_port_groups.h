// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a pgrp_policy_file says, on the host.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/name_automaton.h"
#include "core/settings/port_group_rows.h"
#include "core/settings/qos_tables.h"

namespace ember::emberc {

/// pgrp_policy_file, with names resolved: rows refer to rows before them. A group that is defined
/// again has a row for each definition, of which the last is the one that others name.
struct LoadedPortGroups {
    struct Host {
        std::string name;
        std::uint16_t hca_index = kAnyHcaIndex;
        std::uint8_t port = kAnyHostPort;
        [[nodiscard]] auto operator<=>(const Host&) const = default;
    };
    struct Group {
        std::string name;
        std::uint32_t line = 0;  ///< 0: a predefined one.
        std::uint8_t node_types = 0;
        std::vector<PortGroupRule> guids{};
        std::vector<PortGroupRule> patterns{};  ///< `from` and `to` are a row of `patterns`.
        std::vector<PortGroupRule> unions{};    ///< Of rows `from` and `to`.
        std::vector<PortGroupRule> subtractions{};
        std::vector<Host> hosts{};  ///< Ascending, none twice.
        [[nodiscard]] bool operator==(const Group&) const = default;
    };

    std::vector<Group> groups{};
    std::vector<LoadedPattern> patterns{};  ///< None twice.
    [[nodiscard]] bool operator==(const LoadedPortGroups&) const = default;
};

/// A group that is there without being defined: all nodes of some types.
struct PredefinedPortGroup {
    std::string_view name;
    std::string_view key;  ///< As QosName::key.
    std::uint8_t node_types = 0;
};

inline constexpr std::array kPredefinedPortGroups = {
    PredefinedPortGroup{"ALL", "all", qos_node_type::kAll},
    PredefinedPortGroup{"ALL_SWITCHES", "all_switches", qos_node_type::kSwitch},
    PredefinedPortGroup{"ALL_CAS", "all_cas", qos_node_type::kCa},
    PredefinedPortGroup{"ALL_ROUTERS", "all_routers", qos_node_type::kRouter},
};

/// The predefined group of this key; null: there is none.
[[nodiscard]] constexpr const PredefinedPortGroup* FindPredefined(std::string_view key) {
    const auto* const found =
        std::find_if(kPredefinedPortGroups.begin(), kPredefinedPortGroups.end(),
                     [key](const PredefinedPortGroup& group) { return group.key == key; });
    return found == kPredefinedPortGroups.end() ? nullptr : found;
}

/// The name of the predefined group of these node types; empty: there is none.
[[nodiscard]] constexpr std::string_view NameOfTypes(unsigned types) {
    const auto* const found = std::find_if(
        kPredefinedPortGroups.begin(), kPredefinedPortGroups.end(),
        [types](const PredefinedPortGroup& group) { return group.node_types == types; });
    return found == kPredefinedPortGroups.end() ? std::string_view() : found->name;
}

/// Its row.
[[nodiscard]] inline LoadedPortGroups::Group GroupOf(const PredefinedPortGroup& group) {
    return {.name = std::string(group.name), .node_types = group.node_types};
}

/// A group, written in one line.
struct PortGroupEntry {
    std::string line;
};

}  // namespace ember::emberc
