// SPDX-License-Identifier: Apache-2.0
// EmberSM: service levels and lanes of a torus.
#pragma once

#include "core/routing/engine.h"
#include "engines/torus/torus_map.h"

namespace ember {

/// Fills `task.tables.lanes`. SL bit d says that the path goes round the ring of dimension d from
/// its last switch to its first or back, whatever links and switches are missing; SL bit 3 is the
/// level of service. On a link of dimension d, VL bit 0 is SL bit d, VL bit 1 tells turns from a
/// later dimension to an earlier one from all others, and VL bit 2 is the level, as far as the
/// links between switches have lanes. On a link to an end port the VL is the level.
/// Other than EngineFault::kNone: it cannot be.
[[nodiscard]] EngineComplaint FillTorusLanes(const RoutingTask& task, const TorusMap& map);

}  // namespace ember
