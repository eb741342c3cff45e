// SPDX-License-Identifier: Apache-2.0
// EmberSM: the blanks in the sentences of the catalogue, and what makes a row sound.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/log/catalogue.h"

namespace ember {

/// How a value is rendered; Sentence describes each kind.
enum class BlankKind : std::uint8_t {
    kDecimal,
    kGuid,
    kHex,
    kLid,
    kPort,
    kStatus,
    kRole,
    kReason,
    kLimit,
    kNode,
    kCue,
    kKind,
    kFault,
    kFile,
    kChange,
    kErrors,
    kWidth,
    kSpeed,
    kState,
    kSeverity,
    kKey,
    kShape,
    kScheme,
    kDoubt,
    kLaneKey,
    kEngine,
};

/// Row i is the word that a blank of kind i begins with.
inline constexpr std::array<std::string_view, 26> kBlankKinds = {
    "",      "guid",     "hex",  "lid",   "port",   "status", "role",     "reason", "limit",
    "node",  "cue",      "kind", "fault", "file",   "change", "errors",   "width",  "speed",
    "state", "severity", "key",  "shape", "scheme", "doubt",  "lane_key", "engine"};
static_assert(kBlankKinds.size() == static_cast<std::size_t>(BlankKind::kEngine) + 1);

/// A blank of a sentence.
struct Blank {
    BlankKind kind = BlankKind::kDecimal;
    std::string_view name;
    std::size_t begin = 0;  ///< Of its opening brace; npos: there is no further blank.
    std::size_t end = 0;    ///< Behind its closing brace; 0: there is none, or it is bad.
};

/// The first blank of `text` at or behind `from`.
[[nodiscard]] constexpr Blank NextBlank(std::string_view text, std::size_t from) {
    Blank blank;
    blank.begin = text.find('{', from);
    if (blank.begin == std::string_view::npos) return blank;
    const std::size_t close = text.find('}', blank.begin);
    if (close == std::string_view::npos) return blank;
    const std::string_view inside(text.data() + blank.begin + 1, close - blank.begin - 1);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    const std::string_view kind(inside.data(), colon);
    const bool has_name = colon < inside.size();
    blank.name =
        has_name ? std::string_view(inside.data() + colon + 1, inside.size() - colon - 1) : kind;
    for (std::size_t i = 0; i < kBlankKinds.size(); ++i) {
        if (kBlankKinds[i] != kind) continue;
        blank.kind = static_cast<BlankKind>(i);
        blank.end = close + 1;
    }
    return blank;
}

/// The number of values that a note takes.
[[nodiscard]] consteval std::size_t BlanksIn(Note note) {
    const std::string_view text = SentenceOf(note).text;
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '{'));
}

/// True for a word of small letters, digits and `joint`: a code, or the name of a value.
[[nodiscard]] consteval bool IsWord(std::string_view word, char joint) {
    for (const char c : word) {
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != joint) return false;
    }
    return !word.empty();
}

/// True when every blank of the text is of a known kind and has a name of its own, and there are at
/// most kMaxValues of them.
[[nodiscard]] consteval bool HasSoundBlanks(std::string_view text) {
    std::array<std::string_view, kMaxValues> names{};
    std::size_t count = 0;
    for (Blank blank = NextBlank(text, 0); blank.begin != std::string_view::npos;
         blank = NextBlank(text, blank.end)) {
        if (blank.end == 0 || count == kMaxValues || !IsWord(blank.name, '_')) return false;
        if (std::find(names.begin(), names.end(), blank.name) != names.end()) return false;
        names[count++] = blank.name;
    }
    return true;
}

/// True when every row stands at its note and has a text, sound blanks and a code of its own.
/// render.cc asks it of kSentences, once, as the answer takes a compiler half a second.
[[nodiscard]] consteval bool IsSound(const std::array<Sentence, kNotes>& sentences) {
    for (std::size_t i = 0; i < kNotes; ++i) {
        const Sentence& sentence = sentences[i];
        if (sentence.note != static_cast<Note>(i) || sentence.text.empty()) return false;
        if (!IsWord(sentence.code, '-') || !HasSoundBlanks(sentence.text)) return false;
        for (std::size_t j = 0; j < i; ++j) {
            if (sentences[j].code == sentence.code) return false;
        }
    }
    return true;
}

}  // namespace ember
