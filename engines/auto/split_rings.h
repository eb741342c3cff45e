// SPDX-License-Identifier: Apache-2.0
// EmberSM: rings of four switches that a grid has as two dimensions of two, where a link is
// missing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "engines/auto/grid.h"

namespace ember {

/// A link between two switches that are alone in their dimension has no way round. But with another
/// dimension of two they form rings of four, and a ring without that link is a row, in which no
/// cycle of channel dependencies can close, whichever way packets turn. So such dimensions are
/// taken in pairs, one behind the other in the order of dimensions: rings that are whole are
/// crossed in that order, and in a broken one packets go along the row.
class SplitRings {
public:
    /// The way out of a switch.
    struct Step {
        std::uint8_t dimension = Grid::kNone;  ///< kNone: the place in both dimensions is right.
        bool is_up = false;
    };

    /// Looks for links that are missing in dimensions of two, and pairs these. `grid` stands still.
    /// False: there is none, or one has no partner; nothing is paired then.
    [[nodiscard]] bool Find(const Grid& grid, std::span<const SwitchIndex> switches);
    [[nodiscard]] bool any() const { return count_ != 0; }
    /// All dimensions, in the order in which packets take them.
    [[nodiscard]] std::span<const std::uint8_t> order() const {
        return std::span(order_).first(grid_->dimensions().size());
    }
    /// The dimension that it is paired with; kNone: none.
    [[nodiscard]] std::uint8_t PartnerOf(std::uint8_t dimension) const {
        return partner_[dimension];
    }
    /// How a packet for `to` goes on in a dimension and its partner.
    [[nodiscard]] Step StepTo(SwitchIndex here, SwitchIndex to, std::uint8_t dimension) const;

private:
    [[nodiscard]] bool LacksLink(SwitchIndex at, std::uint8_t dimension) const;
    [[nodiscard]] bool IsBroken(SwitchIndex at, std::uint8_t dimension, std::uint8_t across) const;
    [[nodiscard]] bool Pair(std::uint8_t dimension);
    void OrderPairs();

    const Grid* grid_ = nullptr;
    std::array<std::uint8_t, Grid::kMostDimensions> partner_{};
    std::array<std::uint8_t, Grid::kMostDimensions> order_{};
    std::size_t count_ = 0;
};

}  // namespace ember
