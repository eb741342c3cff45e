// SPDX-License-Identifier: Apache-2.0
// EmberSM: "did you mean".
#include "config/emberc/suggestion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

namespace ember::emberc {
namespace {

// No key comes near this; what is longer is not a slip of the pen, and comparing it takes long.
constexpr std::size_t kLongestWord = 80;
constexpr std::size_t kShortestBegin = 3;  // Fewer letters begin too many words.

char Fold(char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

bool BeginsWith(std::string_view whole, std::string_view begin) {
    return whole.size() >= begin.size() &&
           std::equal(begin.begin(), begin.end(), whole.begin(),
                      [](char a, char b) { return Fold(a) == Fold(b); });
}

/// The shortest of those that begin with `word`, which then stands for the others.
std::string_view ShortestThatBegins(std::string_view word,
                                    std::span<const std::string_view> candidates) {
    std::string_view shortest;
    for (const std::string_view candidate : candidates) {
        if (!BeginsWith(candidate, word)) continue;
        if (shortest.empty() || candidate.size() < shortest.size()) shortest = candidate;
    }
    return shortest;
}

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
    // Three rows of the table of distances between all beginnings of a and b.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        above[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = Fold(a[i - 1]) == Fold(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
            const bool swapped = i > 1 && j > 1 && Fold(a[i - 1]) == Fold(b[j - 2]) &&
                                 Fold(a[i - 2]) == Fold(b[j - 1]);
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return above[b.size()];
}

std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates) {
    if (word.size() > kLongestWord) return {};
    std::string_view nearest;
    std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t longer = std::max(word.size(), candidate.size());
        const std::size_t shorter = std::min(word.size(), candidate.size());
        if (longer - shorter >= best) continue;  // At least so many letters are to be added.
        const std::size_t distance = EditDistance(word, candidate);
        if (distance >= best) continue;
        best = distance;
        nearest = candidate;
    }
    if (nearest.empty() && word.size() >= kShortestBegin) {
        nearest = ShortestThatBegins(word, candidates);
    }
    return nearest;
}

std::string NoSuchCommand(const CLI::App& app) {
    const std::vector<std::string> words = app.remaining();
    const bool is_command = app.get_subcommands().empty() && !words.empty() &&
                            !words.front().empty() && words.front().front() != '-';
    if (!is_command) return {};
    std::vector<std::string> names;
    for (const CLI::App* const command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view nearest = Nearest(words.front(), views);
    std::string text = "there is no command '" + words.front() + "'";
    if (!nearest.empty()) return text + "; did you mean '" + std::string(nearest) + "'?";
    text += "; there are";
    for (const std::string& name : names) {
        text += (name == names.front() ? " " : ", ") + name;
    }
    return text;
}

}  // namespace ember::emberc
