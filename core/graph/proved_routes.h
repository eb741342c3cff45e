// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a proof of a routing leaves for those who program it.
#pragma once

#include <cstddef>

#include "core/base/arena.h"
#include "core/graph/dependencies.h"
#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"

namespace ember {

/// A routing that was proved: no credit loop is possible by the traffic of end ports.
struct ProvedRoutes {
    const Topology* topology = nullptr;  ///< Null: nothing was proved.
    /// The channel dependencies of end ports' traffic; perhaps more than these.
    const DependencyGraph* dependencies = nullptr;
    const RoutingLanes* lanes = nullptr;
    const RoutingLanes* lanes_before = nullptr;  ///< The lanes that the switches have.
    /// Both are alike but at ports whose link has changed.
    bool keeps_lanes = false;
    /// Topology and dependencies may lie in the part of `scratch` below `scratch_end`: they are
    /// there until the arena is used again.
    Arena* scratch = nullptr;
    std::size_t scratch_end = 0;
};

}  // namespace ember
