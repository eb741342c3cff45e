// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a qos_policy_file and an enhanced_qos_policy_file say, for people.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

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

namespace {

/// "0x2c90000000025 = 1:25, 3:50": rates in Mbit/s in the place of their names. An SL that is as
/// most others is not told apart.
std::string Written(const BandwidthSet& limits) {
    constexpr std::uint16_t kEvery = 0xFFFF;
    std::string text;
    std::uint32_t usual = 0;
    std::ptrdiff_t most = 0;
    if (limits.named == kEvery) {
        for (const std::uint32_t rate : limits.rates) {
            const auto count = std::count(limits.rates.begin(), limits.rates.end(), rate);
            if (count <= most) continue;
            most = count;
            usual = rate;
        }
        text = fmt::format("all:{}", usual);
    }
    for (std::size_t sl = 0; sl < kBandwidthSls; ++sl) {
        const bool is_usual = limits.named == kEvery && limits.rates.at(sl) == usual;
        if ((limits.named >> sl & 1U) == 0 || is_usual) continue;
        text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", sl, limits.rates.at(sl));
    }
    return text;
}

}  // namespace

std::string AsLine(const BandwidthEntry& entry) {
    return entry.line;
}

std::vector<BandwidthEntry> EntriesOf(const LoadedBandwidths& loaded) {
    std::vector<BandwidthEntry> entries;
    const auto add = [&entries](std::string_view section, const auto& rules) {
        for (const LoadedBandwidths::Rule& rule : rules) {
            const std::string whom = rule.guid == kNoGuid ? "default" : Hex(rule.guid);
            entries.push_back(
                {fmt::format("{}: {} = {} Mbit/s", section, whom, Written(rule.limits))});
        }
    };
    add("BW_RULES", loaded.rules);
    for (const LoadedBandwidths::GroupRule& rule : loaded.groups) {
        entries.push_back(
            {fmt::format("BW_RULES: {} = {} Mbit/s", rule.name, Written(rule.limits))});
    }
    add("VPORT_BW_RULES", loaded.virtual_rules);
    return entries;
}

}  // namespace ember::emberc
