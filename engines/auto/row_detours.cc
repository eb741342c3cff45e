// SPDX-License-Identifier: Apache-2.0
// EmberSM: rows of a grid in which a link is missing, and the way round.

#include "engines/auto/row_detours.h"

#include <algorithm>

namespace ember {

bool RowDetours::Find(const Grid& grid, std::span<const SwitchIndex> switches) {
    grid_ = &grid;
    dimension_ = Grid::kNone;
    if (!FindDimension(switches)) return false;
    for (std::uint8_t d = 0; d < grid.dimensions().size(); ++d) {
        if (d == dimension_ || grid.dimensions()[d].is_ring) continue;
        for (const bool is_up : {true, false}) {
            side_ = {.dimension = d, .is_up = is_up};
            if (Serves(side_, switches)) return true;
        }
    }
    dimension_ = Grid::kNone;
    return false;
}

/// The only one with gaps. False: there is none, or another one.
bool RowDetours::FindDimension(std::span<const SwitchIndex> switches) {
    for (std::uint8_t d = 0; d < grid_->dimensions().size(); ++d) {
        if (grid_->dimensions()[d].is_ring) continue;
        const bool has_gap = std::any_of(switches.begin(), switches.end(),
                                         [&](SwitchIndex at) { return IsBesideGap(at, d); });
        if (!has_gap) continue;
        const bool is_only = dimension_ == Grid::kNone;
        dimension_ = is_only ? d : Grid::kNone;
        if (!is_only) return false;
    }
    return dimension_ != Grid::kNone;
}

bool RowDetours::Serves(Grid::Heading side, std::span<const SwitchIndex> switches) const {
    return std::all_of(switches.begin(), switches.end(), [&](SwitchIndex at) {
        return !IsBesideGap(at, dimension_) ||
               grid_->Next(at, side.dimension, side.is_up) != kNoSwitch;
    });
}

/// The next switch of the row is there, and no link leads to it.
bool RowDetours::IsBesideGap(SwitchIndex at, std::size_t dimension) const {
    const std::uint8_t place = grid_->place(at, dimension);
    const auto lacks = [&](bool is_up) {
        const auto next = static_cast<std::uint8_t>(is_up ? place + 1 : place - 1);
        return grid_->Moved(at, dimension, next) != kNoSwitch &&
               grid_->Next(at, dimension, is_up) == kNoSwitch;
    };
    const bool is_first = place == 0;
    const bool is_last = place + 1U == grid_->dimensions()[dimension].radix;
    return (!is_first && lacks(false)) || (!is_last && lacks(true));
}

}  // namespace ember
