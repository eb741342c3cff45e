// SPDX-License-Identifier: Apache-2.0
// EmberSM: a set of small numbers over borrowed words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"

namespace ember {

/// A set of the numbers 0..size-1, one bit each, over words that the board lent.
class BitSet {
public:
    /// Words that a set of `bits` numbers needs.
    [[nodiscard]] static constexpr std::size_t WordsFor(std::size_t bits) {
        return (bits + 63) / 64;
    }

    constexpr BitSet() = default;
    explicit constexpr BitSet(std::span<std::uint64_t> words) : words_(words) {}

    /// `bit`, here and below, is asserted to lie within the words.
    [[nodiscard]] constexpr bool Has(std::size_t bit) const {
        EMBER_ASSERT(bit / 64 < words_.size());
        return (words_[bit / 64] >> (bit % 64) & 1U) != 0;
    }
    constexpr void Add(std::size_t bit) const {
        EMBER_ASSERT(bit / 64 < words_.size());
        words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    constexpr void Remove(std::size_t bit) const {
        EMBER_ASSERT(bit / 64 < words_.size());
        words_[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
    }
    constexpr void clear() const { std::fill(words_.begin(), words_.end(), 0); }
    /// Numbers in the set. A pass over all words.
    [[nodiscard]] constexpr std::size_t count() const {
        std::size_t sum = 0;
        for (const std::uint64_t word : words_) {
            sum += static_cast<std::size_t>(std::popcount(word));
        }
        return sum;
    }
    [[nodiscard]] constexpr std::span<std::uint64_t> words() const { return words_; }

private:
    std::span<std::uint64_t> words_;
};

}  // namespace ember
