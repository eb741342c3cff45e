// SPDX-License-Identifier: Apache-2.0
// EmberSM: the names of port groups of pgrp_policy_file, and in which order they are decided.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/option_files/port_group_draft.h"
#include "config/emberc/suggestion.h"
#include "core/settings/qos_tables.h"

namespace ember::emberc {
namespace {

/// Goes through groups as deep as they are made of others, and gives each a row when all that it is
/// made of have theirs.
class Resolver {
public:
    Resolver(const PortGroupDraft& draft, QosText& text)
        : draft_(draft), text_(text), rows_(draft.groups.size()), before_(draft.groups.size()) {}

    LoadedPortGroups Resolve();

private:
    enum class Progress : std::uint8_t { kOpen, kUnderWay, kDone };
    struct Row {
        Progress progress = Progress::kOpen;
        std::size_t row = 0;
    };
    /// A group of the draft, or a predefined one.
    struct Reference {
        std::optional<std::size_t> group{};
        const PredefinedPortGroup* predefined = nullptr;
    };

    void NameAll();
    void CheckAgain(std::size_t at);
    [[nodiscard]] std::optional<Reference> Find(const QosName& name, std::size_t from);
    [[nodiscard]] std::size_t RowOf(const PredefinedPortGroup& predefined);
    [[nodiscard]] std::optional<std::size_t> RowOf(const QosName& name, std::size_t from);
    void Decide(std::size_t at);
    void AddPairs(const std::vector<PortGroupDraft::Pair>& pairs, std::size_t from,
                  std::vector<PortGroupRule>& rules);
    void CheckRoom();

    const PortGroupDraft& draft_;
    QosText& text_;
    LoadedPortGroups loaded_;
    std::map<std::string, std::size_t> last_;         ///< The last definition of a name.
    std::vector<Row> rows_;                           ///< By group of the draft.
    std::vector<std::optional<std::size_t>> before_;  ///< The definition before, of the same name.
    std::map<std::string_view, std::size_t> predefined_;
    std::vector<std::size_t> way_;  ///< Groups that are under way, each made of the next.
};

/// A definition that does not name the one before would end it without a word.
void Resolver::CheckAgain(std::size_t at) {
    const PortGroupDraft::Group& group = draft_.groups[at];
    const auto is_own = [&group](const PortGroupDraft::Pair& pair) {
        return pair.first.key == group.name->key || pair.second.key == group.name->key;
    };
    const bool goes_on = std::any_of(group.unions.begin(), group.unions.end(), is_own) ||
                         std::any_of(group.subtractions.begin(), group.subtractions.end(), is_own);
    if (goes_on) return;
    text_.ReportAt(Severity::kError, group.name->spot, Code::kContradiction,
                   fmt::format("line {} has a port-group of this name, of which case and blanks do "
                               "not count; a second one must be made of the first, by a "
                               "union-rule or a subtract-rule that names it",
                               draft_.groups[*before_[at]].spot.place.line));
}

void Resolver::NameAll() {
    for (std::size_t at = 0; at < draft_.groups.size(); ++at) {
        const std::optional<QosName>& name = draft_.groups[at].name;
        if (!name) continue;
        if (FindPredefined(name->key) != nullptr) {
            text_.ReportAt(Severity::kError, name->spot, Code::kContradiction,
                           fmt::format("the port-group '{}' is there without being defined",
                                       FindPredefined(name->key)->name));
            continue;
        }
        const auto [last, is_new] = last_.try_emplace(name->key, at);
        if (is_new) continue;
        before_[at] = std::exchange(last->second, at);
        CheckAgain(at);
    }
}

std::optional<Resolver::Reference> Resolver::Find(const QosName& name, std::size_t from) {
    if (const PredefinedPortGroup* const predefined = FindPredefined(name.key)) {
        return Reference{.predefined = predefined};
    }
    const std::optional<QosName>& own = draft_.groups[from].name;
    if (own && own->key == name.key) {
        if (before_[from]) return Reference{.group = before_[from]};
        text_.ReportAt(Severity::kError, name.spot, Code::kUndefinedName,
                       "the group is made of itself, and no port-group of this name stands before");
        return std::nullopt;
    }
    const auto found = last_.find(name.key);
    if (found != last_.end()) return Reference{.group = found->second};
    std::vector<std::string_view> names;
    for (const PortGroupDraft::Group& group : draft_.groups) {
        if (group.name) names.push_back(group.name->text);
    }
    for (const PredefinedPortGroup& group : kPredefinedPortGroups) {
        names.push_back(group.name);
    }
    const std::string_view nearest = Nearest(name.text, names);
    text_.ReportAt(
        Severity::kError, name.spot, Code::kUndefinedName,
        fmt::format("there is no port-group '{}'{}", name.text,
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
    return std::nullopt;
}

std::size_t Resolver::RowOf(const PredefinedPortGroup& predefined) {
    const auto [at, is_new] = predefined_.try_emplace(predefined.name, loaded_.groups.size());
    if (is_new) loaded_.groups.push_back(GroupOf(predefined));
    return at->second;
}

std::optional<std::size_t> Resolver::RowOf(const QosName& name,  // NOLINT(misc-no-recursion)
                                           std::size_t from) {
    const auto reference = Find(name, from);
    if (!reference) return std::nullopt;
    if (reference->predefined != nullptr) return RowOf(*reference->predefined);
    const std::size_t group = *reference->group;
    if (rows_[group].progress == Progress::kUnderWay) {
        std::string ring;
        for (auto at = std::find(way_.begin(), way_.end(), group); at != way_.end(); ++at) {
            ring += fmt::format("'{}', made of ", draft_.groups[*at].name->text);
        }
        text_.ReportAt(Severity::kError, name.spot, Code::kContradiction,
                       fmt::format("the group is made of itself: {}'{}'", ring,
                                   draft_.groups[group].name->text));
        return std::nullopt;
    }
    if (rows_[group].progress == Progress::kOpen) Decide(group);
    return rows_[group].row;
}

void Resolver::AddPairs(
    const std::vector<PortGroupDraft::Pair>& pairs,  // NOLINT(misc-no-recursion)
    std::size_t from, std::vector<PortGroupRule>& rules) {
    for (const auto& [left, right] : pairs) {
        const auto left_row = RowOf(left, from);
        const auto right_row = RowOf(right, from);
        if (!left_row || !right_row) continue;
        rules.push_back(
            {.from = *left_row, .to = *right_row, .first_port = 0, .last_port = kLastPortOfAll});
    }
}

/// Gives a group its row, behind those of the groups that it is made of. As deep as there are
/// groups, which are kMostPortGroups at most.
void Resolver::Decide(std::size_t at) {  // NOLINT(misc-no-recursion)
    const PortGroupDraft::Group& group = draft_.groups[at];
    rows_[at].progress = Progress::kUnderWay;
    way_.push_back(at);
    LoadedPortGroups::Group row = group.row;
    row.name = group.name->text;
    row.line = static_cast<std::uint32_t>(group.spot.place.line);
    AddPairs(group.unions, at, row.unions);
    AddPairs(group.subtractions, at, row.subtractions);
    PutGuidsInOrder(row.guids);
    way_.pop_back();
    rows_[at] = {.progress = Progress::kDone, .row = loaded_.groups.size()};
    loaded_.groups.push_back(std::move(row));
}

/// Reports numbers beyond the room of the blob and the switch.
void Resolver::CheckRoom() {
    std::size_t rules = 0;
    std::size_t steps = 0;
    std::size_t hosts = 0;
    std::size_t cells = 0;
    for (const LoadedPortGroups::Group& group : loaded_.groups) {
        const std::size_t of_group =
            group.patterns.size() + group.unions.size() + group.subtractions.size();
        rules += group.guids.size() + of_group;
        steps += of_group;
        hosts += group.hosts.size();
    }
    for (const LoadedPattern& pattern : loaded_.patterns) {
        cells += pattern.cells.size();
    }
    const auto check = [this](std::size_t count, std::size_t most, std::string_view what) {
        if (count <= most) return;
        text_.ReportAt(Severity::kError, {}, Code::kTooLarge,
                       fmt::format("{} {} are more than {}", count, what, most));
    };
    check(loaded_.groups.size(), kMostPortGroups, "port groups");
    check(rules, kMostPortGroupRules, "rules of port groups");
    check(steps, kMostPortGroupSteps, "expressions, unions and subtractions");
    check(hosts, kMostPortGroupRules, "hosts");
    check(loaded_.patterns.size(), kMostNamePatterns, "expressions");
    check(cells, kMostPatternCells, "cells in the tables of expressions");
}

LoadedPortGroups Resolver::Resolve() {
    loaded_.patterns = draft_.patterns;
    NameAll();
    if (draft_.groups.size() > kMostPortGroups) {
        text_.ReportAt(
            Severity::kError, {}, Code::kTooLarge,
            fmt::format("{} port groups are more than {}", draft_.groups.size(), kMostPortGroups));
        return std::move(loaded_);
    }
    for (std::size_t at = 0; at < draft_.groups.size(); ++at) {
        if (draft_.groups[at].name && rows_[at].progress == Progress::kOpen) Decide(at);
    }
    CheckRoom();
    return std::move(loaded_);
}

}  // namespace

LoadedPortGroups Resolve(const PortGroupDraft& draft, QosText& text) {
    return Resolver(draft, text).Resolve();
}

}  // namespace ember::emberc
