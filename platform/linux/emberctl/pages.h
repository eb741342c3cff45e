// SPDX-License-Identifier: Apache-2.0
// EmberSM: the answers of the subnet manager, for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ember::ctl {

/// The page for `status`.
[[nodiscard]] std::string StatusPage(const nlohmann::ordered_json& answer);
/// The page for `memory`.
[[nodiscard]] std::string MemoryPage(const nlohmann::ordered_json& answer);
/// The page docs/metrics.md: what `metrics` has, as a table.
[[nodiscard]] std::string MetricsAsMarkdown();
/// The outcome of `reload`.
[[nodiscard]] std::string ReloadPage(const nlohmann::ordered_json& answer);

}  // namespace ember::ctl
