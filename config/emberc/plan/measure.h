// SPDX-License-Identifier: Apache-2.0
// EmberSM: how good a routing is: loads, hops and congestion, counted from its tables alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/wire/rate.h"

namespace ember::plan {

// The definitions, as docs/measures.md has them. A *host* is an end port with a LID that is no
// switch and is linked to a switch. A *link* is one direction of a cable between two different
// switches; every link carries as much as the cable of a host, except *by rate*. A host that sends
// to a host with 2^l LIDs sends one 2^l-th of a *flow* to each. A flow that is dropped, or loops,
// is lost: it loads no link.

/// LinearForwardingTables: row = switch, column = LID, 255 = drop.
using Tables = Matrix<SwitchIndex, const std::uint8_t>;

/// Told about once in a hundredth of the work, for a progress bar.
using Tick = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Every host sends one flow to every other host.
struct AllToAll {
    std::size_t hosts = 0;
    std::size_t links = 0;
    std::uint64_t unit = 1;  ///< A flow, as `load` counts: 2^(largest LMC).
    /// By RoutingSwitch::first_exit + port; 0 for what is no link.
    std::vector<std::uint64_t> load;
    double max = 0;                   ///< Flows on the busiest link.
    double mean = 0;                  ///< Over all links, idle ones included.
    double deviation = 0;             ///< Standard deviation, likewise.
    std::size_t idle = 0;             ///< Links that carry nothing.
    SwitchIndex busiest = kNoSwitch;  ///< The busiest link is its port `busiest_port`.
    PortNumber busiest_port = kNoPort;
    /// The rate that every host can sustain, as a part of that of its own cable, which carries
    /// hosts - 1 flows: min(1, (hosts - 1) / max).
    double saturation = 1;
    /// The same by rate: a link at half the rate of a host's cable counts its flows twice.
    double saturation_by_rate = 1;
    SwitchIndex narrowest = kNoSwitch;  ///< The busiest link by rate is its port `narrowest_port`.
    PortNumber narrowest_port = kNoPort;
    std::uint64_t paths = 0;          ///< (host, LID of another host).
    std::uint64_t lost = 0;           ///< Of these, not reached.
    std::vector<std::uint64_t> hops;  ///< Paths that arrive, by cables between switches.

    /// Cables between switches on the average path that arrives.
    [[nodiscard]] double mean_hops() const;
};
/// O(switches) a LID: flows are added up along the tree that leads to it.
/// `host`: the rate of a host's cable, kNone: that of the fastest link.
[[nodiscard]] AllToAll MeasureAllToAll(const Topology& topology, Tables lfts, const Tick& tick = {},
                                       Rate host = Rate::kNone);

/// Shift permutations: the host at place i sends one flow to the host at place i + k, modulo the
/// number of hosts, for one k at a time. Places follow the rows of the switches and their ports, so
/// that neighbors in the fabric are neighbors in the order.
struct Shifts {
    std::size_t count = 0;      ///< How many k were tried.
    double worst = 0;           ///< Most flows on any link under any k.
    std::uint32_t worst_k = 0;  ///< The first k that does that.
    double mean = 0;            ///< Mean over k of the most flows on any link under it.
};
inline constexpr std::size_t kMostShifts = 256;
/// Tries all k from 1 to hosts - 1, or, when that are more than `at_most`, so many evenly spread.
[[nodiscard]] Shifts MeasureShifts(const Topology& topology, Tables lfts,
                                   std::size_t at_most = kMostShifts, const Tick& tick = {});

/// Effective bisection bandwidth (Hoefler, Schneider, Lumsdaine 2008): the hosts are matched by
/// chance into pairs that send to each other. A flow's rate is 1 / (flows on the busiest link of
/// its path), at most 1, and 0 when it is lost.
struct Bisections {
    std::size_t count = 0;
    double effective = 1;  ///< Mean rate over all flows of all bisections.
    double worst = 1;      ///< Of the worst bisection: mean rate over its flows.
};
inline constexpr std::size_t kBisections = 1000;
/// `count` matchings, a function of the seed. An odd host is left out.
[[nodiscard]] Bisections MeasureBisections(const Topology& topology, Tables lfts,
                                           std::size_t count = kBisections, std::uint64_t seed = 1,
                                           const Tick& tick = {});

}  // namespace ember::plan
