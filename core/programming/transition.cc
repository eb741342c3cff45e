// SPDX-License-Identifier: Apache-2.0
// EmberSM: the forwarding tables that switches have, beside those that they shall have.

#include "core/programming/transition.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void Transition::FindHomes() {
    homes_.fill(kNoSwitch);
    ForEachEndPort(fabric_, [&](PortIndex, const Port& port) {
        if (port.lid == kNoLid) return;
        const PortIndex switch_port =
            fabric_.node(port.node).type == NodeType::kSwitch ? fabric_.IndexOf(port) : port.peer;
        if (switch_port == kNoPortIndex) return;
        const SwitchIndex home = fabric_.node(fabric_.port(switch_port).node).switch_index;
        EMBER_ASSERT(port.lid <= kTopUnicastLid);
        EMBER_ASSERT(Raw(port.lid) + (std::size_t{1} << port.lmc) <= homes_.size());
        const auto lids = homes_.values().subspan(Raw(port.lid), std::size_t{1} << port.lmc);
        std::fill(lids.begin(), lids.end(), home);
    });
}

std::uint8_t Transition::Present(SwitchIndex at, std::size_t lid) const {
    const bool is_known = tables_.known.Has(Raw(at) * tables_.blocks_per_row + lid / 64);
    const bool is_live =
        is_known && lid <= Raw(fabric_.switch_row(at).info.Get(SwitchInfo::kLinearFdbTop));
    return is_live ? tables_.present[at][lid] : kDrop;
}

std::size_t Transition::LiveEntries(SwitchIndex at, std::uint32_t block) const {
    EMBER_ASSERT(block < tables_.blocks_per_row);
    const std::size_t first = std::size_t{block} * 64;
    const std::size_t bound =
        std::size_t{Raw(fabric_.switch_row(at).info.Get(SwitchInfo::kLinearFdbTop))} + 1;
    return bound <= first ? 0 : std::min<std::size_t>(bound - first, 64);
}

SwitchIndex Transition::Neighbor(SwitchIndex at, std::uint8_t port) const {
    if (port == 0 || port == kDrop) return kNoSwitch;
    const PortIndex row =
        fabric_.PortOf(fabric_.switch_row(at).node, static_cast<PortNumber>(port));
    if (row == kNoPortIndex) return kNoSwitch;
    const Port& exit = fabric_.port(row);
    if (exit.peer != kNoPortIndex) return fabric_.node(fabric_.port(exit.peer).node).switch_index;
    return exit.info.Get(PortInfo::kPortState) >= PortState::kInitialize ? kStranger : kNoSwitch;
}

/// Hops of the planned path from a switch to the home of `lid`.
std::uint32_t Transition::Distance(SwitchIndex at, std::size_t lid) const {
    const SwitchIndex home = HomeOf(lid);
    if (tables_.hops.rows() != 0) {
        const std::uint8_t hops = tables_.hops[at][Raw(home)];
        return hops == kDrop ? kFarAway : hops;
    }
    std::uint32_t distance = 0;
    for (SwitchIndex next = at; next != home; ++distance) {  // Ends: the plan has no loop.
        if (next == kNoSwitch || distance > fabric_.switch_bound()) return kFarAway;
        next = Behind(next, Planned(next, lid));
    }
    return distance;
}

bool Transition::LeadsAway(SwitchIndex at, SwitchIndex next, std::size_t lid) const {
    if (next == kNoSwitch || HomeOf(lid) == kNoSwitch) return false;
    const std::uint32_t distance = Distance(at, lid);
    return distance != kFarAway && (next == kStranger || Distance(next, lid) >= distance);
}

}  // namespace ember
