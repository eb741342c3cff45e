// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys that EmberSM does not act on yet.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "config/emberc/checks.h"
#include "config/emberc/conf.h"
#include "config/emberc/foreign_keys.h"
#include "config/emberc/keys.h"
#include "config/emberc/suggestion.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

// The value of activity_report_subjects, a key of NVIDIA's manager.

constexpr std::string_view kActivitySubjectsKey = "activity_report_subjects";

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

/// Whether the value asks for a report: subjects apart by commas, each once; `all`, or `none`.
/// False: it asks for nothing, or is none of these, and a diagnostic says so.
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

// Keys of OpenSM.

/// Whether OpenSM would look at this key.
bool IsLookedAt(const Key& key, const Conf& conf) {
    if (key.beside.empty()) return true;
    const auto beside = FindKey(key.beside);
    EMBER_ASSERT(beside.has_value());
    return !IsDefault(*beside, conf[*beside].value);
}

Severity SeverityOf(Use use) {
    switch (use) {
        case Use::kRefused:
            return Severity::kError;
        case Use::kWarned:
            return Severity::kWarning;
        case Use::kActedOn:
        case Use::kNoted:
            return Severity::kNote;
    }
    return Severity::kError;
}

/// The means of EmberSM that stand in for a key of OpenSM's logging.
struct InsteadRow {
    std::string_view key;
    std::string_view instead;
};

// clang-format off
constexpr std::array kInstead = {
    InsteadRow{"log_file", "embersm --log-file, --syslog or both say where lines go"},
    InsteadRow{"log_prefix", "embersm --log-prefix puts a text in front of every line"},
    InsteadRow{"per_module_logging_file",
              "embersm --log info,link=debug has levels by the front of a line's code, and emberctl "
              "log-level while it runs"},
    InsteadRow{"log_max_size", "logrotate keeps a log small, and SIGUSR1 opens it anew"},
    InsteadRow{"force_log_flush", "each line is written at once"},
    InsteadRow{"accum_log_file", "an old log is always appended to"},
    InsteadRow{"dump_files_dir", "embersm --dump-directory and emberctl dump name the folder"},
};
// clang-format on

std::string Instead(std::string_view key) {
    const auto row = std::find_if(kInstead.begin(), kInstead.end(),
                                  [key](const InsteadRow& one) { return one.key == key; });
    return row == kInstead.end() ? std::string() : fmt::format("; {}", row->instead);
}

/// The end of a sentence that says that a key has no effect.
std::string Consequence(Severity severity, std::string_view way_out) {
    if (severity != Severity::kError) return ": the blob carries the value, and it changes nothing";
    return fmt::format(", and the fabric would run without what it asks for; {} accepts that",
                       way_out);
}

Diagnostic Judge(const Key& key, const Setting& setting, const Conf& conf,
                 const Allowances& allowances) {
    Diagnostic found{.severity = Severity::kNote,
                     .place = setting.place,
                     .code = Code::kNotActedOn,
                     .text = {},
                     .source = setting.source};
    const bool is_allowed =
        allowances.Has(key.name) || (!key.beside.empty() && allowances.Has(key.beside));
    if (is_allowed) {
        found.text = fmt::format("EmberSM does not act on '{}' yet, which is accepted", key.name);
        return found;
    }
    const bool is_looked_at = IsLookedAt(key, conf);
    const Use milder = key.use == Use::kRefused ? Use::kWarned : Use::kNoted;
    found.severity = SeverityOf(is_looked_at ? key.use : milder);
    if (!allowances.refuses) found.severity = std::min(found.severity, Severity::kWarning);
    if (is_looked_at) {
        found.text = fmt::format("EmberSM does not act on '{}' yet{}{}", key.name,
                                 Consequence(found.severity, fmt::format("--allow {}", key.name)),
                                 Instead(key.name));
    } else {
        found.text =
            fmt::format("EmberSM does not act on '{}' yet, nor would OpenSM: '{}' is not set",
                        key.name, key.beside);
    }
    return found;
}

}  // namespace

void CheckKeysWithoutEffect(const Conf& conf, const Allowances& allowances,
                            Diagnostics& diagnostics) {
    for (std::size_t i = 0; i < conf.size(); ++i) {
        const Key& key = Keys()[i];
        if (key.use == Use::kActedOn) continue;
        if (!conf[i].written || IsDefault(i, conf[i].value)) continue;
        if (key.name == kActivitySubjectsKey && !AsksForActivities(conf[i], diagnostics)) continue;
        diagnostics.Add(Judge(key, conf[i], conf, allowances));
    }
}

std::string WhyNotAllowed(const std::string& name) {
    const bool is_known = FindKey(name) || FindCode(name) || !FeatureOfForeignKey(name).empty();
    if (is_known) return {};
    // Words of codes have hyphens, and names of keys have none.
    const bool is_code = name.find('-') != std::string::npos;
    std::string_view nearest = is_code ? NearestCode(name) : NearestKey(name);
    if (nearest.empty()) nearest = is_code ? NearestKey(name) : NearestCode(name);
    return fmt::format("there is no {} '{}'{}", is_code ? "code" : "key", name,
                       nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
}

std::string WhyNotDenied(const std::string& code) {
    if (FindCode(code)) return {};
    const std::string_view nearest = NearestCode(code);
    return fmt::format("there is no code '{}'{}", code,
                       nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
}

}  // namespace ember::emberc
