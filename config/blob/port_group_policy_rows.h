// SPDX-License-Identifier: Apache-2.0
// EmberSM: the port groups of a blob: their rows as the core has them, and what they must be.
#pragma once

#include <cstdint>

#include "config/blob/option_rules.h"
#include "config/schema/settings_generated.h"
#include "core/settings/port_group_rows.h"

namespace ember::option_files {

[[nodiscard]] inline PortGroup CoreRow(const schema::PortGroup& row) {
    return {.first = 0,
            .guids = row.guids(),
            .line = row.line(),
            .patterns = row.patterns(),
            .unions = row.unions(),
            .subtractions = row.subtractions(),
            .node_types = row.node_types()};
}
[[nodiscard]] inline schema::PortGroup WireRow(const PortGroup& row) {
    return {row.guids, row.line, row.patterns, row.unions, row.subtractions, row.node_types};
}
[[nodiscard]] constexpr std::uint32_t Elements(const PortGroup& row) {
    return RulesOf(row);
}

[[nodiscard]] inline PortGroupRule CoreRow(const schema::PortGroupRule& row) {
    return {.from = row.from(),
            .to = row.to(),
            .first_port = row.first_port(),
            .last_port = row.last_port()};
}
[[nodiscard]] inline schema::PortGroupRule WireRow(const PortGroupRule& row) {
    return {row.from, row.to, row.first_port, row.last_port};
}

[[nodiscard]] inline PortGroupHost CoreRow(const schema::PortGroupHost& row) {
    return {.first = 0,
            .group = static_cast<std::uint16_t>(row.group()),
            .hca_index = row.hca_index(),
            .port = row.port(),
            .octets = row.octets()};
}
[[nodiscard]] inline schema::PortGroupHost WireRow(const PortGroupHost& row) {
    return {row.group, row.hca_index, row.port, row.octets};
}
[[nodiscard]] constexpr std::uint32_t Elements(const PortGroupHost& row) {
    return row.octets;
}

[[nodiscard]] inline NamePattern CoreRow(const schema::NamePattern& row) {
    return {.first = 0,
            .states = static_cast<std::uint16_t>(row.states()),
            .classes = static_cast<std::uint16_t>(row.classes())};
}
[[nodiscard]] inline schema::NamePattern WireRow(const NamePattern& row) {
    return {row.states, row.classes};
}
[[nodiscard]] constexpr std::uint32_t Elements(const NamePattern& row) {
    return CellsOf(row);
}

/// Whether the port groups of `from` are such: counts, order of GUIDs and hosts, that rows refer to
/// rows before them, and that no pattern leads to a state which it does not have. None at all are
/// such too. In time proportional to their size.
[[nodiscard]] bool IsPortGroupPolicy(const schema::OptionFiles& from);

}  // namespace ember::option_files
