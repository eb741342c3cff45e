// SPDX-License-Identifier: Apache-2.0
// EmberSM: a QoS policy, laid out as the core has it, and back.
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "config/emberc/option_files/contents_layout.h"

namespace ember::emberc {
namespace {

using Ranges = LoadedQosPolicy::Ranges;

/// Adds ranges, and returns how many they are.
template <typename Count>
Count Append(const Ranges& ranges, std::vector<QosRange>& to) {
    to.insert(to.end(), ranges.begin(), ranges.end());
    return static_cast<Count>(ranges.size());
}

void AppendName(const std::string& name, std::vector<std::uint8_t>& to) {
    to.insert(to.end(), name.begin(), name.end());
    to.push_back(0);
}

/// Names of ports by name, port and group, as the core halves them.
void LayOutPortNames(const LoadedQosPolicy& policy, Layout& to) {
    std::vector<std::tuple<LoadedQosPolicy::PortName, std::uint16_t>> names;
    for (std::size_t i = 0; i < policy.groups.size(); ++i) {
        for (const LoadedQosPolicy::PortName& name : policy.groups[i].port_names) {
            names.emplace_back(name, static_cast<std::uint16_t>(i));
        }
    }
    std::sort(names.begin(), names.end());
    for (const auto& [name, group] : names) {
        to.qos_port_names.push_back(
            {.first = static_cast<std::uint32_t>(to.qos_port_name_octets.size()),
             .group = group,
             .port = name.port,
             .octets = static_cast<std::uint8_t>(name.node.size())});
        to.qos_port_name_octets.insert(to.qos_port_name_octets.end(), name.node.begin(),
                                       name.node.end());
    }
}

void SetViews(Layout& to) {
    to.tables.qos_levels = to.qos_levels;
    to.tables.qos_level_ranges = to.qos_level_ranges;
    to.tables.qos_groups = to.qos_groups;
    to.tables.qos_group_ranges = to.qos_group_ranges;
    to.tables.qos_port_names = to.qos_port_names;
    to.tables.qos_port_name_octets = to.qos_port_name_octets;
    to.tables.qos_rules = to.qos_rules;
    to.tables.qos_rule_ranges = to.qos_rule_ranges;
    to.tables.qos_names = to.qos_names;
    to.tables.qos_rule_lines = to.qos_rule_lines;
}

/// Takes the ranges of rows one after the other.
class RangeTaker {
public:
    explicit RangeTaker(std::span<const QosRange> ranges) : ranges_(ranges) {}
    Ranges Take(std::size_t count) {
        const auto taken = ranges_.first(count);
        ranges_ = ranges_.subspan(count);
        return {taken.begin(), taken.end()};
    }

private:
    std::span<const QosRange> ranges_;
};

}  // namespace

void LayOut(const LoadedQosPolicy& policy, Layout& to) {
    const auto end = [](const auto& ranges) { return static_cast<std::uint32_t>(ranges.size()); };
    for (const LoadedQosPolicy::Level& level : policy.levels) {
        QosLevel row{.first = end(to.qos_level_ranges)};
        row.p_keys = Append<std::uint32_t>(level.p_keys, to.qos_level_ranges);
        row.sl = level.sl;
        row.mtu_limit = level.mtu_limit;
        row.rate_limit = level.rate_limit;
        row.packet_life = level.packet_life;
        to.qos_levels.push_back(row);
        AppendName(level.name, to.qos_names);
    }
    for (const LoadedQosPolicy::Group& group : policy.groups) {
        QosGroup row{.first = end(to.qos_group_ranges)};
        row.guids = Append<std::uint32_t>(group.guids, to.qos_group_ranges);
        row.p_keys = Append<std::uint16_t>(group.p_keys, to.qos_group_ranges);
        row.node_types = group.node_types;
        to.qos_groups.push_back(row);
        AppendName(group.name, to.qos_names);
    }
    for (const LoadedQosPolicy::Rule& rule : policy.rules) {
        QosRule row{.first = end(to.qos_rule_ranges), .level = rule.level};
        row.sources = Append<std::uint16_t>(rule.sources, to.qos_rule_ranges);
        row.destinations = Append<std::uint16_t>(rule.destinations, to.qos_rule_ranges);
        row.service_ids = Append<std::uint16_t>(rule.service_ids, to.qos_rule_ranges);
        row.p_keys = Append<std::uint16_t>(rule.p_keys, to.qos_rule_ranges);
        row.qos_classes = Append<std::uint16_t>(rule.qos_classes, to.qos_rule_ranges);
        to.qos_rules.push_back(row);
        to.qos_rule_lines.push_back(rule.line);
    }
    LayOutPortNames(policy, to);
    SetViews(to);
}

void Gather(const OptionTables& tables, LoadedQosPolicy& policy) {
    std::span<const std::uint8_t> names = tables.qos_names;
    const auto take_name = [&names] {
        const auto end = std::find(names.begin(), names.end(), std::uint8_t{0});
        std::string name(names.begin(), end);
        names = names.subspan(name.size() + 1);
        return name;
    };
    RangeTaker of_levels(tables.qos_level_ranges);
    for (const QosLevel& level : tables.qos_levels) {
        policy.levels.push_back({.name = take_name(),
                                 .sl = level.sl,
                                 .mtu_limit = level.mtu_limit,
                                 .rate_limit = level.rate_limit,
                                 .packet_life = level.packet_life,
                                 .p_keys = of_levels.Take(level.p_keys)});
    }
    RangeTaker of_groups(tables.qos_group_ranges);
    for (const QosGroup& group : tables.qos_groups) {
        policy.groups.push_back({.name = take_name(), .node_types = group.node_types});
        policy.groups.back().guids = of_groups.Take(group.guids);
        policy.groups.back().p_keys = of_groups.Take(group.p_keys);
    }
    RangeTaker of_rules(tables.qos_rule_ranges);
    for (const QosRule& rule : tables.qos_rules) {
        LoadedQosPolicy::Rule& row = policy.rules.emplace_back();
        row.level = rule.level;
        row.sources = of_rules.Take(rule.sources);
        row.destinations = of_rules.Take(rule.destinations);
        row.service_ids = of_rules.Take(rule.service_ids);
        row.p_keys = of_rules.Take(rule.p_keys);
        row.qos_classes = of_rules.Take(rule.qos_classes);
        const std::size_t number = policy.rules.size() - 1;
        if (!tables.qos_rule_lines.empty()) row.line = tables.qos_rule_lines[number];
    }
    for (const QosPortName& name : tables.qos_port_names) {
        const auto octets = tables.qos_port_name_octets.subspan(name.first, name.octets);
        policy.groups[name.group].port_names.push_back(
            {.node = std::string(octets.begin(), octets.end()), .port = name.port});
    }
}

}  // namespace ember::emberc
