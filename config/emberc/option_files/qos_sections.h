// SPDX-License-Identifier: Apache-2.0
// EmberSM: the sections of a qos_policy_file, and what stands in each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/emberc/suggestion.h"

namespace ember::emberc {

/// A section of the file, or the file itself.
enum class Section : std::uint8_t {
    kFile,
    kPortGroups,
    kPortGroup,
    kQosSetup,
    kQosLevels,
    kQosLevel,
    kMatchRules,
    kMatchRule,
    kUlps,
};

/// A section: where it stands, and what stands in it.
struct SectionRow {
    Section section;
    std::string_view word;  ///< Begins it; with "end-" before it, ends it.
    Section parent;
    std::string_view has;  ///< The words that stand in it.
};

// clang-format off
/// In the order of the enumerators.
inline constexpr std::array kSections = {
    SectionRow{Section::kFile, "", Section::kFile,
               "port-groups, qos-setup, qos-levels, qos-match-rules, qos-ulps"},
    SectionRow{Section::kPortGroups, "port-groups", Section::kFile, "port-group"},
    SectionRow{Section::kPortGroup, "port-group", Section::kPortGroups,
               "name, use, port-guid, port-name, pkey, partition, node-type"},
    SectionRow{Section::kQosSetup, "qos-setup", Section::kFile, "vlarb-tables, sl2vl-tables"},
    SectionRow{Section::kQosLevels, "qos-levels", Section::kFile, "qos-level"},
    SectionRow{Section::kQosLevel, "qos-level", Section::kQosLevels,
               "name, use, sl, mtu-limit, rate-limit, packet-life, path-bits, pkey"},
    SectionRow{Section::kMatchRules, "qos-match-rules", Section::kFile, "qos-match-rule"},
    SectionRow{Section::kMatchRule, "qos-match-rule", Section::kMatchRules,
               "use, qos-class, source, destination, service-id, pkey, qos-level-name"},
    SectionRow{Section::kUlps, "qos-ulps", Section::kFile, "default, any, sdp, rds, iser, srp, ipoib"},
};
// clang-format on

[[nodiscard]] inline const SectionRow& RowOf(Section section) {
    return kSections.at(static_cast<std::size_t>(section));
}

/// Words that are written in place of entries of a section.
struct Slip {
    Section section;
    std::string_view written;
    std::string_view meant;
};
inline constexpr std::array kSlips = {
    Slip{Section::kQosLevel, "mtu", "mtu-limit"},
    Slip{Section::kQosLevel, "rate", "rate-limit"},
    Slip{Section::kQosLevel, "service-level", "sl"},
    Slip{Section::kMatchRule, "qos-level", "qos-level-name"},
    Slip{Section::kMatchRule, "level", "qos-level-name"},
    Slip{Section::kPortGroup, "guid", "port-guid"},
};

/// The entry of a section that a word without a colon was to be; empty: none.
[[nodiscard]] inline std::string_view MeantBy(std::string_view word, Section section) {
    for (const Slip& slip : kSlips) {
        if (slip.section == section && slip.written == word) return slip.meant;
    }
    const std::string_view all = RowOf(section).has;
    for (std::size_t at = all.find(word); at != std::string_view::npos;
         at = all.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || all[at - 1] == ' ';
        if (begins && (end == all.size() || all[end] == ',')) return all.substr(at, word.size());
    }
    return {};
}

/// The entry of a section that a word with a colon was to be, as it differs from it in one letter,
/// in capitals or in hyphens; empty: none, or several.
[[nodiscard]] inline std::string_view NearlyIn(std::string_view word, Section section) {
    std::string_view rest = RowOf(section).has;
    std::string_view meant;
    while (!rest.empty()) {
        const std::string_view entry = rest.substr(0, rest.find(", "));
        rest.remove_prefix(std::min(entry.size() + 2, rest.size()));
        if (word.size() > entry.size() + 1) continue;
        if (EditDistance(word, entry) > (entry.size() < 4 ? 0U : 1U)) continue;
        if (!meant.empty()) return {};
        meant = entry;
    }
    return meant;
}

/// The section that `word` begins; null: none.
[[nodiscard]] inline const SectionRow* FindSection(std::string_view word) {
    const auto* const row =
        std::find_if(kSections.begin() + 1, kSections.end(),
                     [word](const SectionRow& candidate) { return candidate.word == word; });
    return row == kSections.end() ? nullptr : row;
}

}  // namespace ember::emberc
