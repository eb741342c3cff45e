// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rates of links, in path and group records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/wire/port_info.h"

namespace ember {

/// Codes of PathRecord:Rate and MCMemberRecord:Rate. IBA vol. 1, 15.2.5.16. The codes do not order
/// by speed: use RateRank().
enum class Rate : std::uint8_t {
    kNone = 0,
    k2Gb5 = 2,
    k10Gb = 3,
    k30Gb = 4,
    k5Gb = 5,
    k20Gb = 6,
    k40Gb = 7,
    k60Gb = 8,
    k80Gb = 9,
    k120Gb = 10,
    k14Gb = 11,
    k56Gb = 12,
    k112Gb = 13,
    k168Gb = 14,
    k25Gb = 15,
    k100Gb = 16,
    k200Gb = 17,
    k300Gb = 18,  ///< The last code that every client knows.
    k28Gb = 19,
    k50Gb = 20,
    k400Gb = 21,
    k600Gb = 22,
    k800Gb = 23,
    k1200Gb = 24,
    k1600Gb = 25,
    k2400Gb = 26,
};
inline constexpr Rate kTopRate = Rate::k2400Gb;        ///< The highest code.
inline constexpr Rate kTopClassicRate = Rate::k300Gb;  ///< The highest code that all clients know.

/// All rates by the data that they carry, as OpenSM orders them. Up to QDR eight bits take ten on
/// the wire, so 30 Gb/s (12x SDR) carry less than 25 (1x EDR), 60 less than 50, 120 less than 100.
inline constexpr std::array kRatesBySpeed{
    Rate::k2Gb5,  Rate::k5Gb,   Rate::k10Gb,   Rate::k14Gb,   Rate::k20Gb,
    Rate::k30Gb,  Rate::k25Gb,  Rate::k28Gb,   Rate::k40Gb,   Rate::k60Gb,
    Rate::k50Gb,  Rate::k56Gb,  Rate::k80Gb,   Rate::k120Gb,  Rate::k100Gb,
    Rate::k112Gb, Rate::k168Gb, Rate::k200Gb,  Rate::k300Gb,  Rate::k400Gb,
    Rate::k600Gb, Rate::k800Gb, Rate::k1200Gb, Rate::k1600Gb, Rate::k2400Gb};

/// True for a code above except kNone; all other codes are reserved.
[[nodiscard]] constexpr bool IsRate(Rate rate) {
    return rate >= Rate::k2Gb5 && rate <= kTopRate;
}

/// The rank of a rate by ascending speed, from 1; 0 for a reserved code and kNone.
[[nodiscard]] constexpr std::uint8_t RateRank(Rate rate) {
    constexpr auto kRanks = [] {
        std::array<std::uint8_t, 64> ranks{};
        for (std::size_t i = 0; i < kRatesBySpeed.size(); ++i) {
            ranks[static_cast<std::size_t>(kRatesBySpeed[i])] = static_cast<std::uint8_t>(i + 1);
        }
        return ranks;
    }();
    const auto code = static_cast<std::size_t>(rate);
    return code < kRanks.size() ? kRanks[code] : std::uint8_t{0};
}

/// The rate of a rank; kNone for 0 and for a rank above the fastest.
[[nodiscard]] constexpr Rate RateOfRank(std::size_t rank) {
    return rank >= 1 && rank <= kRatesBySpeed.size() ? kRatesBySpeed[rank - 1] : Rate::kNone;
}

/// Data in Mbit/s, without the code of the wire: eight bits take ten up to QDR, 64 take 66 from FDR
/// on. 0 for a reserved code and kNone.
[[nodiscard]] constexpr std::uint32_t DataMegabits(Rate rate) {
    constexpr std::array<std::uint32_t, Raw(kTopRate) + std::size_t{1}> kMegabits{
        0,       0,      2'000,  8'000,   24'000,  4'000,   16'000,    32'000,    48'000,
        64'000,  96'000, 13'600, 54'500,  109'000, 163'600, 25'000,    100'000,   200'000,
        300'000, 27'200, 50'000, 400'000, 600'000, 800'000, 1'200'000, 1'600'000, 2'400'000};
    const auto code = static_cast<std::size_t>(rate);
    return code < kMegabits.size() ? kMegabits[code] : 0;
}

/// The next slower rate; kNone for the slowest.
[[nodiscard]] constexpr Rate NextSlower(Rate rate) {
    const std::size_t rank = RateRank(rate);
    return rank == 0 ? Rate::kNone : RateOfRank(rank - 1);
}

/// The rate if its code is at most `top`; else the fastest of these codes that is neither faster
/// than the rate nor than `top`, kNone when there is none. Option max_rate_enum.
[[nodiscard]] constexpr Rate CapRate(Rate rate, Rate top) {
    if (rate <= top) return rate;
    while (rate > top || RateRank(rate) > RateRank(top)) {  // Ends: each is slower.
        rate = NextSlower(rate);
    }
    return rate;
}

/// The rate of a link by the PortInfo of one of its ports: LinkWidthActive times the active speed.
/// `extended`: the device knows the extended speeds, and their fields are read. A width or speed
/// that the specification does not define counts as the slowest.
[[nodiscard]] Rate LinkRate(const PortInfo& info, bool extended);

/// The rate of a width (link_width) and a speed: 0 is SDR, 7 is XDR. The slowest rate for any other
/// speed.
[[nodiscard]] Rate LinkRate(std::uint8_t width, std::size_t speed);

}  // namespace ember
