// SPDX-License-Identifier: Apache-2.0
// EmberSM: how long a story waits until all is well, and which managers meet.
#include "tests/swarm/bounds.h"

#include <algorithm>

#include "tests/support/checkers.h"
#include "tests/swarm/swarm.h"

namespace ember::swarm {
namespace {

/// A few sweeps of the slowest pace, and a quarantine of the longest kind.
constexpr std::uint64_t kHealthyWithinUs = 150 * kSecond;
/// A node that said now this, now that is believed again after 640 s at the latest.
constexpr std::uint64_t kBelievedWithinUs = 800 * kSecond;
constexpr std::uint64_t kHonestWithinUs = 40 * kSecond;
constexpr std::uint64_t kHonestScrubbedWithinUs = 200 * kSecond;
/// Ports of a switch whose tables, and those of end ports behind them, the scrub reads in a visit.
constexpr std::uint64_t kScrubbedPorts = 2;

/// The scrub visits one switch after the other, each for scrub_interval, and comes to all tables of
/// one with many ports in many visits: on a fabric of some hundred LIDs later than anything else
/// happens. Twice that time, as sweeps interrupt it.
std::uint64_t ScrubbedUs(Swarm& swarm) {
    std::uint64_t visits = 0;
    for (const std::uint32_t node : swarm.switches()) {
        visits = std::max(visits, 1 + swarm.hardware().node(node).port_count / kScrubbedPorts);
    }
    std::uint64_t interval_s = 0;
    for (std::size_t seat = 0; seat < swarm.seats(); ++seat) {
        const Settings& settings = swarm.world().settings(seat);
        interval_s = std::max<std::uint64_t>(interval_s, settings.scrub_interval);
    }
    return 2 * visits * swarm.switches().size() * interval_s * kSecond;
}

}  // namespace

std::uint64_t HealthyWithinUs(Swarm& swarm, bool had_liars) {
    if (!had_liars) return kHealthyWithinUs;
    return std::max(kBelievedWithinUs, kHealthyWithinUs + ScrubbedUs(swarm));
}

std::uint64_t HonestWithinUs(Swarm& swarm, bool is_strange) {
    if (!is_strange) return kHonestWithinUs;
    return std::max(kHonestScrubbedWithinUs, kHonestWithinUs + ScrubbedUs(swarm));
}

std::vector<bool> SeatsThatMeet(Swarm& swarm) {
    std::vector<bool> meet;
    for (std::size_t seat = 0; seat < swarm.seats(); ++seat) {
        const std::vector<bool> there =
            testing::ReachableFrom(swarm.hardware(), swarm.world().node_of_seat(seat));
        for (std::size_t other = 0; other < swarm.seats(); ++other) {
            meet.push_back(there[swarm.world().node_of_seat(other)]);
        }
    }
    return meet;
}

}  // namespace ember::swarm
