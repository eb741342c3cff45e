// SPDX-License-Identifier: Apache-2.0
// EmberSM: rows of a grid in which a link is missing, and the way round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "engines/auto/grid.h"

namespace ember {

/// A row, other than a ring, has no other way between its two parts. Packets that have to go from
/// the one to the other leave it by a neighboring row, always in one direction of one dimension
/// (the side); the dimension of such rows is taken first. So of all turns that dimension order
/// forbids only those from that direction into the rows are taken, and both kinds of cycles of
/// dependencies in a plane lack one still: the turn from the opposite direction into the rows.
/// Source: Glass and Ni, The Turn Model for Adaptive Routing, ISCA 1992.
class RowDetours {
public:
    /// Looks for links that are missing in rows of one dimension, and for a side that each switch
    /// beside a gap has. `grid` stands still. False: there are none, there are some in several
    /// dimensions, or there is no side.
    [[nodiscard]] bool Find(const Grid& grid, std::span<const SwitchIndex> switches);
    [[nodiscard]] bool any() const { return dimension_ != Grid::kNone; }
    /// The dimension of the rows with gaps.
    [[nodiscard]] std::uint8_t dimension() const { return dimension_; }
    /// How a packet leaves such a row.
    [[nodiscard]] Grid::Heading side() const { return side_; }

private:
    [[nodiscard]] bool FindDimension(std::span<const SwitchIndex> switches);
    [[nodiscard]] bool Serves(Grid::Heading side, std::span<const SwitchIndex> switches) const;
    [[nodiscard]] bool IsBesideGap(SwitchIndex at, std::size_t dimension) const;

    const Grid* grid_ = nullptr;
    std::uint8_t dimension_ = Grid::kNone;
    Grid::Heading side_;
};

}  // namespace ember
