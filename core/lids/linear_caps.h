// SPDX-License-Identifier: Apache-2.0
// EmberSM: how high LIDs may be, by the LinearFDBCaps of switches.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"

namespace ember {

/// LIDs that a switch has room for, LID 0 counted. A LinearFDBCap of 0 or 1 does not count: such a
/// switch takes tables all the same, or refuses every Set.
[[nodiscard]] std::uint32_t RoomOf(const Switch& row);

/// Our own switch, or our neighbor if it is one; kNoNode: none. Every LID must fit in its table.
[[nodiscard]] NodeIndex OwnSwitchOf(const Fabric& fabric);

/// The highest LID that at least half of the switches can hold, by their LinearFDBCap. The false or
/// low caps of a few switches do not count, nor do switches that hosts may play: two hosts would
/// outvote the only switch that there is.
[[nodiscard]] std::uint32_t TopLidForMost(const Fabric& fabric);

}  // namespace ember
