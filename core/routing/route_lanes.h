// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lanes of the routes that are planned, and of those that switches have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/limits.h"
#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"
#include "core/lanes/level_wish.h"
#include "core/routing/engine.h"
#include "core/routing/routing_plan.h"

namespace ember {

/// The lanes of planned routes, and of the routes that switches have, in half of a memory each.
/// Paths get their service levels by the programmed ones until the planned ones are in the
/// switches.
class RouteLanes {
public:
    struct Memory {
        std::span<std::uint8_t> path_sl;    ///< 2 * Limits::path_sl_bytes octets, or none.
        std::span<std::uint64_t> lane_map;  ///< As many words for Limits::lane_map_bytes.
    };

    RouteLanes(const Memory& memory, const Limits& limits);
    RouteLanes(const RouteLanes&) = delete;
    RouteLanes& operator=(const RouteLanes&) = delete;

    [[nodiscard]] RoutingLanes& planned() { return planned_; }
    [[nodiscard]] const RoutingLanes& planned() const { return planned_; }
    [[nodiscard]] const RoutingLanes& programmed() const { return programmed_; }
    /// The switches have what is planned. Copies what the lanes take, nothing for one lane.
    void Commit() { programmed_.Copy(planned_); }
    /// The routes that switches have are planned once more.
    void Keep() { planned_.Copy(programmed_); }
    /// Levels of service beside each other, as far as planned lanes leave room on every link.
    void SetLevels(const Topology& topology, const LevelWish& wish);

    /// The most that RoutingLanes::count may be.
    [[nodiscard]] std::uint8_t most() const { return most_; }
    /// Offers `task` as many as can be written by `plan`, and proved with `room` octets of scratch.
    void Offer(const RoutingPlan& plan, const Topology& topology, std::size_t room,
               RoutingTask& task) const;

private:
    std::uint8_t most_;
    RoutingLanes planned_;
    RoutingLanes programmed_;
};

}  // namespace ember
