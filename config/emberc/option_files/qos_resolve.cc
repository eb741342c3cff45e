// SPDX-License-Identifier: Apache-2.0
// EmberSM: the names of a qos_policy_file, and what its rules amount to.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "config/emberc/option_files/qos_draft.h"

namespace ember::emberc {
namespace {

using Ranges = LoadedQosPolicy::Ranges;

constexpr std::string_view kDefaultKey = "default";

class Resolver {
public:
    Resolver(const QosDraft& draft, QosText& text) : draft_(draft), text_(text) {}

    LoadedQosPolicy Resolve();

private:
    /// A row and the line in which it was defined.
    struct Defined {
        std::uint16_t row = 0;
        std::size_t line = 0;
        bool is_used = false;
    };
    using Names = std::map<std::string, Defined>;

    void AddLevels();
    void AddSimpleDefault(bool has_default);
    void AddGroups();
    void AddRules();
    void AddUlps();
    [[nodiscard]] bool Define(Names& names, const QosName& name, std::size_t row,
                              std::string_view what);
    [[nodiscard]] Ranges GroupsOf(const std::vector<QosName>& names);
    [[nodiscard]] std::uint16_t SimpleLevel(std::uint8_t sl);
    [[nodiscard]] std::uint16_t UlpGroup(const QosDraft::Ulp& ulp);
    void CheckBounds();
    void CheckRules();
    void CheckRule(std::size_t at);
    void CheckUse();
    [[nodiscard]] bool IsEmpty(const Ranges& groups) const;

    const QosDraft& draft_;
    QosText& text_;
    LoadedQosPolicy policy_;
    Names level_names_;
    Names group_names_;
    std::map<std::uint8_t, std::uint16_t> simple_levels_;
    std::vector<Spot> rule_spots_;
};

/// Remembers a name. False: it stands for another row already, which is reported.
bool Resolver::Define(Names& names, const QosName& name, std::size_t row, std::string_view what) {
    const auto [at, is_new] = names.try_emplace(
        name.key, Defined{.row = static_cast<std::uint16_t>(row), .line = name.spot.place.line});
    if (is_new) return true;
    text_.ReportAt(Severity::kError, name.spot, Code::kContradiction,
                   fmt::format("line {} has a {} of this name, of which case and blanks do not "
                               "count; OpenSM takes the first",
                               at->second.line, what));
    return false;
}

/// The default level comes first, wherever it stands.
void Resolver::AddLevels() {
    std::vector<const QosDraft::Level*> levels;
    for (const QosDraft::Level& level : draft_.levels) {
        if (level.name) levels.push_back(&level);
    }
    const auto first = std::find_if(levels.begin(), levels.end(), [](const QosDraft::Level* level) {
        return level->name->key == kDefaultKey;
    });
    const bool has_default = first != levels.end();
    if (has_default) std::rotate(levels.begin(), first, std::next(first));
    AddSimpleDefault(has_default);
    for (const QosDraft::Level* level : levels) {
        if (!Define(level_names_, *level->name, policy_.levels.size(), "qos-level")) continue;
        policy_.levels.push_back(level->row);
        policy_.levels.back().name = level->name->text;
    }
}

void Resolver::AddSimpleDefault(bool has_default) {
    if (draft_.simple_default && has_default) {
        text_.ReportAt(Severity::kWarning, draft_.simple_default->spot, Code::kNoEffect,
                       "the qos-level called DEFAULT is for questions that no rule fits");
    } else if (draft_.simple_default) {
        policy_.levels.push_back(
            {.name = "SimpleQoSLevel_DEFAULT", .sl = draft_.simple_default->sl});
    } else if (!has_default && !draft_.has_wrong_default) {
        text_.ReportAt(Severity::kError, {}, Code::kNoDefaultLevel,
                       "there is neither a qos-level called DEFAULT nor a default of qos-ulps, for "
                       "questions that no rule fits; OpenSM refuses the file");
    }
}

void Resolver::AddGroups() {
    for (const QosDraft::Group& group : draft_.groups) {
        if (!group.name) continue;
        if (!Define(group_names_, *group.name, policy_.groups.size(), "port-group")) continue;
        policy_.groups.push_back(group.row);
        policy_.groups.back().name = group.name->text;
    }
}

Ranges Resolver::GroupsOf(const std::vector<QosName>& names) {
    Ranges groups;
    for (const QosName& name : names) {
        const auto found = group_names_.find(name.key);
        if (found == group_names_.end()) {
            text_.ReportAt(
                Severity::kError, name.spot, Code::kUndefinedName,
                fmt::format("there is no port-group '{}'; OpenSM refuses the file", name.text));
            continue;
        }
        found->second.is_used = true;
        AddRange(groups, {.from = found->second.row, .to = found->second.row});
    }
    return groups;
}

void Resolver::AddRules() {
    for (const QosDraft::Rule& rule : draft_.rules) {
        LoadedQosPolicy::Rule row = rule.row;
        row.line = static_cast<std::uint32_t>(rule.spot.place.line);
        row.sources = GroupsOf(rule.sources);
        row.destinations = GroupsOf(rule.destinations);
        if (rule.level) {
            const auto found = level_names_.find(rule.level->key);
            if (found == level_names_.end()) {
                text_.ReportAt(Severity::kError, rule.level->spot, Code::kUndefinedName,
                               fmt::format("there is no qos-level '{}'; OpenSM refuses the file",
                                           rule.level->text));
            } else {
                found->second.is_used = true;
                row.level = found->second.row;
            }
        }
        policy_.rules.push_back(std::move(row));
        rule_spots_.push_back(rule.spot);
    }
}

/// The level of a line of qos-ulps: an SL and nothing else.
std::uint16_t Resolver::SimpleLevel(std::uint8_t sl) {
    const auto [at, is_new] =
        simple_levels_.try_emplace(sl, static_cast<std::uint16_t>(policy_.levels.size()));
    if (is_new) {
        policy_.levels.push_back({.name = fmt::format("SimpleQoSLevel_SL{}", sl), .sl = sl});
    }
    return at->second;
}

/// The group of the ports that a line of qos-ulps names.
std::uint16_t Resolver::UlpGroup(const QosDraft::Ulp& ulp) {
    LoadedQosPolicy::Group group{.name = "_ULP_Targets_", .guids = ulp.guids};
    if (ulp.is_by_source) group.name = ulp.is_by_target ? "_ULP_Sources_Targets_" : "_ULP_Sources_";
    const auto found = std::find(policy_.groups.begin(), policy_.groups.end(), group);
    const auto row = static_cast<std::uint16_t>(found - policy_.groups.begin());
    if (found == policy_.groups.end()) policy_.groups.push_back(std::move(group));
    return row;
}

void Resolver::AddUlps() {
    for (const QosDraft::Ulp& ulp : draft_.ulps) {
        LoadedQosPolicy::Rule row = ulp.row;
        row.line = static_cast<std::uint32_t>(ulp.spot.place.line);
        row.level = SimpleLevel(ulp.sl);
        if (ulp.is_by_source || ulp.is_by_target) {
            const std::uint64_t group = UlpGroup(ulp);
            if (ulp.is_by_source) row.sources = {{.from = group, .to = group}};
            if (ulp.is_by_target) row.destinations = {{.from = group, .to = group}};
        }
        policy_.rules.push_back(std::move(row));
        rule_spots_.push_back(ulp.spot);
    }
}

std::size_t CountOf(const Ranges& ranges) {
    return std::accumulate(ranges.begin(), ranges.end(), std::size_t{0},
                           [](std::size_t sum, const QosRange& range) {
                               return sum + static_cast<std::size_t>(range.to - range.from) + 1;
                           });
}

/// Reports numbers beyond the room of the blob and the switch.
void Resolver::CheckBounds() {
    std::size_t level_ranges = 0;
    std::size_t group_ranges = 0;
    std::size_t rule_ranges = 0;
    std::size_t names = 0;
    std::size_t p_keys = 0;
    for (const auto& level : policy_.levels) {
        level_ranges += level.p_keys.size();
    }
    for (const auto& group : policy_.groups) {
        group_ranges += group.guids.size() + group.p_keys.size();
        names += group.port_names.size();
        p_keys += CountOf(group.p_keys);
    }
    for (const auto& rule : policy_.rules) {
        rule_ranges += rule.sources.size() + rule.destinations.size() + rule.service_ids.size() +
                       rule.p_keys.size() + rule.qos_classes.size();
    }
    const auto check = [this](std::size_t count, std::size_t most, std::string_view what) {
        if (count <= most) return;
        text_.ReportAt(Severity::kError, {}, Code::kTooLarge,
                       fmt::format("there is room for {} {}; the file has {}", most, what, count));
    };
    check(policy_.levels.size(), kMostQosLevels, "levels");
    check(policy_.groups.size(), kMostQosGroups, "port groups");
    check(policy_.rules.size(), kMostQosRules, "rules");
    check(level_ranges, kMostQosRanges, "ranges in levels");
    check(group_ranges, kMostQosRanges, "ranges in port groups");
    check(rule_ranges, kMostQosRanges, "ranges in rules");
    check(names, kMostQosRanges, "names of ports");
    check(p_keys, kMostQosGroupPKeys, "P_Keys in port groups");
}

bool Resolver::IsEmpty(const Ranges& groups) const {
    return !groups.empty() &&
           std::all_of(groups.begin(), groups.end(), [this](const QosRange& range) {
               for (auto at = static_cast<std::size_t>(range.from); at <= range.to; ++at) {
                   const LoadedQosPolicy::Group& group = policy_.groups[at];
                   const bool is_empty = group.node_types == 0 && group.guids.empty() &&
                                         group.p_keys.empty() && group.port_names.empty();
                   if (!is_empty) return false;
               }
               return true;
           });
}

/// Whether a rule fits every question that `other` fits.
bool Hides(const LoadedQosPolicy::Rule& rule, const LoadedQosPolicy::Rule& other) {
    const auto hides = [](const Ranges& outer, const Ranges& inner) {
        return outer.empty() || (!inner.empty() && Covers(outer, inner));
    };
    return hides(rule.sources, other.sources) && hides(rule.destinations, other.destinations) &&
           hides(rule.service_ids, other.service_ids) && hides(rule.p_keys, other.p_keys) &&
           hides(rule.qos_classes, other.qos_classes);
}

void Resolver::CheckRule(std::size_t at) {
    const LoadedQosPolicy::Rule& rule = policy_.rules[at];
    if (IsEmpty(rule.sources) || IsEmpty(rule.destinations)) {
        text_.ReportAt(Severity::kWarning, rule_spots_[at], Code::kNeverMatches,
                       "the rule fits no question: its port groups have no ports");
        return;
    }
    const auto before = policy_.rules.begin() + static_cast<std::ptrdiff_t>(at);
    const auto hiding =
        std::find_if(policy_.rules.begin(), before,
                     [&rule](const LoadedQosPolicy::Rule& one) { return Hides(one, rule); });
    if (hiding != before) {
        const auto row = static_cast<std::size_t>(hiding - policy_.rules.begin());
        text_.ReportAt(Severity::kWarning, rule_spots_[at], Code::kNeverReached,
                       fmt::format("the rule of line {} fits every question that this one fits, "
                                   "and comes first",
                                   rule_spots_[row].place.line));
        return;
    }
    const Ranges& admitted = policy_.levels[rule.level].p_keys;
    if (rule.p_keys.empty() || admitted.empty() || Overlap(rule.p_keys, admitted)) return;
    text_.ReportAt(Severity::kWarning, rule_spots_[at], Code::kConflict,
                   fmt::format("the level '{}' has none of the P_Keys of this rule: a question "
                               "that it fits gets no path",
                               policy_.levels[rule.level].name));
}

void Resolver::CheckRules() {
    for (std::size_t at = 0; at < policy_.rules.size(); ++at) {
        CheckRule(at);
    }
}

void Resolver::CheckUse() {
    const auto check = [this](const Names& names, const auto& rows, std::string_view what) {
        for (const auto& row : rows) {
            if (!row.name || row.name->key == kDefaultKey) continue;
            const Defined& defined = names.at(row.name->key);
            if (defined.is_used) continue;
            text_.ReportAt(Severity::kNote, row.name->spot, Code::kUnusedEntry,
                           fmt::format("no rule of this file names this {}", what));
        }
    };
    check(level_names_, draft_.levels, "qos-level");
    check(group_names_, draft_.groups, "port-group");
}

LoadedQosPolicy Resolver::Resolve() {
    AddLevels();
    AddGroups();
    AddRules();
    AddUlps();
    CheckBounds();
    // A line with a mistake would be taken for one that fits everything.
    if (text_.has_errors()) return std::move(policy_);
    CheckRules();
    CheckUse();
    return std::move(policy_);
}

}  // namespace

LoadedQosPolicy Resolve(const QosDraft& draft, QosText& text) {
    return Resolver(draft, text).Resolve();
}

}  // namespace ember::emberc
