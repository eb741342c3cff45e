// SPDX-License-Identifier: Apache-2.0
// EmberSM: how emberc speaks to people.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "config/netlist/tame.h"

namespace ember::emberc {

/// Prints text for people. Everything that emberc writes to a terminal passes here (a progress bar
/// and JSON apart), so what comes out of a file cannot steer it.
inline void SayText(std::FILE* stream, std::string text) {
    net::Tame(text);
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stream));
}

/// As fmt::print().
template <typename... Values>
void Say(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
    SayText(stream, fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace ember::emberc
