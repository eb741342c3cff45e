// SPDX-License-Identifier: Apache-2.0
// EmberSM: chance for fabrics on paper and simulated ones: a seed draws the same numbers
// everywhere.
#pragma once

#include <cstdint>

namespace ember::net {

/// SplitMix64: one addition and a mix of shifts and products a number; every seed is a good seed.
class Random {
public:
    explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t Next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
        return mixed ^ (mixed >> 31U);
    }
    /// 0 … below - 1, evenly as far as a test can tell. `below` is not 0.
    constexpr std::uint32_t Below(std::uint32_t below) {
        return static_cast<std::uint32_t>(((Next() >> 32U) * below) >> 32U);
    }
    /// True in `per_million` of a million draws. Draws nothing when that is 0, so that a fault
    /// which is switched off does not change the story.
    constexpr bool Happens(std::uint32_t per_million) {
        return per_million != 0 && Below(1'000'000) < per_million;
    }

private:
    std::uint64_t state_;
};

}  // namespace ember::net
