// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet that the last proof was about.

#include "core/routing/proved_subnet.h"

namespace ember {

namespace {

ProvedSubnet::SwitchMark MarkOf(const RoutingSwitch& row) {
    return {.guid = row.guid, .port_count = row.port_count, .is_home = row.is_home};
}

ProvedSubnet::LidMark MarkOf(const Destination& row) {
    return {.lid = row.lid, .at = row.at, .port = row.port, .lmc = row.lmc};
}

}  // namespace

bool ProvedSubnet::Keep(const Topology& topology) {
    const auto exits = topology.all_exits();
    const auto destinations = topology.destinations();
    switch_bound_ = topology.switch_bound();
    exit_count_ = exits.size();
    lid_count_ = destinations.size();
    if (switch_bound_ > memory_.switches.size() || exit_count_ > memory_.peers.size() ||
        lid_count_ > memory_.lids.size()) {
        return false;
    }
    for (std::size_t i = 0; i < switch_bound_; ++i) {
        memory_.switches[i] = MarkOf(topology.switch_row(static_cast<SwitchIndex>(i)));
    }
    for (std::size_t i = 0; i < exit_count_; ++i) {
        memory_.peers[i] = exits[i].peer;
    }
    for (std::size_t i = 0; i < lid_count_; ++i) {
        memory_.lids[i] = MarkOf(destinations[i]);
    }
    return true;
}

bool ProvedSubnet::SameSwitches(const Topology& topology) const {
    if (topology.switch_bound() != switch_bound_) return false;
    for (std::size_t i = 0; i < switch_bound_; ++i) {
        const SwitchMark now = MarkOf(topology.switch_row(static_cast<SwitchIndex>(i)));
        if (now != memory_.switches[i]) return false;
    }
    return true;
}

bool ProvedSubnet::SameLids(const Topology& topology) const {
    const auto destinations = topology.destinations();
    if (destinations.size() != lid_count_) return false;
    for (std::size_t i = 0; i < lid_count_; ++i) {
        if (MarkOf(destinations[i]) != memory_.lids[i]) return false;
    }
    return true;
}

ProvedSubnet::Difference ProvedSubnet::Compare(const Topology& topology,
                                               std::span<LinkChange> changes) const {
    Difference difference;
    if (!SameSwitches(topology) || !SameLids(topology)) return difference;
    const auto exits = topology.all_exits();
    EMBER_ASSERT(exits.size() == exit_count_);  // Switches with the same ports have the same exits.
    for (std::size_t i = 0; i < switch_bound_; ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        const RoutingSwitch& row = topology.switch_row(at);
        EMBER_ASSERT(!topology.Has(at) || row.first_exit + row.port_count < exits.size());
        for (std::size_t port = 1; port <= row.port_count; ++port) {
            const SwitchIndex was = memory_.peers[row.first_exit + port];
            const SwitchIndex is = exits[row.first_exit + port].peer;
            if (was == is) continue;
            if (difference.count == changes.size()) return difference;
            changes[difference.count++] = {at, static_cast<PortNumber>(port), was, is};
        }
    }
    difference.is_links_only = true;
    return difference;
}

}  // namespace ember
