// SPDX-License-Identifier: Apache-2.0
// EmberSM: how emberc speaks to people.
#include "config/emberc/say.h"

#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace ember::emberc {
namespace {

std::string_view Environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

bool TakesColours(std::FILE* stream) {
    if (::isatty(::fileno(stream)) == 0 || !Environment("NO_COLOR").empty()) return false;
    const std::string_view terminal = Environment("TERM");
    return !terminal.empty() && terminal != "dumb";
}

void SayDiagnostics(std::FILE* stream, std::span<const Diagnostics> files, Showing showing) {
    if (!TakesColours(stream)) return SayText(stream, RenderText(files, Paint::kPlain, showing));
    // RenderText() has tamed each text between its colours, which SayText() would take out again.
    const std::string text = RenderText(files, Paint::kColours, showing);
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stream));
}

}  // namespace ember::emberc
