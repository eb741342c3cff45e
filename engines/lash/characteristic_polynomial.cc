// SPDX-License-Identifier: Apache-2.0
// EmberSM: what tells matrices of distances apart, whatever the order of their rows.

#include "engines/lash/characteristic_polynomial.h"

namespace ember {
namespace {

constexpr std::size_t kMost = NeighborDistances::kMost;
constexpr std::uint32_t kFar = 0x7FFF'FFFF;

using Vector = std::array<std::uint32_t, kMost + 1>;

std::uint32_t At(const NeighborDistances& distances, std::size_t row, std::size_t column) {
    const std::uint16_t distance = distances.of[row][column];
    return distance == NeighborDistances::kNone ? kFar : distance;
}

/// The matrix of the first `size` rows and columns, times a vector.
Vector Times(const NeighborDistances& distances, std::size_t size, const Vector& vector) {
    Vector product{};
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            product[i] += At(distances, i, j) * vector[j];
        }
    }
    return product;
}

/// The first column of the factor by which row and column `last` extend the polynomial.
Vector FactorOf(const NeighborDistances& distances, std::size_t last) {
    Vector factor{};
    Vector column{};
    factor[0] = 1;
    factor[1] = 0U - At(distances, last, last);
    for (std::size_t i = 0; i < last; ++i) {
        column[i] = At(distances, i, last);
    }
    for (std::size_t power = 2; power < last + 2; ++power) {
        for (std::size_t i = 0; i < last; ++i) {
            factor[power] -= At(distances, last, i) * column[i];
        }
        column = Times(distances, last, column);
    }
    return factor;
}

/// The product of two polynomials of degree `degree` at most, as far as that degree.
Vector Product(const Vector& one, const Vector& other, std::size_t degree) {
    Vector product{};
    for (std::size_t i = 0; i <= degree; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            product[i] += one[i - j] * other[j];
        }
    }
    return product;
}

}  // namespace

Polynomial CharacteristicPolynomial(const NeighborDistances& distances) {
    Vector highest_first{1};
    for (std::size_t last = 0; last < distances.count; ++last) {
        highest_first = Product(FactorOf(distances, last), highest_first, last + 1);
    }
    Polynomial polynomial{.degree = distances.count};
    for (std::size_t i = 0; i <= distances.count; ++i) {
        polynomial.of[i] = highest_first[distances.count - i];
    }
    return polynomial;
}

}  // namespace ember
