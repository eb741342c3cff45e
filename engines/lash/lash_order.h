// SPDX-License-Identifier: Apache-2.0
// EmberSM: the order in which lash looks at switches and links.
#pragma once

#include <span>

#include "core/base/ids.h"
#include "core/graph/topology.h"

namespace ember {

/// The order decides which of equally short paths is taken, and which pairs share a lane.
struct LashOrder {
    std::span<const SwitchIndex> switches{};  ///< Every switch once.
    /// The links of all switches, those of one where its RoutingSwitch::first_trunk says. Empty: as
    /// the topology has them.
    std::span<const Trunk> trunks{};
    /// LIDs take turns on cables that join the same two switches. Else all take the first one.
    bool shares_links = false;

    [[nodiscard]] std::span<const Trunk> links(const Topology& topology, SwitchIndex at) const {
        if (trunks.empty()) return topology.trunks(at);
        const RoutingSwitch& row = topology.switch_row(at);
        return trunks.subspan(row.first_trunk, row.trunk_count);
    }
};

}  // namespace ember
