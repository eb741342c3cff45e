// SPDX-License-Identifier: Apache-2.0
// EmberSM: the list of what diagnostics can be about.
#include "config/emberc/diagnostic_codes.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/emberc/suggestion.h"

namespace ember::emberc {

std::optional<Code> FindCode(std::string_view word) {
    const auto* const row = std::find_if(kCodes.begin(), kCodes.end(),
                                         [word](const CodeRow& one) { return one.word == word; });
    if (row == kCodes.end()) return std::nullopt;
    return row->code;
}

std::string_view NearestCode(std::string_view word) {
    std::array<std::string_view, kCodes.size()> words{};
    std::transform(kCodes.begin(), kCodes.end(), words.begin(),
                   [](const CodeRow& row) { return row.word; });
    return Nearest(word, words);
}

std::string CodesAsText() {
    std::size_t width = 0;
    for (const CodeRow& row : kCodes) {
        width = std::max(width, row.word.size());
    }
    std::string out;
    for (const CodeRow& row : kCodes) {
        out += fmt::format("{:{}}  {}\n", row.word, width, row.meaning);
    }
    return out;
}

std::string CodesAsMdoc() {
    std::string out = ".Bl -tag -width engine-not-available -compact\n";
    for (const CodeRow& row : kCodes) {
        out += fmt::format(".It {}\n{}\n", row.word, row.meaning);
    }
    return out + ".El\n";
}

}  // namespace ember::emberc
