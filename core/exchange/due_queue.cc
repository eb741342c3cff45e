// SPDX-License-Identifier: Apache-2.0
// EmberSM: the deadlines of transactions, in order.
#include "core/exchange/due_queue.h"

#include "core/base/assert.h"

namespace ember {

void DueQueue::Add(std::uint16_t slot, std::uint64_t at_us) {
    EMBER_ASSERT(slot < entries_.size());
    EMBER_ASSERT(!Has(slot));
    EMBER_ASSERT(count_ < entries_.size());
    const std::size_t place = Rise(count_++, at_us);
    Put(place, at_us, slot);
}

void DueQueue::Remove(std::uint16_t slot) {
    EMBER_ASSERT(slot < entries_.size());
    EMBER_ASSERT(Has(slot));
    const std::size_t hole = entries_[slot].place;
    EMBER_ASSERT(entries_[hole].slot == slot);
    entries_[slot].place = kNowhere;
    --count_;
    if (hole == count_) return;
    // The last one fills the hole, then finds its place: up or down, never both.
    const std::uint64_t at_us = entries_[count_].at_us;
    const std::uint16_t moved = entries_[count_].slot;
    std::size_t place = Rise(hole, at_us);
    if (place == hole) place = Sink(hole, at_us);
    Put(place, at_us, moved);
}

/// Moves later parents down until `at_us` may stand at the place returned.
std::size_t DueQueue::Rise(std::size_t place, std::uint64_t at_us) {
    EMBER_ASSERT(place < count_);
    while (place > 0) {
        const std::size_t parent = (place - 1) / 2;
        if (entries_[parent].at_us <= at_us) break;
        Put(place, entries_[parent].at_us, entries_[parent].slot);
        place = parent;
    }
    return place;
}

/// Moves earlier children up until `at_us` may stand at the place returned.
std::size_t DueQueue::Sink(std::size_t place, std::uint64_t at_us) {
    EMBER_ASSERT(place < count_);
    for (std::size_t child = 2 * place + 1; child < count_; child = 2 * place + 1) {
        if (child + 1 < count_ && entries_[child + 1].at_us < entries_[child].at_us) ++child;
        if (at_us <= entries_[child].at_us) break;
        Put(place, entries_[child].at_us, entries_[child].slot);
        place = child;
    }
    return place;
}

}  // namespace ember
