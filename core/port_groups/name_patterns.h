// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a name fits a regular expression.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/settings/settings.h"

namespace ember {

/// Whether `name`, of characters as CleanName() writes them, fits row `pattern` of the table of
/// name_patterns. Takes a step for each character.
[[nodiscard]] bool FitsPattern(const ManagerTables& tables, std::size_t pattern,
                               std::string_view name);

}  // namespace ember
