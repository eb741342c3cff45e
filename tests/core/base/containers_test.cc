// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the containers that stand on borrowed or built-in storage.
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "core/base/bit_set.h"
#include "core/base/ring.h"
#include "core/base/static_vector.h"
#include "core/base/table.h"

namespace ember {
namespace {

TEST(Ring, SaysFullAndLosesNothing) {
    std::array<int, 2> storage{};
    Ring<int> ring(storage);
    EXPECT_EQ(ring.Push(1), Status::kOk);
    EXPECT_EQ(ring.Push(2), Status::kOk);
    EXPECT_EQ(ring.Push(3), Status::kFull);
    EXPECT_EQ(ring.Pop(), 1);
    EXPECT_EQ(ring.Push(4), Status::kOk);
    EXPECT_EQ(ring.Pop(), 2);
    EXPECT_EQ(ring.Pop(), 4);
    EXPECT_TRUE(ring.empty());
}

TEST(RingDeathTest, PopAndFrontOfAnEmptyRingAreRefused) {
    std::array<int, 2> storage{};
    Ring<int> ring(storage);
    EXPECT_DEATH(ring.Pop(), "!empty\\(\\)");
    EXPECT_DEATH(static_cast<void>(Ring<int>().front()), "!empty\\(\\)");
}

RC_GTEST_PROP(Ring, IsAQueueOfBoundedLength, ()) {
    const auto capacity = *rc::gen::inRange<std::size_t>(1, 9);
    std::vector<int> storage(capacity);
    Ring<int> ring(storage);
    std::deque<int> model;
    for (const auto& [is_push, value] : *rc::gen::arbitrary<std::vector<std::pair<bool, int>>>()) {
        if (is_push) {
            const bool has_room = model.size() < capacity;
            RC_ASSERT((ring.Push(value) == Status::kOk) == has_room);
            if (has_room) model.push_back(value);
        } else if (!model.empty()) {
            RC_ASSERT(ring.front() == model.front());
            RC_ASSERT(ring.Pop() == model.front());
            model.pop_front();
        }
        RC_ASSERT(ring.size() == model.size());
        RC_ASSERT(ring.full() == (model.size() == capacity));
    }
}

TEST(StaticVector, HoldsAsManyAsItSaysAndThenSaysFull) {
    StaticVector<int, 2> vector;
    EXPECT_EQ(vector.TryPush(7), Status::kOk);
    EXPECT_EQ(vector.TryPush(8), Status::kOk);
    EXPECT_EQ(vector.TryPush(9), Status::kFull);
    EXPECT_EQ(std::vector<int>(vector.begin(), vector.end()), (std::vector<int>{7, 8}));
    EXPECT_TRUE(vector.full());
    vector.clear();
    EXPECT_TRUE(vector.empty());
}

TEST(StaticVector, SwapRemovePutsTheLastValueInTheHole) {
    StaticVector<int, 4> vector;
    for (const int value : {1, 2, 3}) {
        ASSERT_EQ(vector.TryPush(value), Status::kOk);
    }
    vector.SwapRemove(0);
    EXPECT_EQ(vector.size(), 2U);
    EXPECT_EQ(vector[0], 3);
    EXPECT_EQ(vector[1], 2);
    vector.SwapRemove(1);
    EXPECT_EQ(vector.size(), 1U);
}

TEST(StaticVectorDeathTest, AnIndexBeyondTheEndIsRefused) {
    StaticVector<int, 4> vector;
    ASSERT_EQ(vector.TryPush(1), Status::kOk);
    EXPECT_DEATH(static_cast<void>(vector[1]), "at < count_");
    EXPECT_DEATH(vector.SwapRemove(1), "at < count_");
}

RC_GTEST_PROP(BitSet, IsASetOfSmallNumbers, ()) {
    constexpr std::size_t kBits = 130;
    std::array<std::uint64_t, BitSet::WordsFor(kBits)> words{};
    static_assert(words.size() == 3);
    const BitSet bits(words);
    std::set<std::size_t> model;
    const auto steps =
        *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, kBits));
    for (const std::size_t bit : steps) {
        if (model.erase(bit) != 0) {
            bits.Remove(bit);
        } else {
            model.insert(bit);
            bits.Add(bit);
        }
        RC_ASSERT(bits.count() == model.size());
    }
    for (std::size_t bit = 0; bit < kBits; ++bit) {
        RC_ASSERT(bits.Has(bit) == (model.count(bit) != 0));
    }
    bits.clear();
    RC_ASSERT(bits.count() == 0U);
}

TEST(BitSetDeathTest, ANumberBeyondTheWordsIsRefused) {
    std::array<std::uint64_t, 1> words{};
    const BitSet bits(words);
    EXPECT_DEATH(bits.Add(64), "words_.size");
    EXPECT_DEATH(static_cast<void>(bits.Has(64)), "words_.size");
    EXPECT_DEATH(bits.Remove(64), "words_.size");
}

TEST(IndexedArray, FillsAndRefusesIndexesBeyondItsEnd) {
    IndexedArray<PortNumber, int, 3> array;
    array.fill(5);
    array[PortNumber{2}] = 9;
    EXPECT_EQ(array[PortNumber{0}], 5);
    EXPECT_EQ(array[PortNumber{2}], 9);
    EXPECT_EQ(array.size(), 3U);
    EXPECT_DEATH(static_cast<void>(array[PortNumber{3}]), "kSize");
}

TEST(Table, ShowsBorrowedValuesAndRefusesIndexesBeyondThem) {
    std::array<int, 3> values = {1, 2, 3};
    const Table<SwitchIndex, int> table(values);
    table[SwitchIndex{1}] = 20;
    EXPECT_EQ(values[1], 20);
    table.fill(4);
    EXPECT_EQ(values, (std::array{4, 4, 4}));
    EXPECT_DEATH(static_cast<void>(table[SwitchIndex{3}]), "values_.size");
}

TEST(Matrix, RowsLieOneAfterTheOther) {
    std::array<int, 6> values = {1, 2, 3, 4, 5, 6};
    const Matrix<SwitchIndex, int> matrix(values, {.rows = 2, .stride = 3});
    EXPECT_EQ(matrix.rows(), 2U);
    EXPECT_EQ(matrix.stride(), 3U);
    EXPECT_EQ(matrix[SwitchIndex{1}][0], 4);
    matrix[SwitchIndex{0}][2] = 30;
    EXPECT_EQ(values[2], 30);
    EXPECT_EQ((Matrix<SwitchIndex, int>().rows()), 0U);
}

TEST(Matrix, WhatARoomHasBehindTheLastRowIsNotPartOfIt) {
    std::array<int, 64> values{};
    for (std::size_t stride = 0; stride <= values.size(); ++stride) {
        for (std::size_t rows = 0; rows * stride <= values.size() && rows < 70; ++rows) {
            const Matrix<SwitchIndex, int> matrix(values, {.rows = rows, .stride = stride});
            EXPECT_EQ(matrix.rows(), stride == 0 ? 0 : rows);
            EXPECT_EQ(matrix.stride(), stride);
            EXPECT_EQ(matrix.values().data(), values.data());
            EXPECT_EQ(matrix.values().size(), rows * stride);
        }
    }
}

TEST(Matrix, IsAlsoShownReadOnly) {
    std::array<int, 7> values = {1, 2, 3, 4, 5, 6, 7};
    const Matrix<SwitchIndex, int> matrix(values, {.rows = 2, .stride = 3});
    const Matrix<SwitchIndex, const int> same = matrix;
    EXPECT_EQ(same.rows(), 2U);
    EXPECT_EQ(same[SwitchIndex{1}].data(), &values[3]);
    EXPECT_EQ(same.shape().stride, 3U);
}

TEST(MatrixDeathTest, ARowBeyondTheLastAndARoomThatIsTooSmallAreRefused) {
    std::array<int, 6> values{};
    const Matrix<SwitchIndex, int> matrix(values, {.rows = 2, .stride = 3});
    EXPECT_DEATH(static_cast<void>(matrix[SwitchIndex{2}]), "values_.size");
    EXPECT_DEATH((Matrix<SwitchIndex, int>(values, {.rows = 2, .stride = 4})), "shape.rows");
    constexpr std::size_t kHalf = (std::size_t{1} << (sizeof(std::size_t) * 8 - 1)) + 1;
    EXPECT_DEATH((Matrix<SwitchIndex, int>(values, {.rows = kHalf, .stride = 2})), "shape.rows")
        << "the product wraps to 2";
}

}  // namespace
}  // namespace ember
