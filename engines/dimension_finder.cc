// SPDX-License-Identifier: Apache-2.0
// EmberSM: of the exits on shortest ways, those into the first dimension.

#include "engines/dimension_finder.h"

#include <bit>

namespace ember {

namespace {

bool Holds(std::span<const std::uint64_t> mask, std::size_t port) {
    return (mask[(port - 1) / 64] >> ((port - 1) % 64) & 1U) != 0;
}

}  // namespace

/// The port of a set that is searched first; 0 when the set is empty.
std::size_t DimensionFinder::FirstOf(SwitchIndex here, std::span<const std::uint64_t> mask) const {
    for (const PortNumber port : search_.of(here)) {
        if (Holds(mask, Raw(port))) return Raw(port);
    }
    for (std::size_t word = 0; word < mask.size(); ++word) {
        if (mask[word] == 0) continue;
        return word * 64 + static_cast<std::size_t>(std::countr_zero(mask[word])) + 1;
    }
    return 0;
}

void DimensionFinder::KeepFirstNeighbor(SwitchIndex here, std::span<std::uint64_t> mask) const {
    const std::size_t chosen = FirstOf(here, mask);
    if (chosen == 0) return;
    const auto exits = topology_->exits(here);
    for (std::size_t word = 0; word < mask.size(); ++word) {
        for (std::uint64_t rest = mask[word]; rest != 0; rest &= rest - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
            const bool stays = exits[word * 64 + bit + 1].peer == exits[chosen].peer;
            if (!stays) mask[word] &= ~(std::uint64_t{1} << bit);
        }
    }
}

}  // namespace ember
