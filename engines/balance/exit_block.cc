// SPDX-License-Identifier: Apache-2.0
// EmberSM: the candidates of all switches for 64 destination switches.

#include "engines/balance/exit_block.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void ExitBlock::Begin(const RoutingTask& task, const ExitFinder& finder) {
    task_ = task;
    finder_ = &finder;
    block_ = kNoBlock;
    next_ = 0;
    has_choice_ = false;
    bound_ = task.topology->switch_bound();
    words_ = 1;
    for (const SwitchIndex at : task.topology->switches_by_guid()) {
        if (task.topology->switch_row(at).port_count > 64) words_ = kMostWords;
    }
    masks_ = task.scratch->Take<std::uint64_t>(bound_ * kColumns * words_);
    hops_ = task.scratch->Take<std::uint8_t>(bound_ * kColumns);
    sorted_ = task.scratch->Take<SwitchIndex>(bound_);
}

Progress ExitBlock::Load(SwitchIndex to) {
    const std::size_t block = Raw(to) / kColumns;
    if (block != block_) {
        block_ = block;
        next_ = 0;
    }
    const std::size_t end = std::min(bound_, next_ + kSwitchesPerSlice);
    for (; next_ < end; ++next_) {
        LoadRow(static_cast<SwitchIndex>(next_));
    }
    return next_ == bound_ ? Progress::kDone : Progress::kMore;
}

/// The candidates of one switch.
void ExitBlock::LoadRow(SwitchIndex here) {
    if (!task_.topology->Has(here)) return;  // A hole has none.
    const std::size_t first = block_ * kColumns;
    const std::size_t size = kColumns * words_;
    const auto masks = masks_.subspan(Raw(here) * size, size);
    finder_->Find(here, first, words_, masks);
    NoteChoices(masks);
    const auto row = finder_->hops()[here].subspan(first, kColumns);
    for (std::size_t i = 0; i < kColumns; ++i) {
        hops_[i * bound_ + Raw(here)] = row[i];
    }
}

/// Of one switch.
void ExitBlock::NoteChoices(std::span<const std::uint64_t> masks) {
    std::uint64_t further = 0;  // Bits of a column that are not its first.
    for (std::size_t first = 0; first < masks.size(); first += words_) {
        std::uint64_t seen = 0;
        for (const std::uint64_t mask : masks.subspan(first, words_)) {
            further |= seen == 0 ? mask & (mask - 1) : mask;
            seen |= mask;
        }
    }
    has_choice_ = has_choice_ || further != 0;
}

std::span<const SwitchIndex> ExitBlock::SortByDistance(SwitchIndex to) {
    EMBER_ASSERT(Raw(to) / kColumns == block_ && next_ == bound_);
    const auto distances = hops(to);
    const auto switches = task_.topology->switches_by_guid();
    starts_.fill(0);
    for (const SwitchIndex at : switches) {
        ++starts_[distances[Raw(at)] + std::size_t{1}];
    }
    for (std::size_t i = 1; i < starts_.size(); ++i) {
        starts_[i] += starts_[i - 1];
    }
    const std::size_t reached = starts_[kNoHops];
    for (const SwitchIndex at : switches) {
        sorted_[starts_[distances[Raw(at)]]++] = at;
    }
    EMBER_ASSERT(reached > 0 && sorted_[0] == to);
    return sorted_.subspan(1, reached - 1);
}

}  // namespace ember
