// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast forwarding tables of all switches, as wanted and as programmed.

#include "core/multicast/mft_tables.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

/// Marks a block that has to be written, or read before, and unmarks any other.
void MftTables::Compare(std::size_t block) {
    EMBER_ASSERT(block < block_bound());
    const Block& wanted = wanted_[block];
    const bool is_empty =
        std::all_of(wanted.begin(), wanted.end(), [](std::uint16_t mask) { return mask == 0; });
    const bool differs = known_.Has(block) ? wanted != programmed_[block] : !is_empty;
    if (differs) {
        differs_.Add(block);
    } else {
        differs_.Remove(block);
    }
}

std::size_t MftTables::NextDifference(std::size_t from) const {
    EMBER_ASSERT(from <= block_bound());
    const auto words = differs_.words();
    for (std::size_t i = from / 64; i < words.size(); ++i) {
        const std::size_t skipped = i == from / 64 ? from % 64 : 0;
        const std::uint64_t word = words[i] >> skipped << skipped;
        if (word != 0) return i * 64 + static_cast<std::size_t>(std::countr_zero(word));
    }
    return block_bound();
}

void MftTables::ForgetRun(const Run& run) {
    EMBER_ASSERT(run.first + run.count <= owners_.size());
    for (std::size_t i = run.first; i < run.first + run.count; ++i) {
        for (std::size_t number = 0; number < block_nums_; ++number) {
            const std::size_t block = BlockAt(number, i);
            const bool was_used = known_.Has(block) || differs_.Has(block);
            if (was_used) wanted_[block] = programmed_[block] = Block{};
            known_.Remove(block);
            differs_.Remove(block);
        }
        owners_[i] = kNoSwitch;
    }
}

/// Gives a switch a run behind all others. False: there is no room.
bool MftTables::Place(SwitchIndex at, const Node& node) {
    EMBER_ASSERT(node.switch_index == at);
    EMBER_ASSERT(runs_[at].count == 0);
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
    // The runs of removed switches lie between those of others: all runs are made anew.
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

/// Says of all blocks of a run whether they are known. Most were always empty, in both copies: they
/// are not looked at, as that takes tens of milliseconds where a fabric is large.
void MftTables::SetKnown(const Run& run, bool is_known) {
    for (std::size_t number = 0; number < block_nums_; ++number) {
        for (std::size_t i = run.first; i < run.first + run.count; ++i) {
            const std::size_t block = BlockAt(number, i);
            is_known ? known_.Add(block) : known_.Remove(block);
            if (number < used_nums_) Compare(block);
        }
    }
}

void MftTables::ForgetSwitch(SwitchIndex at) {
    EMBER_ASSERT(runs_[at].count != 0);
    SetKnown(runs_[at], false);
}

void MftTables::LearnEmpty(SwitchIndex at) {
    EMBER_ASSERT(runs_[at].count != 0);
    const Run& run = runs_[at];
    for (std::size_t number = 0; number < used_nums_; ++number) {
        for (std::size_t i = run.first; i < run.first + run.count; ++i) {
            programmed_[BlockAt(number, i)] = Block{};
        }
    }
    SetKnown(run, true);
}

}  // namespace ember
