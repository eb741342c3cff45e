// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is left of a fabric on paper when something is taken away.
#pragma once

#include <cstdint>
#include <vector>

#include "config/netlist/netlist.h"

namespace ember::net {

/// An end of a cable.
struct NetEnd {
    std::uint32_t node = 0;
    std::uint32_t port = 0;
};

/// Cables between switches, each by its end that the netlist names first. Cables of a switch to
/// itself are none of them.
[[nodiscard]] std::vector<NetEnd> TrunksOf(const Netlist& netlist);

/// Pulls the cable out of this port, if there is one, and out of its peer.
void Unplug(Netlist& netlist, const NetEnd& end);

/// Unplugs `count` cables between switches, drawn by chance; all of them when there are fewer.
/// Returns how many it were. A function of the seed.
std::uint32_t KillLinks(Netlist& netlist, std::uint32_t count, std::uint64_t seed);

/// The part that a subnet manager on port `from.port` of node `from.node` discovers: packets pass
/// through switches only, and a host's other ports are seen from the switches they are cabled to.
/// A switch's own port is 0. The nodes keep their order, `from.node` is one of them.
struct Part {
    Netlist netlist;
    NetEnd from;                        ///< The same port, in the part's own terms.
    std::vector<std::uint32_t> origin;  ///< By node: its index in the whole.
};
[[nodiscard]] Part Reachable(const Netlist& netlist, const NetEnd& from);

/// The part with the most hosts and routers, seen from the first of them; of equals the first.
[[nodiscard]] Part LargestPart(const Netlist& netlist);

/// Where a subnet manager finds a seat of its own accord: the port that the listing was made from,
/// else the first cabled port of a host, else the first node.
[[nodiscard]] NetEnd FirstSeat(const Netlist& netlist);

}  // namespace ember::net
