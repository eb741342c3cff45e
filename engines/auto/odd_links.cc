// SPDX-License-Identifier: Apache-2.0
// EmberSM: cables that are no step from a level to the next, where a tree has few of them.

#include "engines/auto/odd_links.h"

#include <algorithm>

namespace ember {

bool OddLinks::Find(const Topology& topology, const SwitchOrder& order, Arena& scratch) {
    ports_.clear();
    if (!Collect(topology, order) ||
        CountIslands(topology, &order, scratch) != CountIslands(topology, nullptr, scratch)) {
        ports_.clear();
    }
    return !ports_.empty();
}

/// False: there are too many for odd ones, or some switch has no others.
bool OddLinks::Collect(const Topology& topology, const SwitchOrder& order) {
    std::size_t all = 0;
    bool has_upper = false;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const std::size_t trunks = topology.trunks(at).size();
        const std::size_t before = ports_.size();
        if (!CollectAt(at, topology, order)) return false;
        if (ports_.size() != before && ports_.size() - before == trunks) return false;
        all += trunks;
        has_upper = has_upper || order.level(at) != 0;
    }
    return has_upper && ports_.size() * kShare <= all;
}

/// False: there are too many.
bool OddLinks::CollectAt(SwitchIndex at, const Topology& topology, const SwitchOrder& order) {
    for (const Trunk& trunk : topology.trunks(at)) {
        if (!order.IsFlat(at, trunk.peer)) continue;
        if (ports_.TryPush({.at = at, .port = trunk.port}) != Status::kOk) return false;
    }
    return true;
}

/// Over all cables, or without the flat ones of `order`.
std::size_t OddLinks::CountIslands(const Topology& topology, const SwitchOrder* order,
                                   Arena& scratch) {
    const Arena::Frame frame(scratch);
    const auto is_met = scratch.Take<bool>(topology.switch_bound());
    const auto queue = scratch.Take<SwitchIndex>(topology.switch_count());
    std::size_t islands = 0;
    std::size_t head = 0;
    std::size_t tail = 0;
    const auto meet = [&](SwitchIndex at) {
        if (is_met[Raw(at)]) return;
        is_met[Raw(at)] = true;
        queue[tail++] = at;
    };
    const auto meet_neighbors = [&](SwitchIndex here) {
        for (const Trunk& trunk : topology.trunks(here)) {
            if (order == nullptr || !order->IsFlat(here, trunk.peer)) meet(trunk.peer);
        }
    };
    for (const SwitchIndex first : topology.switches_by_guid()) {
        if (is_met[Raw(first)]) continue;
        ++islands;
        meet(first);
        while (head < tail)
            meet_neighbors(queue[head++]);  // Each switch is met once.
    }
    return islands;
}

}  // namespace ember
