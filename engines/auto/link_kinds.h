// SPDX-License-Identifier: Apache-2.0
// EmberSM: an order of kinds of links that one lost link does not change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ember {

/// Orders up to kMost kinds of links by the ports that they have on the average. Grids are cabled
/// alike at every switch, so averages lie far apart; and in a large grid a link less changes them
/// little, wherever it was.
template <std::size_t kMost>
class LinkKinds {
public:
    /// A link of this kind, 0..kMost-1, leaves a switch by this port.
    void Note(std::size_t kind, std::uint8_t port) {
        ports_[kind] += port;
        ++links_[kind];
    }
    /// How many of `count` kinds come before each. Of equal ones that with the lower number does.
    [[nodiscard]] std::array<std::uint8_t, kMost> Places(std::size_t count) const {
        std::array<std::uint8_t, kMost> places{};
        for (std::size_t one = 0; one < count; ++one) {
            for (std::size_t other = 0; other < count; ++other) {
                if (IsBehind(one, other)) ++places[one];
            }
        }
        return places;
    }

private:
    [[nodiscard]] bool IsBehind(std::size_t one, std::size_t other) const {
        const std::uint64_t by_one = ports_[one] * links_[other];
        const std::uint64_t by_other = ports_[other] * links_[one];
        return by_one != by_other ? by_one > by_other : one > other;
    }

    std::array<std::uint64_t, kMost> ports_{};
    std::array<std::uint64_t, kMost> links_{};
};

}  // namespace ember
