// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switches that are at the top of a fabric whose leaf switches are not all equally
// low.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"

namespace ember {

/// The most that CollectTopSwitches() takes from its arena, and gives back.
[[nodiscard]] constexpr std::size_t TopSwitchesScratchBytes(const Limits& limits) {
    return Arena::BytesFor<std::uint8_t>(limits.max_switches) +
           Arena::BytesFor<std::uint32_t>(limits.max_switches) +
           Arena::BytesFor<SwitchIndex>(limits.max_switches);
}

/// Fills `tops`, with room for all switches, and returns how many there are: of the switches that
/// are no leaf switches and reach some, those from which the farthest leaf switch is nearest; of
/// two neighbors among them the one that is nearer to all leaf switches, the first of equals by
/// GUID. 0: all are leaf switches. `hops`: between any two switches; `leaves`: as
/// CollectLeafSwitches() has them.
///
/// In a director with edge switches on some of its line boards the nearest leaf switch is as near
/// to a spine as to such a line board. The farthest tells them apart.
[[nodiscard]] std::size_t CollectTopSwitches(const Topology& topology,
                                             Matrix<SwitchIndex, const std::uint8_t> hops,
                                             std::span<const SwitchIndex> leaves,
                                             std::span<SwitchIndex> tops, Arena& scratch);

}  // namespace ember
