// SPDX-License-Identifier: Apache-2.0
// EmberSM: a queue over borrowed storage.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/assert.h"
#include "core/base/status.h"

namespace ember {

/// A queue (first in, first out) over storage that the board lent.
template <Plain Value>
class Ring {
public:
    constexpr Ring() = default;
    explicit constexpr Ring(std::span<Value> storage) : storage_(storage) {}

    [[nodiscard]] constexpr std::size_t size() const { return count_; }
    [[nodiscard]] constexpr std::size_t capacity() const { return storage_.size(); }
    [[nodiscard]] constexpr bool empty() const { return count_ == 0; }
    [[nodiscard]] constexpr bool full() const { return count_ == storage_.size(); }
    constexpr void clear() { head_ = count_ = 0; }

    /// kFull when every place is taken.
    constexpr Status Push(const Value& value) {
        if (full()) return Status::kFull;
        std::size_t at = head_ + count_;
        if (at >= storage_.size()) at -= storage_.size();
        EMBER_ASSERT(at < storage_.size());
        storage_[at] = value;
        ++count_;
        return Status::kOk;
    }
    /// The oldest value; asserts that there is one.
    [[nodiscard]] constexpr const Value& front() const {
        EMBER_ASSERT(!empty());
        return storage_[head_];
    }
    /// Takes out the oldest value; asserts that there is one.
    constexpr Value Pop() {
        EMBER_ASSERT(head_ < storage_.size());
        const Value value = front();
        head_ = head_ + 1 == storage_.size() ? 0 : head_ + 1;
        --count_;
        return value;
    }

private:
    std::span<Value> storage_;
    std::size_t head_ = 0;
    std::size_t count_ = 0;
};

}  // namespace ember
