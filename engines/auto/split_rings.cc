// SPDX-License-Identifier: Apache-2.0
// EmberSM: rings of four switches that a grid has as two dimensions of two, where a link is
// missing.

#include "engines/auto/split_rings.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

bool SplitRings::Find(const Grid& grid, std::span<const SwitchIndex> switches) {
    grid_ = &grid;
    partner_.fill(Grid::kNone);
    count_ = 0;
    const std::size_t dimensions = grid.dimensions().size();
    for (std::uint8_t d = 0; d < dimensions; ++d) {
        if (grid.dimensions()[d].radix != 2 || partner_[d] != Grid::kNone) continue;
        const bool lacks = std::any_of(switches.begin(), switches.end(),
                                       [&](SwitchIndex at) { return LacksLink(at, d); });
        if (!lacks || Pair(d)) continue;
        partner_.fill(Grid::kNone);
        count_ = 0;
        return false;
    }
    OrderPairs();
    return count_ != 0;
}

/// Two switches are next to each other in it, and no link joins them.
bool SplitRings::LacksLink(SwitchIndex at, std::uint8_t dimension) const {
    const std::uint8_t place = grid_->place(at, dimension);
    const SwitchIndex beyond = grid_->Moved(at, dimension, static_cast<std::uint8_t>(place ^ 1U));
    return beyond != kNoSwitch && grid_->Next(at, dimension, place == 0) == kNoSwitch;
}

/// With the nearest other dimension of two. False: there is none.
bool SplitRings::Pair(std::uint8_t dimension) {
    const auto all = grid_->dimensions();
    const auto count = static_cast<std::uint8_t>(all.size());
    for (std::uint8_t other = 0; other < count; ++other) {
        const bool is_free = other != dimension && partner_[other] == Grid::kNone;
        if (!is_free || all[other].radix != 2) continue;
        partner_[dimension] = other;
        partner_[other] = dimension;
        ++count_;
        return true;
    }
    return false;
}

/// Each dimension in its turn, with its partner behind it.
void SplitRings::OrderPairs() {
    std::size_t next = 0;
    for (std::uint8_t d = 0; d < grid_->dimensions().size(); ++d) {
        if (partner_[d] != Grid::kNone && partner_[d] < d) continue;
        order_[next++] = d;
        if (partner_[d] != Grid::kNone) order_[next++] = partner_[d];
    }
    EMBER_ASSERT(next == grid_->dimensions().size());
}

/// A link of `dimension` is missing in the ring of four that `at` is on, across which `across`
/// leads.
bool SplitRings::IsBroken(SwitchIndex at, std::uint8_t dimension, std::uint8_t across) const {
    const SwitchIndex opposite =
        grid_->Moved(at, across, static_cast<std::uint8_t>(grid_->place(at, across) ^ 1U));
    return LacksLink(at, dimension) || (opposite != kNoSwitch && LacksLink(opposite, dimension));
}

/// In a ring that lacks a link of the second dimension that comes first: then a packet that cannot
/// go straight goes on round the ring, and does not turn back.
SplitRings::Step SplitRings::StepTo(SwitchIndex here, SwitchIndex to,
                                    std::uint8_t dimension) const {
    EMBER_ASSERT(partner_[dimension] != Grid::kNone);
    std::uint8_t first = std::min(dimension, partner_[dimension]);
    std::uint8_t second = std::max(dimension, partner_[dimension]);
    if (IsBroken(here, second, first)) std::swap(first, second);
    const auto differs = [&](std::uint8_t d) {
        return grid_->place(here, d) != grid_->place(to, d);
    };
    const auto step = [&](std::uint8_t d) { return Step{d, grid_->place(here, d) == 0}; };
    if (differs(first)) return step(LacksLink(here, first) ? second : first);
    return differs(second) ? step(second) : Step{};
}

}  // namespace ember
