// SPDX-License-Identifier: Apache-2.0
// EmberSM: forwarding tables of a torus.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/routing/engine.h"
#include "engines/torus/torus_map.h"

namespace ember {

/// Sends packets along x, then y, then z, in each dimension the shorter way round its ring, or the
/// other way where that one is broken. Where the switch at which a path should turn is missing, the
/// path goes as far towards it as it can and turns there. Parallel links take LIDs by turns, those
/// of end ports and those of switches apart.
class TorusRoutes {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<DestinationIndex>(limits.max_lid);
    }

    constexpr TorusRoutes() = default;
    TorusRoutes(const TorusRoutes&) = delete;
    TorusRoutes& operator=(const TorusRoutes&) = delete;

    /// The map is full. False: complaint() says why not.
    [[nodiscard]] bool Begin(const RoutingTask& task, const TorusMap& map);
    /// Fills the table of a switch. After the last, or when complaint() says what is wrong: kDone.
    [[nodiscard]] Progress Advance();
    [[nodiscard]] EngineComplaint complaint() const { return complaint_; }

private:
    static constexpr std::size_t kMostPorts = 255;  // Port 0 and external ones.
    /// Ports that take turns: the next of each group.
    using Turns = std::array<std::uint8_t, kTorusDirections>;

    [[nodiscard]] bool OrderPorts();
    [[nodiscard]] bool OrderDestinations(SwitchIndex at);
    void LookAround(SwitchIndex at);
    void LookAlong(SwitchIndex at, std::uint8_t direction);
    [[nodiscard]] std::uint8_t DirectionTo(SwitchIndex at, SwitchIndex to) const;
    [[nodiscard]] std::uint8_t TowardsTurn(SwitchIndex at, const GridPlace& to,
                                           std::size_t dimension) const;
    [[nodiscard]] std::uint8_t Shorter(std::size_t dimension, std::uint8_t from,
                                       std::uint8_t to) const;
    [[nodiscard]] std::uint8_t TakeTurn(SwitchIndex at, Turns& turns, std::size_t direction) const;

    const RoutingTask* task_ = nullptr;
    const TorusMap* map_ = nullptr;
    std::array<std::uint8_t, kMostPorts> ports_{};  ///< In the order of port_order.
    std::span<DestinationIndex> order_;
    std::size_t count_ = 0;  ///< Of order_.
    std::size_t next_ = 0;   ///< Switch whose table comes next, of TorusMap::placed().
    /// By dimension and coordinate: a direction in which the links lead there from the switch at
    /// hand, the shorter one if both do.
    std::array<std::array<std::uint8_t, 256>, kTorusDimensions> ways_{};
    EngineComplaint complaint_;
};

}  // namespace ember
