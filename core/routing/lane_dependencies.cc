// SPDX-License-Identifier: Apache-2.0
// EmberSM: what packets wait for when they travel on several data VLs.

#include "core/routing/lane_dependencies.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

void LaneDependencies::Begin(const Topology& topology, const RoutingLanes& lanes,
                             Matrix<SwitchIndex, const std::uint8_t> lfts, Arena& scratch) {
    EMBER_ASSERT(!lanes.is_one_lane() && lanes.count <= DataVls(VlCap::kVl0To14));
    topology_ = &topology;
    lanes_ = &lanes;
    sls_ = PacketSls(topology, lanes);
    lfts_ = lfts;
    loads_ = scratch.Take<Load>(topology.switch_bound());
    leaders_ = scratch.Take<Leader>(topology.switch_bound());
    std::fill(leaders_.begin(), leaders_.end(), Leader{});
    arrivals_ = scratch.Take<std::uint16_t>(topology.all_exits().size());
}

SwitchIndex LaneDependencies::Record(const Tree& tree, DependencyGraph& by_end_ports,
                                     DependencyGraph& by_others) {
    EMBER_ASSERT(by_end_ports.lanes() == lanes_->count && by_others.lanes() == lanes_->count);
    const SwitchIndex home = tree.destination->at;
    known_ = FindKnown(tree);
    if (known_ == Known::kEverything) {
        return Arrive(tree) && AddSenders(tree, home) ? kNoSwitch : home;
    }
    if (tree.is_to_end_port) {
        leaders_[Raw(home)] = {tree.lid, static_cast<std::uint16_t>(tree.visited.size())};
        const auto exits = topology_->exits(home).size();
        const auto arrivals = arrivals_.subspan(topology_->switch_row(home).first_exit, exits);
        std::fill(arrivals.begin(), arrivals.end(), std::uint16_t{0});
    }
    return Follow(tree, by_end_ports, by_others);
}

/// The leader's entries lead alike from all switches whose packets arrive.
LaneDependencies::Known LaneDependencies::FindKnown(const Tree& tree) const {
    const Leader& leader = leaders_[Raw(tree.destination->at)];
    const bool has_leader = leader.lid != kNoLid && leader.visited == tree.visited.size();
    if (!has_leader || lanes_->path_sl.is_by_lid()) return Known::kNothing;
    const bool is_alike = std::all_of(
        tree.visited.begin(), tree.visited.end(),
        [&](SwitchIndex at) { return lfts_[at][Raw(leader.lid)] == tree.ports[Raw(at)]; });
    if (!is_alike) return Known::kNothing;
    return tree.is_to_end_port ? Known::kEverything : Known::kAllButManagement;
}

/// No packet that comes to the LID's switch, as those to its leader do, is dropped there.
bool LaneDependencies::Arrive(const Tree& tree) const {
    const SwitchIndex home = tree.destination->at;
    const std::size_t first = topology_->switch_row(home).first_exit;
    const std::size_t exits = topology_->exits(home).size();
    for (std::size_t in = 1; in < exits; ++in) {
        const TurnLanes lanes =
            LanesAt({.at = home, .in = static_cast<PortNumber>(in), .out = tree.destination->port});
        for (unsigned rest = arrivals_[first + in]; rest != 0; rest &= rest - 1) {
            if (lanes.Of(static_cast<std::uint8_t>(std::countr_zero(rest))) == kNoLane)
                return false;
        }
    }
    return true;
}

/// Walks are taken last first, each from its begin: a switch then comes behind all whose packets it
/// passes on, as those are before it in its own walk or in a later one.
SwitchIndex LaneDependencies::Follow(const Tree& tree, DependencyGraph& by_end_ports,
                                     DependencyGraph& by_others) {
    for (std::size_t end = tree.visited.size(); end > 0;) {
        std::size_t first = end - 1;
        while (first > 0 && tree.next[Raw(tree.visited[first - 1])] == tree.visited[first])
            --first;
        for (const SwitchIndex at : tree.visited.subspan(first, end - first)) {
            const bool is_fine = AddSenders(tree, at) &&
                                 Pass(tree, at, Traffic::kEndPorts, by_end_ports) &&
                                 Pass(tree, at, Traffic::kOthers, by_others);
            if (!is_fine) return at;
        }
        end = first;
    }
    return AddSenders(tree, tree.destination->at) ? kNoSwitch : tree.destination->at;
}

/// The packets that begin at this switch. False when some are dropped.
bool LaneDependencies::AddSenders(const Tree& tree, SwitchIndex at) {
    if (known_ == Known::kAllButManagement) return AddManagement(tree, at);
    const PacketSls::Pair pair = sls_.PairOf(at, {tree.destination->at, tree.lid});
    const Traffic by_end_ports = tree.is_to_end_port ? Traffic::kEndPorts : Traffic::kOthers;
    const auto exits = topology_->exits(at);
    for (std::size_t port = 1; port < exits.size(); ++port) {
        if (exits[port].destination == kNoDestination) continue;
        if (!AddSender(tree, {at, static_cast<PortNumber>(port), by_end_ports}, pair)) return false;
    }
    const bool is_home = topology_->switch_row(at).is_home;
    return AddSender(tree, {at, kManagementPort, is_home ? by_end_ports : Traffic::kOthers}, pair);
}

/// The packets on SL 0 to a switch's own LID, of those whose other packets the leader has. The
/// leader has on each SL what mere switches send.
bool LaneDependencies::AddManagement(const Tree& tree, SwitchIndex at) {
    const auto exits = topology_->exits(at);
    const bool is_home = topology_->switch_row(at).is_home;
    for (std::size_t port = 0; port < exits.size(); ++port) {
        const bool sends = port == 0 ? is_home : exits[port].destination != kNoDestination;
        if (!sends) continue;
        const Sender sender{at, static_cast<PortNumber>(port), Traffic::kOthers};
        if (!AddSender(tree, sender, {.forth = 0, .back = 0})) return false;
    }
    return true;
}

bool LaneDependencies::AddSender(const Tree& tree, const Sender& sender,
                                 const PacketSls::Pair& pair) {
    const SwitchIndex at = sender.at;
    const bool is_at_end = at == tree.destination->at;
    if (is_at_end && sender.in == tree.destination->port) return true;  // The LID's owner.
    const unsigned sls = sls_.Of(at, sender.in, {tree.destination->at, tree.lid}, pair,
                                 sender.traffic == Traffic::kOthers);
    const TurnLanes lanes = LanesAt({.at = at, .in = sender.in, .out = OutOf(tree, at)});
    for (unsigned rest = sls; rest != 0; rest &= rest - 1) {
        const auto sl = static_cast<std::uint8_t>(std::countr_zero(rest));
        const std::uint8_t lane = lanes.Of(sl);
        if (lane == kNoLane) return false;
        if (is_at_end) continue;  // The packet waits for no link between switches.
        loads_[Raw(at)][Raw(sender.traffic)][sl] |= static_cast<std::uint16_t>(1U << lane);
    }
    return sls != 0;
}

/// The port by which packets leave a switch; at the LID's own switch that of its owner.
PortNumber LaneDependencies::OutOf(const Tree& tree, SwitchIndex at) {
    if (at == tree.destination->at) return tree.destination->port;
    return static_cast<PortNumber>(tree.ports[Raw(at)]);
}

LaneDependencies::TurnLanes LaneDependencies::LanesAt(const LaneTurn& turn) const {
    if (turn.out == kManagementPort) return {.row = {}, .is_to_management = true};
    const std::uint8_t of_link = topology_->exit(turn.at, turn.out).lanes();
    return {.row = lanes_->lane_map.RowOf(turn), .count = std::min(lanes_->count, of_link)};
}

/// Hands the packets that leave `at` to the next switch. False when packets are dropped there.
bool LaneDependencies::Pass(const Tree& tree, SwitchIndex at, Traffic traffic,
                            DependencyGraph& graph) {
    const auto load = loads_[Raw(at)][Raw(traffic)];
    loads_[Raw(at)][Raw(traffic)] = {};
    const SwitchIndex next = tree.next[Raw(at)];
    const std::size_t exit =
        topology_->switch_row(at).first_exit + std::size_t{tree.ports[Raw(at)]};
    const LaneTurn turn{
        .at = next, .in = topology_->all_exits()[exit].peer_port, .out = OutOf(tree, next)};
    const TurnLanes lanes = LanesAt(turn);
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        if (load[sl] == 0) continue;
        const std::uint8_t lane = lanes.Of(sl);
        if (lane == kNoLane) return false;
        if (next == tree.destination->at) {  // The packet waits for no link between switches.
            if (tree.is_to_end_port) arrivals_[InOf(turn)] |= static_cast<std::uint16_t>(1U << sl);
            continue;
        }
        loads_[Raw(next)][Raw(traffic)][sl] |= static_cast<std::uint16_t>(1U << lane);
        for (unsigned before = load[sl]; before != 0; before &= before - 1) {
            const auto held = static_cast<std::uint8_t>(std::countr_zero(before));
            graph.Add(graph.ChannelAt(exit, held), Raw(turn.out), lane);
        }
    }
    return true;
}

}  // namespace ember
