// SPDX-License-Identifier: Apache-2.0
// EmberSM: a hash index from keys to rows, without a heap.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// Finds rows by keys that stand in the rows themselves. The slots hold row numbers only; the
/// caller brings the hash of a key, and a function that tells whether a row has that key.
///
/// Open addressing with linear probing. A removal moves later entries back, so there are no
/// tombstones and a probe ends at the first empty slot. The storage has a power of two of slots. Of
/// SlotsFor(capacity) never more than half are full, and the mean probe is shorter than two slots;
/// of SparseSlotsFor(rows) never more than three quarters.
template <Enum Row>
class RowIndex {
public:
    /// No row; the value of an empty slot. A constant, though clang-tidy 14 does not see that.
    // NOLINTNEXTLINE(bugprone-dynamic-static-initializers)
    static constexpr Row kEmpty = static_cast<Row>(~std::uint64_t{0});

    /// Slots for `capacity` rows.
    [[nodiscard]] static constexpr std::size_t SlotsFor(std::size_t capacity) {
        return std::bit_ceil(capacity * 2);
    }
    /// Slots for a table of which few rows have a key. If all of them have one, the mean probe for
    /// a key that is not there takes nine slots.
    [[nodiscard]] static constexpr std::size_t SparseSlotsFor(std::size_t rows) {
        return std::bit_ceil(rows + rows / 3 + 1);
    }
    /// Mixes `secret` into every hash. Clients choose some keys themselves (an MGID, a ServiceID),
    /// and must not know which of them share a slot. Asserts that the index is empty.
    constexpr void SetSecret(std::uint64_t secret) {
        EMBER_ASSERT(count_ == 0);
        secret_ = secret;
    }
    /// The hash of a key of two words. Keys that differ in one bit, or are consecutive, get distant
    /// hashes; which keys get near ones cannot be told without the secret.
    [[nodiscard]] constexpr std::uint64_t Hash(std::uint64_t one, std::uint64_t other) const {
        return Mix(Mix(one ^ secret_) ^ other);
    }
    /// The hash of a key that is a GUID.
    [[nodiscard]] constexpr std::uint64_t HashOf(Guid guid) const {
        return Mix(Raw(guid) ^ secret_);
    }

    constexpr RowIndex() = default;
    explicit constexpr RowIndex(std::span<Row> slots) : slots_(slots) {
        EMBER_ASSERT(std::has_single_bit(slots.size()));
        clear();
    }

    /// The row under `hash` for which `is_it(row)` is true, or kEmpty.
    template <typename IsIt>
    [[nodiscard]] constexpr Row Find(std::uint64_t hash, IsIt is_it) const {
        for (std::size_t at = Home(hash); slots_[at] != kEmpty; at = Next(at)) {
            if (is_it(slots_[at])) return slots_[at];
        }
        return kEmpty;
    }
    /// Adds `row`, which is not in the index. Asserts that there is room for it.
    constexpr void Insert(std::uint64_t hash, Row row) {
        EMBER_ASSERT(row != kEmpty);
        EMBER_ASSERT((count_ + 1) * 4 <= slots_.size() * 3);
        std::size_t at = Home(hash);
        while (slots_[at] != kEmpty) {
            at = Next(at);
        }
        slots_[at] = row;
        ++count_;
    }
    /// Replaces the row `before`, which is in under `hash`, by `now`.
    constexpr void Renumber(std::uint64_t hash, Row before, Row now) {
        EMBER_ASSERT(now != kEmpty);
        slots_[SlotOf(hash, before)] = now;
    }
    /// Removes `row`, which is in under `hash`; `hash_of(row)` is the hash of any other row.
    template <typename HashOf>
    constexpr void Remove(std::uint64_t hash, Row row, HashOf hash_of) {
        std::size_t hole = SlotOf(hash, row);
        --count_;
        for (std::size_t at = Next(hole); slots_[at] != kEmpty; at = Next(at)) {
            // An entry may fill the hole if its home is not between the hole and itself.
            const std::size_t home = Home(hash_of(slots_[at]));
            if (((at - home) & Mask()) < ((at - hole) & Mask())) continue;
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole] = kEmpty;
    }
    constexpr void clear() {
        std::fill(slots_.begin(), slots_.end(), kEmpty);
        count_ = 0;
    }
    [[nodiscard]] constexpr std::size_t size() const { return count_; }

private:
    /// A bijection in which every bit of the result depends on every bit of `word`. Source: the
    /// finalizer of MurmurHash3, public domain.
    [[nodiscard]] static constexpr std::uint64_t Mix(std::uint64_t word) {
        word = (word ^ (word >> 33U)) * 0xFF51AFD7ED558CCDULL;
        word = (word ^ (word >> 33U)) * 0xC4CEB9FE1A85EC53ULL;
        return word ^ (word >> 33U);
    }
    [[nodiscard]] constexpr std::size_t Mask() const { return slots_.size() - 1; }
    [[nodiscard]] constexpr std::size_t Next(std::size_t at) const { return (at + 1) & Mask(); }
    [[nodiscard]] constexpr std::size_t Home(std::uint64_t hash) const {
        return static_cast<std::size_t>(hash) & Mask();
    }

    [[nodiscard]] constexpr std::size_t SlotOf(std::uint64_t hash, Row row) const {
        std::size_t at = Home(hash);
        while (slots_[at] != row) {
            EMBER_ASSERT(slots_[at] != kEmpty);
            at = Next(at);
        }
        return at;
    }

    std::span<Row> slots_;
    std::size_t count_ = 0;
    std::uint64_t secret_ = 0x9E3779B97F4A7C15ULL;  ///< Until SetSecret().
};

}  // namespace ember
