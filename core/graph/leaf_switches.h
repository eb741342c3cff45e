// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switches that are at the bottom of a fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/graph/topology.h"

namespace ember {

/// So many hosts at most do not make a leaf switch of a switch between leaf switches: sites have
/// service hosts, storage and the manager on their upper switches. As max_cas_on_spine of NVIDIA's
/// manager has it unless it is set.
inline constexpr std::uint16_t kMostHostsAbove = 2;

/// Fills `leaves`, with room for all switches, and returns how many there are: the switches with
/// more hosts than kMostHostsAbove, then, in order of GUIDs, those with fewer that are not between
/// two of the others. Aggregation nodes are no hosts. Where no switch has a host those with other
/// end ports are the leaf switches. `hops`: between any two switches.
///
/// A spine with a service host that counted as a leaf switch could be passed by no path that goes
/// up and then down.
[[nodiscard]] std::size_t CollectLeafSwitches(const Topology& topology,
                                              Matrix<SwitchIndex, const std::uint8_t> hops,
                                              std::span<SwitchIndex> leaves);

}  // namespace ember
