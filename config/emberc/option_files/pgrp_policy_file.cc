// SPDX-License-Identifier: Apache-2.0
// EmberSM: pgrp_policy_file: its paragraphs, and what stands in them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/paragraphs.h"
#include "config/emberc/option_files/port_group_draft.h"
#include "config/emberc/option_files/port_group_members.h"

namespace ember::emberc {
namespace {

constexpr std::string_view kBegin = "port-group";
constexpr std::string_view kEnd = "end-port-group";

enum class Qualifier : std::uint8_t {
    kName,
    kUse,
    kPortGuid,
    kPortGuidRange,
    kPortName,
    kPortRegexp,
    kUnion,
    kSubtract,
};

/// In the order of the enumerators.
constexpr std::array<std::string_view, 8> kQualifiers = {
    "name",      "use",         "port-guid",  "port-guid-range",
    "port-name", "port-regexp", "union-rule", "subtract-rule"};

class PortGroupReader {
public:
    PortGroupReader(std::string_view text, Diagnostics& diagnostics) : text_(text, diagnostics) {}

    LoadedPortGroups Read();
    void CheckPorts(const LoadedPortGroups& loaded, const net::Netlist& fabric);

private:
    void ReadLine();
    void Begin(const Word& word);
    void End(const Word& word);
    void GiveUp();
    void Leave();
    void ReadEntry(const Word& word);
    void ReadRule(Qualifier qualifier);
    void ReadPair(std::vector<PortGroupDraft::Pair>& pairs);
    [[nodiscard]] bool HasColon(const Word& value);

    QosText text_;
    PortGroupDraft draft_;
    bool is_open_ = false;
    bool has_use_ = false;
};

void PortGroupReader::Begin(const Word& word) {
    if (is_open_) GiveUp();
    text_.ExpectEnd("'port-group' stands alone in its line");
    draft_.groups.push_back({.spot = text_.SpotOf(word)});
    is_open_ = true;
    has_use_ = false;
}

void PortGroupReader::GiveUp() {
    text_.ReportAt(Severity::kError, draft_.groups.back().spot, Code::kOpenSection,
                   "'end-port-group' is missing");
    Leave();
}

void PortGroupReader::End(const Word& word) {
    if (!is_open_) {
        text_.Error(word, Code::kOpenSection, "no port-group is open");
        return;
    }
    text_.ExpectEnd("'end-port-group' stands alone in its line");
    Leave();
}

void PortGroupReader::Leave() {
    is_open_ = false;
    const PortGroupDraft::Group& group = draft_.groups.back();
    if (!group.has_name) {
        text_.ReportAt(Severity::kError, group.spot, Code::kMissingEntry,
                       "the port-group has no name");
    }
    if (!group.has_rules) {
        text_.ReportAt(Severity::kError, group.spot, Code::kMissingEntry,
                       "the port-group has no rule that says which ports are in it");
    }
}

/// A colon ends a qualifier and stands nowhere else, but before the port of an expression.
bool PortGroupReader::HasColon(const Word& value) {
    const std::size_t colon = value.text.find(':');
    if (colon == std::string_view::npos) return false;
    text_.Error({value.text.substr(colon, 1), value.begin + colon}, Code::kBadValue,
                "a colon must not stand in a value");
    return true;
}

void PortGroupReader::ReadPair(std::vector<PortGroupDraft::Pair>& pairs) {
    const Word whole = text_.rest();
    std::vector<QosName> names;
    std::size_t items = 0;
    const bool is_list = text_.TakeList(false, [&](const Word& item) {
        ++items;
        if (auto name = text_.ReadName(item)) names.push_back(std::move(*name));
    });
    if (!is_list) return;
    if (items != 2) {
        text_.Error(whole, items < 2 ? Code::kMissingValue : Code::kTrailingText,
                    "two groups stand here; a group of more is made of groups of two");
    } else if (names.size() == 2) {
        pairs.emplace_back(std::move(names[0]), std::move(names[1]));
    }
}

void PortGroupReader::ReadRule(Qualifier qualifier) {
    PortGroupDraft::Group& group = draft_.groups.back();
    group.has_rules = true;
    switch (qualifier) {
        case Qualifier::kPortGuid:
            return ReadPortGuids(text_, group.row);
        case Qualifier::kPortGuidRange:
            return ReadPortGuidRange(text_, group.row);
        case Qualifier::kPortName:
            return ReadHosts(text_, group.row);
        case Qualifier::kPortRegexp:
            return ReadPattern(text_, group.row, draft_.patterns);
        case Qualifier::kUnion:
            return ReadPair(group.unions);
        case Qualifier::kSubtract:
            return ReadPair(group.subtractions);
        case Qualifier::kName:
        case Qualifier::kUse:
            return;
    }
}

void PortGroupReader::ReadEntry(const Word& word) {
    const std::uint32_t seen = (draft_.groups.back().has_name ? 1U : 0U) | (has_use_ ? 2U : 0U);
    const std::size_t found = FindQualifier(text_, word, kBegin, kQualifiers, seen);
    if (found == kQualifiers.size() || !TakeColon(text_, word)) return;
    const auto qualifier = static_cast<Qualifier>(found);
    PortGroupDraft::Group& group = draft_.groups.back();
    const bool is_again = (qualifier == Qualifier::kName && std::exchange(group.has_name, true)) ||
                          (qualifier == Qualifier::kUse && std::exchange(has_use_, true));
    if (is_again) {
        text_.Error(word, Code::kDuplicateKey, fmt::format("'{}' stands here twice", word.text));
        return;
    }
    if (qualifier != Qualifier::kPortRegexp && HasColon(text_.rest())) {
        group.has_rules = true;  // The mistake is told once.
        return;
    }
    if (qualifier != Qualifier::kUse && text_.rest().text.empty()) {
        group.has_rules = true;
        text_.Error(word, Code::kMissingValue, "a value is missing");
        return;
    }
    if (qualifier == Qualifier::kName) {
        group.name = text_.TakeName();
        return;
    }
    if (qualifier != Qualifier::kUse) ReadRule(qualifier);
}

void PortGroupReader::ReadLine() {
    const Word word = text_.TakeWord();
    if (word.text == kBegin) return Begin(word);
    if (word.text == kEnd) return End(word);
    if (is_open_) return ReadEntry(word);
    text_.Error(text_.line(), Code::kUnknownLine,
                "a port-group begins with the line 'port-group' and ends with 'end-port-group'");
}

LoadedPortGroups PortGroupReader::Read() {
    while (text_.NextLine()) {
        ReadLine();
    }
    if (is_open_) GiveUp();
    return Resolve(draft_, text_);
}

/// Each definition of a group should have ports.
void PortGroupReader::CheckPorts(const LoadedPortGroups& loaded, const net::Netlist& fabric) {
    for (const PortGroupMembers& group : MembersOf(loaded, fabric)) {
        if (!group.nodes.empty()) continue;
        const auto defined = std::find_if(draft_.groups.begin(), draft_.groups.end(),
                                          [&group](const PortGroupDraft::Group& one) {
                                              return one.name && one.spot.place.line == group.line;
                                          });
        if (defined == draft_.groups.end()) continue;  // A predefined one.
        text_.ReportAt(Severity::kWarning, defined->name->spot, Code::kEmptySection,
                       "no port of the fabric is in this port-group");
    }
}

}  // namespace

LoadedPortGroups ParsePgrpPolicyFile(std::string_view text, Diagnostics& diagnostics,
                                     const SubnetFacts& subnet) {
    PortGroupReader reader(text, diagnostics);
    LoadedPortGroups loaded = reader.Read();
    const bool is_good = diagnostics.CountOf(Severity::kError) == 0;
    if (is_good && subnet.fabric != nullptr) reader.CheckPorts(loaded, *subnet.fabric);
    return loaded;
}

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
