// SPDX-License-Identifier: Apache-2.0
// EmberSM: forwarding tables of a torus.

#include "engines/torus/torus_routes.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"
#include "core/base/bit_set.h"

namespace ember {

bool TorusRoutes::Begin(const RoutingTask& task, const TorusMap& map) {
    task_ = &task;
    map_ = &map;
    count_ = 0;
    next_ = 0;
    complaint_ = {};
    const Topology& topology = *task.topology;
    order_ = task.scratch->Take<DestinationIndex>(topology.destinations().size());
    if (!OrderPorts()) return false;
    return std::all_of(map.placed().begin(), map.placed().end(),
                       [this](SwitchIndex at) { return OrderDestinations(at); });
}

/// The ports of port_order, then all others. Of the first ones every switch has as many as it has
/// ports, or it is not one that the order is made for.
bool TorusRoutes::OrderPorts() {
    const auto given = task_->options->tables.torus_ports;
    std::array<std::uint64_t, BitSet::WordsFor(kMostPorts)> words{};
    const BitSet seen(words);
    std::size_t count = 0;
    for (const PortNumber port : given) {
        seen.Add(Raw(port));
        ports_[count++] = Raw(port);
    }
    for (std::size_t port = 0; port < kMostPorts; ++port) {
        if (!seen.Has(port)) ports_[count++] = static_cast<std::uint8_t>(port);
    }
    const Topology& topology = *task_->topology;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const RoutingSwitch& row = topology.switch_row(at);
        for (std::size_t i = 0; i <= row.port_count; ++i) {
            if (ports_[i] <= row.port_count) continue;
            complaint_ = {.what = EngineFault::kTorusPortOrder,
                          .guid = row.guid,
                          .port = static_cast<PortNumber>(ports_[i])};
            return false;
        }
    }
    return true;
}

bool TorusRoutes::OrderDestinations(SwitchIndex at) {
    const Topology& topology = *task_->topology;
    const auto exits = topology.exits(at);
    const std::size_t before = count_;
    for (const std::uint8_t port : ports_) {
        if (port >= exits.size()) continue;
        if (exits[port].destination != kNoDestination) order_[count_++] = exits[port].destination;
    }
    if (count_ - before <= map_->shape().group_ports) return true;
    complaint_ = {.what = EngineFault::kTorusPorts, .guid = topology.switch_row(at).guid};
    return false;
}

Progress TorusRoutes::Advance() {
    const auto placed = map_->placed();
    if (next_ == placed.size()) return Progress::kDone;
    const SwitchIndex at = placed[next_++];
    const Topology& topology = *task_->topology;
    LookAround(at);
    Turns for_end_ports{};
    Turns for_switches{};
    const auto row = task_->tables.lfts[at];
    SwitchIndex to = at;
    std::uint8_t direction = kNoDirection;
    for (const DestinationIndex one : order_.first(count_)) {
        const Destination& destination = topology.destination(one);
        if (destination.at != to) {
            to = destination.at;
            direction = to == at ? kNoDirection : DirectionTo(at, to);
        }
        if (to != at && direction == kNoDirection) {
            complaint_ = {.what = EngineFault::kTorusWay, .guid = topology.switch_row(to).guid};
            return Progress::kDone;
        }
        Turns& turns = destination.is_switch() ? for_switches : for_end_ports;
        const std::uint8_t port = to == at ? Raw(destination.port) : TakeTurn(at, turns, direction);
        std::fill_n(row.subspan(Raw(destination.lid)).begin(), destination.lid_count(), port);
    }
    return next_ == placed.size() ? Progress::kDone : Progress::kMore;
}

/// Follows the links of the switch's own rings.
void TorusRoutes::LookAround(SwitchIndex at) {
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        ways_[d].fill(kNoDirection);
        LookAlong(at, static_cast<std::uint8_t>(2 * d));
        LookAlong(at, static_cast<std::uint8_t>(2 * d + 1));
    }
}

void TorusRoutes::LookAlong(SwitchIndex at, std::uint8_t direction) {
    const std::size_t d = direction / 2;
    const std::uint8_t from = map_->spot(at).place[d];
    SwitchIndex next = map_->Next(at, direction);
    while (next != kNoSwitch && next != at) {
        const std::uint8_t there = map_->spot(next).place[d];
        std::uint8_t& way = ways_[d][there];
        if (way == kNoDirection || Shorter(d, from, there) == direction) way = direction;
        next = map_->Next(next, direction);
    }
}

/// The direction of the shorter way round the ring; that within the row if both are equally long.
std::uint8_t TorusRoutes::Shorter(std::size_t dimension, std::uint8_t from, std::uint8_t to) const {
    const int within = std::max(from, to) - std::min(from, to);
    const bool goes_within = 2 * within <= map_->shape().radix[dimension];
    const bool goes_up = (to > from) == goes_within;
    return static_cast<std::uint8_t>(2 * dimension + (goes_up ? 1 : 0));
}

/// Towards the switch at which the path leaves a dimension, or as far as its links lead.
std::uint8_t TorusRoutes::TowardsTurn(SwitchIndex at, const GridPlace& to,
                                      std::size_t dimension) const {
    GridPlace turn = map_->spot(at).place;
    const std::uint8_t from = std::exchange(turn[dimension], to[dimension]);
    if (map_->At(turn) != kNoSwitch) return ways_[dimension][to[dimension]];
    if (dimension + 1 == kTorusDimensions) return kNoDirection;  // No dimension to turn into.
    const std::uint8_t direction = Shorter(dimension, from, to[dimension]);
    return map_->Next(at, direction) == kNoSwitch ? kNoDirection : direction;
}

std::uint8_t TorusRoutes::DirectionTo(SwitchIndex at, SwitchIndex to) const {
    const GridPlace& from = map_->spot(at).place;
    const GridPlace& there = map_->spot(to).place;
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        if (from[d] == there[d]) continue;
        const std::uint8_t direction = TowardsTurn(at, there, d);
        if (direction != kNoDirection) return direction;
    }
    return kNoDirection;
}

/// The port of a group whose turn it is; `turns` has the one after the last, 0: the first.
std::uint8_t TorusRoutes::TakeTurn(SwitchIndex at, Turns& turns, std::size_t direction) const {
    const TorusMap::Group& group = map_->spot(at).groups[direction];
    const std::uint8_t port = turns[direction] == 0 ? group.first : turns[direction];
    turns[direction] = map_->link(at, port).next;
    return port;
}

}  // namespace ember
