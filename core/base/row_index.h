// SPDX-License-Identifier: Apache-2.0
// EmberSM: from any key to a row, without a heap.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// Finds rows by keys that stand in the rows themselves: the slots hold row numbers only, and
/// whoever asks brings the key's hash and tells which row has it. Open addressing with linear
/// probing; a removal moves later entries back, so there are no tombstones and a probe ends at the
/// first empty slot. The storage has a power of two of slots, at least SlotsFor(capacity), so it is
/// never more than half full: the mean probe is shorter than two slots.
template <Enum Row>
class RowIndex {
public:
    /// No row; also what an empty slot holds. Constant, though clang-tidy 14 cannot see it.
    // NOLINTNEXTLINE(bugprone-dynamic-static-initializers)
    static constexpr Row kEmpty = static_cast<Row>(~std::uint64_t{0});

    [[nodiscard]] static constexpr std::size_t SlotsFor(std::size_t capacity) {
        return std::bit_ceil(capacity * 2);
    }
    /// Whoever may choose keys (an MGID, a ServiceID) must not know which of them meet in a slot,
    /// so hashes are drawn with this one. Asserts that nothing is in yet.
    constexpr void SetSecret(std::uint64_t secret) {
        EMBER_ASSERT(count_ == 0);
        secret_ = secret;
    }
    /// Spreads a key of two words over 64 bits: keys that differ in one bit, or count on, are far
    /// apart, and which ones are near nobody can tell without the secret.
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

    /// The row under `hash` of which `is_it(row)` says so, or kEmpty.
    template <typename IsIt>
    [[nodiscard]] constexpr Row Find(std::uint64_t hash, IsIt is_it) const {
        for (std::size_t at = Home(hash); slots_[at] != kEmpty; at = Next(at)) {
            if (is_it(slots_[at])) return slots_[at];
        }
        return kEmpty;
    }
    /// `row` is not in yet.
    constexpr void Insert(std::uint64_t hash, Row row) {
        EMBER_ASSERT(row != kEmpty && (count_ + 1) * 2 <= slots_.size());
        std::size_t at = Home(hash);
        while (slots_[at] != kEmpty) {
            at = Next(at);
        }
        slots_[at] = row;
        ++count_;
    }
    /// What is in under `hash` as row `before` is row `now` from here on.
    constexpr void Renumber(std::uint64_t hash, Row before, Row now) {
        EMBER_ASSERT(now != kEmpty);
        slots_[SlotOf(hash, before)] = now;
    }
    /// `row` is in, under `hash`; `hash_of(row)` tells that of any other row.
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
    /// Every bit of the word depends on every bit that came in. Source: the finalizer of
    /// MurmurHash3, public domain.
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
    std::uint64_t secret_ = 0x9E3779B97F4A7C15ULL;  ///< Until one is drawn.
};

}  // namespace ember
