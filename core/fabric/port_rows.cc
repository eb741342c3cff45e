// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of nodes in the port table.

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/fabric.h"

namespace ember {
namespace {

inline constexpr std::uint32_t kMostRows = 255;  ///< Of a node: 254 ports and port 0.

}  // namespace

/// The lowest run of `count` free rows. Free rows side by side are one run, whichever nodes they
/// belonged to. The search goes from node to node and begins where the last search for this length
/// ended, so each row is passed once while nodes are only added.
PortIndex Fabric::FindPortRows(std::uint32_t count) {
    EMBER_ASSERT(count > 0);
    EMBER_ASSERT(count <= kMostRows);
    std::uint32_t first = port_hints_[count];
    for (std::uint32_t row = first; row < port_bound_ && row - first < count;) {
        const NodeIndex owner = ports_[static_cast<PortIndex>(row)].node;
        if (owner == kNoNode) {
            ++row;
        } else {
            row = Raw(nodes_[owner].first_port) + static_cast<std::uint32_t>(PortsOf(owner).size());
            first = row;
        }
    }
    port_hints_[count] = first;
    return first + count <= limits_.max_ports ? static_cast<PortIndex>(first) : kNoPortIndex;
}

PortIndex Fabric::TakePortRows(std::uint32_t count) {
    const PortIndex first = FindPortRows(count);
    if (first == kNoPortIndex) return kNoPortIndex;
    EMBER_ASSERT(ports_[first].node == kNoNode);
    port_bound_ = std::max<std::size_t>(port_bound_, Raw(first) + count);
    EMBER_ASSERT(port_bound_ <= limits_.max_ports);
    return first;
}

void Fabric::GiveBackPortRows(PortIndex first, std::uint32_t count) {
    EMBER_ASSERT(count > 0);
    EMBER_ASSERT(count <= kMostRows);
    EMBER_ASSERT(Raw(first) + count <= port_bound_);
    for (std::uint32_t i = 0; i < count; ++i) {
        ports_[static_cast<PortIndex>(Raw(first) + i)] = Port{};
    }
    // The run before is longer now. No node has more rows than there are hints, so a run that
    // begins yet further back was long enough before.
    std::uint32_t begin = Raw(first);
    const std::uint32_t lowest = begin - std::min(begin, kMostRows);
    while (begin > lowest && ports_[static_cast<PortIndex>(begin - 1)].node == kNoNode) {
        --begin;
    }
    for (std::uint32_t& hint : port_hints_) {
        hint = std::min(hint, begin);
    }
}

void Fabric::GatherPorts() {
    std::uint32_t next = 0;
    for (std::uint32_t row = 0; row < port_bound_;) {
        const NodeIndex owner = ports_[static_cast<PortIndex>(row)].node;
        if (owner == kNoNode) {
            ++row;
            continue;
        }
        const auto count = static_cast<std::uint32_t>(PortsOf(owner).size());
        if (next < row) MovePorts(nodes_[owner], static_cast<PortIndex>(next));
        next += count;
        row += count;
    }
    EMBER_ASSERT(next == ports_in_use_);
    EMBER_ASSERT(own_port_ == kNoPortIndex || ports_[own_port_].node != kNoNode);
    port_bound_ = next;
    port_hints_.fill(next);
    // An entry by a link that has ended was not moved with its peer.
    ForEachNode(*this, [this](NodeIndex at, Node& node) {
        const bool is_row = Raw(node.entry) < port_bound_;
        const PortIndex end = is_row ? ports_[node.entry].peer : kNoPortIndex;
        if (end == kNoPortIndex || ports_[end].node != at) node.entry = kNoPortIndex;
    });
}

/// Moves the rows of a node down to `to`, and all indexes that name them.
void Fabric::MovePorts(Node& node, PortIndex to) {
    const std::uint32_t from = Raw(node.first_port);
    EMBER_ASSERT(Raw(to) < from);
    const std::uint32_t shift = from - Raw(to);
    const auto count =
        static_cast<std::uint32_t>(node.port_count + (node.type == NodeType::kSwitch ? 1U : 0U));
    node.first_port = to;
    for (std::uint32_t row = from; row < from + count; ++row) {
        const auto before = static_cast<PortIndex>(row);
        // A link from the node to itself: its other end moves by as many rows.
        Port& port = ports_[before];
        const bool is_own = Raw(port.peer) >= from && Raw(port.peer) < from + count;
        if (is_own) port.peer = static_cast<PortIndex>(Raw(port.peer) - shift);
        MovePort(before, static_cast<PortIndex>(row - shift), is_own);
    }
}

void Fabric::MovePort(PortIndex before, PortIndex now, bool is_looped) {
    EMBER_ASSERT(now < before);
    const Port port = ports_[before];
    EMBER_ASSERT(ports_[now].node == kNoNode);
    ports_[before] = Port{};
    ports_[now] = port;
    if (own_port_ == before) own_port_ = now;
    if (port.peer != kNoPortIndex && !is_looped) {
        ports_[port.peer].peer = now;
        Node& neighbor = nodes_[ports_[port.peer].node];
        if (neighbor.entry == before) neighbor.entry = now;
    }
    if (port.guid != kNoGuid) {
        by_port_guid_.Renumber(by_port_guid_.HashOf(port.guid), before, now);
    }
    const std::uint32_t lids = port.lid == kNoLid ? 0U : 1U << port.lmc;
    for (std::uint32_t lid = Raw(port.lid); lid < Raw(port.lid) + lids; ++lid) {
        PortIndex& owner = by_lid_[static_cast<Lid>(lid)];
        if (owner == before) owner = now;
    }
}

}  // namespace ember
