// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches by their distance, the nearest one first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// A binary heap in which a switch is found by its row, so that its distance may change while it
/// waits. Equals rise in a given order: nothing depends on the history of the heap, nor on the rows
/// that switches happen to have.
class SwitchHeap {
public:
    static constexpr std::uint32_t kAbsent = 0xFFFF'FFFF;

    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(std::size_t switches) {
        return Arena::BytesFor<SwitchIndex>(switches) +
               2 * Arena::BytesFor<std::uint32_t>(switches) +
               Arena::BytesFor<std::uint64_t>(switches);
    }

    /// `order`: all switches, each with a row below `switches`.
    void Begin(std::span<const SwitchIndex> order, std::size_t switches, Arena& scratch) {
        rank_ = scratch.Take<std::uint32_t>(switches);
        for (std::size_t i = 0; i < order.size(); ++i) {
            rank_[Raw(order[i])] = static_cast<std::uint32_t>(i);
        }
        heap_ = scratch.Take<SwitchIndex>(switches);
        where_ = scratch.Take<std::uint32_t>(switches);
        distance_ = scratch.Take<std::uint64_t>(switches);
        for (std::uint32_t& where : where_) {
            where = kAbsent;
        }
        count_ = 0;
    }
    void Clear() {
        for (const SwitchIndex at : heap_.first(count_)) {
            where_[Raw(at)] = kAbsent;
        }
        count_ = 0;
    }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] bool Has(SwitchIndex at) const { return where_[Raw(at)] != kAbsent; }
    /// Of a switch that waits, or that was taken last.
    [[nodiscard]] std::uint64_t distance(SwitchIndex at) const { return distance_[Raw(at)]; }

    /// Puts in a switch, or gives one that waits another distance.
    void Set(SwitchIndex at, std::uint64_t distance) {
        if (!Has(at)) {
            EMBER_ASSERT(count_ < heap_.size());
            Put(count_++, at);
        }
        distance_[Raw(at)] = distance;
        Rise(where_[Raw(at)]);
        Sink(where_[Raw(at)]);
    }
    /// Takes out the nearest one. Not from an empty heap.
    SwitchIndex Take() {
        EMBER_ASSERT(count_ > 0);
        const SwitchIndex nearest = heap_[0];
        where_[Raw(nearest)] = kAbsent;
        if (--count_ > 0) {
            Put(0, heap_[count_]);
            Sink(0);
        }
        return nearest;
    }

private:
    void Put(std::size_t place, SwitchIndex at) {
        heap_[place] = at;
        where_[Raw(at)] = static_cast<std::uint32_t>(place);
    }
    [[nodiscard]] bool IsNearer(SwitchIndex one, SwitchIndex other) const {
        const std::uint64_t far = distance_[Raw(one)];
        const std::uint64_t others = distance_[Raw(other)];
        return far != others ? far < others : rank_[Raw(one)] < rank_[Raw(other)];
    }
    void Rise(std::size_t place) {
        const SwitchIndex at = heap_[place];
        for (; place > 0 && IsNearer(at, heap_[(place - 1) / 2]); place = (place - 1) / 2) {
            Put(place, heap_[(place - 1) / 2]);
        }
        Put(place, at);
    }
    void Sink(std::size_t place) {
        const SwitchIndex at = heap_[place];
        for (std::size_t child = 2 * place + 1; child < count_; child = 2 * place + 1) {
            if (child + 1 < count_ && IsNearer(heap_[child + 1], heap_[child])) ++child;
            if (!IsNearer(heap_[child], at)) break;
            Put(place, heap_[child]);
            place = child;
        }
        Put(place, at);
    }

    std::span<std::uint32_t> rank_;  ///< By switch: its place in the order of equals.
    std::span<SwitchIndex> heap_;
    std::span<std::uint32_t> where_;     ///< By switch.
    std::span<std::uint64_t> distance_;  ///< By switch.
    std::size_t count_ = 0;
};

}  // namespace ember
