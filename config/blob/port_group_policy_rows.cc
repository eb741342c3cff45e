// SPDX-License-Identifier: Apache-2.0
// EmberSM: the port groups of a blob: what their rows must be.
#include "config/blob/port_group_policy_rows.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "core/settings/qos_tables.h"
#include "core/settings/settings.h"

namespace ember::option_files {
namespace {

using flatbuffers::uoffset_t;

/// Takes the rules of groups one after the other.
class RuleReader {
public:
    explicit RuleReader(const WireStructs<schema::PortGroupRule>* rules) : rules_(rules) {}

    /// Whether the next `count` rules are there and each of them is one by `fits(rule, before)`,
    /// null for the first of them.
    template <typename Fits>
    [[nodiscard]] bool Take(std::size_t count, const Fits& fits) {
        if (count > SizeOf(rules_) - next_) return false;
        const schema::PortGroupRule* before = nullptr;
        for (std::size_t i = 0; i < count; ++i) {
            const auto* const rule = rules_->Get(static_cast<uoffset_t>(next_ + i));
            if (!fits(*rule, before)) return false;
            before = rule;
        }
        next_ += count;
        return true;
    }
    [[nodiscard]] bool at_end() const { return next_ == SizeOf(rules_); }

private:
    const WireStructs<schema::PortGroupRule>* rules_;
    std::size_t next_ = 0;
};

/// A range of ports: all of them, one of 1..254 or several.
[[nodiscard]] bool HasPorts(const schema::PortGroupRule& rule) {
    const bool is_all = rule.first_port() == 0 && rule.last_port() == kLastPortOfAll;
    return is_all || (rule.first_port() >= 1 && rule.first_port() <= rule.last_port() &&
                      rule.last_port() <= kMaxTablePorts);
}

/// A range of GUIDs behind the one before, or other ports of the same GUID.
[[nodiscard]] bool IsGuidRule(const schema::PortGroupRule& rule,
                              const schema::PortGroupRule* before) {
    const bool is_all = rule.first_port() == 0;
    if (rule.from() == 0 || rule.to() < rule.from() || !HasPorts(rule)) return false;
    if (!is_all && rule.from() != rule.to()) return false;
    if (before == nullptr || before->to() < rule.from()) return true;
    return before->from() == rule.from() && before->to() == rule.to() &&
           before->last_port() < rule.first_port();
}

/// Row `at`: groups that it names come before it.
[[nodiscard]] bool TakeGroup(const PortGroup& group, std::size_t at, std::size_t patterns,
                             RuleReader& rules) {
    const auto is_pattern = [patterns](const auto& rule, const auto* /*before*/) {
        return rule.from() < patterns && rule.to() == rule.from() && HasPorts(rule);
    };
    const auto is_pair = [at](const auto& rule, const auto* /*before*/) {
        return rule.from() < at && rule.to() < at && rule.first_port() == 0 &&
               rule.last_port() == kLastPortOfAll;
    };
    return (group.node_types & ~qos_node_type::kAll) == 0 && rules.Take(group.guids, IsGuidRule) &&
           rules.Take(group.patterns, is_pattern) && rules.Take(group.unions, is_pair) &&
           rules.Take(group.subtractions, is_pair);
}

[[nodiscard]] bool AreGroups(const schema::OptionFiles& from) {
    if (SizeOf(from.port_groups()) > kMostPortGroups) return false;
    if (SizeOf(from.port_group_rules()) > kMostPortGroupRules) return false;
    RuleReader rules(from.port_group_rules());
    std::size_t steps = 0;
    for (uoffset_t i = 0; i < SizeOf(from.port_groups()); ++i) {
        const PortGroup group = CoreRow(*from.port_groups()->Get(i));
        if (!TakeGroup(group, i, SizeOf(from.name_patterns()), rules)) return false;
        steps += std::size_t{group.patterns} + group.unions + group.subtractions;
    }
    return rules.at_end() && steps <= kMostPortGroupSteps;
}

using NameOctets = std::span<const std::uint8_t>;

/// The sort key of rows of hosts.
struct HostKey {
    NameOctets name;
    unsigned group = 0;
    unsigned hca_index = 0;
    unsigned port = 0;
};

[[nodiscard]] bool IsBefore(const HostKey& left, const HostKey& right) {
    if (!std::equal(left.name.begin(), left.name.end(), right.name.begin(), right.name.end())) {
        return std::lexicographical_compare(left.name.begin(), left.name.end(), right.name.begin(),
                                            right.name.end());
    }
    return std::tie(left.group, left.hca_index, left.port) <
           std::tie(right.group, right.hca_index, right.port);
}

[[nodiscard]] bool IsHostname(NameOctets name) {
    return IsAName(name) && std::find(name.begin(), name.end(), ' ') == name.end();
}

[[nodiscard]] bool AreHosts(const schema::OptionFiles& from) {
    const auto* const octets = from.port_group_host_octets();
    if (SizeOf(from.port_group_hosts()) > kMostPortGroupRules) return false;
    std::size_t next = 0;
    HostKey before;
    for (uoffset_t i = 0; i < SizeOf(from.port_group_hosts()); ++i) {
        const schema::PortGroupHost& row = *from.port_group_hosts()->Get(i);
        const bool is_row = row.group() < SizeOf(from.port_groups()) &&
                            row.port() <= kMaxTablePorts && row.octets() >= 1 &&
                            row.octets() <= kMostNameOctets;
        if (!is_row || row.octets() > SizeOf(octets) - next) return false;
        const HostKey key{NameOctets(octets->Data() + next, row.octets()), row.group(),
                          row.hca_index(), row.port()};
        if (!IsHostname(key.name) || !IsBefore(before, key)) return false;
        before = key;
        next += key.name.size();
    }
    return next == SizeOf(octets);
}

/// Whether the cells of a pattern, which begin at `first`, lead to its own states.
[[nodiscard]] bool AreCells(const WireVector<std::uint16_t>& cells, std::size_t first,
                            const NamePattern& pattern) {
    const std::size_t width = pattern.classes + std::size_t{1};
    for (std::size_t i = 0; i < CellsOf(pattern); ++i) {
        const bool is_end = i % width == pattern.classes;
        const std::size_t states = is_end ? 0 : pattern.states;
        if (cells.Get(static_cast<uoffset_t>(first + i)) >= kPatternStates + states) return false;
    }
    return true;
}

[[nodiscard]] bool ArePatterns(const schema::OptionFiles& from) {
    const std::size_t count = SizeOf(from.name_patterns());
    const std::size_t cells = SizeOf(from.name_pattern_cells());
    if (count > kMostNamePatterns || cells > kMostPatternCells) return false;
    if (SizeOf(from.name_pattern_classes()) != count * kPatternCharacters) return false;
    std::size_t first = 0;
    for (uoffset_t i = 0; i < count; ++i) {
        const schema::NamePattern& row = *from.name_patterns()->Get(i);
        const bool is_row = row.states() >= 1 && row.states() <= kMostPatternStates &&
                            row.classes() >= 1 && row.classes() <= kPatternCharacters;
        if (!is_row) return false;
        const NamePattern pattern = CoreRow(row);
        if (CellsOf(pattern) > cells - first) return false;
        if (!AreCells(*from.name_pattern_cells(), first, pattern)) return false;
        first += CellsOf(pattern);
        const std::span classes(from.name_pattern_classes()->Data() + i * kPatternCharacters,
                                kPatternCharacters);
        const bool are_classes = std::all_of(classes.begin(), classes.end(), [&](std::uint8_t one) {
            return one < pattern.classes;
        });
        if (!are_classes) return false;
    }
    return first == cells;
}

/// A name for each group, and a text for each pattern, which may be empty.
[[nodiscard]] bool AreNames(const schema::OptionFiles& from) {
    const auto* const octets = from.port_group_names();
    std::size_t texts = 0;
    std::size_t begin = 0;
    for (uoffset_t i = 0; i < SizeOf(octets); ++i) {
        const std::uint8_t octet = octets->Get(i);
        if (octet != 0 && !IsNameOctet(octet)) return false;
        if (octet != 0) continue;
        const std::size_t length = i - begin;
        const bool is_group = texts < SizeOf(from.port_groups());
        if (is_group && (length == 0 || length > kMostNameOctets)) return false;
        ++texts;
        begin = i + std::size_t{1};
    }
    return begin == SizeOf(octets) &&
           texts == SizeOf(from.port_groups()) + SizeOf(from.name_patterns());
}

}  // namespace

bool IsPortGroupPolicy(const schema::OptionFiles& from) {
    return ArePatterns(from) && AreGroups(from) && AreHosts(from) && AreNames(from);
}

}  // namespace ember::option_files
