// SPDX-License-Identifier: Apache-2.0
// EmberSM: does a fabric fit a board, and what would a larger one take of it?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/budget.h"
#include "core/base/limits.h"
#include "core/manager/storage.h"

namespace ember::plan {

/// The memory that embersm takes beside MemoryTable() when it is built for these limits, and for
/// blobs of up to so many octets.
using EmbersmRows = std::vector<MemoryRow> (*)(const Limits& limits, std::size_t blob_bytes);

/// A board by name: `emberc boards` shows it. The list of them stands above this room
/// (board/boards.h) and is handed to emberc's Run().
struct Board {
    std::string_view name;  ///< Of its folder.
    Limits limits;
    Budget budget;
    EmbersmRows embersm_rows = nullptr;  ///< Memory that embersm takes on it, or would take.
    bool is_linux = false;               ///< Its program is embersm, on a host.
};

/// nullptr: there is none of that name.
[[nodiscard]] const Board* FindBoard(std::span<const Board> boards, std::string_view name);

/// The board of embersm as it is shipped; nullptr: it is not among them.
[[nodiscard]] const Board* ShippedBoard(std::span<const Board> boards);

/// All static memory of the board's program, if its limits were these: MemoryTable(), and what
/// stands beside it. Of a board without a program, what its budget has for the configuration.
[[nodiscard]] std::vector<MemoryRow> MemoryOf(const Board& board, const Limits& limits);

/// A limit and what a fabric needs of it.
struct LimitRow {
    std::string_view name;
    std::uint64_t needed = 0;
    std::uint64_t limit = 0;
    [[nodiscard]] bool fits() const { return needed <= limit; }
};

/// A row of MemoryOf(): what the board reserves, and what the fabric needs of it.
struct ArenaRow {
    std::string_view name;
    std::size_t needed_bytes = 0;
    std::size_t board_bytes = 0;
};

/// How a fabric sits on a board.
struct Fit {
    std::string_view board;
    std::vector<LimitRow> limits;
    std::vector<ArenaRow> arenas;
    std::size_t needed_bytes = 0;
    std::size_t board_bytes = 0;
    [[nodiscard]] bool fits() const;
};

/// Limits that are too small: "switches: 80 of 64, top LID: 209 of 200"; empty: the fabric fits.
[[nodiscard]] std::string Shortage(const Fit& fit);

/// `needed` as Planned::needed() tells it.
[[nodiscard]] Fit FitTo(const Board& board, const Limits& needed);

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
