// SPDX-License-Identifier: Apache-2.0
// EmberSM: which switches are next to each other, and the squares that their links form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"

namespace ember {

/// The neighbors of each switch; parallel links count once. Each end of a link has a place, from
/// which on what is known of links is kept.
class GridLinks {
public:
    /// Neighbors of a switch.
    static constexpr std::size_t kMostNeighbors = 16;

    /// How two links of a switch stand to each other.
    enum class Corner : std::uint8_t {
        kNone,      ///< Their ends have no other neighbor in common.
        kTriangle,  ///< A link joins their ends.
        kSquare,
        kTangle,  ///< Two or more squares: that is no grid.
    };
    struct Square {
        Corner corner = Corner::kNone;
        SwitchIndex fourth = kNoSwitch;  ///< Of kSquare.
    };
    /// Two switches that are to be neighbors, and have no link.
    struct Pair {
        SwitchIndex one = kNoSwitch;
        SwitchIndex other = kNoSwitch;
        [[nodiscard]] bool operator==(const Pair&) const = default;
    };

    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches * kMostNeighbors) +
               Arena::BytesFor<std::uint8_t>(limits.max_switches);
    }
    /// Places of the ends of links, at most.
    [[nodiscard]] static constexpr std::size_t PlacesFor(std::size_t switches) {
        return switches * kMostNeighbors;
    }

    constexpr GridLinks() = default;
    GridLinks(const GridLinks&) = delete;
    GridLinks& operator=(const GridLinks&) = delete;

    void Begin(const Topology& topology, Arena& scratch);
    /// From the beginning, with a link between two switches that have none; kNoSwitch: without.
    void Restart(const Pair& supposed);
    /// Looks at a switch. False: it has too many neighbors for a grid.
    [[nodiscard]] bool Collect(SwitchIndex at);
    /// The supposed link is no link from now on. All switches have been looked at.
    void DropSupposed();

    [[nodiscard]] std::span<const SwitchIndex> neighbors(SwitchIndex at) const {
        return neighbors_.subspan(Raw(at) * kMostNeighbors, degrees_[Raw(at)]);
    }
    [[nodiscard]] static std::size_t PlaceOf(SwitchIndex at, std::size_t i) {
        return Raw(at) * kMostNeighbors + i;
    }
    /// Among the neighbors of the first; behind the last one if it is none.
    [[nodiscard]] std::size_t IndexOf(SwitchIndex one, SwitchIndex other) const;
    [[nodiscard]] bool AreNeighbors(SwitchIndex one, SwitchIndex other) const {
        return IndexOf(one, other) < degrees_[Raw(one)];
    }
    /// The place that stands for the link between two neighbors.
    [[nodiscard]] std::uint32_t LinkOf(SwitchIndex one, SwitchIndex other) const;
    /// How the links from a switch to two of its neighbors stand to each other.
    [[nodiscard]] Square Study(SwitchIndex at, SwitchIndex one, SwitchIndex other) const;

private:
    [[nodiscard]] bool Add(SwitchIndex at, SwitchIndex peer);

    const Topology* topology_ = nullptr;
    std::span<SwitchIndex> neighbors_;  ///< kMostNeighbors a switch.
    std::span<std::uint8_t> degrees_;   ///< By switch.
    Pair supposed_;
};

}  // namespace ember
