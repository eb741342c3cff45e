// SPDX-License-Identifier: Apache-2.0
// EmberSM: an order of sequences of numbers.
#pragma once

#include <algorithm>

namespace ember::emberc {

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
