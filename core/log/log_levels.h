// SPDX-License-Identifier: Apache-2.0
// EmberSM: which notes a log keeps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/base/status.h"
#include "core/log/catalogue.h"
#include "core/log/notes.h"

namespace ember {

/// The notes of a severity and above; and, by the front of their codes, those of other severities.
/// For what OpenSM's per_module_logging_file is.
class LogLevels {
public:
    /// The notes of `minimum` and above.
    explicit constexpr LogLevels(Severity minimum = Severity::kInfo) : minimum_(minimum) {
        for (const Sentence& sentence : kSentences) {
            Keep(sentence, minimum);
        }
    }
    [[nodiscard]] bool Keeps(Note note) const {
        EMBER_ASSERT(note < Note::kEnd);
        const auto at = static_cast<std::size_t>(note);
        return (kept_[at / 64] >> (at % 64) & 1U) != 0;
    }
    /// The minimum of all notes that no word is about.
    [[nodiscard]] Severity minimum() const { return minimum_; }
    /// Kinds of notes of which more or less is kept than the minimum says.
    [[nodiscard]] std::size_t exceptions() const;

    /// The notes of `minimum` and above among those whose code is `word`, or begins with it and a
    /// hyphen. kAbsent: there is none.
    Status Set(std::string_view word, Severity minimum);

private:
    constexpr void Keep(const Sentence& sentence, Severity minimum) {
        const auto at = static_cast<std::size_t>(sentence.note);
        const std::uint64_t bit = std::uint64_t{1} << (at % 64);
        kept_[at / 64] &= ~bit;
        if (sentence.severity >= minimum) kept_[at / 64] |= bit;
    }

    std::array<std::uint64_t, BitSet::WordsFor(kNotes)> kept_{};
    Severity minimum_;
};

/// "info,link=debug,sweep=warning": a severity for all (info if none is named), then others for
/// LogLevels::Set(); the last that fits counts. kAbsent: not in this form, or no code begins so.
[[nodiscard]] Result<LogLevels> LogLevelsOf(std::string_view text);

}  // namespace ember
