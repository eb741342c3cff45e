// SPDX-License-Identifier: Apache-2.0
// EmberSM: which switch stands where on a torus, and by which ports it has its neighbors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/graph/path_sl.h"
#include "core/graph/topology.h"

namespace ember {

/// Ways to leave a switch: 2 d towards 0 in dimension d, 2 d + 1 away from it.
inline constexpr std::size_t kTorusDirections = 2 * kTorusDimensions;
inline constexpr std::uint8_t kNoDirection = kTorusDirections;

/// A torus or mesh that is being filled with the switches of a subnet.
class TorusMap {
public:
    /// Parallel links from a switch to one neighbor. A group is in the order of the ports at its
    /// end towards 0, as is OpenSM's.
    struct Group {
        std::uint8_t first = 0;  ///< Port.
        std::uint8_t last = 0;
        std::uint8_t count = 0;
    };
    struct Spot {
        GridPlace place{};
        bool is_placed = false;
        std::array<Group, kTorusDirections> groups{};
    };
    struct Link {
        std::uint8_t direction = kNoDirection;  ///< Of a port; kNoDirection: none of the torus.
        std::uint8_t next = 0;                  ///< Port of the same group; 0: none.
    };

    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches + kMostMissing) +
               Arena::BytesFor<Spot>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<Link>(limits.max_ports);
    }

    constexpr TorusMap() = default;
    TorusMap(const TorusMap&) = delete;
    TorusMap& operator=(const TorusMap&) = delete;

    /// Places that may be empty: a column, as no torus with more holes is routed.
    static constexpr std::size_t kMostMissing = 255;

    /// All places are empty. Both views outlive it. False: the torus has kMostMissing places more
    /// than the subnet has switches, or still more.
    [[nodiscard]] bool Begin(const Topology& topology, const TorusShape& shape, Arena& scratch);

    [[nodiscard]] const Topology& topology() const { return *topology_; }
    [[nodiscard]] const TorusShape& shape() const { return *shape_; }
    /// The switch at a place; kNoSwitch: none.
    [[nodiscard]] SwitchIndex At(const GridPlace& place) const {
        return places_[PlaceIndex(place)];
    }
    [[nodiscard]] const Spot& spot(SwitchIndex at) const { return spots_[Raw(at)]; }
    /// Switches in the order in which they were placed.
    [[nodiscard]] std::span<const SwitchIndex> placed() const { return order_.first(count_); }
    /// Pairs of ports that Join() has joined.
    [[nodiscard]] std::size_t link_count() const { return link_count_; }

    /// Where one comes to by so many steps round the ring of a dimension.
    [[nodiscard]] GridPlace Moved(GridPlace place, std::size_t dimension, int steps) const {
        const int radix = shape_->radix[dimension];
        place[dimension] =
            static_cast<std::uint8_t>((place[dimension] + steps % radix + radix) % radix);
        return place;
    }
    [[nodiscard]] SwitchIndex Neighbor(const GridPlace& place, std::size_t dimension,
                                       int steps) const {
        return At(Moved(place, dimension, steps));
    }

    /// Puts a switch at an empty place. False: it stands at another place.
    [[nodiscard]] bool Put(SwitchIndex at, const GridPlace& place);
    /// Takes all links between two switches for those of a dimension, in which `high` is the next
    /// one after `low`. Links beyond TorusShape::group_ports are left out.
    void Join(std::size_t dimension, SwitchIndex low, SwitchIndex high);

    /// By port, as Topology::exits().
    [[nodiscard]] const Link& link(SwitchIndex at, std::uint8_t port) const {
        return links_[topology_->switch_row(at).first_exit + port];
    }
    /// The link to another switch is not one of the torus yet.
    [[nodiscard]] bool IsFree(SwitchIndex at, const Trunk& trunk) const {
        return link(at, Raw(trunk.port)).direction == kNoDirection;
    }
    /// The switch next in a direction; kNoSwitch: there is no link.
    [[nodiscard]] SwitchIndex Next(SwitchIndex at, std::size_t direction) const {
        const Group& group = spot(at).groups[direction];
        if (group.count == 0) return kNoSwitch;
        return topology_->exit(at, static_cast<PortNumber>(group.first)).peer;
    }

private:
    [[nodiscard]] std::size_t PlaceIndex(const GridPlace& place) const {
        const auto& radix = shape_->radix;
        return place[0] + radix[0] * (place[1] + radix[1] * std::size_t{place[2]});
    }
    void Append(SwitchIndex at, std::size_t direction, PortNumber port);

    const Topology* topology_ = nullptr;
    const TorusShape* shape_ = nullptr;
    std::span<SwitchIndex> places_;  ///< By PlaceIndex().
    std::span<Spot> spots_;          ///< By SwitchIndex.
    std::span<SwitchIndex> order_;
    std::span<Link> links_;  ///< As Topology::all_exits().
    std::size_t count_ = 0;
    std::size_t link_count_ = 0;
};

}  // namespace ember
