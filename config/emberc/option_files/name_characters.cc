// SPDX-License-Identifier: Apache-2.0
// EmberSM: sets of characters of names, as regular expressions call them.
#include <algorithm>
#include <array>

#include "config/emberc/option_files/name_expression_parser.h"

namespace ember::emberc {
namespace {

struct NamedClass {
    std::string_view name;
    std::string_view ranges;  ///< Pairs of a first and a last character.
};

// clang-format off
/// Classes of POSIX, as far as names have their characters.
constexpr std::array kPosixClasses = {
    NamedClass{"alnum", "09AZaz"}, NamedClass{"alpha", "AZaz"}, NamedClass{"ascii", " ~"},
    NamedClass{"blank", "  "}, NamedClass{"cntrl", ""}, NamedClass{"digit", "09"},
    NamedClass{"graph", "!~"}, NamedClass{"lower", "az"}, NamedClass{"print", " ~"},
    NamedClass{"punct", "!/:@[`{~"}, NamedClass{"space", "  "}, NamedClass{"upper", "AZ"},
    NamedClass{"word", "09AZaz__"}, NamedClass{"xdigit", "09AFaf"},
};
// clang-format on

NameCharacters Ranges(std::string_view pairs) {
    NameCharacters characters;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        AddRange(characters, static_cast<unsigned char>(pairs[i]),
                 static_cast<unsigned char>(pairs[i + 1]));
    }
    return characters;
}

}  // namespace

void AddRange(NameCharacters& to, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t c = std::max(first, kFirstCharacter); c <= last; ++c) {
        if (c - kFirstCharacter < kPatternCharacters) to.set(c - kFirstCharacter);
    }
}

const NameCharacters& WordCharacters() {
    static const NameCharacters kWord = Ranges("09AZaz__");
    return kWord;
}

NameCharacters Folded(NameCharacters characters) {
    for (char c = 'a'; c <= 'z'; ++c) {
        const std::size_t small = static_cast<unsigned char>(c) - kFirstCharacter;
        const std::size_t capital = small - ('a' - 'A');
        const bool is_there = characters.test(small) || characters.test(capital);
        characters.set(small, is_there);
        characters.set(capital, is_there);
    }
    return characters;
}

std::optional<NameCharacters> PerlClass(char letter) {
    switch (letter) {
        case 'd':
            return Ranges("09");
        case 'D':
            return ~Ranges("09");
        case 's':
            return Ranges("  ");
        case 'S':
            return ~Ranges("  ");
        case 'w':
            return WordCharacters();
        case 'W':
            return ~WordCharacters();
        default:
            return std::nullopt;
    }
}

std::optional<NameCharacters> PosixClass(std::string_view name) {
    const auto* const found =
        std::find_if(kPosixClasses.begin(), kPosixClasses.end(),
                     [name](const NamedClass& one) { return one.name == name; });
    if (found == kPosixClasses.end()) return std::nullopt;
    return Ranges(found->ranges);
}

}  // namespace ember::emberc
