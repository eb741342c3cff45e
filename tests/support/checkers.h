// SPDX-License-Identifier: Apache-2.0
// EmberSM: judges of a simulated fabric. They read the hardware and know nothing of the core's
// routing; each returns a sentence about the first thing that is wrong, or an empty string.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "platform/sim/world.h"

namespace ember::testing {

/// Nodes that can be reached from `node` over links that are up, by node number.
[[nodiscard]] std::vector<bool> ReachableFrom(const sim::World& world, std::uint32_t node);

/// Every link of the reachable nodes that is up is ACTIVE at both ends, and so are enhanced port
/// 0s.
[[nodiscard]] std::string AllLinksActive(const sim::World& world, std::uint32_t from_node);

/// Every reachable end port has LIDs, all with the LMC it should have, and no LID has two owners.
[[nodiscard]] std::string LidsAreSound(const sim::World& world, std::uint32_t from_node);

/// Every reachable end port's LIDs, all 2^LMC of them, are reached from every reachable switch by
/// walking the switches' own tables: no loop, no dead end, nothing beyond LinearFDBTop.
[[nodiscard]] std::string EveryPairConnected(const sim::World& world, std::uint32_t from_node);

/// As EveryPairConnected(), and no route is longer than the fabric makes necessary.
[[nodiscard]] std::string EveryPairShortest(const sim::World& world, std::uint32_t from_node);

/// Pairs (switch with a reachable host, LID of a reachable host) whose packets do not arrive by the
/// switches' own tables.
[[nodiscard]] std::size_t DeadPairs(const sim::World& world, std::uint32_t from_node);

/// Every reachable host's LIDs, all 2^LMC of them, are reached from every switch with a reachable
/// host: what an engine owes that turns no packet upwards again.
[[nodiscard]] std::string EveryHostConnected(const sim::World& world, std::uint32_t from_node);

/// Entries of reachable switches for LIDs of reachable ports that lead into a link that is down.
[[nodiscard]] std::size_t RoutesIntoDeadLinks(const sim::World& world, std::uint32_t from_node);

/// Packets of the port 0 of `from_node`, a switch, to every reachable switch's own LID arrive.
[[nodiscard]] std::string EverySwitchIsReached(const sim::World& world, std::uint32_t from_node);

/// Every reachable switch's packets to the port at `row` arrive.
[[nodiscard]] std::string EverySwitchReaches(const sim::World& world, std::uint32_t from_node,
                                             std::uint32_t row);

/// Every reachable end port names `lid` as its master.
[[nodiscard]] std::string EveryPortKnowsMaster(const sim::World& world, std::uint32_t from_node,
                                               Lid lid);

/// Neighbor MTU and operational VLs agree at the two ends of every link, and both can do them.
[[nodiscard]] std::string LinksAgree(const sim::World& world, std::uint32_t from_node);

/// The reach that routes owe: EveryPairConnected() or EveryHostConnected().
enum class Reach : std::uint8_t { kEveryPair, kHosts };

/// LIDs, links, and routes of that reach.
[[nodiscard]] std::string SubnetIsSound(const sim::World& world, std::uint32_t from_node,
                                        Reach reach = Reach::kEveryPair);

}  // namespace ember::testing
