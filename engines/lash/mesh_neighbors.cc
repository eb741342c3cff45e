// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is around each switch.

#include "engines/lash/mesh_neighbors.h"

namespace ember {

void MeshNeighbors::Begin(const Topology& topology, Arena& scratch) {
    topology_ = &topology;
    const std::size_t switches = topology.switch_bound();
    std::size_t trunks = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        trunks += topology.trunks(at).size();
    }
    links_ = scratch.Take<Trunk>(trunks);
    count_ = scratch.Take<std::uint16_t>(switches);
    distances_ = scratch.Take<NeighborDistances>(switches);
    queue_ = scratch.Take<SwitchIndex>(switches);
    far_ = scratch.Take<std::uint16_t>(switches);
    mark_ = scratch.Take<std::uint32_t>(switches);
    marks_ = 0;
}

std::size_t MeshNeighbors::Collect(SwitchIndex at) {
    ++marks_;
    const auto links = links_.subspan(topology_->switch_row(at).first_trunk);
    const auto trunks = topology_->trunks(at);
    std::uint16_t count = 0;
    for (const Trunk& trunk : trunks) {
        if (mark_[Raw(trunk.peer)] == marks_) continue;
        mark_[Raw(trunk.peer)] = marks_;
        links[count++] = trunk;
    }
    count_[Raw(at)] = count;
    return trunks.size() + 1;
}

std::size_t MeshNeighbors::Measure(SwitchIndex at) {
    if (!HasDistances(at)) return 1;
    const auto around = links(at);
    NeighborDistances& distances = distances_[Raw(at)];
    distances.count = around.size();
    std::size_t steps = 1;
    for (std::size_t i = 0; i < around.size(); ++i) {
        steps += Search(around[i].peer, at);
        for (std::size_t j = 0; j < around.size(); ++j) {
            const std::size_t to = Raw(around[j].peer);
            distances.of[i][j] = mark_[to] == marks_ ? far_[to] : NeighborDistances::kNone;
        }
    }
    return steps;
}

/// Breadth first, until all neighbors of `without` have been seen. Returns links looked at.
std::size_t MeshNeighbors::Search(SwitchIndex from, SwitchIndex without) {
    ++marks_;
    std::size_t steps = 0;
    std::size_t count = 0;
    const auto see = [&](SwitchIndex at, std::uint16_t far) {
        mark_[Raw(at)] = marks_;
        far_[Raw(at)] = far;
        queue_[count++] = at;
    };
    const auto is_done = [&] {
        for (const Trunk& link : links(without)) {
            if (mark_[Raw(link.peer)] != marks_) return false;
        }
        return true;
    };
    see(from, 0);
    for (std::size_t i = 0; i < count && !is_done(); ++i) {
        const SwitchIndex at = queue_[i];
        const auto far = static_cast<std::uint16_t>(far_[Raw(at)] + 1);
        for (const Trunk& link : links(at)) {
            ++steps;
            if (link.peer == without || mark_[Raw(link.peer)] == marks_) continue;
            see(link.peer, far);
        }
    }
    return steps + count;
}

}  // namespace ember
