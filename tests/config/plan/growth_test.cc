// SPDX-License-Identifier: Apache-2.0
// EmberSM: what one more LID, host or switch takes of a board's memory.
#include <algorithm>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "board/boards.h"
#include "config/blob/container.h"
#include "config/emberc/plan/board.h"

namespace ember::plan {
namespace {

GrowthRow RowOf(const std::vector<GrowthRow>& rows, std::string_view name) {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [name](const GrowthRow& row) { return row.name == name; });
    return found == rows.end() ? GrowthRow{} : *found;
}

TEST(Growth, TellsWhatOneMoreLidHostAndSwitchTake) {
    ASSERT_NE(FindBoard(Boards(), "linux_bench"), nullptr);
    Board board = *FindBoard(Boards(), "linux_bench");
    board.limits.max_lid = 4095;
    board.limits.max_switches = 256;
    board.limits.max_nodes = 256 + 2048;
    board.limits.max_ports = 256 * 37 + 2048;
    const std::vector<GrowthRow> rows = GrowthOf(board);
    EXPECT_EQ(RowOf(rows, "LFT arena, planned").a_lid, 256U)
        << "an octet in the row of each switch";
    EXPECT_EQ(RowOf(rows, "LFT arena, planned").a_host, 0U);
    EXPECT_EQ(RowOf(rows, "LFT arena, planned").a_switch, 4096U) << "a row as long as all LIDs";
    EXPECT_EQ(RowOf(rows, "nodes").a_host, sizeof(Node));
    EXPECT_EQ(RowOf(rows, "nodes").a_lid, 0U);
    EXPECT_EQ(RowOf(rows, "ports").a_switch, 37 * sizeof(Port)) << "port 0 and 36 more";
    const GrowthRow journal = RowOf(rows, "journal");
    EXPECT_EQ(journal.a_lid + journal.a_host + journal.a_switch, 0U);
}

TEST(Growth, AddsUpToTheBoardsMemory) {
    for (const Board& board : Boards()) {
        std::size_t bytes = board.budget.ConfigurationBytes();
        for (const MemoryRow& row : MemoryTable(board.limits)) {
            bytes += row.bytes;
        }
        if (board.is_linux) {
            for (const MemoryRow& row : board.embersm_rows(board.limits, kMaxBlobBytes)) {
                bytes += row.bytes;
            }
        }
        const GrowthRow all = Together(GrowthOf(board));
        EXPECT_EQ(all.bytes, bytes) << board.name;
        EXPECT_GE(all.a_lid, 2 * std::size_t{board.limits.max_switches}) << "both LFT arenas";
        EXPECT_GT(all.a_switch, all.a_host) << board.name;
    }
}

TEST(Growth, CountsWhatTheProgramHasBesideTheCoresTables) {
    const Board* const bench = FindBoard(Boards(), "linux_bench");
    ASSERT_NE(bench, nullptr);
    const std::vector<GrowthRow> rows = GrowthOf(*bench);
    EXPECT_GT(RowOf(rows, "dumps").a_switch, 0U);
    EXPECT_GE(RowOf(rows, "configuration, blobs").bytes, 2 * kMaxBlobBytes);
    EXPECT_GT(RowOf(rows, "log, control socket").bytes, 100'000U);
    const Fit fit = FitTo(*bench, bench->limits);
    EXPECT_EQ(fit.board_bytes, Together(rows).bytes) << "plan and boards tell the same";
    EXPECT_EQ(fit.needed_bytes, fit.board_bytes);
}

}  // namespace
}  // namespace ember::plan
