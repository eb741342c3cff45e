// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an engine took a fabric for, as text.
#pragma once

#include <cstddef>

#include "core/log/fixed_text.h"
#include "core/routing/engine.h"

namespace ember {

/// "torus, damaged: dimension order; no tree: links join switches of one level". Nothing where the
/// engine did not look.
void AddChoice(FixedText& text, const EngineChoice& choice);

/// Room for what AddLevels() writes.
inline constexpr std::size_t kLevelsTextRoom = 160;

/// The fate of the operator's levels of service: "3, each with 2 lanes", or "out of force: ", why,
/// and what to set. Nothing where none is asked for, or the routing has one lane.
void AddLevels(FixedText& text, const RoutingLanes& lanes);

}  // namespace ember
