// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the loss of a cable or a switch would do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "config/emberc/plan/node_by_word.h"
#include "config/emberc/plan/planner.h"
#include "config/netlist/cuts.h"

namespace ember::plan {

/// A switch or cable that may fail.
struct Failure {
    bool is_switch = false;  ///< All of it, or the cable at `end`.
    net::NetEnd end;         ///< In the whole netlist.
};

/// The effect of a failure. The manager keeps the LIDs that it gave and mends the routing, under
/// EmberSM's own order, or makes it anew, under OpenSM's; the loads are those of the hosts that are
/// left. When it loses sight of most hosts, a standby among those takes over.
struct FailureEffect {
    std::string name;  ///< "leaf1 port 3 - spine2 port 1", "spine2".
    std::string guid;  ///< Of the switch, or of the cable's first end.
    std::uint32_t port = 0;
    bool is_switch = false;
    RoutingOutcome outcome = RoutingOutcome::kRefused;
    std::string engine;
    std::size_t hosts_lost = 0;    ///< Hosts that the manager no longer sees.
    std::uint64_t pairs_lost = 0;  ///< (host, other host) that no longer reach each other.
    double saturation = 0;         ///< Of all-to-all among the hosts that are left.
    double saturation_by_rate = 0;
    std::uint64_t moved = 0;   ///< (switch, LID) whose port changed, of those that are left.
    std::uint32_t blocks = 0;  ///< Blocks of forwarding tables that these are in.
    std::uint32_t lane = 0;    ///< The data VL with the busiest link of all,
    double lane_max = 0;       ///< and its flows; 0: one lane carries all.
};

/// "switch" or "link".
[[nodiscard]] std::string_view KindOf(const FailureEffect& effect);

/// The cable at the port that `word` means, or the switch, as NodeByWord() has it. Throws
/// std::runtime_error with a sentence when there is no such cable or switch.
[[nodiscard]] Failure FindFailure(const net::Netlist& netlist, bool is_switch,
                                  std::string_view word, const Calling& calling = {});

/// Every cable between switches, or every switch; evenly spread ones when they are more than
/// `at_most` (0: all).
[[nodiscard]] std::vector<Failure> EveryFailure(const net::Netlist& netlist, bool is_switch,
                                                std::size_t at_most);

/// Tries one after the other, worst first: refused, then by pairs lost, saturation and routes
/// moved. `whole` is the netlist that `home` and the failures refer to, `plan` the routing before.
[[nodiscard]] std::vector<FailureEffect> TryFailures(const net::Netlist& whole,
                                                     const net::NetEnd& home,
                                                     const Settings& settings, const Planned& plan,
                                                     const std::vector<Failure>& failures,
                                                     const Tick& tick = {});

}  // namespace ember::plan
