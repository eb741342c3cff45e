// SPDX-License-Identifier: Apache-2.0
// EmberSM: does a fabric fit a board?
#include "config/emberc/plan/board.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/assignment/lids.h"
#include "core/multicast/trees.h"
#include "core/routing/router.h"
#include "engines/catalogue.h"

namespace ember::plan {

std::size_t LeastScratchBytes(const Limits& limits) {
    return std::max({Router::ScratchBytes(limits, LeastEngineScratchBytes(limits)),
                     AssignLidsScratchBytes(limits), Trees::ScratchBytes(limits)});
}

const Board* FindBoard(std::string_view name) {
    for (const Board& board : Boards()) {
        if (board.name == name) return &board;
    }
    return nullptr;
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
    Limits measured = needed;  // What no fabric decides is the board's choice.
    measured.max_smps = has.max_smps;
    measured.max_other_sms = has.max_other_sms;
    measured.journal_notes = has.journal_notes;
    const auto wanted = MemoryTable(measured);
    const auto reserved = MemoryTable(has);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        fit.arenas.push_back({wanted[i].name, wanted[i].bytes, reserved[i].bytes});
        fit.needed_bytes += wanted[i].bytes;
        fit.board_bytes += reserved[i].bytes;
    }
    return fit;
}

}  // namespace ember::plan
