// SPDX-License-Identifier: Apache-2.0
// EmberSM: on which level of a tree a switch is.

#include "engines/fat_tree/ranks.h"

#include "core/graph/leaf_switches.h"
#include "core/graph/named_roots.h"

namespace ember {

EngineFault TreeRanks::Find(const RoutingTask& task) {
    const Topology& topology = *task.topology;
    rank_ = Table<SwitchIndex, std::uint16_t>(
        task.scratch->Take<std::uint16_t>(topology.switch_bound()));
    queue_ = task.scratch->Take<SwitchIndex>(topology.switch_bound());
    rank_.fill(kNoRank);
    reached_ = 0;
    top_ = 0;

    from_roots_ = TakeNamedRoots(task);
    if (!from_roots_) {
        if (!SpreadFromBelow(task)) return EngineFault::kRanking;
        TurnAround();
    }
    Spread(topology);
    return top_ == 0 && topology.switch_count() > 1 ? EngineFault::kNoLevels : EngineFault::kNone;
}

bool TreeRanks::TakeNamedRoots(const RoutingTask& task) {
    for (const Guid guid : task.options->tables.roots) {
        const SwitchIndex at = task.topology->FindSwitch(guid);
        if (at != kNoSwitch) AddOrigin(at);
    }
    const NamedRoots roots(*task.options);
    for (const SwitchIndex at : task.topology->switches_by_guid()) {
        if (roots.Has(*task.topology, at)) AddOrigin(at);
    }
    return reached_ > 0;
}

/// False: no switch has a host.
bool TreeRanks::SpreadFromBelow(const RoutingTask& task) {
    const Topology& topology = *task.topology;
    if (task.is_balanced()) {
        reached_ = CollectLeafSwitches(topology, task.hops, queue_);
        for (const SwitchIndex at : queue_.first(reached_)) {
            rank_[at] = 0;
        }
        Spread(topology);
        return reached_ > 0;
    }
    for (const Destination& host : topology.destinations()) {
        if (host.is_switch() || host.is_router || host.at == kNoSwitch) continue;
        AddOrigin(host.at);
    }
    Spread(topology);
    return reached_ > 0;
}

/// The farthest switches become the roots.
void TreeRanks::TurnAround() {
    std::size_t roots = 0;
    for (std::size_t i = 0; i < reached_; ++i) {
        const SwitchIndex at = queue_[i];
        if (rank_[at] == top_) queue_[roots++] = at;
    }
    rank_.fill(kNoRank);
    reached_ = roots;
    top_ = 0;
    for (const SwitchIndex root : queue_.first(roots)) {
        rank_[root] = 0;
    }
}

void TreeRanks::AddOrigin(SwitchIndex at) {
    if (rank_[at] != kNoRank) return;
    rank_[at] = 0;
    queue_[reached_++] = at;
}

void TreeRanks::Spread(const Topology& topology) {
    for (std::size_t next = 0; next < reached_; ++next) {  // Ends: a switch joins the queue once.
        const SwitchIndex here = queue_[next];
        top_ = rank_[here];
        for (const Trunk& trunk : topology.trunks(here)) {
            if (rank_[trunk.peer] != kNoRank) continue;
            rank_[trunk.peer] = static_cast<std::uint16_t>(rank_[here] + 1);
            queue_[reached_++] = trunk.peer;
        }
    }
}

}  // namespace ember
