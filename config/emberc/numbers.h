// SPDX-License-Identifier: Apache-2.0
// EmberSM: integers in decimal, hexadecimal and octal, and an order of sequences of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "config/emberc/value.h"

namespace ember::emberc {

/// An integer as written, or why it is none.
struct Number {
    std::uint64_t value = 0;  ///< The magnitude.
    bool negative = false;
    bool octal = false;  ///< Written with a leading 0 and worth remarking on: more than "00".
    std::optional<Remark> error;
};

/// Reads the whole of `text`: 0x hexadecimal, 0 octal, otherwise decimal, as strtoull() does with
/// base 0, but without blanks inside and without anything behind.
[[nodiscard]] Number ReadNumber(std::string_view text);

/// Number by number. The library's own order of vectors and arrays (operator<=> of libstdc++ 12)
/// compares octets of memory: where the most significant one of a number comes first, it takes
/// sequences for equal that are not.
struct IsBefore {
    template <typename Numbers>
    [[nodiscard]] bool operator()(const Numbers& one, const Numbers& other) const {
        return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end());
    }
};

}  // namespace ember::emberc
