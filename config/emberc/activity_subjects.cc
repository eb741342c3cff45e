// SPDX-License-Identifier: Apache-2.0
// EmberSM: the value of activity_report_subjects, a key of NVIDIA's manager.
#include "config/emberc/activity_subjects.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "config/emberc/suggestion.h"

namespace ember::emberc {
namespace {

constexpr std::array<std::string_view, 6> kSubjects{"mc", "prtn", "virt", "routing", "all", "none"};

constexpr std::string_view kAll = "all";
constexpr std::string_view kNone = "none";

/// The words of a list, without blanks beside the commas. A comma too many makes an empty word.
std::vector<std::string_view> SubjectsOf(std::string_view list) {
    std::vector<std::string_view> words;
    while (true) {  // Ends: each turn takes a word, and the last one has no comma behind it.
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view word = list.substr(0, comma);
        word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
        word = word.substr(0, word.find_last_not_of(" \t") + 1);
        words.push_back(word);
        if (comma == list.size()) return words;
        list.remove_prefix(comma + 1);
    }
}

void Report(const Setting& setting, Severity severity, Code code, std::string text,
            Diagnostics& diagnostics) {
    diagnostics.Add({.severity = severity,
                     .place = setting.value_place,
                     .code = code,
                     .text = std::move(text),
                     .source = setting.source});
}

/// The mistake in the word at `at`; empty: none.
std::string Mistake(const std::vector<std::string_view>& words, std::size_t at) {
    const std::string_view word = words[at];
    if (std::find(kSubjects.begin(), kSubjects.end(), word) == kSubjects.end()) {
        const std::string_view nearest = Nearest(word, kSubjects);
        return fmt::format(
            "there is no subject '{}'{}; there are mc, prtn, virt and routing, or all, or none",
            word, nearest.empty() ? "" : fmt::format(", did you mean '{}'", nearest));
    }
    if (std::find(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at), word) !=
        words.begin() + static_cast<std::ptrdiff_t>(at)) {
        return fmt::format("the subject '{}' stands twice", word);
    }
    if ((word == kAll || word == kNone) && words.size() > 1) {
        return fmt::format("'{}' stands alone, and not in a list", word);
    }
    return {};
}

}  // namespace

bool AsksForActivities(const Setting& setting, Diagnostics& diagnostics) {
    const std::vector<std::string_view> words = SubjectsOf(setting.value.text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string mistake = Mistake(words, i);
        if (mistake.empty()) continue;
        Report(setting, Severity::kError, Code::kBadValue, std::move(mistake), diagnostics);
        return false;
    }
    if (words.front() != kNone) return true;
    Report(setting, Severity::kNote, Code::kNoEffect,
           fmt::format("'{}' asks for no report, and EmberSM writes none", kActivitySubjectsKey),
           diagnostics);
    return false;
}

}  // namespace ember::emberc
