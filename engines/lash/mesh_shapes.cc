// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the surroundings of a switch of a mesh or torus look like.

#include "engines/lash/mesh_shapes.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::uint16_t kAcross = 2;  ///< Between neighbors of two dimensions.
/// Between the two of one dimension; 0: there is one.
constexpr std::array<std::uint16_t, 4> kApart = {0, 1, 3, 4};
/// Likewise, for a mesh of one dimension.
constexpr std::array<std::uint16_t, 4> kApartOnRing = {0, 1, 3, 6};

/// How many dimensions have each of kApart.
using Counts = std::array<std::uint8_t, kApart.size()>;

constexpr unsigned DimensionCount(const Counts& counts) {
    unsigned sum = 0;
    for (const std::uint8_t count : counts) {
        sum += count;
    }
    return sum;
}
constexpr unsigned LinksOf(const Counts& counts) {
    return 2 * DimensionCount(counts) - counts[0];
}

/// OpenSM has no shape of four dimensions of which all are longer than 3.
constexpr bool IsKnown(const Counts& counts) {
    return LinksOf(counts) >= 1 && LinksOf(counts) <= NeighborDistances::kMost &&
           !(DimensionCount(counts) == 4 && counts[0] == 0 && counts[1] == 0);
}

/// For each neighbor the kind of its dimension, those of one dimension side by side.
struct Sides {
    std::array<std::uint8_t, NeighborDistances::kMost> kind{};
    std::array<std::uint8_t, NeighborDistances::kMost> dimension{};
};

Sides SidesOf(Counts counts) {
    Sides sides;
    std::uint8_t kind = 0;
    std::uint8_t dimension = 0;
    for (std::size_t i = 0; i < sides.kind.size() && kind < counts.size();) {
        if (counts[kind] == 0) {
            ++kind;
            continue;
        }
        --counts[kind];
        for (unsigned side = 0; side < (kind == 0 ? 1U : 2U); ++side, ++i) {
            sides.kind[i] = kind;
            sides.dimension[i] = dimension;
        }
        ++dimension;
    }
    return sides;
}

NeighborDistances DistancesOf(const Counts& counts) {
    const auto& apart = DimensionCount(counts) == 1 ? kApartOnRing : kApart;
    const Sides sides = SidesOf(counts);
    NeighborDistances distances;
    distances.count = LinksOf(counts);
    for (std::size_t i = 0; i < distances.count; ++i) {
        for (std::size_t j = 0; j < distances.count; ++j) {
            const bool is_one = sides.dimension[i] == sides.dimension[j];
            const std::uint16_t distance = is_one ? apart[sides.kind[i]] : kAcross;
            distances.of[i][j] = i == j ? std::uint16_t{0} : distance;
        }
    }
    return distances;
}

/// Four neighbors of which each is 2 from the next: a plane with a link missing nearby.
NeighborDistances TornPlane() {
    NeighborDistances distances;
    distances.count = 4;
    for (std::size_t i = 0; i < distances.count; ++i) {
        for (std::size_t j = 0; j < distances.count; ++j) {
            distances.of[i][j] = static_cast<std::uint16_t>(2 * (std::max(i, j) - std::min(i, j)));
        }
    }
    return distances;
}

/// Counts by a number below kNumbers: a digit each.
constexpr std::uint32_t kDigits = NeighborDistances::kMost + 1;
constexpr std::uint32_t kNumbers = kDigits * kDigits * kDigits * kDigits;
constexpr Counts CountsOf(std::uint32_t number) {
    Counts counts{};
    for (std::uint8_t& count : counts) {
        count = static_cast<std::uint8_t>(number % kDigits);
        number /= kDigits;
    }
    return counts;
}

}  // namespace

bool MeshShapes::ComputeNext() {
    const std::size_t end = std::min(count_ + kShapesPerSlice, shapes_.size() - 1);
    for (; count_ < end; ++number_) {
        EMBER_ASSERT(number_ < kNumbers);
        const Counts counts = CountsOf(number_);
        if (!IsKnown(counts)) continue;
        shapes_[count_++] = {CharacteristicPolynomial(DistancesOf(counts)),
                             static_cast<std::uint8_t>(DimensionCount(counts))};
    }
    if (count_ + 1 < shapes_.size()) return true;
    shapes_[count_++] = {CharacteristicPolynomial(TornPlane()), 2};
    return false;
}

std::uint8_t MeshShapes::DimensionsOf(const Polynomial& polynomial) const {
    const auto* const found = std::find_if(shapes_.begin(), shapes_.end(), [&](const Shape& shape) {
        return shape.polynomial == polynomial;
    });
    return found == shapes_.end() ? std::uint8_t{0} : found->dimensions;
}

}  // namespace ember
