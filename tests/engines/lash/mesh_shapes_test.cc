// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what tells the surroundings of a switch apart.

#include "engines/lash/mesh_shapes.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <initializer_list>
#include <random>
#include <utility>

namespace ember {
namespace {

NeighborDistances Distances(std::initializer_list<std::initializer_list<std::uint16_t>> rows) {
    NeighborDistances distances;
    distances.count = rows.size();
    std::size_t i = 0;
    for (const auto& row : rows) {
        std::size_t j = 0;
        for (const std::uint16_t distance : row) {
            distances.of[i][j++] = distance;
        }
        ++i;
    }
    return distances;
}

/// Of signed coefficients, lowest first, without the highest, which is 1.
void ExpectPolynomial(const NeighborDistances& distances, std::initializer_list<int> lower) {
    const Polynomial polynomial = CharacteristicPolynomial(distances);
    ASSERT_EQ(polynomial.degree, lower.size());
    std::size_t i = 0;
    for (const int coefficient : lower) {
        EXPECT_EQ(static_cast<std::int32_t>(polynomial.of[i]), coefficient) << i;
        ++i;
    }
    EXPECT_EQ(polynomial.of[i], 1U);
}

/// OpenSM's log says the same of such switches ("poly = ").
TEST(CharacteristicPolynomial, IsThatOfTextbooks) {
    ExpectPolynomial(Distances({{0, 3}, {3, 0}}), {-9, 0});
    ExpectPolynomial(Distances({{0, 4, 2, 2}, {4, 0, 2, 2}, {2, 2, 0, 3}, {2, 2, 3, 0}}),
                     {-48, -112, -41, 0});
    ExpectPolynomial(Distances({{0, 4, 2, 2}, {4, 0, 2, 2}, {2, 2, 0, 4}, {2, 2, 4, 0}}),
                     {0, -128, -48, 0});
}

TEST(CharacteristicPolynomial, TakesNoPathForALink) {
    constexpr std::uint16_t kNone = NeighborDistances::kNone;
    ExpectPolynomial(Distances({{0, kNone}, {kNone, 0}}), {-1, 0});
}

class MeshShapesTest : public ::testing::Test {
protected:
    MeshShapesTest() {
        shapes_.Begin();
        while (shapes_.ComputeNext()) {
        }
    }
    std::uint8_t DimensionsOf(const NeighborDistances& distances) const {
        return shapes_.DimensionsOf(CharacteristicPolynomial(distances));
    }
    MeshShapes shapes_;
};

TEST_F(MeshShapesTest, KnowsTori) {
    EXPECT_EQ(DimensionsOf(Distances({{0}})), 1) << "the end of a line";
    EXPECT_EQ(DimensionsOf(Distances({{0, 3}, {3, 0}})), 1) << "a ring of 5";
    EXPECT_EQ(DimensionsOf(Distances({{0, 2}, {2, 0}})), 2) << "a ring of 4 looks like a corner";
    EXPECT_EQ(DimensionsOf(Distances({{0, 4, 2, 2}, {4, 0, 2, 2}, {2, 2, 0, 3}, {2, 2, 3, 0}})), 2);
    NeighborDistances cube;
    cube.count = 8;
    for (std::size_t i = 0; i < 8; ++i) {
        cube.of[i].fill(2);
        cube.of[i][i] = 0;
    }
    EXPECT_EQ(DimensionsOf(cube), 8);
}

TEST_F(MeshShapesTest, KnowsNoOthers) {
    EXPECT_EQ(DimensionsOf(Distances({})), 0);
    EXPECT_EQ(DimensionsOf(Distances({{0, 4}, {4, 0}})), 0) << "a ring of 6, to OpenSM";
    EXPECT_EQ(DimensionsOf(Distances({{0, 6}, {6, 0}})), 1) << "and one of 8";
    EXPECT_EQ(DimensionsOf(Distances({{0, 3, 3}, {3, 0, 3}, {3, 3, 0}})), 0);
    NeighborDistances four;  // Rings of 5 in four dimensions.
    four.count = 8;
    for (std::size_t i = 0; i < 8; ++i) {
        four.of[i].fill(2);
        four.of[i][i] = 0;
        four.of[i][i ^ 1U] = 3;
    }
    EXPECT_EQ(DimensionsOf(four), 0);
    four.of[0][1] = four.of[1][0] = 1;  // With a ring of 3 it is known.
    EXPECT_EQ(DimensionsOf(four), 4);
}

TEST_F(MeshShapesTest, DoesNotLookAtTheOrderOfNeighbors) {
    std::mt19937 chance(7);
    NeighborDistances distances = Distances(
        {{0, 4, 2, 2, 2}, {4, 0, 2, 2, 2}, {2, 2, 0, 3, 2}, {2, 2, 3, 0, 2}, {2, 2, 2, 2, 0}});
    for (unsigned i = 0; i < 20; ++i) {
        const std::size_t one = chance() % 5;
        const std::size_t other = chance() % 5;
        std::swap(distances.of[one], distances.of[other]);
        for (auto& row : distances.of) {
            std::swap(row[one], row[other]);
        }
        EXPECT_EQ(DimensionsOf(distances), 3);
    }
}

}  // namespace
}  // namespace ember
