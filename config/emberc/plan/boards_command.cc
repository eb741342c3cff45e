// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc boards: what each board holds, and what it takes.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/commands.h"
#include "config/emberc/plan/board.h"
#include "config/emberc/plan/commands.h"
#include "config/emberc/say.h"
#include "config/schema/settings_generated.h"
#include "core/settings/partition_rows.h"

namespace ember::plan {
namespace {

/// "12,345,678".
std::string Grouped(std::size_t number) {
    const std::string digits = std::to_string(number);
    std::string grouped;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i != 0 && (digits.size() - i) % 3 == 0) grouped += ',';
        grouped += digits[i];
    }
    return grouped;
}

/// Rows that the largest blob of a board holds if it holds nothing else, at most `most`.
std::size_t RowsIn(const Budget& budget, std::size_t row_bytes, std::size_t most) {
    return budget.blob_bytes == 0 ? most : std::min(most, budget.blob_bytes / row_bytes);
}

std::size_t MembersOf(const Budget& budget) {
    return RowsIn(budget, sizeof(schema::PartitionMember), kMostPartitionMembers);
}

/// Shows the bounds of partition_config_file. A port named in a partition is a member.
void ShowPartitions(const Budget& budget) {
    const auto show = [](std::string_view name, std::size_t number) {
        emberc::Say(stdout, "  {:<24} {:>14}\n", name, Grouped(number));
    };
    show("P_Keys of a port", kMostPKeysOfPort);
    show("partitions, at most", RowsIn(budget, sizeof(schema::PartitionRow), kMostPartitions));
    show("or named members", MembersOf(budget));
}

void ListAll(std::span<const Board> boards) {
    constexpr std::string_view kLine =
        "{:<14} {:>8} {:>8} {:>8} {:>8} {:>8} {:>14} {:>14} {:>10} {:>8} {:>8} {:>8}\n";
    emberc::Say(stdout, kLine, "board", "switches", "LIDs", "ports", "groups", "members",
                "static memory", "budget", "all/LIDs", "a LID", "a host", "a switch");
    for (const Board& board : boards) {
        const GrowthRow all = Together(GrowthOf(board));
        const std::size_t budget = board.budget.memory_bytes;
        emberc::Say(stdout, kLine, board.name, board.limits.max_switches, board.limits.max_lid,
                    board.limits.max_ports, board.limits.max_groups, MembersOf(board.budget),
                    Grouped(all.bytes), budget == 0 ? "-" : Grouped(budget),
                    Grouped(all.bytes / board.limits.max_lid), Grouped(all.a_lid),
                    Grouped(all.a_host), Grouped(all.a_switch));
    }
}

void ShowRow(const GrowthRow& row) {
    const auto cell = [](std::size_t bytes) { return bytes == 0 ? "-" : Grouped(bytes); };
    emberc::Say(stdout, "  {:<24} {:>14} bytes {:>10} {:>8} {:>8}\n", row.name, Grouped(row.bytes),
                cell(row.a_lid), cell(row.a_host), cell(row.a_switch));
}

void ShowOne(const Board& board) {
    emberc::Say(stdout, "{}: {} switches, {} LIDs, {} rows of the port table\n", board.name,
                board.limits.max_switches, board.limits.max_lid, board.limits.max_ports);
    emberc::Say(stdout, "  {:<24} {:>14}       {:>10} {:>8} {:>8}\n", "", "", "a LID", "a host",
                "a switch");
    const std::vector<GrowthRow> rows = GrowthOf(board);
    for (const GrowthRow& row : rows) {
        ShowRow(row);
    }
    ShowRow(Together(rows));
    const Budget& budget = board.budget;
    ShowPartitions(budget);
    if (budget.memory_bytes == 0) return;
    emberc::Say(stdout, "  {:<24} {:>14} bytes\n", "budget", Grouped(budget.memory_bytes));
    emberc::Say(stdout, "  {:<24} {:>14} bytes\n", "stack, at most", Grouped(budget.stack_bytes));
    emberc::Say(stdout, "  {:<24} {:>14} bytes\n", "largest blob", Grouped(budget.blob_bytes));
    if (board.is_linux) return;
    std::size_t bytes = 0;
    for (const MemoryRow& row : MemoryTable(board.limits)) {
        bytes += row.bytes;
    }
    for (const MemoryRow& row : board.embersm_rows(board.limits, budget.blob_bytes)) {
        bytes += row.bytes;
    }
    emberc::Say(stdout, "  {:<24} {:>14} bytes\n", "as embersm, on Linux", Grouped(bytes));
}

}  // namespace

int ShowBoards(std::span<const Board> boards, const std::string& name) {
    if (name.empty()) {
        ListAll(boards);
        return emberc::kDone;
    }
    const Board* const board = FindBoard(boards, name);
    if (board == nullptr) {
        emberc::Say(stderr, "emberc: error: there is no board \"{}\"; emberc boards lists them\n",
                    name);
        return emberc::kUsageIsWrong;
    }
    ShowOne(*board);
    return emberc::kDone;
}

}  // namespace ember::plan
