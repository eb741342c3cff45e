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

/// Longest line of either format, without its time.
inline constexpr std::size_t kMaxTextLine = kMaxRenderedOctets + 64;
inline constexpr std::size_t kMaxJsonLine = 3072;

/// Appends "warning: sentence [code]".
void AddTextLine(FixedText& line, const LogRecord& record, const Vocabulary& vocabulary);

/// Appends {"time":"...","severity":"warning","code":"link-lost","text":"...","values":{...}}.
/// Decimal values are numbers; all others are texts, as the sentence has them. Behind a GUID that
/// has a name stands a member with "_name" at its end. No member `time` without a time. What nodes
/// say of themselves cannot break it: it is escaped.
void AddJsonLine(FixedText& line,
                 std::string_view time,
                 const LogRecord& record,
                 const Vocabulary& vocabulary);

}  // namespace ember
