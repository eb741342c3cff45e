// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a qos_policy_file says, for people.
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents.h"

namespace ember::emberc {
namespace {

/// ", service-id 0x10000-0x1ffff,0x2"; empty where there is none.
std::string Listed(std::string_view what, const LoadedQosPolicy::Ranges& ranges) {
    std::string text;
    for (const QosRange& range : ranges) {
        text += text.empty() ? fmt::format(", {} ", what) : ",";
        text += range.from == range.to ? fmt::format("{:#x}", range.from)
                                       : fmt::format("{:#x}-{:#x}", range.from, range.to);
    }
    return text;
}

std::string NamedGroups(std::string_view what, const LoadedQosPolicy& policy,
                        const LoadedQosPolicy::Ranges& rows) {
    std::string text;
    for (const QosRange& range : rows) {
        for (auto row = static_cast<std::size_t>(range.from); row <= range.to; ++row) {
            text += text.empty() ? fmt::format(", {} ", what) : ",";
            text += policy.groups[row].name;
        }
    }
    return text;
}

std::string LineOf(const LoadedQosPolicy::Level& level) {
    std::string line = fmt::format("qos-level {}: sl {}", level.name, level.sl);
    if (level.mtu_limit != Mtu::kNone) {
        line += fmt::format(", mtu-limit {}", static_cast<unsigned>(level.mtu_limit));
    }
    if (level.rate_limit != Rate::kNone) {
        line += fmt::format(", rate-limit {}", static_cast<unsigned>(level.rate_limit));
    }
    if (level.packet_life != kNoPacketLife) {
        line += fmt::format(", packet-life {}", level.packet_life);
    }
    return line + Listed("pkey", level.p_keys);
}

std::string LineOf(const LoadedQosPolicy::Group& group) {
    std::string line = fmt::format("port-group {}", group.name);
    line += Listed("port-guid", group.guids);
    for (const LoadedQosPolicy::PortName& name : group.port_names) {
        line += fmt::format(", port-name \"{}/P{}\"", name.node, name.port);
    }
    line += Listed("pkey", group.p_keys);
    const auto add = [&](std::uint8_t bit, std::string_view word) {
        if ((group.node_types & bit) != 0) line += fmt::format(", node-type {}", word);
    };
    add(qos_node_type::kCa, "CA");
    add(qos_node_type::kSwitch, "SWITCH");
    add(qos_node_type::kRouter, "ROUTER");
    add(qos_node_type::kSelf, "SELF");
    return line;
}

std::string LineOf(const LoadedQosPolicy& policy, const LoadedQosPolicy::Rule& rule) {
    return fmt::format("qos-match-rule, qos-level-name {}{}{}{}{}{}",
                       policy.levels[rule.level].name, NamedGroups("source", policy, rule.sources),
                       NamedGroups("destination", policy, rule.destinations),
                       Listed("service-id", rule.service_ids), Listed("pkey", rule.p_keys),
                       Listed("qos-class", rule.qos_classes));
}

}  // namespace

std::string AsLine(const QosEntry& entry) {
    return entry.line;
}

std::vector<QosEntry> EntriesOf(const LoadedQosPolicy& policy) {
    std::vector<QosEntry> entries;
    for (const LoadedQosPolicy::Level& level : policy.levels) {
        entries.push_back({LineOf(level)});
    }
    for (const LoadedQosPolicy::Group& group : policy.groups) {
        entries.push_back({LineOf(group)});
    }
    for (const LoadedQosPolicy::Rule& rule : policy.rules) {
        // A file with mistakes may have a rule without its level.
        if (rule.level < policy.levels.size()) entries.push_back({LineOf(policy, rule)});
    }
    return entries;
}

}  // namespace ember::emberc
