// SPDX-License-Identifier: Apache-2.0
// EmberSM: a regular expression of names, as the table that a switch walks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/port_group_rows.h"

namespace ember::emberc {

/// An expression with its automaton, as core/settings/port_group_rows.h has it.
struct LoadedPattern {
    std::string text;
    std::uint16_t states = 0;
    std::uint16_t classes = 0;
    std::array<std::uint8_t, kPatternCharacters> class_of{};
    std::vector<std::uint16_t> cells{};
    [[nodiscard]] bool operator==(const LoadedPattern&) const = default;
};

/// The smallest automaton of an expression. A name fits whose front the expression matches: "SW" is
/// for names that begin with SW, as the documents of pgrp_policy_file have it. Throws
/// ExpressionError for what RE2 refuses, for classes of Unicode and characters that no name has,
/// and for a program of more than 1,024 steps or an automaton that passes kMostPatternStates while
/// it is made.
[[nodiscard]] LoadedPattern BuildPattern(std::string_view text);

}  // namespace ember::emberc
