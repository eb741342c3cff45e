// SPDX-License-Identifier: Apache-2.0
// EmberSM: values as opensm.conf writes them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/blob/fields.h"
#include "config/emberc/value.h"

namespace ember::emberc {

/// Reads `text` as a value of `field`. Unless a remark is an error, `value` is set. For PerSl the
/// values of other service levels stay as they are.
[[nodiscard]] std::optional<Remark> ParseValue(const SettingField& field, std::string_view text,
                                               Value& value);

/// The value as a line of opensm.conf would have it; PerSl takes a text for each service level.
[[nodiscard]] std::vector<std::string> FormatValue(const SettingField& field, const Value& value);

/// The words of a Choice, by number; empty for other fields.
[[nodiscard]] std::span<const std::string_view> ChoicesOf(const SettingField& field);

/// "0..7 or 15".
[[nodiscard]] std::string DescribeRange(const SettingField& field);

}  // namespace ember::emberc
