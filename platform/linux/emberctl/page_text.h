// SPDX-License-Identifier: Apache-2.0
// EmberSM: lines of pages, from the answers of the subnet manager.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ember::ctl {

/// A line of a page: the label at the left, the text beside it.
[[nodiscard]] std::string Row(std::string_view label, std::string_view text);

/// `text` with its blanks filled from `from`. `{a.b}` is member b of member a as it stands; `{a,}`
/// is a number in groups of three digits; `{a~}` is a duration, in microseconds; `{a@}` is a GUID,
/// with the name of its node (member `a_name`) if it has one. A member that is missing is nothing
/// as text, and 0 as a number.
[[nodiscard]] std::string Fill(std::string_view text, const nlohmann::ordered_json& from);

/// A member that is text; empty: there is none.
[[nodiscard]] std::string Text(const nlohmann::ordered_json& from, std::string_view key);
/// A member that is a number; 0: there is none.
[[nodiscard]] std::uint64_t Count(const nlohmann::ordered_json& from, std::string_view key);

/// 1234567 as 1,234,567.
[[nodiscard]] std::string Grouped(std::uint64_t number);
/// 1234567 as "1.235 s"; microseconds as us below a millisecond.
[[nodiscard]] std::string Duration(std::uint64_t us);

}  // namespace ember::ctl
