// SPDX-License-Identifier: Apache-2.0
// EmberSM: destinations in the order in which they are routed.

#include "engines/stop_list.h"

namespace ember {

void StopList::Begin(const Topology& topology,
                     std::span<const Guid> routing_order,
                     Arena& scratch) {
    const auto room = scratch.Take<Stop>(topology.destinations().size());
    const Arena::Frame frame(scratch);
    const auto taken = scratch.Take<bool>(topology.destinations().size());
    std::size_t count = 0;
    const auto take = [&](DestinationIndex at) {
        const Destination& destination = topology.destination(at);
        // Behind no switch: no switch routes there.
        if (destination.at == kNoSwitch || taken[Raw(at)]) return;
        taken[Raw(at)] = true;
        room[count++] = {.lid = destination.lid,
                         .at = destination.at,
                         .run = 1,
                         .port = destination.port,
                         .lmc = destination.lmc};
    };
    for (const Guid guid : routing_order) {
        const DestinationIndex at = topology.FindDestination(guid);
        if (at != kNoDestination) take(at);
    }
    named_count_ = count;
    for (const DestinationIndex at : topology.destinations_by_crowd()) {
        take(at);
    }
    stops_ = room.first(count);
    JoinRuns();
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
