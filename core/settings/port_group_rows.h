// SPDX-License-Identifier: Apache-2.0
// EmberSM: what pgrp_policy_file says, as rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ember {

/// A port-group of pgrp_policy_file, which owns rules of ManagerTables::port_group_rules, from row
/// `first` on, in the order of the counts. A port is in the group when its node is of one of the
/// types, when one of the rules takes it, or when a PortGroupHost of the group does.
struct PortGroup {
    std::uint32_t first = 0;
    /// Ranges of PortGUIDs, which ascend and do not meet, but for rules of a single GUID, of which
    /// several ascend by their ports.
    std::uint32_t guids = 0;
    std::uint32_t line = 0;          ///< Where the file defines it, from 1; 0: predefined.
    std::uint16_t patterns = 0;      ///< `from` and `to` are a row of name_patterns.
    std::uint16_t unions = 0;        ///< `from` and `to` are groups: the ports of both.
    std::uint16_t subtractions = 0;  ///< The ports of group `from` that are not in group `to`.
    std::uint8_t node_types = 0;     ///< Of qos_node_type, but for kSelf.
    [[nodiscard]] bool operator==(const PortGroup&) const = default;
};

/// A rule of a port-group. Groups that it names are rows before its own, so that one pass over all
/// rows knows the groups of a port.
struct PortGroupRule {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint8_t first_port = 0;  ///< Ports of the node that it takes: of a host's or switch's.
    std::uint8_t last_port = 0;
    [[nodiscard]] bool operator==(const PortGroupRule&) const = default;
};

inline constexpr std::uint8_t kLastPortOfAll = 0xFF;   ///< A rule for all ports ends here.
inline constexpr std::uint16_t kAnyHcaIndex = 0xFFFF;  ///< PortGroupHost: any card of the host.
inline constexpr std::uint8_t kAnyHostPort = 0;        ///< PortGroupHost: any port of the card.

/// Ports of a host in a group, by the hostname in front of its NodeDescription. These ascend by
/// hostname, then by group, card and port.
struct PortGroupHost {
    std::uint32_t first = 0;  ///< In ManagerTables::port_group_host_octets.
    std::uint16_t group = 0;
    std::uint16_t hca_index = kAnyHcaIndex;
    std::uint8_t port = kAnyHostPort;  ///< 1..254, or kAnyHostPort.
    std::uint8_t octets = 0;           ///< 1..kMostNameOctets.
    [[nodiscard]] bool operator==(const PortGroupHost&) const = default;
};

/// A regular expression as a deterministic automaton over the characters of names, which owns cells
/// of ManagerTables::name_pattern_cells from `first` on, classes + 1 for each state; state 0 is the
/// first. A cell is what follows a character of its class; the last one of a state is what follows
/// the end of the name: kPatternFits or kPatternFails.
struct NamePattern {
    std::uint32_t first = 0;
    std::uint16_t states = 0;   ///< 1..kMostPatternStates.
    std::uint16_t classes = 0;  ///< 1..kPatternCharacters.
    [[nodiscard]] bool operator==(const NamePattern&) const = default;
};

inline constexpr std::uint16_t kPatternFails = 0;
inline constexpr std::uint16_t kPatternFits = 1;
inline constexpr std::uint16_t kPatternStates = 2;  ///< A cell of n + kPatternStates leads to n.

/// Characters of names, from the blank to '~'. Each pattern has the class of each of them in
/// ManagerTables::name_pattern_classes.
inline constexpr std::size_t kPatternCharacters = 0x7F - 0x20;

// Limits of a configuration; emberc and the blob's reader take no more.
inline constexpr std::size_t kMostPortGroups = 1024;
inline constexpr std::size_t kMostPortGroupRules = 0xBFFF;  ///< And hosts.
/// Rules but for GUIDs: a port is looked for in each of them.
inline constexpr std::size_t kMostPortGroupSteps = 4096;
inline constexpr std::size_t kMostNamePatterns = 64;
inline constexpr std::size_t kMostPatternStates = 1024;
inline constexpr std::size_t kMostPatternCells = 0x20000;  ///< Of all patterns: 256 KiB.

[[nodiscard]] constexpr std::uint32_t RulesOf(const PortGroup& row) {
    return row.guids + row.patterns + row.unions + row.subtractions;
}
[[nodiscard]] constexpr std::uint32_t CellsOf(const NamePattern& row) {
    return row.states * (row.classes + std::uint32_t{1});
}

}  // namespace ember
