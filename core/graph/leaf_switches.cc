// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switches that are at the bottom of a fabric.

#include "core/graph/leaf_switches.h"

#include <algorithm>

#include "core/graph/hops.h"

namespace ember {
namespace {

/// Some shortest path from the leaf switch that is nearest to it leads over it to another one.
bool LiesBetween(Matrix<SwitchIndex, const std::uint8_t> hops, SwitchIndex at,
                 std::span<const SwitchIndex> leaves) {
    const auto here = hops[at];
    SwitchIndex nearest = kNoSwitch;
    for (const SwitchIndex leaf : leaves) {
        if (nearest == kNoSwitch || here[Raw(leaf)] < here[Raw(nearest)]) nearest = leaf;
    }
    if (nearest == kNoSwitch || here[Raw(nearest)] == kNoHops) return false;
    const auto from = hops[nearest];
    const unsigned first = here[Raw(nearest)];
    return std::any_of(leaves.begin(), leaves.end(), [&](SwitchIndex leaf) {
        if (leaf == nearest || here[Raw(leaf)] == kNoHops) return false;
        return first + here[Raw(leaf)] == from[Raw(leaf)];
    });
}

}  // namespace

std::size_t CollectLeafSwitches(const Topology& topology,
                                Matrix<SwitchIndex, const std::uint8_t> hops,
                                std::span<SwitchIndex> leaves) {
    std::size_t count = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        if (topology.switch_row(at).host_count > kMostHostsAbove) leaves[count++] = at;
    }
    const auto sure = leaves.first(count);
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const std::uint16_t hosts = topology.switch_row(at).host_count;
        if (hosts == 0 || hosts > kMostHostsAbove || LiesBetween(hops, at, sure)) continue;
        leaves[count++] = at;
    }
    if (count != 0) return count;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        if (topology.switch_row(at).end_port_count != 0) leaves[count++] = at;
    }
    return count;
}

}  // namespace ember
