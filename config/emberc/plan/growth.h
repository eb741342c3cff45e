// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a larger fabric would take of a board's memory.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "config/emberc/plan/board.h"

namespace ember::plan {

/// A table of a board: what it takes, and how much more for one more of something.
struct GrowthRow {
    std::string_view name;
    std::size_t bytes = 0;
    std::size_t a_lid = 0;     ///< Of tables with a column or row for each LID.
    std::size_t a_host = 0;    ///< A node and its only port; its LID comes on top.
    std::size_t a_switch = 0;  ///< A node and as many ports as the board has for a switch.
};

/// Row for row as MemoryOf(). A table has sizes that are powers of two, or grows with the square:
/// so what is told is the mean between a board with half of such things and one with half as many
/// again. Of the scratch arena it is what the hungriest computation asks for.
[[nodiscard]] std::vector<GrowthRow> GrowthOf(const Board& board);

/// The rows added up.
[[nodiscard]] GrowthRow Together(const std::vector<GrowthRow>& rows);

}  // namespace ember::plan
