// SPDX-License-Identifier: Apache-2.0
// EmberSM: arrays and matrices with an index type of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

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

/// A view of rows of equal length, by an index of type Row; asserts that it is in range. A row is a
/// plain span, because loops along a row are the hot ones.
template <Enum Row, typename Value>
class Matrix {
public:
    constexpr Matrix() = default;
    constexpr Matrix(std::span<Value> values, std::size_t stride)
        : values_(values), stride_(stride) {
        EMBER_ASSERT(stride == 0 || values.size() % stride == 0);
    }

    [[nodiscard]] constexpr std::span<Value> operator[](Row row) const {
        EMBER_ASSERT((Raw(row) + std::size_t{1}) * stride_ <= values_.size());
        return values_.subspan(Raw(row) * stride_, stride_);
    }
    [[nodiscard]] constexpr std::size_t stride() const { return stride_; }
    [[nodiscard]] constexpr std::size_t rows() const {
        return stride_ == 0 ? 0 : values_.size() / stride_;
    }
    [[nodiscard]] constexpr std::span<Value> values() const { return values_; }

private:
    std::span<Value> values_;
    std::size_t stride_ = 0;
};

}  // namespace ember
