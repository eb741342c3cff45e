// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lanes of the routes that are planned, and of those that switches have.

#include "core/routing/route_lanes.h"

#include <algorithm>

#include "core/routing/verifier.h"

namespace ember {
namespace {

template <typename Value>
[[nodiscard]] std::span<Value> FirstHalf(std::span<Value> whole) {
    return whole.first(whole.size() / 2);
}
template <typename Value>
[[nodiscard]] std::span<Value> LastHalf(std::span<Value> whole) {
    return whole.last(whole.size() / 2);
}

}  // namespace

RouteLanes::RouteLanes(const Memory& memory, const Limits& limits)
    : most_(static_cast<std::uint8_t>(limits.max_lanes)),
      planned_{PathSl(FirstHalf(memory.path_sl)), LaneMap(FirstHalf(memory.lane_map))},
      programmed_{PathSl(LastHalf(memory.path_sl)), LaneMap(LastHalf(memory.lane_map))} {}

/// A link of less lanes than the routing has may be one that no path enters on the others; levels
/// beside each other need them all.
void RouteLanes::SetLevels(const Topology& topology, const LevelWish& wish) {
    planned_.levels = {};
    if (planned_.is_one_lane() || planned_.level_bit != 0) return;
    std::uint8_t least = DataVls(VlCap::kVl0To14);
    for (const Exit& exit : topology.all_exits()) {
        if (exit.peer != kNoSwitch) least = std::min(least, exit.lanes());
    }
    planned_.levels =
        LaneLevels::Make(wish, {.sls = planned_.sls, .lanes = planned_.count, .link_vls = least});
}

void RouteLanes::Offer(const RoutingPlan& plan, const Topology& topology, std::size_t room,
                       RoutingTask& task) const {
    if (!plan.writes_lanes) {
        task.lane_fault = EngineFault::kLanesNotOffered;
        return;
    }
    const Limits bounds = topology.bounds();
    task.max_lanes = most_;
    while (task.max_lanes > 1 && Verifier::ScratchBytes(WithLanes(bounds, task.max_lanes)) > room) {
        --task.max_lanes;
        task.lane_fault = EngineFault::kLanesNotProvable;
    }
}

}  // namespace ember
