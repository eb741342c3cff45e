// SPDX-License-Identifier: Apache-2.0
// EmberSM: a regular expression of names, as a tree; and sets of their characters.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/port_group_rows.h"

namespace ember::emberc {

/// The character that bit 0 of a set stands for.
inline constexpr std::uint32_t kFirstCharacter = 0x20;

/// Characters of names, by their number less kFirstCharacter.
using NameCharacters = std::bitset<kPatternCharacters>;

/// Adds the characters of a range, as far as names have them.
void AddRange(NameCharacters& to, std::uint32_t first, std::uint32_t last);

/// Letters, digits and the underscore, at whose ends \b is.
[[nodiscard]] const NameCharacters& WordCharacters();

/// With capitals for small letters, and the other way round.
[[nodiscard]] NameCharacters Folded(NameCharacters characters);

/// \d, \s, \w and their opposites; nothing: another letter.
[[nodiscard]] std::optional<NameCharacters> PerlClass(char letter);

/// "alpha" of [[:alpha:]]; nothing: there is no such class.
[[nodiscard]] std::optional<NameCharacters> PosixClass(std::string_view name);

/// A mistake in an expression, and where in it.
class ExpressionError : public std::runtime_error {
public:
    ExpressionError(const std::string& what, std::size_t begin, std::size_t length)
        : std::runtime_error(what), begin_(begin), length_(length) {}
    [[nodiscard]] std::size_t begin() const { return begin_; }
    [[nodiscard]] std::size_t length() const { return length_; }

private:
    std::size_t begin_;
    std::size_t length_;
};

/// A condition that holds between two characters.
enum class Boundary : std::uint8_t { kBegin, kEnd, kWord, kNoWord };

inline constexpr std::size_t kAnyTimes = static_cast<std::size_t>(-1);

/// A part of an expression, and the parts that it is made of.
struct ExpressionNode {
    enum class Kind : std::uint8_t {
        kCharacters,
        kBoundary,
        kSequence,     ///< Its parts one behind the other; none: it fits anywhere.
        kAlternative,  ///< Any one of its parts.
        kRepeat,       ///< Its one part, `least` to `most` times.
    };
    Kind kind = Kind::kSequence;
    NameCharacters characters{};
    Boundary boundary{};
    std::size_t least = 0;
    std::size_t most = 0;
    std::vector<ExpressionNode> parts{};
};

/// The tree of an expression that RE2 accepts. Throws ExpressionError for what names cannot have.
[[nodiscard]] ExpressionNode ParseExpression(std::string_view text);

}  // namespace ember::emberc
