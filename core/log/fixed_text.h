// SPDX-License-Identifier: Apache-2.0
// EmberSM: text put together in a buffer of fixed size.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/base/assert.h"

namespace ember {

/// Appends to a borrowed buffer. A piece that does not fit whole is left out, and full() says so
/// from then on: text is never cut in the middle of a piece. No heap, no locale.
class FixedText {
public:
    explicit FixedText(std::span<char> room) : room_(room) {}

    FixedText& Add(std::string_view piece) {
        EMBER_ASSERT(used_ <= room_.size());
        if (full_ || piece.size() > room_.size() - used_) {
            full_ = true;
            return *this;
        }
        std::memcpy(room_.data() + used_, piece.data(), piece.size());
        used_ += piece.size();
        return *this;
    }
    FixedText& Add(char piece) { return Add(std::string_view(&piece, 1)); }
    /// Decimal, at least `width` digits.
    template <std::unsigned_integral Number>
    FixedText& AddNumber(Number number, std::size_t width = 1) {
        return AddDigits(number, 10, width);
    }
    /// Hexadecimal without a prefix, at least `width` digits, small letters.
    template <std::unsigned_integral Number>
    FixedText& AddHex(Number number, std::size_t width = 1) {
        return AddDigits(number, 16, width);
    }

    [[nodiscard]] std::string_view text() const { return {room_.data(), used_}; }
    [[nodiscard]] std::size_t size() const { return used_; }
    [[nodiscard]] std::size_t left() const { return room_.size() - used_; }
    [[nodiscard]] bool full() const { return full_; }
    void clear() {
        used_ = 0;
        full_ = false;
    }

private:
    FixedText& AddDigits(std::uint64_t number, unsigned base, std::size_t width) {
        EMBER_ASSERT(base == 10 || base == 16);
        char digits[24] = {};  // 20 decimal digits at most.
        std::size_t first = sizeof(digits);
        do {
            digits[--first] = "0123456789abcdef"[number % base];
            number /= base;
        } while (number != 0);
        const std::size_t count = sizeof(digits) - first;
        for (std::size_t i = count; i < width; ++i) {
            Add('0');
        }
        return Add(std::string_view(digits + first, count));
    }

    std::span<char> room_;
    std::size_t used_ = 0;
    bool full_ = false;
};

}  // namespace ember
