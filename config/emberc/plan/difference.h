// SPDX-License-Identifier: Apache-2.0
// EmberSM: which routes differ between two routings of a fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/emberc/plan/planner.h"

namespace ember::plan {

/// A route that differs: at a switch, to one of an end port's LIDs.
struct Move {
    Guid at = kNoGuid;
    Guid to = kNoGuid;          ///< PortGUID.
    std::uint32_t path = 0;     ///< Which of its LIDs: base LID + path.
    std::uint8_t before = 255;  ///< Port; 255: none.
    std::uint8_t after = 255;
};

struct SwitchMoves {
    Guid at = kNoGuid;
    std::size_t moved = 0;
    std::uint32_t blocks = 0;  ///< Blocks of 64 LIDs (of the second routing) that hold them.
};

/// The routes and LIDs that differ between two plans. Switches and end ports that only one has are
/// not compared.
struct Difference {
    std::uint64_t compared = 0;         ///< (switch, LID)
    std::uint64_t moved = 0;            ///< Of these.
    std::uint64_t blocks = 0;           ///< Blocks of forwarding tables that hold them.
    std::size_t lids_moved = 0;         ///< End ports with another base LID.
    std::vector<SwitchMoves> switches;  ///< With moves, most first.
    std::vector<Move> moves;            ///< When they were asked for.
};
[[nodiscard]] Difference Compare(const Planned& before, const Planned& after, bool with_moves);

}  // namespace ember::plan
