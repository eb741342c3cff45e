// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc boards: what each board holds, and what it takes.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/commands.h"
#include "config/emberc/plan/board.h"
#include "config/emberc/plan/commands.h"
#include "config/emberc/say.h"

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

std::vector<MemoryRow> RowsOf(const Board& board) {
    const auto table = MemoryTable(board.limits);
    std::vector<MemoryRow> rows(table.begin(), table.end());
    if (board.budget.memory_bytes != 0) {
        rows.push_back({"configuration", board.budget.ConfigurationBytes()});
    }
    return rows;
}

std::size_t Together(const Board& board) {
    std::size_t bytes = 0;
    for (const MemoryRow& row : RowsOf(board)) {
        bytes += row.bytes;
    }
    return bytes;
}

void ListAll() {
    emberc::Say(stdout, "{:<14} {:>8} {:>8} {:>8} {:>8} {:>14} {:>14} {:>10}\n", "board",
                "switches", "LIDs", "ports", "groups", "static memory", "budget", "a LID");
    for (const Board& board : Boards()) {
        const std::size_t bytes = Together(board);
        const std::size_t budget = board.budget.memory_bytes;
        emberc::Say(stdout, "{:<14} {:>8} {:>8} {:>8} {:>8} {:>14} {:>14} {:>10}\n", board.name,
                    board.limits.max_switches, board.limits.max_lid, board.limits.max_ports,
                    board.limits.max_groups, Grouped(bytes), budget == 0 ? "-" : Grouped(budget),
                    Grouped(bytes / board.limits.max_lid));
    }
}

void ShowOne(const Board& board) {
    emberc::Say(stdout, "{}: {} switches, {} LIDs, {} rows of the port table\n", board.name,
                board.limits.max_switches, board.limits.max_lid, board.limits.max_ports);
    for (const MemoryRow& row : RowsOf(board)) {
        emberc::Say(stdout, "  {:<24} {:>14} bytes\n", row.name, Grouped(row.bytes));
    }
    emberc::Say(stdout, "  {:<24} {:>14} bytes\n", "together", Grouped(Together(board)));
    const Budget& budget = board.budget;
    if (budget.memory_bytes == 0) return;
    emberc::Say(stdout, "  {:<24} {:>14} bytes\n", "budget", Grouped(budget.memory_bytes));
    emberc::Say(stdout, "  {:<24} {:>14} bytes\n", "stack, at most", Grouped(budget.stack_bytes));
    emberc::Say(stdout, "  {:<24} {:>14} bytes\n", "largest blob", Grouped(budget.blob_bytes));
}

}  // namespace

int ShowBoards(const std::string& name) {
    if (name.empty()) {
        ListAll();
        return emberc::kDone;
    }
    const Board* const board = FindBoard(name);
    if (board == nullptr) {
        emberc::Say(stderr, "emberc: error: there is no board \"{}\"; emberc boards lists them\n",
                    name);
        return emberc::kUsageIsWrong;
    }
    ShowOne(*board);
    return emberc::kDone;
}

}  // namespace ember::plan
