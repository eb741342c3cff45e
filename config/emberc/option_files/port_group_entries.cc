// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a pgrp_policy_file says, for people.
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents.h"

namespace ember::emberc {
namespace {

using Group = LoadedPortGroups::Group;

/// "@2-5", "@3"; nothing for all ports.
std::string PortsOf(const PortGroupRule& rule, std::string_view before) {
    if (rule.first_port == 0) return {};
    return rule.first_port == rule.last_port
               ? fmt::format("{}{}", before, rule.first_port)
               : fmt::format("{}{}-{}", before, rule.first_port, rule.last_port);
}

std::string LineOf(const LoadedPortGroups::Host& host) {
    std::string line = fmt::format(", port-name hostname={}", host.name);
    if (host.port != kAnyHostPort) line += fmt::format("; port={}", host.port);
    if (host.hca_index != kAnyHcaIndex) line += fmt::format("; hca_idx={}", host.hca_index);
    return line;
}

std::string LineOf(const Group& group, const LoadedPortGroups& loaded) {
    std::string line = fmt::format("port-group {}", group.name);
    if (group.line != 0) line += fmt::format(" of line {}", group.line);
    for (const PortGroupRule& rule : group.guids) {
        line += rule.from == rule.to
                    ? fmt::format(", port-guid {:#x}{}", rule.from, PortsOf(rule, "@"))
                    : fmt::format(", port-guid-range {:#x}-{:#x}", rule.from, rule.to);
    }
    for (const LoadedPortGroups::Host& host : group.hosts) {
        line += LineOf(host);
    }
    for (const PortGroupRule& rule : group.patterns) {
        line += fmt::format(", port-regexp {}{}",
                            loaded.patterns.at(static_cast<std::size_t>(rule.from)).text,
                            PortsOf(rule, ":"));
    }
    const auto name_of = [&loaded](std::uint64_t row) {
        return loaded.groups.at(static_cast<std::size_t>(row)).name;
    };
    const auto add = [&](std::string_view word, const std::vector<PortGroupRule>& rules) {
        for (const PortGroupRule& rule : rules) {
            line += fmt::format(", {} {}, {}", word, name_of(rule.from), name_of(rule.to));
        }
    };
    add("union-rule", group.unions);
    add("subtract-rule", group.subtractions);
    return line;
}

}  // namespace

std::string AsLine(const PortGroupEntry& entry) {
    return entry.line;
}

std::vector<PortGroupEntry> EntriesOf(const LoadedPortGroups& loaded) {
    std::vector<PortGroupEntry> entries;
    entries.reserve(loaded.groups.size());
    for (const Group& group : loaded.groups) {
        entries.push_back({LineOf(group, loaded)});
    }
    return entries;
}

}  // namespace ember::emberc
