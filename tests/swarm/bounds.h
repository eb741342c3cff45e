// SPDX-License-Identifier: Apache-2.0
// EmberSM: how long a story waits until all is well, and which managers meet.
#pragma once

#include <cstdint>
#include <vector>

namespace ember::swarm {

class Swarm;

/// Everything must be well so long after the last fault. `had_liars`: nodes have lied, or devices
/// have changed by themselves.
[[nodiscard]] std::uint64_t HealthyWithinUs(Swarm& swarm, bool had_liars);
/// While hosts still lie and the fabric is whole, the others are well after so long. `is_strange`:
/// devices have changed by themselves.
[[nodiscard]] std::uint64_t HonestWithinUs(Swarm& swarm, bool is_strange);

/// By seat and seat: links lead from the one manager to the other.
[[nodiscard]] std::vector<bool> SeatsThatMeet(Swarm& swarm);

}  // namespace ember::swarm
