// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lane on which a switch sends on a multicast packet.
#pragma once

#include <array>
#include <cstdint>

#include "core/graph/routing_tables.h"
#include "core/settings/settings.h"

namespace ember {

/// The lanes of a group's packets, in the numbers of a dependency graph: below `count` they are
/// those of the routing, and `count` itself stands for all others together, which unicast does not
/// use. Taken as one they have more dependencies than there are: a cycle among them may be none.
///
/// A routing of one lane uses the lane of SL 0, whatever number that has on a link.
class TreeLanes {
public:
    /// All packets travel on one lane, together with unicast.
    constexpr TreeLanes() = default;
    /// `routed` outlives it. The maps of SLs that the routing leaves alone are those of `settings`;
    /// without `qos` they are unknown, and all packets may travel on one lane.
    TreeLanes(const RoutingLanes& routed, const Settings& settings);

    /// For the packets of this SL from now on.
    void SetSl(std::uint8_t sl) { sl_ = sl; }
    /// The lane at a turn to a link of so many data VLs; kNoLane: they are dropped.
    [[nodiscard]] std::uint8_t Of(const LaneTurn& turn, std::uint8_t link_lanes) const;
    /// Lanes of the routing.
    [[nodiscard]] std::uint8_t count() const { return routed_ == nullptr ? 1 : routed_->count; }
    /// Packets of the SL may travel on another lane than those of the routing.
    [[nodiscard]] bool MayLeaveRouted() const;

private:
    [[nodiscard]] bool IsRouted() const;
    [[nodiscard]] bool IsUnicastLane(std::uint8_t lane, std::uint8_t link_lanes) const;
    [[nodiscard]] std::uint8_t ByKeys(std::size_t kind, std::uint8_t link_lanes) const;
    /// The lane of a packet that the routing's maps put on this VL of some level.
    [[nodiscard]] std::uint8_t AmongRouted(std::uint8_t lane) const;
    /// The lane of packets that travel on the lanes of the routing.
    [[nodiscard]] std::uint8_t OfRouted(const LaneTurn& turn, std::uint8_t link_lanes) const;

    const RoutingLanes* routed_ = nullptr;
    bool has_keys_ = false;
    /// By the keys, on a link of 15 data VLs: packets from another port, and from port 0.
    std::array<LaneRow, 2> by_keys_{LaneRow::Identity(), LaneRow::Identity()};
    std::uint8_t sl_ = 0;
};

}  // namespace ember
