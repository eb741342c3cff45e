// SPDX-License-Identifier: Apache-2.0
// EmberSM: what packets wait for when they travel on several data VLs.

#include "core/routing/lane_dependencies.h"

#include <bit>

#include "core/base/assert.h"

namespace ember {

void LaneDependencies::Begin(const Topology& topology, const PathLanes& lanes, Arena& scratch) {
    EMBER_ASSERT(lanes.table.lanes >= 2 && lanes.table.lanes <= DataVls(VlCap::kVl0To14));
    EMBER_ASSERT(lanes.sls.rows() >= topology.switch_bound());
    EMBER_ASSERT(lanes.table.maps.size() >= topology.all_exits().size() * lanes.table.stride);
    topology_ = &topology;
    lanes_ = &lanes;
    loads_ = scratch.Take<Load>(topology.switch_bound());
}

/// Walks are taken last first, each from its begin: a switch then comes behind all whose packets it
/// passes on, as those are before it in its own walk or in a later one.
SwitchIndex LaneDependencies::Record(const Tree& tree,
                                     DependencyGraph& by_end_ports,
                                     DependencyGraph& by_others) {
    EMBER_ASSERT(by_end_ports.lanes() == lanes_->table.lanes &&
                 by_others.lanes() == lanes_->table.lanes);
    for (std::size_t end = tree.visited.size(); end > 0;) {
        std::size_t first = end - 1;
        while (first > 0 && tree.next[Raw(tree.visited[first - 1])] == tree.visited[first])
            --first;
        for (const SwitchIndex at : tree.visited.subspan(first, end - first)) {
            const bool is_fine = AddSenders(tree, at) &&
                                 Pass(tree, at, Traffic::kEndPorts, by_end_ports) &&
                                 Pass(tree, at, Traffic::kOthers, by_others);
            if (!is_fine) return at;
        }
        end = first;
    }
    return kNoSwitch;
}

/// The packets that begin at this switch. False when a lane is not in use.
bool LaneDependencies::AddSenders(const Tree& tree, SwitchIndex at) {
    const Traffic by_end_ports = tree.is_to_end_port ? Traffic::kEndPorts : Traffic::kOthers;
    const auto exits = topology_->exits(at);
    for (std::size_t port = 1; port < exits.size(); ++port) {
        if (exits[port].destination == kNoDestination) continue;
        if (!AddSender(tree, at, static_cast<PortNumber>(port), by_end_ports)) return false;
    }
    const bool is_home = topology_->switch_row(at).is_home;
    return AddSender(tree, at, kManagementPort, is_home ? by_end_ports : Traffic::kOthers);
}

bool LaneDependencies::AddSender(const Tree& tree, SwitchIndex at, PortNumber in, Traffic traffic) {
    const std::size_t exit = ExitOf(tree, at);
    Load& load = loads_[Raw(at)];
    for (unsigned sls = lanes_->sls[at][Raw(tree.lid)]; sls != 0; sls &= sls - 1) {
        const auto sl = static_cast<std::size_t>(std::countr_zero(sls));
        const std::uint8_t lane = lanes_->table.LaneOf(exit, in, sl);
        if (lane >= lanes_->table.lanes) return false;
        load[Raw(traffic)][sl] |= static_cast<std::uint16_t>(1U << lane);
    }
    return true;
}

/// Hands the packets that leave `at` to the next switch. The link to the LID's own switch waits for
/// no further link between switches. False when a lane is not in use.
bool LaneDependencies::Pass(const Tree& tree,
                            SwitchIndex at,
                            Traffic traffic,
                            DependencyGraph& graph) {
    const auto load = loads_[Raw(at)][Raw(traffic)];
    loads_[Raw(at)][Raw(traffic)] = {};
    const SwitchIndex next = tree.next[Raw(at)];
    if (next == tree.destination->at) return true;
    const std::size_t exit = ExitOf(tree, at);
    const PortNumber in = topology_->all_exits()[exit].peer_port;
    for (std::size_t sl = 0; sl < load.size(); ++sl) {
        if (load[sl] == 0) continue;
        const std::uint8_t lane = lanes_->table.LaneOf(ExitOf(tree, next), in, sl);
        if (lane >= lanes_->table.lanes) return false;
        loads_[Raw(next)][Raw(traffic)][sl] |= static_cast<std::uint16_t>(1U << lane);
        for (unsigned before = load[sl]; before != 0; before &= before - 1) {
            const auto held = static_cast<std::uint8_t>(std::countr_zero(before));
            graph.Add(graph.ChannelAt(exit, held), tree.ports[Raw(next)], lane);
        }
    }
    return true;
}

}  // namespace ember
