// SPDX-License-Identifier: Apache-2.0
// EmberSM: values as opensm.conf writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/blob/fields.h"
#include "config/emberc/diagnostics.h"

namespace ember::emberc {

/// The value of one key. Which member counts follows from the kind of its field.
struct Value {
    bool set = true;  ///< False: "(null)". Numbers are always set.
    std::uint64_t number =
        0;  ///< Integers (two's complement), booleans, choices, shift:multiplier.
    std::string text;
    std::vector<std::uint16_t>
        list;  ///< VlWeights: the VL in the high octet, the weight in the low.
    std::vector<std::uint64_t> guids{};

    [[nodiscard]] bool operator==(const Value&) const = default;
};

/// What is wrong, or odd, about a value.
struct Remark {
    Severity severity = Severity::kError;
    std::size_t offset = 0;  ///< Octets from the begin of the value.
    std::size_t length = 0;  ///< 0: to the end of the value.
    Code code{};
    std::string text;
};

/// Reads `text` as a value of `field`. Unless a remark is an error, `value` is set. For PerSl the
/// values of other service levels stay as they are.
[[nodiscard]] std::optional<Remark> ParseValue(const SettingField& field,
                                               std::string_view text,
                                               Value& value);

/// The value as a line of opensm.conf would have it; PerSl takes a text for each service level.
[[nodiscard]] std::vector<std::string> FormatValue(const SettingField& field, const Value& value);

/// The words of a Choice, by number; empty for other fields.
[[nodiscard]] std::span<const std::string_view> ChoicesOf(const SettingField& field);

/// "0..7 or 15".
[[nodiscard]] std::string DescribeRange(const SettingField& field);

}  // namespace ember::emberc
