// SPDX-License-Identifier: Apache-2.0
// EmberSM: port groups of pgrp_policy_file, laid out as the core has them, and back.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/emberc/option_files/contents_layout.h"

namespace ember::emberc {
namespace {

/// Adds rules, and returns how many they are.
template <typename Count>
Count Append(const std::vector<PortGroupRule>& rules, std::vector<PortGroupRule>& to) {
    to.insert(to.end(), rules.begin(), rules.end());
    return static_cast<Count>(rules.size());
}

void AppendText(const std::string& text, std::vector<std::uint8_t>& to) {
    to.insert(to.end(), text.begin(), text.end());
    to.push_back(0);
}

/// Hosts by name, group, card and port, as the core halves them.
void LayOutHosts(const LoadedPortGroups& loaded, Layout& to) {
    using Row = std::tuple<std::string, std::uint16_t, std::uint16_t, std::uint8_t>;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < loaded.groups.size(); ++i) {
        for (const LoadedPortGroups::Host& host : loaded.groups[i].hosts) {
            rows.emplace_back(host.name, static_cast<std::uint16_t>(i), host.hca_index, host.port);
        }
    }
    std::sort(rows.begin(), rows.end());
    for (const auto& [name, group, hca_index, port] : rows) {
        to.port_group_hosts.push_back(
            {.first = static_cast<std::uint32_t>(to.port_group_host_octets.size()),
             .group = group,
             .hca_index = hca_index,
             .port = port,
             .octets = static_cast<std::uint8_t>(name.size())});
        to.port_group_host_octets.insert(to.port_group_host_octets.end(), name.begin(), name.end());
    }
}

void SetViews(Layout& to) {
    to.tables.port_groups = to.port_groups;
    to.tables.port_group_rules = to.port_group_rules;
    to.tables.port_group_hosts = to.port_group_hosts;
    to.tables.port_group_host_octets = to.port_group_host_octets;
    to.tables.name_patterns = to.name_patterns;
    to.tables.name_pattern_cells = to.name_pattern_cells;
    to.tables.name_pattern_classes = to.name_pattern_classes;
    to.tables.port_group_names = to.port_group_names;
}

}  // namespace

void LayOut(const LoadedPortGroups& loaded, Layout& to) {
    for (const LoadedPortGroups::Group& group : loaded.groups) {
        PortGroup row{.first = static_cast<std::uint32_t>(to.port_group_rules.size())};
        row.guids = Append<std::uint32_t>(group.guids, to.port_group_rules);
        row.patterns = Append<std::uint16_t>(group.patterns, to.port_group_rules);
        row.unions = Append<std::uint16_t>(group.unions, to.port_group_rules);
        row.subtractions = Append<std::uint16_t>(group.subtractions, to.port_group_rules);
        row.line = group.line;
        row.node_types = group.node_types;
        to.port_groups.push_back(row);
        AppendText(group.name, to.port_group_names);
    }
    for (const LoadedPattern& pattern : loaded.patterns) {
        to.name_patterns.push_back(
            {.first = static_cast<std::uint32_t>(to.name_pattern_cells.size()),
             .states = pattern.states,
             .classes = pattern.classes});
        to.name_pattern_cells.insert(to.name_pattern_cells.end(), pattern.cells.begin(),
                                     pattern.cells.end());
        to.name_pattern_classes.insert(to.name_pattern_classes.end(), pattern.class_of.begin(),
                                       pattern.class_of.end());
        AppendText(pattern.text, to.port_group_names);
    }
    LayOutHosts(loaded, to);
    SetViews(to);
}

void Gather(const OptionTables& tables, LoadedPortGroups& loaded) {
    std::span<const std::uint8_t> texts = tables.port_group_names;
    const auto take_text = [&texts] {
        const auto end = std::find(texts.begin(), texts.end(), std::uint8_t{0});
        std::string text(texts.begin(), end);
        texts = texts.subspan(text.size() + 1);
        return text;
    };
    for (const PortGroup& row : tables.port_groups) {
        std::span<const PortGroupRule> rules =
            tables.port_group_rules.subspan(row.first, RulesOf(row));
        const auto take = [&rules](std::size_t count) {
            const auto taken = rules.first(count);
            rules = rules.subspan(count);
            return std::vector<PortGroupRule>(taken.begin(), taken.end());
        };
        LoadedPortGroups::Group& group = loaded.groups.emplace_back();
        group.name = take_text();
        group.line = row.line;
        group.node_types = row.node_types;
        group.guids = take(row.guids);
        group.patterns = take(row.patterns);
        group.unions = take(row.unions);
        group.subtractions = take(row.subtractions);
    }
    for (std::size_t i = 0; i < tables.name_patterns.size(); ++i) {
        const NamePattern& row = tables.name_patterns[i];
        LoadedPattern& pattern = loaded.patterns.emplace_back();
        pattern.text = take_text();
        pattern.states = row.states;
        pattern.classes = row.classes;
        const auto cells = tables.name_pattern_cells.subspan(row.first, CellsOf(row));
        pattern.cells.assign(cells.begin(), cells.end());
        std::copy_n(tables.name_pattern_classes.begin() +
                        static_cast<std::ptrdiff_t>(i * kPatternCharacters),
                    kPatternCharacters, pattern.class_of.begin());
    }
    for (const PortGroupHost& row : tables.port_group_hosts) {
        const auto octets = tables.port_group_host_octets.subspan(row.first, row.octets);
        loaded.groups[row.group].hosts.push_back({.name = std::string(octets.begin(), octets.end()),
                                                  .hca_index = row.hca_index,
                                                  .port = row.port});
    }
}

}  // namespace ember::emberc
