// SPDX-License-Identifier: Apache-2.0
// EmberSM: which notes a log keeps.

#include "core/log/log_levels.h"

#include <algorithm>

#include "core/log/render.h"

namespace ember {
namespace {

/// "link" is about link-up and link-lost, and about a code "link", but not about "linked-list".
bool IsAbout(std::string_view word, std::string_view code) {
    if (!code.starts_with(word)) return false;
    return code.size() == word.size() || code[word.size()] == '-';
}

}  // namespace

Status LogLevels::Set(std::string_view word, Severity minimum) {
    bool is_known = false;
    for (const Sentence& sentence : kSentences) {
        if (word.empty() || !IsAbout(word, sentence.code)) continue;
        Keep(sentence, minimum);
        is_known = true;
    }
    return is_known ? Status::kOk : Status::kAbsent;
}

std::size_t LogLevels::exceptions() const {
    return static_cast<std::size_t>(
        std::count_if(kSentences.begin(), kSentences.end(), [this](const Sentence& sentence) {
            return Keeps(sentence.note) != (sentence.severity >= minimum_);
        }));
}

Result<LogLevels> LogLevelsOf(std::string_view text) {
    LogLevels levels;
    for (bool is_first = true;; is_first = false) {  // Ends: `text` gets shorter.
        const std::size_t end = std::min(text.find(','), text.size());
        std::string_view level(text.data(), end);
        const std::size_t sign = level.find('=');
        const bool is_for_all = sign == std::string_view::npos;
        const std::string_view word(level.data(), is_for_all ? 0 : sign);
        if (!is_for_all) level.remove_prefix(sign + 1);
        const Result<Severity> severity = SeverityOf(level);
        if (!severity.ok() || (is_for_all && !is_first)) return Status::kAbsent;
        if (is_for_all) {
            levels = LogLevels(severity.value());
        } else if (levels.Set(word, severity.value()) != Status::kOk) {
            return Status::kAbsent;
        }
        if (end == text.size()) return levels;
        text.remove_prefix(end + 1);
    }
}

}  // namespace ember
