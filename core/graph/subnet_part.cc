// SPDX-License-Identifier: Apache-2.0
// EmberSM: a part of the subnet, as a topology of its own.

#include "core/graph/subnet_part.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Where the switches of `whole` are in the topology of a part. No rows: where they were.
struct Rows {
    std::span<const SwitchIndex> of;
    [[nodiscard]] SwitchIndex operator[](SwitchIndex at) const {
        return of.empty() ? at : of[Raw(at)];
    }
};

void AddLinks(const Topology& whole, const SubnetPart& part, SwitchIndex at, const Rows& rows,
              Topology& topology) {
    for (const Trunk& trunk : whole.trunks(at)) {
        if (!part.Has(at, trunk.port) || !part.Has(trunk.peer, trunk.peer_port)) continue;
        topology.Connect(rows[at], trunk.port, rows[trunk.peer], trunk.peer_port);
        topology.SetLink(rows[at], trunk.port, whole.traits(at, trunk.port));
    }
}

void AddEndPort(const Topology& whole, DestinationIndex row, const Rows& rows, Topology& topology) {
    Destination destination = whole.destination(row);
    const SwitchIndex at = destination.at;
    destination.at = rows[at];
    topology.AddDestination(destination);
    if (row == whole.home()) topology.SetHomeDestination();
    if (destination.is_switch()) return;
    topology.ConnectEndPort(destination.at, destination.port);
    topology.SetLink(destination.at, destination.port, whole.traits(at, destination.port));
}

[[nodiscard]] bool IsIn(const SubnetPart& part, const Destination& destination) {
    if (destination.at == kNoSwitch || !part.Has(destination.lid)) return false;
    return destination.is_switch() ? part.Has(destination.at)
                                   : part.Has(destination.at, destination.port);
}

/// After Start().
void Fill(const Topology& whole, const SubnetPart& part, const Rows& rows, Arena& scratch,
          Topology& topology) {
    EMBER_ASSERT(part.switch_ports.empty() || part.port_stride != 0);
    EMBER_ASSERT(&whole != &topology);
    for (const SwitchIndex at : whole.switches_by_guid()) {
        const RoutingSwitch& row = whole.switch_row(at);
        if (!part.Has(at)) continue;
        topology.AddSwitch(rows[at], row.guid, row.system_image_guid, row.port_count);
        if (row.has_one_lane) topology.SetOneLane(rows[at]);
        if (row.is_home) topology.SetHome(rows[at]);
    }
    for (std::size_t i = 0; i < whole.switch_bound(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        if (whole.Has(at) && part.Has(at)) AddLinks(whole, part, at, rows, topology);
    }
    for (std::size_t i = 0; i < whole.destinations().size(); ++i) {
        const auto row = static_cast<DestinationIndex>(i);
        if (IsIn(part, whole.destination(row))) AddEndPort(whole, row, rows, topology);
    }
    topology.Finish(whole.order(), scratch);
}

}  // namespace

std::size_t CountSwitches(const Topology& whole, const SubnetPart& part) {
    const auto switches = whole.switches_by_guid();
    return static_cast<std::size_t>(std::count_if(
        switches.begin(), switches.end(), [&part](SwitchIndex at) { return part.Has(at); }));
}

void BuildPart(const Topology& whole, const SubnetPart& part, Arena& scratch, Topology& topology) {
    topology.Start({.switches = whole.switch_bound(),
                    .ports = whole.all_exits().size(),
                    .destinations = whole.destinations().size()},
                   scratch);
    Fill(whole, part, {}, scratch, topology);
}

std::span<const SwitchIndex> BuildDensePart(const Topology& whole, const SubnetPart& part,
                                            Arena& scratch, Topology& topology) {
    const auto rows = scratch.Take<SwitchIndex>(CountSwitches(whole, part));
    const auto dense = scratch.Take<SwitchIndex>(whole.switch_bound());
    Topology::Size size;
    for (std::size_t i = 0; i < whole.switch_bound(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        dense[i] = kNoSwitch;
        if (!whole.Has(at) || !part.Has(at)) continue;
        dense[i] = static_cast<SwitchIndex>(size.switches);
        rows[size.switches++] = at;
        size.ports += whole.exits(at).size();
    }
    for (const Destination& destination : whole.destinations()) {
        if (IsIn(part, destination)) ++size.destinations;
    }
    topology.Start(size, scratch);
    Fill(whole, part, {dense}, scratch, topology);
    return rows;
}

}  // namespace ember
