// SPDX-License-Identifier: Apache-2.0
// EmberSM: the boards there are, for emberc.
#pragma once

#include <span>

#include "config/emberc/plan/board.h"

namespace ember {

/// All boards of this release, in the order in which `emberc boards` lists them.
[[nodiscard]] std::span<const plan::Board> Boards();

}  // namespace ember
