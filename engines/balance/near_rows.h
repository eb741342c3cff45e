// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet in rows that are near in memory when switches are near in the subnet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "engines/balance/crowd_order.h"

namespace ember {

/// Renumbers the switches of a task, and its hops where they stand (RoutingTask::hop_room). A
/// fabric gives out rows as switches are discovered, so those of a pod may lie anywhere; the
/// balanced builder goes from pod to pod, and with rows in that order it has what it needs at hand,
/// above all in columns of the hop matrix: 64 of them are looked at together, and otherwise would
/// be again for every switch among them.
///
/// First come the switches with end ports in their CrowdOrder, then those next to them, and so on.
/// The result of routing depends on GUIDs and cables, not on rows.
class NearRows {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               std::max(Topology::ScratchBytes(limits) + HopMeter::ScratchBytes(limits),
                        2 * Arena::BytesFor<bool>(limits.max_switches) +
                            Arena::BytesFor<SwitchIndex>(limits.max_switches) +
                            SortByNumberBytes(limits));
    }

    constexpr NearRows() = default;
    NearRows(const NearRows&) = delete;
    NearRows& operator=(const NearRows&) = delete;

    void Begin(const RoutingTask& task);
    [[nodiscard]] Progress Advance();

    /// The same task, renumbered; row i of its tables is to become row rows()[i]. Once done.
    [[nodiscard]] const RoutingTask& task() const { return near_task_; }
    /// By new row, holes included: the old one.
    [[nodiscard]] std::span<const SwitchIndex> rows() const { return rows_; }

private:
    enum class Phase : std::uint8_t { kCrowds, kOthers, kTopology, kHops };

    void Place(SwitchIndex at) {
        if (is_placed_[Raw(at)]) return;
        is_placed_[Raw(at)] = true;
        rows_[count_++] = at;
    }
    void PlaceOthers();
    void RenumberTopology();

    RoutingTask task_;
    RoutingTask near_task_;
    Topology topology_;
    CrowdOrder crowd_order_;
    std::span<SwitchIndex> rows_;
    std::span<bool> is_placed_;  ///< By old row, until the topology is renumbered.
    HopMeter meter_;             ///< To put them into another order would take a second matrix.
    std::size_t mark_ = 0;       ///< Where scratch stood before what is needed for a while.
    std::size_t count_ = 0;      ///< Placed.
    Phase phase_ = Phase::kCrowds;
};

}  // namespace ember
