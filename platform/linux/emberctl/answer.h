// SPDX-License-Identifier: Apache-2.0
// EmberSM: a line of JSON that somebody answers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ember::ctl {

/// The object that `line` holds, in which every number can be read as an integer: JSON has numbers
/// that no integer holds, and to convert those is undefined. Throws Trouble(kUnreachable) for
/// anything else, as it is no subnet manager's.
[[nodiscard]] nlohmann::ordered_json ParseAnswer(const std::string& line);

}  // namespace ember::ctl
