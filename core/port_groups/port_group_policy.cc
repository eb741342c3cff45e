// SPDX-License-Identifier: Apache-2.0
// EmberSM: which port groups of pgrp_policy_file a port is in.
#include "core/port_groups/port_group_policy.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "core/base/assert.h"
#include "core/fabric/node_names.h"
#include "core/port_groups/name_patterns.h"

namespace ember {
namespace {

constexpr std::string_view kCard = "HCA-";

[[nodiscard]] bool Takes(const PortGroupRule& rule, PortNumber number) {
    return rule.first_port <= Raw(number) && Raw(number) <= rule.last_port;
}

/// The name before its first blank, which is the hostname of a host.
[[nodiscard]] std::string_view HostnameOf(std::string_view name) {
    return name.substr(0, std::min(name.find(' '), name.size()));
}

/// The index of the card of a name "host HCA-2"; kAnyHcaIndex: the name has none.
[[nodiscard]] std::uint16_t CardOf(std::string_view name) {
    name.remove_prefix(HostnameOf(name).size());
    while (name.starts_with(' ')) {
        name.remove_prefix(1);
    }
    if (!name.starts_with(kCard)) return kAnyHcaIndex;
    name.remove_prefix(kCard.size());
    std::uint32_t index = 0;
    for (const char c : name) {
        if (c < '0' || c > '9') return kAnyHcaIndex;
        index = index * 10 + static_cast<std::uint32_t>(c - '0');
        if (index >= kAnyHcaIndex) return kAnyHcaIndex;
    }
    return name.empty() ? kAnyHcaIndex : static_cast<std::uint16_t>(index);
}

}  // namespace

void PortGroupPolicy::LookAtName(NodeIndex node, NameFacts& facts) const {
    facts = {};
    static_assert(kMostNameOctets <= std::numeric_limits<std::uint8_t>::max());
    facts.length =
        static_cast<std::uint8_t>(CleanName(fabric_.node(node).description, facts.octets));
    const BitSet patterns(facts.patterns);
    for (std::size_t i = 0; i < tables().name_patterns.size(); ++i) {
        if (FitsPattern(tables(), i, facts.name())) patterns.Add(i);
    }
}

/// Adds the groups that name the host.
void PortGroupPolicy::FindHost(const NameFacts& facts, PortNumber number,
                               const BitSet& groups) const {
    const std::span rows = tables().port_group_hosts;
    const std::string_view host = HostnameOf(facts.name());
    const auto octets_of = [this](const PortGroupHost& row) {
        EMBER_ASSERT(std::size_t{row.first} + row.octets <= tables().port_group_host_octets.size());
        return tables().port_group_host_octets.subspan(row.first, row.octets);
    };
    const auto is_octet = [](std::uint8_t octet, char c) {
        return octet == static_cast<std::uint8_t>(c);
    };
    auto row = std::partition_point(rows.begin(), rows.end(), [&](const PortGroupHost& candidate) {
        const auto octets = octets_of(candidate);
        return std::lexicographical_compare(
            octets.begin(), octets.end(), host.begin(), host.end(), [](auto one, auto other) {
                return static_cast<std::uint8_t>(one) < static_cast<std::uint8_t>(other);
            });
    });
    const std::uint16_t card = CardOf(facts.name());
    for (; row != rows.end(); ++row) {
        const auto octets = octets_of(*row);
        if (!std::equal(octets.begin(), octets.end(), host.begin(), host.end(), is_octet)) return;
        const bool is_card = row->hca_index == kAnyHcaIndex || row->hca_index == card;
        const bool is_port = row->port == kAnyHostPort || row->port == Raw(number);
        if (is_card && is_port) groups.Add(row->group);
    }
}

bool PortGroupPolicy::HasGuid(const PortGroup& group, Guid guid, PortNumber number) const {
    EMBER_ASSERT(std::size_t{group.first} + group.guids <= tables().port_group_rules.size());
    const std::span rules = tables().port_group_rules.subspan(group.first, group.guids);
    auto rule = std::partition_point(
        rules.begin(), rules.end(),
        [guid](const PortGroupRule& candidate) { return candidate.to < Raw(guid); });
    for (; rule != rules.end() && rule->from <= Raw(guid); ++rule) {
        if (Takes(*rule, number)) return true;
    }
    return false;
}

/// By patterns and by groups of rows before its own.
bool PortGroupPolicy::HasByRule(const PortGroup& group, PortNumber number, const NameFacts& facts,
                                const BitSet& groups) const {
    // Only read: the facts are those of LookAtName().
    const auto fits = [&facts](std::size_t pattern) {
        EMBER_ASSERT(pattern / 64 < facts.patterns.size());
        return (facts.patterns[pattern / 64] >> (pattern % 64) & 1U) != 0;
    };
    EMBER_ASSERT(std::size_t{group.first} + RulesOf(group) <= tables().port_group_rules.size());
    const std::span rules =
        tables().port_group_rules.subspan(group.first + group.guids, RulesOf(group) - group.guids);
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const PortGroupRule& rule = rules[i];
        const auto from = static_cast<std::size_t>(rule.from);
        const auto to = static_cast<std::size_t>(rule.to);
        if (i < group.patterns) {
            if (fits(from) && Takes(rule, number)) return true;
        } else if (i < std::size_t{group.patterns} + group.unions) {
            if (groups.Has(from) || groups.Has(to)) return true;
        } else if (groups.Has(from) && !groups.Has(to)) {
            return true;
        }
    }
    return false;
}

void PortGroupPolicy::FindGroups(PortIndex at, const NameFacts& facts, const BitSet& groups) const {
    EMBER_ASSERT(groups.words().size() * 64 >= kMostPortGroups);
    const Port& port = fabric_.port(at);
    const Node& node = fabric_.node(port.node);
    const Guid guid =
        node.type == NodeType::kSwitch ? fabric_.port(node.first_port).guid : port.guid;
    if (node.type == NodeType::kChannelAdapter) FindHost(facts, port.number, groups);
    for (std::size_t i = 0; i < tables().port_groups.size(); ++i) {
        const PortGroup& group = tables().port_groups[i];
        EMBER_ASSERT(std::size_t{group.first} + RulesOf(group) <= tables().port_group_rules.size());
        const bool is_in = (group.node_types & TypeBit(node.type)) != 0 ||
                           HasGuid(group, guid, port.number) ||
                           HasByRule(group, port.number, facts, groups);
        if (is_in) groups.Add(i);
    }
}

}  // namespace ember
