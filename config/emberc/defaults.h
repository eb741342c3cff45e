// SPDX-License-Identifier: Apache-2.0
// EmberSM: which values are defaults.
#pragma once

#include <cstddef>

#include "config/emberc/value.h"

namespace ember::emberc {

/// Whether `value` is the default of that key, or, for the name of a file, the default of an OpenSM
/// that was built for another folder.
[[nodiscard]] bool IsDefault(std::size_t key, const Value& value);

}  // namespace ember::emberc
