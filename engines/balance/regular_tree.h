// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a regular tree can carry when the ways to a receiver stay together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "engines/balance/ledger.h"

namespace ember {

/// The most that WholeLoad() takes from its arena, and gives back.
[[nodiscard]] constexpr std::size_t WholeLoadScratchBytes(const Limits& limits) {
    return Arena::BytesFor<SwitchIndex>(limits.max_switches) +
           Arena::BytesFor<std::uint8_t>(limits.max_switches);
}

/// What the busiest cable of a regular tree carries at least when every receiver's traffic comes
/// down on one cable a level; 0 when the fabric is no such tree.
///
/// A tree is regular when all cables go one level up or down, level 0 being the switches with end
/// ports, and all switches of a level have as many end ports, cables up and cables down as each
/// other. With more end ports than cables up, to divide receivers lowers the load of the busiest
/// cable in a full exchange, but random pairs then meet more often: on 8 end ports over 5 cables
/// the saturation rises from 0.53 to 0.64 and the effective bisection bandwidth falls by 6 %.
[[nodiscard]] std::uint32_t WholeLoad(const Ledger& ledger, Arena& scratch);

}  // namespace ember
