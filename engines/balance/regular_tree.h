// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a regular tree carries when the paths to a receiver stay together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "engines/balance/link_loads.h"

namespace ember {

/// The most that RegularTreeLoad() takes from its arena, and gives back.
[[nodiscard]] constexpr std::size_t RegularTreeScratchBytes(const Limits& limits) {
    return Arena::BytesFor<SwitchIndex>(limits.max_switches) +
           Arena::BytesFor<std::uint8_t>(limits.max_switches);
}

/// The least load, in units, that the busiest link of a regular tree can have when the traffic to
/// each receiver comes down on one link of each level; 0 when the fabric is no such tree.
///
/// A tree is regular when all links go one level up or down, level 0 being the leaf switches, and
/// all switches of a level have as many end ports, links up and links down as each other. Where
/// there are more end ports than links up, dividing the traffic to a receiver lowers the load of
/// the busiest link in a full exchange, but random pairs then share links more often: with 8 end
/// ports over 5 links the saturation rises from 0.53 to 0.64 and the effective bisection bandwidth
/// falls by 6 %.
[[nodiscard]] std::uint32_t RegularTreeLoad(const LinkLoads& link_loads, Arena& scratch);

}  // namespace ember
