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

/// "minhop,updn": names apart by commas or blanks.
[[nodiscard]] std::optional<Remark> ParseEngines(std::string_view text, Value& value);

/// "0x1f": up to 64 hexadecimal digits.
[[nodiscard]] std::optional<Remark> ParseMask(std::string_view text, Value& value);

/// "3 17": a service level and its value.
[[nodiscard]] std::optional<Remark> ParsePerSl(const SettingField& field, std::string_view text,
                                               Value& value);

/// "1:300".
[[nodiscard]] std::optional<Remark> ParseShiftMultiplier(std::string_view text, Value& value);

/// "0:1,1:300".
[[nodiscard]] std::optional<Remark> ParseShiftMultipliers(std::string_view text, Value& value);

/// "0:4,1:0": VLs and their weights.
[[nodiscard]] std::optional<Remark> ParseVlWeights(const SettingField& field, std::string_view text,
                                                   Value& value);

/// "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7".
[[nodiscard]] std::optional<Remark> ParseSlToVl(const SettingField& field, std::string_view text,
                                                Value& value);

/// "0x0002c90300000001, 0x0002c90300000002": GUIDs apart by commas or blanks.
[[nodiscard]] std::optional<Remark> ParseGuids(const SettingField& field, std::string_view text,
                                               Value& value);

/// Any of these, written out.
[[nodiscard]] std::vector<std::string> FormatList(const SettingField& field, const Value& value);

}  // namespace ember::emberc
