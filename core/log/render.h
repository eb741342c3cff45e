// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes as text, for platforms: no heap, no printf, no locale.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/status.h"
#include "core/log/journal.h"

namespace ember {

/// Longest sentence with four 64-bit values in it: a buffer of this size is never too small.
inline constexpr std::size_t kMaxRenderedOctets = 256;

/// Writes the record's sentence, its blanks filled, to the front of `text` and returns the part
/// written. No terminating zero; what does not fit is cut off. `engines` answers {engine}, and an
/// index beyond a table of words is written as "#" and the number.
[[nodiscard]] std::string_view Render(const Record& record,
                                      std::span<const std::string_view> engines,
                                      std::span<char> text);

/// "debug", "info", "warning", "error".
[[nodiscard]] std::string_view WordOf(Severity severity);
/// The severity of that word; kAbsent when it is none.
Result<Severity> SeverityOf(std::string_view word);

}  // namespace ember
