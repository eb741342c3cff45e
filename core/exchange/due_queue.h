// SPDX-License-Identifier: Apache-2.0
// EmberSM: the deadlines of transactions, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"

namespace ember {

/// Deadlines of slots 0..size-1, the earliest first: a binary heap that knows the place of each
/// slot, so that an answer can remove its deadline. Deadlines mostly come in ascending order, and
/// then Add() moves no entry. A timing wheel would save the logarithm (12 steps for 4096 slots),
/// but its deadlines are only known to a tick; virtual time needs exact ones.
class DueQueue {
public:
    struct Entry {
        std::uint64_t at_us = 0;
        std::uint16_t slot = 0;   ///< The slot at this place of the heap.
        std::uint16_t place = 0;  ///< Unrelated: the place of the slot that has this row's number.
    };

    explicit DueQueue(std::span<Entry> entries) : entries_(entries) {
        EMBER_ASSERT(entries.size() <= kNowhere);
        for (Entry& entry : entries_) {
            entry.place = kNowhere;
        }
    }

    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] bool Has(std::uint16_t slot) const { return entries_[slot].place != kNowhere; }
    /// The earliest deadline; asserts that there is one.
    [[nodiscard]] std::uint64_t first_us() const {
        EMBER_ASSERT(!empty());
        return entries_[0].at_us;
    }
    /// The slot of the earliest deadline; asserts that there is one.
    [[nodiscard]] std::uint16_t first_slot() const {
        EMBER_ASSERT(!empty());
        return entries_[0].slot;
    }

    /// Adds a deadline for `slot`, which must have none.
    void Add(std::uint16_t slot, std::uint64_t at_us);
    /// Removes the deadline of `slot`, which must have one.
    void Remove(std::uint16_t slot);

private:
    static constexpr std::uint16_t kNowhere = 0xFFFF;

    void Put(std::size_t place, std::uint64_t at_us, std::uint16_t slot) {
        entries_[place].at_us = at_us;
        entries_[place].slot = slot;
        entries_[slot].place = static_cast<std::uint16_t>(place);
    }
    [[nodiscard]] std::size_t Rise(std::size_t place, std::uint64_t at_us);
    [[nodiscard]] std::size_t Sink(std::size_t place, std::uint64_t at_us);

    std::span<Entry> entries_;
    std::size_t count_ = 0;
};

}  // namespace ember
