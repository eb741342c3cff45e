// SPDX-License-Identifier: Apache-2.0
// EmberSM: a regular expression of names, as a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/name_characters.h"

namespace ember::emberc {

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
