// SPDX-License-Identifier: Apache-2.0
// EmberSM: the program embersm, from its command line to its end.
#pragma once

#include <span>

#include "core/routing/engine.h"
#include "platform/linux/embersm/board_memory.h"
#include "platform/linux/embersm/seat.h"

namespace ember {

/// Does what the arguments behind the program's name say: as a rule, takes the port, composes one
/// subnet manager in the board's memory and with its engines, and lets it live. Returns the exit
/// status. To be called once: what it makes stays until the process ends.
///
/// `own` is the board's own management port, in the place of those that --umad and --mailbox name;
/// nullptr: it has none.
[[nodiscard]] int RunEmbersm(std::span<const char* const> arguments, const BoardRoom& board,
                             std::span<RoutingEngine* const> engines, Seat* own = nullptr);

}  // namespace ember
