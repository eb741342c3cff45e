// SPDX-License-Identifier: Apache-2.0
// EmberSM: how emberc speaks to people.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>

#include "config/emberc/diagnostics.h"
#include "config/netlist/tame.h"

namespace ember::emberc {

/// Prints text for people. Everything that emberc writes to a terminal passes here (a progress bar,
/// JSON and colours apart), so what comes out of a file cannot steer it.
inline void SayText(std::FILE* stream, std::string text) {
    net::Tame(text);
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stream));
}

/// As fmt::print().
template <typename... Values>
void Say(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
    SayText(stream, fmt::format(format, std::forward<Values>(values)...));
}

/// Whether `stream` is a terminal that takes colours, and NO_COLOR is not set.
[[nodiscard]] bool TakesColours(std::FILE* stream);

/// Prints diagnostics, in colours where they are taken.
void SayDiagnostics(std::FILE* stream, std::span<const Diagnostics> files, Showing showing);

}  // namespace ember::emberc
