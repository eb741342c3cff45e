// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is around each switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "engines/lash/characteristic_polynomial.h"

namespace ember {

/// The neighbors of each switch, cables to the same one taken for one link, and how far the
/// neighbors of a switch are from each other without it.
class MeshNeighbors {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Trunk>(limits.max_ports) +
               2 * Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<NeighborDistances>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches);
    }

    constexpr MeshNeighbors() = default;
    MeshNeighbors(const MeshNeighbors&) = delete;
    MeshNeighbors& operator=(const MeshNeighbors&) = delete;

    void Begin(const Topology& topology, Arena& scratch);
    /// Finds the neighbors of a switch. Returns its cables.
    std::size_t Collect(SwitchIndex at);
    /// Measures distances, if the switch has no more neighbors than NeighborDistances has room for.
    /// All switches have been collected. Returns how many links were looked at.
    std::size_t Measure(SwitchIndex at);

    /// A link for each neighbor: the first cable to it, by port number.
    [[nodiscard]] std::span<const Trunk> links(SwitchIndex at) const {
        return links_.subspan(topology_->switch_row(at).first_trunk, count_[Raw(at)]);
    }
    [[nodiscard]] const NeighborDistances& distances(SwitchIndex at) const {
        return distances_[Raw(at)];
    }
    /// Distances have been measured.
    [[nodiscard]] bool HasDistances(SwitchIndex at) const {
        return links(at).size() <= NeighborDistances::kMost;
    }
    [[nodiscard]] const Topology& topology() const { return *topology_; }

private:
    std::size_t Search(SwitchIndex from, SwitchIndex without);

    const Topology* topology_ = nullptr;
    std::span<Trunk> links_;
    std::span<std::uint16_t> count_;
    std::span<NeighborDistances> distances_;
    // A search, by switch.
    std::span<SwitchIndex> queue_;
    std::span<std::uint16_t> far_;
    std::span<std::uint32_t> mark_;  ///< The search that has seen the switch.
    std::uint32_t marks_ = 0;
};

}  // namespace ember
