// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the loss of a cable or a switch would do.
#include "config/emberc/plan/failures.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "config/emberc/plan/difference.h"
#include "config/emberc/plan/link_loads.h"

namespace ember::plan {
namespace {

/// "leaf1 port 3 - spine2 port 1"
std::string NameOf(const net::Netlist& netlist, const Planned& plan, const Failure& failure) {
    const net::NetNode& node = netlist.nodes[failure.end.node];
    if (failure.is_switch) return plan.NameOf(node);
    const net::NetPort& port = node.ports[failure.end.port];
    return fmt::format("{} port {} - {} port {}", plan.NameOf(node), failure.end.port,
                       plan.NameOf(netlist.nodes[port.peer]), unsigned{port.peer_port});
}

std::size_t HostsOf(const Planned& plan) {
    const auto& all = plan.topology().destinations();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(),
                      [](const Destination& to) { return !to.is_switch() && to.at != kNoSwitch; }));
}

/// The part that a manager sees without the switch or cable that failed: from its own place, or,
/// when that is cut off from most of what it managed, from where a standby would take over. Nodes
/// that it never saw play no part: none of them fails, and no standby is among them.
net::Part Without(const net::Netlist& whole, const net::NetEnd& home, const Failure& failure) {
    net::Part managed = net::Reachable(whole, home);
    const auto& origin = managed.origin;  // Ascends.
    const auto found = std::lower_bound(origin.begin(), origin.end(), failure.end.node);
    if (found == origin.end() || *found != failure.end.node) return managed;
    net::Netlist& netlist = managed.netlist;
    const auto node = static_cast<std::uint32_t>(found - origin.begin());
    if (failure.is_switch) {
        for (std::uint32_t p = 1; p <= netlist.nodes[node].port_count(); ++p) {
            net::Unplug(netlist, {node, p});
        }
    } else {
        net::Unplug(netlist, {node, failure.end.port});
    }
    net::Part part = net::Reachable(netlist, managed.from);
    const std::size_t ends = netlist.nodes.size() - netlist.switch_count();
    const std::size_t seen = part.netlist.nodes.size() - part.netlist.switch_count();
    return 2 * seen < ends ? net::LargestPart(netlist) : part;
}

FailureEffect Try(const net::Netlist& whole, const net::NetEnd& home, const Settings& settings,
                  const Planned& before, const Failure& failure) {
    FailureEffect effect;
    effect.name = NameOf(whole, before, failure);
    effect.guid = Hex(whole.nodes[failure.end.node].guid);
    effect.port = failure.is_switch ? 0 : failure.end.port;
    effect.is_switch = failure.is_switch;
    net::Part part = Without(whole, home, failure);
    const Planned after(std::move(part.netlist), part.from, settings, &before);
    const std::uint64_t hosts = HostsOf(before);
    const std::uint64_t left = HostsOf(after);
    effect.outcome = after.verdict().outcome;
    effect.engine = after.verdict().engine;
    effect.hosts_lost = static_cast<std::size_t>(hosts - left);
    effect.pairs_lost = hosts * (hosts - (hosts > 0 ? 1 : 0)) - left * (left - (left > 0 ? 1 : 0));
    if (!after.verdict().may_program()) return effect;
    const AllToAll loads = MeasureAllToAll(after.topology(), after.lfts(), {}, after.host_rate());
    effect.saturation = loads.saturation;
    effect.saturation_by_rate = loads.saturation_by_rate;
    effect.pairs_lost += loads.lost >> settings.lmc;
    const std::vector<LaneLoad> lanes = LoadsOfLanes(after);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (lanes[lane].max <= effect.lane_max) continue;
        effect.lane_max = lanes[lane].max;
        effect.lane = static_cast<std::uint32_t>(lane);
    }
    const Difference difference = Compare(before, after, false);
    effect.moved = difference.moved;
    effect.blocks = static_cast<std::uint32_t>(difference.blocks);
    return effect;
}

}  // namespace

std::string_view KindOf(const FailureEffect& effect) {
    return effect.is_switch ? "switch" : "link";
}

Failure FindFailure(const net::Netlist& netlist, bool is_switch, std::string_view word,
                    const Calling& calling) {
    const explain::Spot spot = NodeByWord(netlist, word, calling);
    const net::NetNode& node = netlist.nodes[spot.node];
    const bool is_port = spot.port != explain::Spot::kAnyPort;
    Failure failure;
    failure.is_switch = is_switch;
    failure.end.node = static_cast<std::uint32_t>(spot.node);
    if (is_switch) {
        if (node.is_switch() && !is_port) return failure;
        throw std::runtime_error(fmt::format("\"{}\" is {}, and no switch", word,
                                             is_port ? "a port" : "a host or router"));
    }
    if (!is_port) {
        throw std::runtime_error(fmt::format(
            "a cable is named by a port, as in GUID/port or name/port, not \"{}\"", word));
    }
    failure.end.port = spot.port;
    const bool is_linked = spot.port >= 1 && spot.port <= node.port_count() &&
                           node.ports[spot.port].peer != net::kNoPeer;
    if (!is_linked) throw std::runtime_error(fmt::format("the port \"{}\" has no cable", word));
    return failure;
}

std::vector<Failure> EveryFailure(const net::Netlist& netlist, bool is_switch,
                                  std::size_t at_most) {
    std::vector<Failure> all;
    if (is_switch) {
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            if (netlist.nodes[i].is_switch()) all.push_back({true, {i, 0}});
        }
    } else {
        for (const net::NetEnd& end : net::TrunksOf(netlist)) {
            all.push_back({false, end});
        }
    }
    if (at_most == 0 || all.size() <= at_most) return all;
    std::vector<Failure> some;
    for (std::size_t i = 0; i < at_most; ++i) {
        some.push_back(all[i * all.size() / at_most]);
    }
    return some;
}

std::vector<FailureEffect> TryFailures(const net::Netlist& whole, const net::NetEnd& home,
                                       const Settings& settings, const Planned& plan,
                                       const std::vector<Failure>& failures, const Tick& tick) {
    std::vector<FailureEffect> effects;
    for (const Failure& failure : failures) {
        effects.push_back(Try(whole, home, settings, plan, failure));
        if (tick) tick(effects.size(), failures.size());
    }
    const auto rank = [](const FailureEffect& effect) {
        // Smaller is worse.
        return std::tuple(effect.outcome != RoutingOutcome::kRefused, ~effect.pairs_lost,
                          effect.saturation_by_rate, ~effect.moved);
    };
    std::stable_sort(effects.begin(), effects.end(),
                     [&](const FailureEffect& one, const FailureEffect& other) {
                         return rank(one) < rank(other);
                     });
    return effects;
}

}  // namespace ember::plan
