// SPDX-License-Identifier: Apache-2.0
// EmberSM: cables between switches of one level, where a tree has few of them.

#include "engines/auto/odd_cables.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

bool OddCables::Find(const Topology& topology, const SwitchOrder& order, Arena& scratch) {
    ports_.clear();
    if (!Collect(topology, order) ||
        CountIslands(topology, &order, scratch) != CountIslands(topology, nullptr, scratch)) {
        ports_.clear();
    }
    return !ports_.empty();
}

/// False: there are too many for odd ones, or some switch has no others.
bool OddCables::Collect(const Topology& topology, const SwitchOrder& order) {
    std::size_t all = 0;
    bool has_upper = false;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        std::size_t others = 0;
        const std::size_t before = ports_.size();
        for (const Trunk& trunk : topology.trunks(at)) {
            ++all;
            if (!order.IsFlat(at, trunk.peer)) {
                ++others;
            } else if (ports_.TryPush({.at = at, .port = trunk.port}) != Status::kOk) {
                return false;
            }
        }
        has_upper = has_upper || order.level(at) != 0;
        if (others == 0 && ports_.size() != before) return false;
    }
    return has_upper && ports_.size() * kShare <= all;
}

/// Over all cables, or without those inside a level of `order`.
std::size_t OddCables::CountIslands(const Topology& topology,
                                    const SwitchOrder* order,
                                    Arena& scratch) {
    const Arena::Frame frame(scratch);
    const auto is_met = scratch.Take<bool>(topology.switch_bound());
    const auto queue = scratch.Take<SwitchIndex>(topology.switch_count());
    std::size_t islands = 0;
    std::size_t tail = 0;
    for (const SwitchIndex first : topology.switches_by_guid()) {
        if (is_met[Raw(first)]) continue;
        ++islands;
        is_met[Raw(first)] = true;
        std::size_t head = tail;
        queue[tail++] = first;
        for (; head < tail; ++head) {  // Each switch is met once.
            for (const Trunk& trunk : topology.trunks(queue[head])) {
                const bool is_out = order != nullptr && order->IsFlat(queue[head], trunk.peer);
                if (is_out || is_met[Raw(trunk.peer)]) continue;
                is_met[Raw(trunk.peer)] = true;
                queue[tail++] = trunk.peer;
            }
        }
    }
    return islands;
}

void OddCables::Tell(const Topology& topology, EngineChoice& choice) const {
    choice.odd.clear();
    choice.odd_count = static_cast<std::uint32_t>(ports_.size() / 2);
    for (const SwitchExit& end : ports_) {
        const Exit& exit = topology.exit(end.at, end.port);
        EMBER_ASSERT(exit.peer != kNoSwitch);
        const OddCable cable{.one = topology.switch_row(end.at).guid,
                             .other = topology.switch_row(exit.peer).guid,
                             .port = end.port,
                             .other_port = exit.peer_port};
        const bool is_second_end = cable.other < cable.one;
        if (!is_second_end && !choice.odd.full()) {
            const Status kept = choice.odd.TryPush(cable);
            EMBER_ASSERT(kept == Status::kOk);
        }
    }
}

}  // namespace ember
