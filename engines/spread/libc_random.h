// SPDX-License-Identifier: Apache-2.0
// EmberSM: the random numbers of OpenSM's scatter_ports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ember {

/// The numbers that random() of the GNU C library gives after srandom(seed), on every platform.
///
/// An additive lagged Fibonacci generator: each number is the sum, modulo 2^32, of those 3 and 31
/// before it, without its lowest bit. The first 31 come from Lehmer's generator with the multiplier
/// 16807 modulo 2^31 - 1, and 310 numbers are thrown away.
class LibcRandom {
public:
    /// As srandom(seed); 0 counts as 1.
    void Seed(std::uint32_t seed) {
        // The seed is signed there; the modulus is added to a negative remainder.
        std::int64_t word = static_cast<std::int32_t>(seed == 0 ? 1 : seed);
        for (std::uint32_t& value : values_) {
            value = static_cast<std::uint32_t>(word);
            word = word * kMultiplier % kModulus;
            if (word < 0) word += kModulus;
        }
        next_ = kShort;  // Of the first numbers, those before it count as the latest.
        for (std::size_t i = 0; i < 10 * kLong; ++i) {
            static_cast<void>(Next());
        }
    }

    /// 0..2^31-1. Undefined before Seed().
    [[nodiscard]] std::uint32_t Next() {
        const std::size_t recent = next_ + kLong - kShort;
        std::uint32_t& value = values_[next_];
        value += values_[recent < kLong ? recent : recent - kLong];
        next_ = next_ + 1 < kLong ? next_ + 1 : 0;
        return value >> 1U;
    }

private:
    static constexpr std::size_t kLong = 31;
    static constexpr std::size_t kShort = 3;
    static constexpr std::int64_t kMultiplier = 16807;
    static constexpr std::int64_t kModulus = 0x7FFFFFFF;

    std::array<std::uint32_t, kLong> values_{};  ///< The last ones, as a ring.
    std::size_t next_ = 0;                       ///< The oldest: it is replaced next.
};

}  // namespace ember
