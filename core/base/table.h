// SPDX-License-Identifier: Apache-2.0
// EmberSM: arrays and matrices with an index type of their own.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// An array that owns its values and takes an Index only. Asserts that it is in range.
template <Enum Index, typename Value, std::size_t kSize>
class IndexedArray {
public:
    [[nodiscard]] constexpr Value& operator[](Index at) {
        EMBER_ASSERT(Raw(at) < kSize);
        return values_[Raw(at)];
    }
    [[nodiscard]] constexpr const Value& operator[](Index at) const {
        EMBER_ASSERT(Raw(at) < kSize);
        return values_[Raw(at)];
    }
    [[nodiscard]] static constexpr std::size_t size() { return kSize; }
    constexpr void fill(const Value& value) { values_.fill(value); }

private:
    std::array<Value, kSize> values_{};
};

/// A view of values in the board's storage that takes an Index only. Asserts that it is in range.
template <Enum Index, typename Value>
class Table {
public:
    constexpr Table() = default;
    explicit constexpr Table(std::span<Value> values) : values_(values) {}

    [[nodiscard]] constexpr Value& operator[](Index at) const {
        EMBER_ASSERT(Raw(at) < values_.size());
        return values_[Raw(at)];
    }
    [[nodiscard]] constexpr std::size_t size() const { return values_.size(); }
    [[nodiscard]] constexpr std::span<Value> values() const { return values_; }
    constexpr void fill(const Value& value) const {
        std::fill(values_.begin(), values_.end(), value);
    }

private:
    std::span<Value> values_;
};

/// So many rows, each of `stride` values.
struct MatrixShape {
    std::size_t rows = 0;
    std::size_t stride = 0;
};

/// A view of rows of equal length, by an index of type Row; asserts that it is in range. A row is a
/// plain span, because loops along a row are the hot ones.
template <Enum Row, typename Value>
class Matrix {
public:
    constexpr Matrix() = default;
    /// Lays rows over the start of `room`, one after the other. A room is seldom a whole number of
    /// rows: what is left over behind the last one is not part of the matrix. Asserts that `room`
    /// holds all rows.
    constexpr Matrix(std::span<Value> room, const MatrixShape& shape)
        : values_(Head(room, shape)), stride_(shape.stride) {}
    /// The same values, read only.
    template <std::same_as<std::remove_const_t<Value>> Mutable>
    // NOLINTNEXTLINE(google-explicit-constructor): what may be written may also be read.
    constexpr Matrix(const Matrix<Row, Mutable>& other)
        : values_(other.values()), stride_(other.stride()) {}

    [[nodiscard]] constexpr std::span<Value> operator[](Row row) const {
        EMBER_ASSERT((Raw(row) + std::size_t{1}) * stride_ <= values_.size());
        return values_.subspan(Raw(row) * stride_, stride_);
    }
    [[nodiscard]] constexpr std::size_t stride() const { return stride_; }
    [[nodiscard]] constexpr std::size_t rows() const {
        return stride_ == 0 ? 0 : values_.size() / stride_;
    }
    [[nodiscard]] constexpr MatrixShape shape() const { return {rows(), stride_}; }
    [[nodiscard]] constexpr std::span<Value> values() const { return values_; }

private:
    static constexpr std::span<Value> Head(std::span<Value> room, const MatrixShape& shape) {
        // By division: a product may wrap where std::size_t has 32 bits.
        EMBER_ASSERT(shape.stride == 0 || shape.rows <= room.size() / shape.stride);
        return room.first(shape.rows * shape.stride);
    }

    std::span<Value> values_;
    std::size_t stride_ = 0;
};

}  // namespace ember
