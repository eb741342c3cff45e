// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a larger fabric would take of a board's memory.
#include "config/emberc/plan/growth.h"

#include <algorithm>
#include <cstdint>

#include "engines/catalogue.h"

namespace ember::plan {
namespace {

/// LIDs, hosts and switches beyond those of the board; negative: fewer.
struct Change {
    std::int64_t lids = 0;
    std::int64_t hosts = 0;
    std::int64_t switches = 0;
};

std::int64_t PortsOfASwitch(const Limits& limits) {
    const std::int64_t hosts = std::int64_t{limits.max_nodes} - limits.max_switches;
    return (std::int64_t{limits.max_ports} - hosts) / limits.max_switches;
}

Limits Changed(const Limits& limits, const Change& change) {
    const auto sum = [](std::uint32_t is, std::int64_t more) {
        return static_cast<std::uint32_t>(is + more);
    };
    Limits changed = limits;
    changed.max_lid = sum(limits.max_lid, change.lids);
    changed.max_switches = sum(limits.max_switches, change.switches);
    changed.max_nodes = sum(limits.max_nodes, change.hosts + change.switches);
    changed.max_ports =
        sum(limits.max_ports, change.hosts + change.switches * PortsOfASwitch(limits));
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
