// SPDX-License-Identifier: Apache-2.0
// EmberSM: limits of bandwidth, laid out as the core has them, and back.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "config/emberc/numbers.h"
#include "config/emberc/option_files/contents_layout.h"

namespace ember::emberc {
namespace {

/// All that limits say.
using Numbers = std::array<std::uint32_t, std::tuple_size_v<BandwidthRates> + 1>;

Numbers NumbersOf(const BandwidthSet& limits) {
    Numbers numbers{limits.named};
    std::copy(limits.rates.begin(), limits.rates.end(), numbers.begin() + 1);
    return numbers;
}

/// The row of these limits, each of which stands there once.
std::uint16_t RowOf(const BandwidthSet& limits, std::vector<BandwidthSet>& sets) {
    const auto found = std::find(sets.begin(), sets.end(), limits);
    const auto row = static_cast<std::uint16_t>(found - sets.begin());
    if (found == sets.end()) sets.push_back(limits);
    return row;
}

void LayOutRules(const std::vector<LoadedBandwidths::Rule>& from, std::vector<BandwidthRule>& to,
                 std::vector<BandwidthSet>& sets) {
    for (const LoadedBandwidths::Rule& rule : from) {
        to.push_back({.guid = rule.guid, .set = RowOf(rule.limits, sets)});
    }
}

std::vector<LoadedBandwidths::Rule> GatherRules(std::span<const BandwidthRule> from,
                                                std::span<const BandwidthSet> sets) {
    std::vector<LoadedBandwidths::Rule> rules;
    for (const BandwidthRule& rule : from) {
        rules.push_back({.guid = rule.guid, .limits = sets[rule.set]});
    }
    return rules;
}

/// Texts that each have a 0 behind them, without the first `skipped`.
std::vector<std::string> TextsOf(std::span<const std::uint8_t> octets, std::size_t skipped) {
    std::vector<std::string> texts;
    std::string text;
    for (const std::uint8_t octet : octets) {
        if (octet != 0) {
            text += static_cast<char>(octet);
            continue;
        }
        texts.push_back(std::move(text));
        text.clear();
    }
    texts.erase(texts.begin(),
                texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), skipped)));
    return texts;
}

}  // namespace

void CheckRoom(const LoadedBandwidths& loaded, Diagnostics& diagnostics) {
    std::set<Numbers, IsBefore> sets;
    const auto add = [&sets](const auto& rules) {
        for (const auto& rule : rules) {
            sets.insert(NumbersOf(rule.limits));
        }
    };
    add(loaded.rules);
    add(loaded.groups);
    add(loaded.virtual_rules);
    const auto check = [&diagnostics](std::size_t count, std::size_t most, std::string_view what) {
        if (count <= most) return;
        diagnostics.Add({.severity = Severity::kError,
                         .place = {},
                         .code = Code::kTooLarge,
                         .text = fmt::format("{} {} are more than {}", count, what, most),
                         .source = {}});
    };
    check(loaded.rules.size(), kMostListedGuids, "rules of BW_RULES for GUIDs");
    check(loaded.groups.size(), kMostBandwidthGroups, "rules for port groups");
    check(loaded.virtual_rules.size(), kMostListedGuids, "rules of VPORT_BW_RULES");
    check(sets.size(), kMostBandwidthSets, "different right sides of rules");
}

void LayOut(const LoadedBandwidths& loaded, Layout& to) {
    LayOutRules(loaded.rules, to.bandwidth_rules, to.bandwidth_sets);
    for (const LoadedBandwidths::GroupRule& rule : loaded.groups) {
        to.bandwidth_groups.push_back(
            {.group = rule.group, .set = RowOf(rule.limits, to.bandwidth_sets)});
    }
    LayOutRules(loaded.virtual_rules, to.bandwidth_virtual_rules, to.bandwidth_sets);
    to.tables.bandwidth_sets = to.bandwidth_sets;
    to.tables.bandwidth_rules = to.bandwidth_rules;
    to.tables.bandwidth_groups = to.bandwidth_groups;
    to.tables.bandwidth_virtual_rules = to.bandwidth_virtual_rules;
}

void Gather(const OptionTables& tables, LoadedBandwidths& loaded) {
    loaded.rules = GatherRules(tables.bandwidth_rules, tables.bandwidth_sets);
    loaded.virtual_rules = GatherRules(tables.bandwidth_virtual_rules, tables.bandwidth_sets);
    // In qos_names those of levels come first.
    const std::vector<std::string> names = TextsOf(tables.qos_names, tables.qos_levels.size());
    const std::vector<std::string> policy_names = TextsOf(tables.port_group_names, 0);
    const auto name_of = [&](std::uint16_t group) {
        if (group < kMostQosGroups) return names.at(group);
        if (group < kGroupOfTypes) return policy_names.at(group - kMostQosGroups);
        return std::string(NameOfTypes(group - unsigned{kGroupOfTypes}));
    };
    for (const BandwidthGroupRule& rule : tables.bandwidth_groups) {
        loaded.groups.push_back({.group = rule.group,
                                 .name = name_of(rule.group),
                                 .limits = tables.bandwidth_sets[rule.set]});
    }
}

}  // namespace ember::emberc
