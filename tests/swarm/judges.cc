// SPDX-License-Identifier: Apache-2.0
// EmberSM: judges of a story that read the hardware alone.
#include "tests/swarm/judges.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "core/fabric/aggregation_nodes.h"

namespace ember::swarm {
namespace {

using sim::kNoRow;
using sim::SimNode;
using sim::World;

bool IsActive(const World& world, std::uint32_t row) {
    return world.port(row).info.Get(PortInfo::kPortState) == PortState::kActive;
}

bool Owns(const World& world, std::uint32_t row, std::uint32_t lid) {
    const PortInfo& info = world.port(row).info;
    const std::uint32_t first = Raw(info.Get(PortInfo::kLid));
    return first != 0 && lid >= first && lid < first + (1U << info.Get(PortInfo::kLmc));
}

/// The row beyond the exit of `lid` at the switch `node`, or kNoRow: it ends there.
std::uint32_t Next(const World& world, std::uint32_t node, std::uint32_t lid) {
    const SimNode& here = world.node(node);
    if (!here.powered || lid > Raw(here.switch_info.Get(SwitchInfo::kLinearFdbTop))) return kNoRow;
    const std::uint8_t out = world.LftEntry(node, lid);
    if (out == 0 || out > here.port_count || !IsActive(world, here.first_row + out)) return kNoRow;
    return world.Beyond(here.first_row + out);
}

std::uint32_t MaskOf(const World& world, std::uint32_t node, std::uint32_t mlid, std::uint32_t at) {
    const auto block = world.MftBlock(node, (mlid - 0xC000) / 32, at);
    if (block.empty()) return 0;
    const std::size_t octet = mlid % 32 * std::size_t{2};
    return std::uint32_t{block[octet]} << 8U | block[octet + 1];
}

Delivery Flood(const World& world, std::uint32_t node, std::uint32_t entry, std::uint32_t mlid) {
    Delivery delivery;
    std::deque<std::pair<std::uint32_t, std::uint32_t>> todo{{node, entry}};
    const std::size_t most = 2 * world.row_count();  // A tree goes over each link once.
    for (std::size_t steps = 0; !todo.empty(); ++steps) {
        if (steps > most) {
            delivery.circles = true;
            return delivery;
        }
        const auto [at, came_by] = todo.front();
        todo.pop_front();
        const SimNode& here = world.node(at);
        std::uint32_t mask = 0;
        for (std::uint32_t port = 0; port <= here.port_count; ++port) {
            if (port % 16 == 0) mask = MaskOf(world, at, mlid, port / 16);
            const std::uint32_t row = here.first_row + port;
            if ((mask >> (port % 16) & 1U) == 0 || row == came_by) continue;
            if (port == 0) {
                delivery.heard.insert(row);
                continue;
            }
            const std::uint32_t beyond = IsActive(world, row) ? world.Beyond(row) : kNoRow;
            if (beyond == kNoRow) continue;
            if (world.node_of(beyond).is_switch()) {
                todo.emplace_back(world.port(beyond).node, beyond);
            } else {
                delivery.heard.insert(beyond);
            }
        }
    }
    return delivery;
}

}  // namespace

std::string NameOf(const World& world, std::uint32_t row) {
    const SimNode& node = world.node_of(row);
    const auto end = std::find(node.description.begin(), node.description.end(), 0);
    return "\"" + std::string(node.description.begin(), end) + "\"[" +
           std::to_string(world.port(row).number) + "]";
}

std::vector<std::uint32_t> PortsWithLids(const World& world) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        const SimNode& node = world.node_of(row);
        const bool is_own = (world.port(row).number == 0) == node.is_switch();
        if (!is_own || !node.powered) continue;
        if (!node.is_switch() && world.Beyond(row) == kNoRow) continue;
        if (world.port(row).info.Get(PortInfo::kLid) != kNoLid) rows.push_back(row);
    }
    return rows;
}

bool IsAggregationOfRoot(const World& world, std::uint32_t row) {
    const auto is_aggregation = [&](std::uint32_t at) {
        return IsAggregationDevice(world.node_of(at).info.Get(NodeInfo::kDeviceId));
    };
    const std::uint32_t beyond = world.Beyond(row);
    if (!is_aggregation(row) || beyond == kNoRow || !world.node_of(beyond).is_switch())
        return false;
    const SimNode& at = world.node_of(beyond);
    for (std::uint32_t port = 1; port <= at.port_count; ++port) {
        const std::uint32_t peer = world.Beyond(at.first_row + port);
        if (peer == kNoRow || world.node_of(peer).is_switch()) continue;
        if (!is_aggregation(peer)) return false;
    }
    return true;
}

bool RunsInCircle(const World& world, std::uint32_t node, std::uint32_t lid) {
    for (std::uint32_t steps = 0; steps <= world.switch_count(); ++steps) {
        const SimNode& here = world.node(node);
        if (!here.is_switch() || Owns(world, here.first_row, lid)) return false;
        const std::uint32_t row = Next(world, node, lid);
        if (row == kNoRow) return false;
        node = world.port(row).node;
    }
    return true;
}

std::string Reaches(const World& world, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t first = Raw(world.port(to).info.Get(PortInfo::kLid));
    const std::uint32_t count = 1U << world.port(to).info.Get(PortInfo::kLmc);
    for (std::uint32_t lid = first; lid < first + count; ++lid) {
        std::uint32_t row = from;
        if (!world.node_of(from).is_switch() && from != to) row = world.Beyond(from);
        std::uint32_t steps = 0;
        while (row != kNoRow && !Owns(world, world.ManagementRow(row), lid)) {
            const bool is_lost = !world.node_of(row).is_switch() || ++steps > world.switch_count();
            row = is_lost ? kNoRow : Next(world, world.port(row).node, lid);
        }
        if (row != kNoRow && world.ManagementRow(row) == world.ManagementRow(to)) continue;
        return "from " + NameOf(world, from) + " nothing comes to LID " + std::to_string(lid) +
               " of " + NameOf(world, to) + (steps > world.switch_count() ? ": a circle" : "");
    }
    return {};
}

Delivery SendToGroup(const World& world, std::uint32_t row, std::uint32_t mlid) {
    const std::uint32_t beyond = world.Beyond(row);
    if (beyond == kNoRow || !IsActive(world, row)) return {};
    if (!world.node_of(beyond).is_switch()) return {{beyond}, false};
    return Flood(world, world.port(beyond).node, beyond, mlid);
}

Delivery FloodFrom(const World& world, std::uint32_t node, std::uint32_t mlid) {
    return Flood(world, node, kNoRow, mlid);
}

std::string LidsAreDistinct(const World& world, const PortFilter& counts) {
    std::map<std::uint32_t, std::uint32_t> owners;
    for (const std::uint32_t row : PortsWithLids(world)) {
        if (!counts(row)) continue;
        const PortInfo& info = world.port(row).info;
        const std::uint32_t first = Raw(info.Get(PortInfo::kLid));
        for (std::uint32_t i = 0; i < 1U << info.Get(PortInfo::kLmc); ++i) {
            const auto [old, is_new] = owners.emplace(first + i, row);
            if (is_new) continue;
            return "LID " + std::to_string(first + i) + " belongs to " +
                   NameOf(world, old->second) + " and to " + NameOf(world, row);
        }
    }
    return {};
}

}  // namespace ember::swarm
