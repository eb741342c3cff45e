// SPDX-License-Identifier: Apache-2.0
// EmberSM: runs of engines that need several lanes, and the lanes of what they planned.
#pragma once

#include <cstdint>

#include "tests/support/lane_walker.h"
#include "tests/support/routing_run.h"

namespace ember::testing {

/// A fabric whose board has so many lanes.
inline BuiltFabric::Options WithLanes(std::uint8_t lanes, std::uint8_t lmc = 0) {
    BuiltFabric::Options options;
    options.max_lanes = lanes;
    options.lmc = lmc;
    return options;
}

inline Settings WithQos(Order order) {
    Settings settings;
    settings.order = order;
    settings.qos = true;
    return settings;
}

/// The SL that the last run planned for packets from a switch of the netlist to a LID.
inline SlRule PlannedSl(RoutingRun& run) {
    return [&run](std::uint32_t node, std::uint32_t lid) -> unsigned {
        for (const SlowDestination& to : run.reference().destinations()) {
            if (lid < to.lid || lid >= to.lid + to.lid_count) continue;
            return run.router().planned_lanes().path_sl.Of({.from = run.built().switch_index(node),
                                                            .to = run.built().switch_index(to.at),
                                                            .lid = static_cast<Lid>(lid)});
        }
        return 0;
    };
}

/// Every switch maps an SL to the VL of the same number.
inline unsigned SlIsVl(std::uint32_t /*node*/, std::uint8_t /*in*/, std::uint8_t /*out*/,
                       unsigned sl) {
    return sl;
}

}  // namespace ember::testing
