// SPDX-License-Identifier: Apache-2.0
// EmberSM: does a fabric fit a board, and what would a larger one take of it?
#include "config/emberc/plan/board.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "config/blob/container.h"
#include "engines/catalogue.h"

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

namespace {

/// LIDs, hosts and switches beyond those of the board; negative: fewer.
struct Change {
    std::int64_t lids = 0;
    std::int64_t hosts = 0;
    std::int64_t switches = 0;
};

Limits Changed(const Limits& limits, const Change& change) {
    const auto sum = [](std::uint32_t is, std::int64_t more) {
        return static_cast<std::uint32_t>(is + more);
    };
    Limits changed = limits;
    changed.max_lid = sum(limits.max_lid, change.lids);
    changed.max_switches = sum(limits.max_switches, change.switches);
    changed.max_nodes = sum(limits.max_nodes, change.hosts + change.switches);
    const std::int64_t hosts = std::int64_t{limits.max_nodes} - limits.max_switches;
    const std::int64_t ports_a_switch =
        (std::int64_t{limits.max_ports} - hosts) / limits.max_switches;
    changed.max_ports = sum(limits.max_ports, change.hosts + change.switches * ports_a_switch);
    changed.scratch_bytes =
        static_cast<std::uint32_t>(LeastScratchBytes(changed, LeastEngineScratchBytes(changed)));
    return changed;
}

/// Row by row, for one of `most` things: half of them are added, and half taken away. Whole blocks
/// of an LFT where there are as many.
std::vector<std::size_t> Each(const Board& board, std::int64_t most, std::int64_t Change::*of) {
    constexpr std::int64_t kBlock = 64;
    const std::int64_t half = most / 2 >= kBlock ? most / 2 / kBlock * kBlock : most / 2;
    Change more;
    Change less;
    more.*of = half;
    less.*of = -half;
    const auto large = MemoryOf(board, Changed(board.limits, more));
    const auto small = MemoryOf(board, Changed(board.limits, less));
    std::vector<std::size_t> bytes;
    for (std::size_t row = 0; row < large.size(); ++row) {
        const std::size_t grown = large[row].bytes - std::min(large[row].bytes, small[row].bytes);
        bytes.push_back(half == 0 ? 0 : grown / static_cast<std::size_t>(2 * half));
    }
    return bytes;
}

}  // namespace

std::vector<GrowthRow> GrowthOf(const Board& board) {
    const Limits& limits = board.limits;
    const std::int64_t hosts = std::int64_t{limits.max_nodes} - limits.max_switches;
    const auto lid = Each(board, limits.max_lid, &Change::lids);
    const auto host = Each(board, hosts, &Change::hosts);
    const auto one_switch = Each(board, limits.max_switches, &Change::switches);
    std::vector<GrowthRow> rows;
    for (const MemoryRow& row : MemoryOf(board, limits)) {
        const std::size_t i = rows.size();
        rows.push_back({row.name, row.bytes, lid[i], host[i], one_switch[i]});
    }
    return rows;
}

GrowthRow Together(const std::vector<GrowthRow>& rows) {
    GrowthRow sum{.name = "together"};
    for (const GrowthRow& row : rows) {
        sum.bytes += row.bytes;
        sum.a_lid += row.a_lid;
        sum.a_host += row.a_host;
        sum.a_switch += row.a_switch;
    }
    return sum;
}

}  // namespace ember::plan
