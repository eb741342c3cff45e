// SPDX-License-Identifier: Apache-2.0
// EmberSM: how far a stage of a round of Sets is.
#pragma once

#include <cstdint>

namespace ember {

/// A stage walks a table, and asks as many devices as the window admits.
enum class StageProgress : std::uint8_t {
    kMore,   ///< More rows can be looked at as soon as there is room in the window.
    kWaits,  ///< The next rows are looked at when answers are in.
    kEnd,    ///< No row is left. Answers may still be under way.
};

}  // namespace ember
