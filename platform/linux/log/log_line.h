// SPDX-License-Identifier: Apache-2.0
// EmberSM: a note as a line of the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/log/fixed_text.h"
#include "core/log/render.h"

namespace ember {

/// How a line is written.
enum class LogFormat : std::uint8_t {
    kText,  ///< 2026-03-01T12:34:56.123456Z warning: lost 0x... "leaf-2", a switch ... [node-lost]
    kJson,  ///< An object: time, severity, code, text, and values by their names.
};

/// The part of a line in front of the sentence.
struct LineHead {
    static constexpr std::size_t kMostPrefixOctets = 64;

    std::string_view time;    ///< Empty: none.
    std::string_view prefix;  ///< As the operator wants it, in characters that names may have.
};

/// Longest line of either format; that of text without its time.
inline constexpr std::size_t kMaxTextLine = kMaxRenderedOctets + 64 + LineHead::kMostPrefixOctets;
inline constexpr std::size_t kMaxJsonLine = 3072 + 2 * LineHead::kMostPrefixOctets + 16;

/// Appends "prefix warning: sentence [code]".
void AddTextLine(FixedText& line, std::string_view prefix, const LogRecord& record,
                 const Vocabulary& vocabulary);

/// Appends
/// {"time":"...","prefix":"...","severity":"warning","code":"link-lost","text":"...","values":{...}}.
/// Decimal values are numbers; all others are texts, as the sentence has them. Behind a GUID that
/// has a name stands a member with "_name" at its end. No member `time` without a time, and none
/// `prefix` without a prefix. Text that nodes choose cannot break the object: it is escaped.
void AddJsonLine(FixedText& line, const LineHead& head, const LogRecord& record,
                 const Vocabulary& vocabulary);

}  // namespace ember
