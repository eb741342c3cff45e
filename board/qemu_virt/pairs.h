// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether simulated hardware forwards what it should.
#pragma once

#include <cstdint>

#include "platform/sim/world.h"

namespace ember {

/// Routes followed through the tables of simulated switches.
struct PairCount {
    std::uint32_t asked = 0;    ///< Pairs of a powered switch and a LID of an end port.
    std::uint32_t reached = 0;  ///< Of these, routes that end at the port that has the LID.
};

/// Follows every route by the switches' own tables. Asks the hardware alone: nothing that the
/// subnet manager believes plays a part. An end port without a LID counts as not reached.
[[nodiscard]] PairCount CountPairs(const sim::World& world);

/// Over the LIDs of all end ports, in the order of the hardware.
[[nodiscard]] std::uint32_t DigestOfLids(const sim::World& world);

}  // namespace ember
