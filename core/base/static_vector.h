// SPDX-License-Identifier: Apache-2.0
// EmberSM: a vector that owns room for kMax values and never asks for more.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/assert.h"
#include "core/base/status.h"

namespace ember {

/// At most kMax values, in order. An index is asserted to be below size().
template <Plain Value, std::size_t kMax>
class StaticVector {
public:
    static_assert(kMax > 0);

    [[nodiscard]] constexpr std::size_t size() const { return count_; }
    [[nodiscard]] constexpr bool empty() const { return count_ == 0; }
    [[nodiscard]] constexpr bool full() const { return count_ == kMax; }
    [[nodiscard]] static constexpr std::size_t capacity() { return kMax; }

    /// kFull when there are kMax values already.
    constexpr Status TryPush(const Value& value) {
        if (full()) return Status::kFull;
        values_[count_++] = value;
        return Status::kOk;
    }
    /// Removes the value at `at`; the last value takes its place.
    constexpr void SwapRemove(std::size_t at) {
        EMBER_ASSERT(at < count_);
        values_[at] = values_[--count_];
    }
    constexpr void clear() { count_ = 0; }

    [[nodiscard]] constexpr Value& operator[](std::size_t at) {
        EMBER_ASSERT(at < count_);
        return values_[at];
    }
    [[nodiscard]] constexpr const Value& operator[](std::size_t at) const {
        EMBER_ASSERT(at < count_);
        return values_[at];
    }
    [[nodiscard]] constexpr bool operator==(const StaticVector& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }
    [[nodiscard]] constexpr Value* begin() { return values_.data(); }
    [[nodiscard]] constexpr Value* end() { return values_.data() + count_; }
    [[nodiscard]] constexpr const Value* begin() const { return values_.data(); }
    [[nodiscard]] constexpr const Value* end() const { return values_.data() + count_; }

private:
    std::array<Value, kMax> values_{};
    std::size_t count_ = 0;
};

}  // namespace ember
