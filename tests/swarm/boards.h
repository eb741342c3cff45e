// SPDX-License-Identifier: Apache-2.0
// EmberSM: the boards that managers of a story stand on.
#pragma once

#include "tests/support/sim_world.h"
#include "tests/swarm/story.h"

namespace ember::swarm {

/// Seats a manager on a board of that kind.
void AddToBoard(testing::SimWorld& world, Board board, const SeatPlan& plan);

}  // namespace ember::swarm
