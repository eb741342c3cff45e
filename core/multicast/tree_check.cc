// SPDX-License-Identifier: Apache-2.0
// EmberSM: proves that what a multicast LID's packets do is a tree.

#include "core/multicast/tree_check.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {
namespace {

[[nodiscard]] bool IsOpen(std::span<const std::uint16_t> masks, const MftTables::Run& run,
                          PortNumber port) {
    const std::size_t part = Raw(port) / MftTables::kPorts;
    if (part >= run.count) return false;  // The switch knows no multicast.
    EMBER_ASSERT(run.first + part < masks.size());
    const unsigned mask = masks[run.first + part];
    return (mask >> (Raw(port) % MftTables::kPorts) & 1U) != 0;
}

/// The tree of one multicast LID as the graph of dependencies needs it.
class TreeDependencies {
public:
    TreeDependencies(const MftTables& tables, std::span<const std::uint16_t> masks,
                     const TreeLanes& lanes)
        : tables_(tables), masks_(masks), lanes_(lanes) {}

    /// Adds what packets that leave `at` by `trunk` wait for.
    void Add(SwitchIndex at, const Trunk& trunk, DependencyGraph& graph, TreeCheck::Waits& waits);
    [[nodiscard]] bool Leaves(SwitchIndex at, PortNumber port) const {
        return IsOpen(masks_, tables_.run(at), port);
    }

private:
    [[nodiscard]] unsigned LanesOf(SwitchIndex at, PortNumber port, const DependencyGraph& graph,
                                   TreeCheck::Waits& waits) const;
    [[nodiscard]] std::uint8_t LaneOf(const LaneTurn& turn, const DependencyGraph& graph,
                                      TreeCheck::Waits& waits) const;

    const MftTables& tables_;
    std::span<const std::uint16_t> masks_;
    const TreeLanes& lanes_;
};

/// kNoLane: such packets go no further.
std::uint8_t TreeDependencies::LaneOf(const LaneTurn& turn, const DependencyGraph& graph,
                                      TreeCheck::Waits& waits) const {
    if (graph.lanes() == 1) return 0;
    const std::uint8_t lane = lanes_.Of(turn, graph.topology().exit(turn.at, turn.out).lanes());
    if (lane == kNoLane) waits.is_dropped = true;
    if (lane == kNoLane || lane < graph.lanes()) return lane;
    waits.is_strange = true;
    return kNoLane;
}

/// The lanes on which packets leave `at` by `port`: they come in by any other port of the tree.
unsigned TreeDependencies::LanesOf(SwitchIndex at, PortNumber port, const DependencyGraph& graph,
                                   TreeCheck::Waits& waits) const {
    unsigned lanes = 0;
    for (std::size_t i = 0; i <= graph.topology().switch_row(at).port_count; ++i) {
        const auto in = static_cast<PortNumber>(i);
        if (in == port || !Leaves(at, in)) continue;
        const std::uint8_t lane = LaneOf({.at = at, .in = in, .out = port}, graph, waits);
        if (lane != kNoLane) lanes |= 1U << lane;
    }
    return lanes;
}

void TreeDependencies::Add(SwitchIndex at, const Trunk& trunk, DependencyGraph& graph,
                           TreeCheck::Waits& waits) {
    const Topology& net = graph.topology();
    const std::size_t exit = net.switch_row(at).first_exit + std::size_t{Raw(trunk.port)};
    const unsigned held = LanesOf(at, trunk.port, graph, waits);
    for (const Trunk& next : net.trunks(trunk.peer)) {
        if (next.port == trunk.peer_port || !Leaves(trunk.peer, next.port)) continue;
        const LaneTurn turn{.at = trunk.peer, .in = trunk.peer_port, .out = next.port};
        const std::uint8_t lane = LaneOf(turn, graph, waits);
        if (lane == kNoLane) continue;
        for (unsigned rest = held; rest != 0; rest &= rest - 1) {
            const auto before = static_cast<std::uint8_t>(std::countr_zero(rest));
            const std::size_t channel = graph.ChannelAt(exit, before);
            if (graph.Has(channel, Raw(next.port), lane)) continue;
            graph.Add(channel, Raw(next.port), lane);
            waits.is_new = true;
        }
    }
}

}  // namespace

TreeCheck::Spot& TreeCheck::Meet(SwitchIndex at) {
    EMBER_ASSERT(Raw(at) < spots_.size());
    Spot& spot = spots_[Raw(at)];
    if (spot.stamp != stamp_) spot = Spot{.stamp = stamp_, .root = at};
    return spot;
}

/// Follows a packet out of the switch at hand by this port.
void TreeCheck::Leave(const Port& port, std::span<const std::uint16_t> masks, Finding& finding) {
    const bool is_own = port.number == kManagementPort;
    if (!is_own && port.peer == kNoPortIndex) return;  // Into a port without a link.
    const Port& peer = is_own ? port : fabric_.port(port.peer);
    const SwitchIndex beyond = is_own ? kNoSwitch : fabric_.node(peer.node).switch_index;
    if (beyond == kNoSwitch) {
        ++finding.reached;
        return;
    }
    if (!IsOpen(masks, tables_.run(beyond), peer.number)) {
        finding.has_one_way = true;
        return;
    }
    EMBER_ASSERT(Raw(beyond) < spots_.size());
    if (spots_[Raw(beyond)].stamp == stamp_) {
        finding.has_loop = true;
        return;
    }
    EMBER_ASSERT(known_ < queue_.size());
    Meet(beyond).entry = peer.number;
    queue_[known_++] = beyond;
}

TreeCheck::Finding TreeCheck::Follow(SwitchIndex from, std::span<const std::uint16_t> masks) {
    EMBER_ASSERT(from != kNoSwitch);
    EMBER_ASSERT(masks.size() >= tables_.position_bound());
    BeginLinks();  // A fresh stamp.
    Finding finding;
    known_ = 0;
    queue_[known_++] = from;
    static_cast<void>(Meet(from));
    for (std::size_t next = 0; next < known_; ++next) {  // Every switch once.
        const SwitchIndex at = queue_[next];
        const PortNumber entry = Meet(at).entry;
        const MftTables::Run& run = tables_.run(at);
        for (const Port& port : fabric_.PortsOf(fabric_.switch_row(at).node)) {
            if (port.number != entry && IsOpen(masks, run, port.number))
                Leave(port, masks, finding);
        }
    }
    return finding;
}

TreeCheck::Waits TreeCheck::AddDependencies(std::span<const std::uint16_t> masks,
                                            const TreeLanes& lanes, DependencyGraph& graph) const {
    EMBER_ASSERT(masks.size() >= tables_.position_bound());
    Waits waits;
    TreeDependencies tree(tables_, masks, lanes);
    for (const SwitchIndex at : graph.topology().switches_by_guid()) {
        for (const Trunk& trunk : graph.topology().trunks(at)) {
            if (tree.Leaves(at, trunk.port)) tree.Add(at, trunk, graph, waits);
        }
    }
    return waits;
}

bool TreeCheck::HasTurn(std::span<const std::uint16_t> masks, const LaneTurn& turn) const {
    const MftTables::Run& run = tables_.run(turn.at);
    return IsOpen(masks, run, turn.in) && IsOpen(masks, run, turn.out);
}

void TreeCheck::BeginLinks() {
    if (++stamp_ != 0) return;
    std::fill(spots_.begin(), spots_.end(), Spot{});  // Old stamps would hold again.
    stamp_ = 1;
}

SwitchIndex TreeCheck::RootOf(SwitchIndex at) {
    while (Meet(at).root != at) {  // Paths halve as they are walked; ends at the root.
        Spot& spot = Meet(at);
        spot.root = Meet(spot.root).root;
        at = spot.root;
    }
    return at;
}

bool TreeCheck::AddLink(SwitchIndex one, SwitchIndex other) {
    EMBER_ASSERT(one != other);  // A link to itself is always a loop.
    const SwitchIndex first = RootOf(one);
    const SwitchIndex second = RootOf(other);
    if (first == second) return true;
    Meet(first).root = second;
    return false;
}

}  // namespace ember
