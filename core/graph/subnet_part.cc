// SPDX-License-Identifier: Apache-2.0
// EmberSM: a part of the subnet, as a topology of its own.

#include "core/graph/subnet_part.h"

#include "core/base/assert.h"

namespace ember {
namespace {

void AddLinks(const Topology& whole, const SubnetPart& part, SwitchIndex at, Topology& topology) {
    for (const Trunk& trunk : whole.trunks(at)) {
        if (!part.Has(at, trunk.port) || !part.Has(trunk.peer, trunk.peer_port)) continue;
        topology.Connect(at, trunk.port, trunk.peer, trunk.peer_port);
        const Exit& exit = whole.exit(at, trunk.port);
        topology.SetLink(at, trunk.port, exit.vls, exit.rate);
    }
}

void AddEndPort(const Topology& whole, DestinationIndex row, Topology& topology) {
    const Destination& destination = whole.destination(row);
    topology.AddDestination(destination);
    if (row == whole.home()) topology.SetHomeDestination();
    if (destination.is_switch()) return;
    EMBER_ASSERT(destination.at != kNoSwitch);
    topology.ConnectEndPort(destination.at, destination.port);
    const Exit& exit = whole.exit(destination.at, destination.port);
    topology.SetLink(destination.at, destination.port, exit.vls, exit.rate);
}

}  // namespace

void BuildPart(const Topology& whole, const SubnetPart& part, Arena& scratch, Topology& topology) {
    EMBER_ASSERT(part.switch_ports.empty() || part.port_stride != 0);
    EMBER_ASSERT(&whole != &topology);
    topology.Start({.switches = whole.switch_bound(),
                    .ports = whole.all_exits().size(),
                    .destinations = whole.destinations().size()},
                   scratch);
    for (const SwitchIndex at : whole.switches_by_guid()) {
        const RoutingSwitch& row = whole.switch_row(at);
        if (!part.Has(at)) continue;
        topology.AddSwitch(at, row.guid, row.system_image_guid, row.port_count);
        if (row.is_home) topology.SetHome(at);
    }
    for (std::size_t i = 0; i < whole.switch_bound(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        if (topology.Has(at)) AddLinks(whole, part, at, topology);
    }
    for (std::size_t i = 0; i < whole.destinations().size(); ++i) {
        const auto row = static_cast<DestinationIndex>(i);
        const Destination& destination = whole.destination(row);
        const bool is_behind =
            destination.at != kNoSwitch &&
            (destination.is_switch() ? part.Has(destination.at)
                                     : part.Has(destination.at, destination.port));
        if (is_behind && part.Has(destination.lid)) AddEndPort(whole, row, topology);
    }
    topology.Finish(whole.order(), scratch);
}

}  // namespace ember
