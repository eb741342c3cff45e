// SPDX-License-Identifier: Apache-2.0
// EmberSM: how fast a link is, as path and group records tell it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/wire/port_info.h"

namespace ember {

/// Codes of PathRecord:Rate and MCMemberRecord:Rate. IBA vol. 1, 15.2.5.16. They do not order by
/// speed: use RateRank().
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
    k300Gb = 18,  ///< The last that every client knows.
    k28Gb = 19,
    k50Gb = 20,
    k400Gb = 21,
    k600Gb = 22,
    k800Gb = 23,
    k1200Gb = 24,
};
inline constexpr Rate kTopRate = Rate::k1200Gb;
inline constexpr Rate kTopClassicRate = Rate::k300Gb;

/// All rates by ascending speed.
inline constexpr std::array kRatesBySpeed{
    Rate::k2Gb5,  Rate::k5Gb,   Rate::k10Gb,  Rate::k14Gb,  Rate::k20Gb,  Rate::k25Gb,
    Rate::k28Gb,  Rate::k30Gb,  Rate::k40Gb,  Rate::k50Gb,  Rate::k56Gb,  Rate::k60Gb,
    Rate::k80Gb,  Rate::k100Gb, Rate::k112Gb, Rate::k120Gb, Rate::k168Gb, Rate::k200Gb,
    Rate::k300Gb, Rate::k400Gb, Rate::k600Gb, Rate::k800Gb, Rate::k1200Gb};

/// True for the codes above, kNone apart: others are reserved.
[[nodiscard]] constexpr bool IsRate(Rate rate) {
    return rate >= Rate::k2Gb5 && rate <= kTopRate;
}

/// The place of a rate among all by speed, from 1; 0 for what is no rate. The faster has the
/// higher.
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

/// The rate of that rank; kNone for 0 and what is above all.
[[nodiscard]] constexpr Rate RateOfRank(std::size_t rank) {
    return rank >= 1 && rank <= kRatesBySpeed.size() ? kRatesBySpeed[rank - 1] : Rate::kNone;
}

/// The next slower rate; kNone below the slowest.
[[nodiscard]] constexpr Rate NextSlower(Rate rate) {
    const std::size_t rank = RateRank(rate);
    return rank == 0 ? Rate::kNone : RateOfRank(rank - 1);
}

/// The fastest rate whose code is at most `top` and that is not faster than `rate`: what a client
/// is told that does not know newer codes. kNone when there is none.
[[nodiscard]] constexpr Rate CapRate(Rate rate, Rate top) {
    while (rate > top) {  // Ends: each is slower.
        rate = NextSlower(rate);
    }
    return rate;
}

/// The rate of a link by what one of its ports says: LinkWidthActive by the active speed.
/// `extended`: the device's extended speeds are to be looked at. What makes no sense counts as the
/// slowest.
[[nodiscard]] Rate LinkRate(const PortInfo& info, bool extended);

/// The rate of that width (link_width) and speed: a column of SDR to XDR, 0 to 7.
[[nodiscard]] Rate LinkRate(std::uint8_t width, std::size_t speed);

}  // namespace ember
