// SPDX-License-Identifier: Apache-2.0
// EmberSM: a regular expression of names, as a program of small steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/name_expression_parser.h"

namespace ember::emberc {

/// A program with a state for each step that it can be at.
struct NameProgram {
    struct Step {
        enum class Kind : std::uint8_t {
            kTake,   ///< A character of `characters`, then `next`.
            kSplit,  ///< Goes on at `next` and at `other`.
            kHold,   ///< Goes on at `next` where `boundary` holds.
            kFit,    ///< The characters read fit.
        };
        Kind kind{};
        Boundary boundary{};
        NameCharacters characters{};
        std::size_t next = 0;
        std::size_t other = 0;
    };
    std::vector<Step> steps{};
    std::size_t first = 0;
};

inline constexpr std::size_t kMostProgramSteps = 1024;

/// Compiles an expression in the syntax of RE2, which also judges it. Throws ExpressionError for
/// what RE2 refuses, for classes of Unicode and characters that no name has, and for a program of
/// more than kMostProgramSteps.
[[nodiscard]] NameProgram CompileExpression(std::string_view text);

}  // namespace ember::emberc
