// SPDX-License-Identifier: Apache-2.0
// EmberSM: does a fabric fit a board?
#include "config/emberc/plan/board.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/blob/container.h"

namespace ember::plan {

std::vector<MemoryRow> MemoryOf(const Board& board, const Limits& limits) {
    const auto core = MemoryTable(limits);
    std::vector<MemoryRow> rows(core.begin(), core.end());
    if (board.is_linux) {
        const std::vector<MemoryRow> beside = board.embersm_rows(limits, kMaxBlobBytes);
        rows.insert(rows.end(), beside.begin(), beside.end());
    } else if (board.budget.memory_bytes != 0) {
        rows.push_back({"configuration", board.budget.ConfigurationBytes()});
    }
    return rows;
}

const Board* FindBoard(std::span<const Board> boards, std::string_view name) {
    for (const Board& board : boards) {
        if (board.name == name) return &board;
    }
    return nullptr;
}

const Board* ShippedBoard(std::span<const Board> boards) {
    const auto found = std::find_if(boards.begin(), boards.end(),
                                    [](const Board& board) { return board.is_linux; });
    return found == boards.end() ? nullptr : &*found;
}

bool Fit::fits() const {
    return std::all_of(limits.begin(), limits.end(),
                       [](const LimitRow& row) { return row.fits(); });
}

std::string Shortage(const Fit& fit) {
    std::string text;
    for (const LimitRow& row : fit.limits) {
        if (row.fits()) continue;
        text += fmt::format("{}{}: {} of {}", text.empty() ? "" : ", ", row.name, row.needed,
                            row.limit);
    }
    return text;
}

Fit FitTo(const Board& board, const Limits& needed) {
    Fit fit;
    fit.board = board.name;
    const Limits& has = board.limits;
    fit.limits = {
        {"nodes", needed.max_nodes, has.max_nodes},
        {"switches", needed.max_switches, has.max_switches},
        {"rows of the port table", needed.max_ports, has.max_ports},
        {"ports of the largest switch", needed.max_switch_ports, has.max_switch_ports},
        {"top LID", needed.max_lid, has.max_lid},
        {"scratch, bytes", needed.scratch_bytes, has.scratch_bytes},
    };
    if (needed.max_lanes > 1) {
        fit.limits.push_back({"virtual lanes", needed.max_lanes, has.max_lanes});
        fit.limits.push_back({"service levels, bytes", needed.path_sl_bytes, has.path_sl_bytes});
        fit.limits.push_back({"SL to VL maps, bytes", needed.lane_map_bytes, has.lane_map_bytes});
    }
    if (needed.max_routing_steps > 1) {
        fit.limits.push_back(
            {"steps of a routing chain", needed.max_routing_steps, has.max_routing_steps});
        if (has.max_step_switches != 0) {
            fit.limits.push_back({"switches of a later step of it", needed.max_step_switches,
                                  has.max_step_switches});
        }
    }
    Limits measured = needed;  // Limits that no fabric decides are the board's choice.
    measured.max_smps = has.max_smps;
    measured.max_other_sms = has.max_other_sms;
    measured.journal_notes = has.journal_notes;
    measured.state_buffer_bytes = has.state_buffer_bytes;
    const auto wanted = MemoryOf(board, measured);
    const auto reserved = MemoryOf(board, has);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        fit.arenas.push_back({wanted[i].name, wanted[i].bytes, reserved[i].bytes});
        fit.needed_bytes += wanted[i].bytes;
        fit.board_bytes += reserved[i].bytes;
    }
    return fit;
}

}  // namespace ember::plan
