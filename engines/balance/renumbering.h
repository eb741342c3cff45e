// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches renumbered, so that neighbors of the subnet are neighbors in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "engines/balance/leaf_order.h"

namespace ember {

/// Renumbers the switches of a task, and measures its hops anew in their place
/// (RoutingTask::hop_room). A fabric numbers switches as they are discovered, so the switches of a
/// pod may have any rows. The balanced builder goes from pod to pod and looks at 64 columns of the
/// hop matrix at a time: with rows in the same order it loads each block of columns once, and not
/// once for every switch in it.
///
/// First come the leaf switches in their LeafOrder, then the switches next to them, and so on. The
/// result of routing depends on GUIDs and links, not on rows.
class Renumbering {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               std::max(Topology::ScratchBytes(limits) + HopMeter::ScratchBytes(limits),
                        2 * Arena::BytesFor<bool>(limits.max_switches) +
                            Arena::BytesFor<SwitchIndex>(limits.max_switches) +
                            SortByNumberBytes(limits));
    }

    constexpr Renumbering() = default;
    Renumbering(const Renumbering&) = delete;
    Renumbering& operator=(const Renumbering&) = delete;

    /// `task` and what it points to stay unchanged but for hop_room, which is spent.
    void Begin(const RoutingTask& task);
    /// Does the next slice. kDone: what follows holds.
    [[nodiscard]] Progress Advance();

    /// After kDone: the links at these ports of the renumbered switches are none any more, and hops
    /// are measured anew. Advance() is called again until kDone. Scratch is where Advance() left
    /// it.
    void LeaveOut(std::span<const SwitchExit> ports);

    /// The same task, renumbered; row i of its tables is to become row rows()[i].
    [[nodiscard]] const RoutingTask& task() const { return renumbered_task_; }
    /// By new row, holes included: the old one.
    [[nodiscard]] std::span<const SwitchIndex> rows() const { return rows_; }

private:
    enum class Phase : std::uint8_t { kLeaves, kOthers, kTopology, kHops };

    void Place(SwitchIndex at) {
        if (is_placed_[Raw(at)]) return;
        is_placed_[Raw(at)] = true;
        rows_[count_++] = at;
    }
    void PlaceOthers();
    void RenumberTopology();
    void MeasureHops();

    RoutingTask task_;
    RoutingTask renumbered_task_;
    Topology topology_;
    LeafOrder leaf_order_;
    std::span<SwitchIndex> rows_;
    std::span<bool> is_placed_;  ///< By old row, until the topology is renumbered.
    HopMeter meter_;             ///< To reorder the hops would take a second matrix.
    std::size_t mark_ = 0;       ///< Where scratch stood before what is given back.
    std::size_t count_ = 0;      ///< Switches placed.
    Phase phase_ = Phase::kLeaves;
};

}  // namespace ember
