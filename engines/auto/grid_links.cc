// SPDX-License-Identifier: Apache-2.0
// EmberSM: which switches are next to each other, and the squares that their links form.

#include "engines/auto/grid_links.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void GridLinks::Begin(const Topology& topology, Arena& scratch) {
    topology_ = &topology;
    neighbors_ = scratch.Take<SwitchIndex>(topology.switch_bound() * kMostNeighbors);
    degrees_ = scratch.Take<std::uint8_t>(topology.switch_bound());
    supposed_ = {};
}

void GridLinks::Restart(const Pair& supposed) {
    std::fill(degrees_.begin(), degrees_.end(), std::uint8_t{0});
    supposed_ = supposed;
}

bool GridLinks::Collect(SwitchIndex at) {
    for (const Trunk& trunk : topology_->trunks(at)) {
        if (!AreNeighbors(at, trunk.peer) && !Add(at, trunk.peer)) return false;
    }
    if (at == supposed_.one) return Add(at, supposed_.other);
    return at != supposed_.other || Add(at, supposed_.one);
}

bool GridLinks::Add(SwitchIndex at, SwitchIndex peer) {
    std::uint8_t& degree = degrees_[Raw(at)];
    if (degree == kMostNeighbors) return false;
    neighbors_[PlaceOf(at, degree++)] = peer;
    return true;
}

/// The supposed link is the last one at both ends.
void GridLinks::DropSupposed() {
    for (const SwitchIndex at : {supposed_.one, supposed_.other}) {
        if (at != kNoSwitch) --degrees_[Raw(at)];
    }
    supposed_ = {};
}

std::size_t GridLinks::IndexOf(SwitchIndex one, SwitchIndex other) const {
    const auto all = neighbors(one);
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), other) - all.begin());
}

std::uint32_t GridLinks::LinkOf(SwitchIndex one, SwitchIndex other) const {
    const SwitchIndex first = std::min(one, other);
    EMBER_ASSERT(AreNeighbors(one, other));
    return static_cast<std::uint32_t>(PlaceOf(first, IndexOf(first, std::max(one, other))));
}

GridLinks::Square GridLinks::Study(SwitchIndex at, SwitchIndex one, SwitchIndex other) const {
    if (AreNeighbors(one, other)) return {.corner = Corner::kTriangle};
    Square square;
    for (const SwitchIndex fourth : neighbors(one)) {
        if (fourth == at || !AreNeighbors(fourth, other)) continue;
        square.corner = square.corner == Corner::kNone ? Corner::kSquare : Corner::kTangle;
        square.fourth = fourth;
    }
    return square;
}

}  // namespace ember
