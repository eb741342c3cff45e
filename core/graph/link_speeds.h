// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rates of links between switches, as numbers of three bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/wire/rate.h"

namespace ember {

/// The number of a rate in LinkSpeeds. 0: the rate is not known.
using LinkSpeed = std::uint8_t;

/// The rates that links between switches run at: seven of them, which is more than a subnet has.
/// A further one counts as the next slower of these, or as the slowest.
class LinkSpeeds {
public:
    static constexpr std::size_t kNumbers = 8;

    /// The number of this rate from now on.
    [[nodiscard]] LinkSpeed Number(Rate rate) {
        if (RateRank(rate) == 0) return 0;
        const auto* const known = std::find(rates_.begin() + 1, rates_.begin() + count_, rate);
        if (known != rates_.begin() + count_) return static_cast<LinkSpeed>(known - rates_.begin());
        if (count_ == kNumbers) return Nearest(rate);
        rates_[count_] = rate;
        return static_cast<LinkSpeed>(count_++);
    }
    /// The rate of a number; kNone: not known.
    [[nodiscard]] Rate rate(LinkSpeed number) const {
        return number < count_ ? rates_[number] : Rate::kNone;
    }
    /// The fastest that there is; kNone: none is known.
    [[nodiscard]] Rate fastest() const {
        return *std::max_element(rates_.begin(), rates_.begin() + count_, [](Rate one, Rate other) {
            return RateRank(one) < RateRank(other);
        });
    }
    /// There are links of two rates.
    [[nodiscard]] bool differ() const { return count_ > 2; }

private:
    [[nodiscard]] LinkSpeed Nearest(Rate rate) const {
        std::size_t best = 1;
        for (std::size_t i = 2; i < count_; ++i) {
            const bool fits = RateRank(rates_[i]) <= RateRank(rate);
            const bool best_fits = RateRank(rates_[best]) <= RateRank(rate);
            const bool is_faster = RateRank(rates_[i]) > RateRank(rates_[best]);
            if (fits == best_fits ? is_faster == fits : fits) best = i;
        }
        return static_cast<LinkSpeed>(best);
    }

    std::array<Rate, kNumbers> rates_{};
    std::size_t count_ = 1;  ///< Row 0 is that of rates that are not known.
};

}  // namespace ember
