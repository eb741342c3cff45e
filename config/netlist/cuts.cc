// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is left of a fabric on paper when something is taken away.
#include "config/netlist/cuts.h"

#include <algorithm>
#include <utility>

#include "config/netlist/fabric_builder.h"
#include "config/netlist/random.h"
#include "core/fabric/aggregation_nodes.h"

namespace ember::net {

std::vector<NetEnd> TrunksOf(const Netlist& netlist) {
    std::vector<NetEnd> trunks;
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        const NetNode& node = netlist.nodes[i];
        if (!node.is_switch()) continue;
        for (std::uint32_t p = 1; p <= node.port_count(); ++p) {
            const std::uint32_t peer = node.ports[p].peer;
            if (peer == kNoPeer || peer <= i || !netlist.nodes[peer].is_switch()) continue;
            trunks.push_back({i, p});
        }
    }
    return trunks;
}

void Unplug(Netlist& netlist, const NetEnd& end) {
    NetPort& here = netlist.nodes[end.node].ports[end.port];
    if (here.peer == kNoPeer) return;
    NetPort& there = netlist.nodes[here.peer].ports[here.peer_port];
    for (NetPort* const port : {&there, &here}) {
        port->peer = kNoPeer;
        port->peer_port = 0;
    }
}

std::uint32_t KillLinks(Netlist& netlist, std::uint32_t count, std::uint64_t seed) {
    std::vector<NetEnd> trunks = TrunksOf(netlist);
    Random random(seed);
    const auto killed = static_cast<std::uint32_t>(std::min<std::size_t>(count, trunks.size()));
    for (std::uint32_t i = 0; i < killed; ++i) {
        const auto left = static_cast<std::uint32_t>(trunks.size() - i);
        std::swap(trunks[i], trunks[i + random.Below(left)]);
        Unplug(netlist, trunks[i]);
    }
    return killed;
}

Part Reachable(const Netlist& netlist, const NetEnd& from) {
    std::vector<bool> reached(netlist.nodes.size());
    std::vector<std::uint32_t> front = {from.node};
    reached[from.node] = true;
    const auto visit = [&](std::uint32_t peer) {
        if (peer == kNoPeer || reached[peer]) return;
        reached[peer] = true;
        front.push_back(peer);
    };
    for (std::size_t i = 0; i < front.size(); ++i) {  // Every node stands in the queue once.
        const NetNode& node = netlist.nodes[front[i]];
        if (!node.is_switch()) {
            if (i == 0) visit(node.ports[from.port].peer);
            continue;
        }
        for (const NetPort& port : node.ports) {
            visit(port.peer);
        }
    }
    Part part;
    std::vector<std::uint32_t> place(netlist.nodes.size(), kNoPeer);
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        if (!reached[i]) continue;
        place[i] = static_cast<std::uint32_t>(part.netlist.nodes.size());
        part.origin.push_back(i);
        part.netlist.nodes.push_back(netlist.nodes[i]);
    }
    for (NetNode& node : part.netlist.nodes) {
        for (NetPort& port : node.ports) {
            if (port.peer == kNoPeer) continue;
            port.peer = place[port.peer];
            if (port.peer == kNoPeer) port.peer_port = 0;
        }
    }
    part.from = {place[from.node], from.port};
    return part;
}

namespace {

/// A host, or whatever ibnetdiscover ran on; it has a cable.
bool MayBeSeat(const NetNode& node, std::uint32_t port, Guid made_from) {
    if (node.is_switch()) return made_from != kNoGuid && port == 0 && node.guid == made_from;
    if (port == 0 || node.ports[port].peer == kNoPeer) return false;
    if (made_from != kNoGuid) return PortGuid(node, port) == made_from;
    return node.type == NodeType::kChannelAdapter && !IsAggregationDevice(node.device_id);
}

}  // namespace

NetEnd FirstSeat(const Netlist& netlist) {
    for (const Guid made_from : {netlist.made_from, kNoGuid}) {
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            for (std::uint32_t p = 0; p < netlist.nodes[i].ports.size(); ++p) {
                if (MayBeSeat(netlist.nodes[i], p, made_from)) return {i, p};
            }
        }
    }
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        const NetNode& node = netlist.nodes[i];
        if (node.type != NodeType::kChannelAdapter) continue;
        for (std::uint32_t p = 1; p <= node.port_count(); ++p) {
            if (node.ports[p].peer != kNoPeer) return {i, p};
        }
    }
    return {0, netlist.nodes.front().is_switch() ? 0U : 1U};
}

Part LargestPart(const Netlist& netlist) {
    const auto ends_of = [](const Netlist& part) {
        return part.nodes.size() - part.switch_count();
    };
    Part largest = Reachable(netlist, FirstSeat(netlist));
    std::vector<bool> seen(netlist.nodes.size());
    for (const std::uint32_t node : largest.origin) {
        seen[node] = true;
    }
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        const NetNode& node = netlist.nodes[i];
        if (seen[i] || !node.is_switch()) continue;  // A part without a switch has two hosts.
        Part part = Reachable(netlist, {i, 0});
        for (const std::uint32_t inside : part.origin) {
            seen[inside] = true;
        }
        if (ends_of(part.netlist) <= ends_of(largest.netlist)) continue;
        part.from = FirstSeat(part.netlist);
        largest = std::move(part);
    }
    return largest;
}

}  // namespace ember::net
