// SPDX-License-Identifier: Apache-2.0
// EmberSM: the names of cables that no route uses.
#pragma once

#include <span>

#include "core/graph/topology.h"
#include "core/routing/engine.h"

namespace ember {

/// Names in a choice the cables between switches with these ends: the first of them, and how many
/// there are. `ends` has both ends of each.
void NameOddLinks(const Topology& topology, std::span<const SwitchExit> ends, EngineChoice& choice);

}  // namespace ember
