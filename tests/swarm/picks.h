// SPDX-License-Identifier: Apache-2.0
// EmberSM: who it happens to.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/swarm/swarm.h"

namespace ember::swarm {

template <typename Value>
[[nodiscard]] const Value& PickOf(const std::vector<Value>& values, net::Random& random) {
    return values[random.Below(static_cast<std::uint32_t>(values.size()))];
}

/// Any node.
[[nodiscard]] inline std::uint32_t PickNode(Swarm& swarm, net::Random& random) {
    return random.Below(static_cast<std::uint32_t>(swarm.hardware().node_count()));
}

/// A host that is no manager's; nullptr: there is none.
[[nodiscard]] inline Client* PickClient(Swarm& swarm, net::Random& random) {
    if (swarm.clients().empty()) return nullptr;
    return PickOf(swarm.clients(), random).get();
}

[[nodiscard]] inline std::size_t PickSeat(Swarm& swarm, net::Random& random) {
    return random.Below(static_cast<std::uint32_t>(swarm.seats()));
}

}  // namespace ember::swarm
