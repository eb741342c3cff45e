// SPDX-License-Identifier: Apache-2.0
// EmberSM: an answer of explain, for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ember::explain {

/// The page of an answer. `answer` is what explain::Answer() wrote, wherever it was asked.
[[nodiscard]] std::string Page(const nlohmann::ordered_json& answer);

// Its parts.

[[nodiscard]] std::string PathPage(const nlohmann::ordered_json& answer);
/// A node: its name, or its GUID.
[[nodiscard]] std::string NodeText(const nlohmann::ordered_json& place);
/// An end port: its name, GUID, number and LID.
[[nodiscard]] std::string PortText(const nlohmann::ordered_json& port);
/// A partition: its P_Key, its name, and where it is defined.
[[nodiscard]] std::string PartitionText(const nlohmann::ordered_json& partition);
/// "a full member (line 4)".
[[nodiscard]] std::string MemberText(const nlohmann::ordered_json& member);

}  // namespace ember::explain
