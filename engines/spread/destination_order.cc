// SPDX-License-Identifier: Apache-2.0
// EmberSM: destinations in the order in which they are routed.

#include "engines/spread/destination_order.h"

#include <algorithm>

namespace ember {

void DestinationOrder::Begin(const Topology& topology, std::span<const Guid> routing_order,
                             Arena& scratch) {
    topology_ = &topology;
    routing_order_ = routing_order;
    room_ = scratch.Take<OrderedDestination>(topology.destinations().size());
    taken_ = scratch.Take<bool>(topology.destinations().size());
    next_ = count_ = named_count_ = 0;
    destinations_ = {};
}

Progress DestinationOrder::Advance() {
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
    destinations_ = room_.first(count_);
    JoinRuns();
    return Progress::kDone;
}

void DestinationOrder::Take(DestinationIndex at) {
    const Destination& destination = topology_->destination(at);
    // A destination behind no switch is in no forwarding table.
    if (destination.at == kNoSwitch || taken_[Raw(at)]) return;
    taken_[Raw(at)] = true;
    room_[count_++] = {.lid = destination.lid,
                       .at = destination.at,
                       .run = 1,
                       .port = destination.port,
                       .lmc = destination.lmc};
}

void DestinationOrder::JoinRuns() {
    for (std::size_t i = destinations_.size(); i > 1; --i) {
        OrderedDestination& before = destinations_[i - 2];
        const OrderedDestination& here = destinations_[i - 1];
        // A switch's own LID makes a run of its own: it counts differently as load.
        const bool joined = before.at == here.at && !before.is_switch() && !here.is_switch();
        if (joined) before.run = static_cast<std::uint16_t>(here.run + 1);
    }
}

}  // namespace ember
