// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the virtual lanes of a routing carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/emberc/plan/planner.h"

namespace ember::plan {

/// A data lane of the links between switches, when every host sends one flow to every other.
struct LaneLoad {
    std::uint64_t paths = 0;  ///< (host, LID of another host) that use it on some link.
    std::size_t links = 0;    ///< Directions of cables between switches on which it carries a flow.
    double max = 0;           ///< Flows on its busiest link.
    double sum = 0;           ///< Flows on all its links.
};

/// By lane; none for a routing of one lane, whose load is that of its links. Every path is followed
/// turn by turn, by the service level and the maps that would be programmed.
[[nodiscard]] std::vector<LaneLoad> LoadsOfLanes(const Planned& plan);

}  // namespace ember::plan
