// SPDX-License-Identifier: Apache-2.0
// EmberSM: the value of a key, and what is wrong with one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/emberc/diagnostics.h"

namespace ember::emberc {

/// The value of one key. Which member counts follows from the kind of its field.
struct Value {
    bool set = true;  ///< False: "(null)". Numbers are always set.
    /// Integers (two's complement), booleans, choices, shift:multiplier.
    std::uint64_t number = 0;
    std::string text;
    /// VlWeights: the VL in the high octet, the weight in the low.
    std::vector<std::uint16_t> list;
    std::vector<std::uint64_t> guids{};

    [[nodiscard]] bool operator==(const Value&) const = default;
};

/// A mistake or an oddity in a value.
struct Remark {
    Severity severity = Severity::kError;
    std::size_t offset = 0;  ///< Octets from the begin of the value.
    std::size_t length = 0;  ///< 0: to the end of the value.
    Code code{};
    std::string text;
};

}  // namespace ember::emberc
