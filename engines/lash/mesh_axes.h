// SPDX-License-Identifier: Apache-2.0
// EmberSM: along which axis of a mesh each link leads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "engines/lash/mesh_neighbors.h"

namespace ember {

/// Labels links from one switch outwards. Dimension d has the axes 2 d + 1, which counts up, and
/// 2 d + 2, which counts down; a link without a label has kNoAxis.
class MeshAxes {
public:
    static constexpr std::uint8_t kNoAxis = 0;

    /// How a label is found from others.
    enum class Rule : std::uint8_t {
        kAcross,   ///< A link that faces a labeled one has the opposite axis.
        kBack,     ///< Likewise a link seen from its other end.
        kCorners,  ///< Opposite sides of a square of four links have the same axis.
    };

    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(limits.max_ports);
    }

    constexpr MeshAxes() = default;
    MeshAxes(const MeshAxes&) = delete;
    MeshAxes& operator=(const MeshAxes&) = delete;

    /// Labels the links of `seed`, which sees so many dimensions. `neighbors` stands still from now
    /// on.
    void Begin(const MeshNeighbors& neighbors, SwitchIndex seed, std::uint8_t dimensions,
               Arena& scratch);
    /// Applies a rule at a switch. Returns how many links were looked at.
    std::size_t Apply(Rule rule, SwitchIndex at);
    /// Labels that were set since the last call.
    [[nodiscard]] std::size_t TakeNews() { return std::exchange(news_, 0); }

    /// By the links of a switch.
    [[nodiscard]] std::span<const std::uint8_t> of(SwitchIndex at) const { return Of(at); }
    /// The axis of the link that faces the one of `axis` at this switch, whatever that is; `axis`
    /// itself where there is none, or no such link.
    [[nodiscard]] std::uint8_t Facing(SwitchIndex at, std::uint8_t axis) const;

private:
    [[nodiscard]] std::span<std::uint8_t> Of(SwitchIndex at) const;
    [[nodiscard]] std::uint8_t Opposite(std::uint8_t axis) const;
    std::size_t Across(SwitchIndex at);
    std::size_t Back(SwitchIndex at);
    std::size_t Corners(SwitchIndex at);
    std::size_t Corner(SwitchIndex at, std::size_t one, std::size_t other);
    void Label(std::uint8_t& axis, std::uint8_t label);

    const MeshNeighbors* neighbors_ = nullptr;
    SwitchIndex seed_ = kNoSwitch;
    std::span<std::uint8_t> axes_;  ///< By link, as RoutingSwitch::first_trunk counts.
    std::size_t news_ = 0;
};

}  // namespace ember
