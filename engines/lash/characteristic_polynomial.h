// SPDX-License-Identifier: Apache-2.0
// EmberSM: what tells matrices of distances apart, whatever the order of their rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ember {

/// Distances between the neighbors of a switch on paths that avoid it.
struct NeighborDistances {
    static constexpr std::size_t kMost = 8;  ///< Neighbors of a switch that is looked at.
    static constexpr std::uint16_t kNone = 0xFFFF;

    std::size_t count = 0;
    std::array<std::array<std::uint16_t, kMost>, kMost> of{};  ///< kNone: there is no path.
};

/// The coefficients of a characteristic polynomial, of x^i at i, modulo 2^32.
struct Polynomial {
    std::array<std::uint32_t, NeighborDistances::kMost + 1> of{};
    std::size_t degree = 0;
    [[nodiscard]] bool operator==(const Polynomial&) const = default;
};

/// The characteristic polynomial of a distance matrix, where "no path" counts 2^31 - 1 as with
/// OpenSM: such a pair then looks like two neighbors with a link between them, as the square of
/// that is 1 modulo 2^32. At most some 5,000 multiplications, and no division (S. J. Berkowitz,
/// 1984).
[[nodiscard]] Polynomial CharacteristicPolynomial(const NeighborDistances& distances);

}  // namespace ember
