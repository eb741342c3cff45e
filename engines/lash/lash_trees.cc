// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of lash: shortest paths, from a tree for each switch.

#include "engines/lash/lash_trees.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/assert.h"

namespace ember {

void LashTrees::Begin(const RoutingTask& task, const LashOrder& order) {
    EMBER_ASSERT(task.hop_room != nullptr);
    task_ = task;
    order_ = order;
    exits_ = task.hop_room->Spend();
    const std::size_t switches = task.topology->switch_bound();
    queue_ = task.scratch->Take<SwitchIndex>(switches);
    parent_ = task.scratch->Take<SwitchIndex>(switches);
    port_ = task.scratch->Take<std::uint8_t>(switches);
    tree_ = task.scratch->Take<std::uint32_t>(switches);
    GoOnTo(Phase::kClear);
}

void LashTrees::GoOnTo(Phase phase) {
    phase_ = phase;
    next_ = 0;
}

Progress LashTrees::Advance() {
    for (std::size_t steps = 0; steps < kStepsPerSlice;) {
        if (next_ == order_.switches.size()) {
            if (phase_ == Phase::kFill) return Progress::kDone;
            GoOnTo(phase_ == Phase::kClear ? Phase::kGrow : Phase::kFill);
            continue;
        }
        steps += phase_ == Phase::kClear  ? ClearNext()
                 : phase_ == Phase::kGrow ? GrowNext()
                                          : FillNext();
        ++next_;
    }
    return Progress::kMore;
}

std::size_t LashTrees::ClearNext() {
    const auto row = exits_[order_.switches[next_]];
    std::fill(row.begin(), row.end(), kNoHops);
    return 1 + row.size() / 16;  // Filled by many octets at a time.
}

/// Returns how many links and switches were looked at.
std::size_t LashTrees::GrowNext() {
    const SwitchIndex root = order_.switches[next_];
    const auto tree = static_cast<std::uint32_t>(next_ + 1);
    std::size_t count = 0;
    std::size_t steps = 0;
    tree_[Raw(root)] = tree;
    queue_[count++] = root;
    for (std::size_t i = 0; i < count; ++i) {
        const SwitchIndex at = queue_[i];
        for (const Trunk& link : order_.links(*task_.topology, at)) {
            ++steps;
            if (tree_[Raw(link.peer)] == tree) continue;
            tree_[Raw(link.peer)] = tree;
            parent_[Raw(link.peer)] = at;
            port_[Raw(link.peer)] = Raw(link.port);
            queue_[count++] = link.peer;
        }
    }
    for (std::size_t i = 1; i < count; ++i) {
        steps += Climb(queue_[i], root);
    }
    return steps;
}

/// Gives the switches above `to` their exits towards it, where earlier trees have not.
std::size_t LashTrees::Climb(SwitchIndex to, SwitchIndex root) {
    std::size_t steps = 0;
    for (SwitchIndex below = to; below != root; ++steps) {  // Ends: parents are nearer the root.
        const SwitchIndex above = parent_[Raw(below)];
        std::uint8_t& exit = exits_[above][Raw(to)];
        if (exit == kNoHops) exit = port_[Raw(below)];
        below = above;
    }
    return steps;
}

/// Fills the entries of a switch: for LIDs of one switch they are alike, unless cables are shared.
std::size_t LashTrees::FillNext() {
    const SwitchIndex at = order_.switches[next_];
    const auto row = task_.tables.lfts[at];
    const auto exits = exits_[at];
    for (const Destination& destination : task_.topology->destinations()) {
        if (destination.at == kNoSwitch) continue;
        const std::uint8_t exit =
            destination.at == at ? Raw(destination.port) : exits[Raw(destination.at)];
        std::fill_n(row.subspan(Raw(destination.lid)).begin(), destination.lid_count(), exit);
    }
    const std::size_t lids = order_.shares_links ? ShareLinks(at) : 0;
    return task_.topology->destinations().size() + lids;
}

/// LIDs take turns on the cables to a neighbor, ascending LIDs on ascending ports.
std::size_t LashTrees::ShareLinks(SwitchIndex at) {
    const auto row = task_.tables.lfts[at];
    std::array<std::uint8_t, 256> following{};  // By port: the next one to the same neighbor.
    std::array<std::uint8_t, 256> turn{};       // By the first of these: the one whose turn it is.
    std::array<std::uint8_t, 256> last{};       // By the first of these: the last one.
    const auto mark = static_cast<std::uint32_t>(order_.switches.size() + next_ + 1);
    for (const Trunk& trunk : task_.topology->trunks(at)) {
        const std::uint8_t port = Raw(trunk.port);
        std::uint8_t& first = port_[Raw(trunk.peer)];
        if (std::exchange(tree_[Raw(trunk.peer)], mark) != mark) {
            first = last[port] = turn[port] = port;
        }
        following[last[first]] = port;
        following[port] = first;
        last[first] = port;
    }
    const std::size_t lids = Raw(task_.topology->top_lid());
    for (std::size_t lid = 1; lid <= lids; ++lid) {
        const std::uint8_t first = row[lid];
        if (following[first] == 0) continue;  // No cable to a switch.
        row[lid] = turn[first];
        turn[first] = following[turn[first]];
    }
    return lids;
}

}  // namespace ember
