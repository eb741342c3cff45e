// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a torus that lacks links and switches can be routed without a credit loop.
#pragma once

#include "core/routing/engine.h"
#include "engines/torus/torus_map.h"

namespace ember {

/// The reason why a torus cannot be routed; EngineFault::kNone: it can.
///
/// A ring may be broken at one stretch, as the rest of it is a row then. Switches may be missing at
/// one stretch of one column along z: a path to where they should turn leaves its dimension before
/// them, and only turns from a later dimension to an earlier one, which have lanes of their own,
/// follow.
[[nodiscard]] EngineComplaint CheckTorus(const TorusMap& map);

}  // namespace ember
