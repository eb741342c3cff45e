// SPDX-License-Identifier: Apache-2.0
// EmberSM: integers in decimal, hexadecimal and octal.
#pragma once

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

}  // namespace ember::emberc
