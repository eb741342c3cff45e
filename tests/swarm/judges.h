// SPDX-License-Identifier: Apache-2.0
// EmberSM: judges of a story that read the hardware alone, beside those of
// tests/support/checkers.h.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "platform/sim/world.h"

namespace ember::swarm {

using PortFilter = std::function<bool(std::uint32_t row)>;

/// Rows of end ports with power, a link that is up (port 0 of a switch needs none) and LIDs.
[[nodiscard]] std::vector<std::uint32_t> PortsWithLids(const sim::World& world);

/// "CA-or-switch description"[port], for people.
[[nodiscard]] std::string NameOf(const sim::World& world, std::uint32_t row);

/// True when a packet for `lid` that leaves the switch `node` runs in a circle, over ports that are
/// ACTIVE. Wherever it ends or is dropped it does not.
[[nodiscard]] bool RunsInCircle(const sim::World& world, std::uint32_t node, std::uint32_t lid);

/// Every LID of the end port at `to` is reached by the tables from the end port at `from`.
/// A sentence about the first that is not, else empty.
[[nodiscard]] std::string Reaches(const sim::World& world, std::uint32_t from, std::uint32_t to);

/// An aggregation node on a switch that has no host.
[[nodiscard]] bool IsAggregationOfRoot(const sim::World& world, std::uint32_t row);

/// Where a multicast packet comes to.
struct Delivery {
    std::multiset<std::uint32_t> heard;  ///< Rows of end ports, as often as it came.
    bool circles = false;
};
/// Sent by the host at `row`, over ACTIVE ports.
[[nodiscard]] Delivery SendToGroup(const sim::World& world, std::uint32_t row, std::uint32_t mlid);
/// Set free at a switch, as one that came in by none of its ports.
[[nodiscard]] Delivery FloodFrom(const sim::World& world, std::uint32_t node, std::uint32_t mlid);

/// No LID has two owners among the end ports that `counts`.
[[nodiscard]] std::string LidsAreDistinct(const sim::World& world, const PortFilter& counts);

}  // namespace ember::swarm
