// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether every row of the subnet's tables names rows that are there.
#pragma once

#include <string>

#include "core/fabric/fabric.h"

namespace ember::testing {

/// A live row that names a free row or another's, in words; empty: none. Must be empty at any time,
/// also while a sweep runs.
[[nodiscard]] inline std::string LostRowOf(const Fabric& fabric) {
    std::string lost;
    const auto say = [&lost](const char* what, Guid guid, unsigned port) {
        if (!lost.empty()) return;
        lost = std::string(what) + " of node " + std::to_string(Raw(guid)) + " port " +
               std::to_string(port);
    };
    const auto is_there = [&fabric](PortIndex at) {
        if (Raw(at) >= fabric.port_bound()) return false;
        const NodeIndex owner = fabric.port(at).node;
        return owner != kNoNode && fabric.IsLive(owner) &&
               fabric.PortOf(owner, fabric.port(at).number) == at;
    };
    ForEachNode(fabric, [&](NodeIndex at, const Node& node) {
        if (fabric.FindNode(node.guid) != at) say("the index by GUID", node.guid, 0);
        if (node.entry != kNoPortIndex && !is_there(node.entry)) say("the entry", node.guid, 0);
        const bool is_switch = node.type == NodeType::kSwitch;
        if (is_switch && fabric.switch_row(node.switch_index).node != at) {
            say("the switch row", node.guid, 0);
        }
        if (!is_switch && node.switch_index != kNoSwitch) say("a switch row", node.guid, 0);
    });
    ForEachPort(fabric, [&](PortIndex at, const Port& port) {
        const Guid node = port.node == kNoNode ? kNoGuid : fabric.node(port.node).guid;
        if (!is_there(at)) say("the row", node, Raw(port.number));
        const bool has_peer = port.peer != kNoPortIndex;
        if (has_peer && (!is_there(port.peer) || fabric.port(port.peer).peer != at)) {
            say("the peer", node, Raw(port.number));
        }
        if (port.guid != kNoGuid && fabric.FindPort(port.guid) != at) {
            say("the index by PortGUID", node, Raw(port.number));
        }
    });
    for (std::uint32_t lid = 1; lid <= fabric.max_lid(); ++lid) {
        const PortIndex at = fabric.PortByLid(static_cast<Lid>(lid));
        if (at != kNoPortIndex && !is_there(at)) say("a LID", kNoGuid, lid);
    }
    const PortIndex own = fabric.own_port();
    if (own != kNoPortIndex && !is_there(own)) say("our own port", kNoGuid, 0);
    return lost;
}

}  // namespace ember::testing
