// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a GUID to a row, without a heap.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// Finds the row that belongs to a GUID. Open addressing with linear probing; a removal moves later
/// entries back, so there are no tombstones and a probe ends at the first empty slot. The storage
/// has a power-of-two number of slots, at least SlotsFor(capacity), so it is never more than half
/// full: the mean probe is shorter than two slots.
template <Enum Row>
class HashIndex {
public:
    struct Slot {
        Guid key{kNoGuid};  ///< kNoGuid: empty.
        Row row{};
    };

    [[nodiscard]] static constexpr std::size_t SlotsFor(std::size_t capacity) {
        return std::bit_ceil(capacity * 2 + 2);
    }

    constexpr HashIndex() = default;
    explicit constexpr HashIndex(std::span<Slot> slots) : slots_(slots) {
        EMBER_ASSERT(std::has_single_bit(slots.size()));
    }

    /// The row of `key`, or `absent`.
    [[nodiscard]] constexpr Row Find(Guid key, Row absent) const {
        const std::size_t at = Place(key);
        return slots_[at].key == key && key != kNoGuid ? slots_[at].row : absent;
    }
    /// Remembers `row` under `key`, replacing what was there. `key` is not kNoGuid.
    constexpr void Insert(Guid key, Row row) {
        EMBER_ASSERT(key != kNoGuid);
        const std::size_t at = Place(key);
        if (slots_[at].key != key) {
            ++count_;
            EMBER_ASSERT(count_ * 2 <= slots_.size());
        }
        slots_[at] = {key, row};
    }
    constexpr void Remove(Guid key) {
        std::size_t hole = Place(key);
        if (key == kNoGuid || slots_[hole].key != key) return;
        --count_;
        for (std::size_t at = Next(hole); slots_[at].key != kNoGuid; at = Next(at)) {
            // An entry may fill the hole if its home is not between the hole and itself.
            const std::size_t home = Home(slots_[at].key);
            if (((at - home) & Mask()) < ((at - hole) & Mask())) continue;
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole] = Slot{};
    }
    constexpr void clear() {
        for (Slot& slot : slots_) {
            slot = Slot{};
        }
        count_ = 0;
    }
    [[nodiscard]] constexpr std::size_t size() const { return count_; }

private:
    [[nodiscard]] constexpr std::size_t Mask() const { return slots_.size() - 1; }
    [[nodiscard]] constexpr std::size_t Next(std::size_t at) const { return (at + 1) & Mask(); }
    [[nodiscard]] constexpr std::size_t Home(Guid key) const {
        // Fibonacci hashing: vendors number their GUIDs in runs, the product spreads them.
        const std::uint64_t mixed = (Raw(key) ^ (Raw(key) >> 29)) * 0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(mixed >> 32) & Mask();
    }
    /// Where `key` is or would be put. Ends: at least half the slots are empty.
    [[nodiscard]] constexpr std::size_t Place(Guid key) const {
        std::size_t at = Home(key);
        while (slots_[at].key != kNoGuid && slots_[at].key != key) {
            at = Next(at);
        }
        return at;
    }

    std::span<Slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace ember
