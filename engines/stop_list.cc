// SPDX-License-Identifier: Apache-2.0
// EmberSM: destinations in the order in which they are routed.

#include "engines/stop_list.h"

#include <algorithm>

namespace ember {

void StopList::Begin(const Topology& topology,
                     std::span<const Guid> routing_order,
                     Arena& scratch) {
    topology_ = &topology;
    routing_order_ = routing_order;
    room_ = scratch.Take<Stop>(topology.destinations().size());
    taken_ = scratch.Take<bool>(topology.destinations().size());
    next_ = count_ = named_count_ = 0;
    stops_ = {};
}

Progress StopList::Advance() {
    const auto by_crowd = topology_->destinations_by_crowd();
    const std::size_t end = routing_order_.size() + by_crowd.size();
    const std::size_t slice_end = std::min(next_ + kLinesPerSlice, end);
    for (; next_ < slice_end; ++next_) {
        if (next_ >= routing_order_.size()) {
            Take(by_crowd[next_ - routing_order_.size()]);
            continue;
        }
        const DestinationIndex at = topology_->FindDestination(routing_order_[next_]);
        if (at != kNoDestination) Take(at);
        named_count_ = count_;
    }
    if (next_ < end) return Progress::kMore;
    stops_ = room_.first(count_);
    JoinRuns();
    return Progress::kDone;
}

void StopList::Take(DestinationIndex at) {
    const Destination& destination = topology_->destination(at);
    // Behind no switch: no switch routes there.
    if (destination.at == kNoSwitch || taken_[Raw(at)]) return;
    taken_[Raw(at)] = true;
    room_[count_++] = {.lid = destination.lid,
                       .at = destination.at,
                       .run = 1,
                       .port = destination.port,
                       .lmc = destination.lmc};
}

void StopList::JoinRuns() {
    for (std::size_t i = stops_.size(); i > 1; --i) {
        Stop& before = stops_[i - 2];
        const Stop& stop = stops_[i - 1];
        // A switch's own LID is on its own: it counts differently.
        const bool joined = before.at == stop.at && !before.is_switch() && !stop.is_switch();
        if (joined) before.run = static_cast<std::uint16_t>(stop.run + 1);
    }
}

}  // namespace ember
