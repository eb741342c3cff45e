// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast forwarding tables of all switches: as they shall be, and as they are.

#include "core/fabric/mft_tables.h"

#include <algorithm>
#include <bit>

namespace ember {

/// Marks a leaf that must be written, or first be read.
void MftTables::Compare(std::size_t leaf) {
    const Leaf& wanted = wanted_[leaf];
    const bool is_empty =
        std::all_of(wanted.begin(), wanted.end(), [](std::uint16_t mask) { return mask == 0; });
    const bool differs = known_.Has(leaf) ? wanted != programmed_[leaf] : !is_empty;
    if (differs) {
        differs_.Add(leaf);
    } else {
        differs_.Remove(leaf);
    }
}

std::size_t MftTables::NextDifference(std::size_t from) const {
    const auto words = differs_.words();
    for (std::size_t i = from / 64; i < words.size(); ++i) {
        const std::size_t skipped = i == from / 64 ? from % 64 : 0;
        const std::uint64_t word = words[i] >> skipped << skipped;
        if (word != 0) return i * 64 + static_cast<std::size_t>(std::countr_zero(word));
    }
    return leaf_bound();
}

void MftTables::ForgetRun(const Run& run) {
    for (std::size_t i = run.first; i < run.first + run.count; ++i) {
        for (std::size_t block = 0; block < blocks_; ++block) {
            const std::size_t leaf = LeafOf(block, i);
            const bool was_used = known_.Has(leaf) || differs_.Has(leaf);
            if (was_used) wanted_[leaf] = programmed_[leaf] = Leaf{};
            known_.Remove(leaf);
            differs_.Remove(leaf);
        }
        owners_[i] = kNoSwitch;
    }
}

/// A run behind all others. False: there is no room.
bool MftTables::Place(SwitchIndex at, const Node& node) {
    const std::uint8_t count = PositionsOf(node.port_count);
    if (bound_ + count > positions_) return false;
    runs_[at] = Run{.guid = node.guid, .first = static_cast<std::uint32_t>(bound_), .count = count};
    std::fill_n(owners_.begin() + static_cast<std::ptrdiff_t>(bound_), count, at);
    bound_ += count;
    return true;
}

bool MftTables::Fit(const Fabric& fabric) {
    bool has_room = true;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        const bool is_live = i < fabric.switch_bound() && fabric.IsLive(at);
        const Run run = runs_[at];
        if (!is_live && run.count == 0) continue;
        const Node* node = is_live ? &fabric.node(fabric.switch_row(at).node) : nullptr;
        const bool is_same =
            is_live && run.guid == node->guid && run.count == PositionsOf(node->port_count);
        if (is_same) continue;
        ForgetRun(run);
        runs_[at] = Run{};
        if (is_live) has_room = Place(at, *node) && has_room;
    }
    if (has_room) return false;
    // Runs of switches that are gone lie between those of others: all of them close up.
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        ForgetRun(runs_[static_cast<SwitchIndex>(i)]);
    }
    runs_.fill(Run{});
    bound_ = 0;
    ForEachSwitch(fabric, [&](SwitchIndex at, const Switch& row) {
        const bool is_placed = Place(at, fabric.node(row.node));
        EMBER_ASSERT(is_placed);
    });
    return true;
}

void MftTables::ForgetSwitch(SwitchIndex at) {
    const Run& run = runs_[at];
    for (std::size_t i = run.first; i < run.first + run.count; ++i) {
        for (std::size_t block = 0; block < blocks_; ++block) {
            Forget(LeafOf(block, i));
        }
    }
}

void MftTables::LearnEmpty(SwitchIndex at) {
    const Run& run = runs_[at];
    for (std::size_t i = run.first; i < run.first + run.count; ++i) {
        for (std::size_t block = 0; block < blocks_; ++block) {
            const std::size_t leaf = LeafOf(block, i);
            // Most of it was never touched, and stays so.
            if (programmed_[leaf] != Leaf{}) programmed_[leaf] = Leaf{};
            known_.Add(leaf);
            Compare(leaf);
        }
    }
}

}  // namespace ember
