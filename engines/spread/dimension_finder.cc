// SPDX-License-Identifier: Apache-2.0
// EmberSM: of the exits on shortest paths, those into the first dimension.

#include "engines/spread/dimension_finder.h"

#include <bit>

namespace ember {

namespace {

bool Holds(std::span<const std::uint64_t> mask, std::size_t port) {
    return (mask[(port - 1) / 64] >> ((port - 1) % 64) & 1U) != 0;
}

}  // namespace

Status DimensionFinder::Begin(const RoutingTask& task) {
    topology_ = task.topology;
    search_.Begin(*task.topology, task.options->tables, *task.scratch);
    return shortest_.Begin(task);
}

void DimensionFinder::Find(SwitchIndex here, std::size_t first, std::size_t words,
                           std::span<std::uint64_t> masks) const {
    shortest_.Find(here, first, words, masks);
    for (std::size_t i = 0; i < masks.size(); i += words) {
        KeepFirstNeighbor(here, masks.subspan(i, words));
    }
}

/// The port of a set that comes first in the search order; 0 when the set is empty.
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
