// SPDX-License-Identifier: Apache-2.0
// EmberSM: which switch stands where on a torus, and by which ports it has its neighbors.

#include "engines/torus/torus_map.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

bool TorusMap::Begin(const Topology& topology, const TorusShape& shape, Arena& scratch) {
    topology_ = &topology;
    shape_ = &shape;
    count_ = 0;
    link_count_ = 0;
    if (shape.places() >= topology.switch_count() + kMostMissing) return false;
    places_ = scratch.Take<SwitchIndex>(shape.places());
    std::fill(places_.begin(), places_.end(), kNoSwitch);
    spots_ = scratch.Take<Spot>(topology.switch_bound());
    order_ = scratch.Take<SwitchIndex>(topology.switch_count());
    links_ = scratch.Take<Link>(topology.all_exits().size());
    return true;
}

bool TorusMap::Put(SwitchIndex at, const GridPlace& place) {
    SwitchIndex& there = places_[PlaceIndex(place)];
    Spot& spot = spots_[Raw(at)];
    if (spot.is_placed) return there == at;
    EMBER_ASSERT(there == kNoSwitch);
    there = at;
    spot.is_placed = true;
    spot.place = place;
    order_[count_++] = at;
    return true;
}

void TorusMap::Join(std::size_t dimension, SwitchIndex low, SwitchIndex high) {
    if (low == high) return;  // The dimension has one switch.
    for (const Trunk& trunk : topology_->trunks(low)) {
        if (trunk.peer != high || !IsFree(low, trunk)) continue;
        const std::uint8_t most = shape_->group_ports;
        if (spot(low).groups[2 * dimension + 1].count == most) return;
        if (spot(high).groups[2 * dimension].count == most) return;
        Append(low, 2 * dimension + 1, trunk.port);
        Append(high, 2 * dimension, trunk.peer_port);
        ++link_count_;
    }
}

void TorusMap::Append(SwitchIndex at, std::size_t direction, PortNumber port) {
    const std::size_t first_exit = topology_->switch_row(at).first_exit;
    Group& group = spots_[Raw(at)].groups[direction];
    if (group.count == 0) {
        group.first = Raw(port);
    } else {
        links_[first_exit + group.last].next = Raw(port);
    }
    group.last = Raw(port);
    ++group.count;
    links_[first_exit + Raw(port)].direction = static_cast<std::uint8_t>(direction);
}

}  // namespace ember
