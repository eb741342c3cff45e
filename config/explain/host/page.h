// SPDX-License-Identifier: Apache-2.0
// EmberSM: an answer of explain, for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ember::explain {

/// The page of an answer. `answer` is what explain::Answer() wrote, wherever it was asked.
[[nodiscard]] std::string Page(const nlohmann::ordered_json& answer);

}  // namespace ember::explain
