// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches that have not answered all questions on a lossy path.

#include "core/discovery/partly_read.h"

#include "core/base/assert.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// Keeps the link at a port whose PortInfo was not read, unless the other end reports it down. A
/// host at the other end is kept too.
void KeepLink(Fabric& fabric, Port& port, std::uint32_t sweep) {
    EMBER_ASSERT(port.peer != kNoPortIndex);
    Port& far = fabric.port(port.peer);
    const bool is_denied =
        far.seen == sweep && far.info.Get(PortInfo::kPortState) == PortState::kDown;
    Node& beyond = fabric.node(far.node);
    const bool is_host = beyond.type != NodeType::kSwitch;
    if (is_denied || (beyond.seen != sweep && !is_host)) return;
    port.linked = sweep;
    far.linked = sweep;
    if (!is_host) return;
    beyond.seen = sweep;
    if (far.has_info) far.seen = sweep;
}

/// The switch was known before and met in this sweep, and silence about it proves nothing.
[[nodiscard]] bool IsKept(const Fabric& fabric, const Node& node, std::uint32_t sweep,
                          bool is_lossy) {
    if (node.type != NodeType::kSwitch || node.seen != sweep) return false;
    const Switch& row = fabric.switch_row(node.switch_index);
    const Port& management = fabric.port(node.first_port);
    if (row.seen == 0 || !management.has_info) return false;
    const bool is_there = row.seen == sweep && management.seen == sweep;
    return is_lossy || (is_there && !IsUntrustedSwitch(fabric, node));
}

}  // namespace

void KeepPartlyRead(Fabric& fabric, std::uint32_t sweep, bool is_lossy) {
    EMBER_ASSERT(sweep != 0);
    ForEachNode(fabric, [&](NodeIndex at, const Node& node) {
        if (!IsKept(fabric, node, sweep, is_lossy)) return;
        fabric.switch_row(node.switch_index).seen = sweep;
        fabric.port(node.first_port).seen = sweep;
        for (Port& port : fabric.PortsOf(at)) {
            const bool is_unreported = port.has_info && port.seen != sweep && port.linked != sweep;
            if (is_unreported && port.peer != kNoPortIndex) KeepLink(fabric, port, sweep);
        }
    });
}

bool IsOwnNeighborPartlyRead(const Fabric& fabric, std::uint32_t sweep) {
    EMBER_ASSERT(sweep != 0);
    if (fabric.own_port() == kNoPortIndex) return false;
    const Port& own = fabric.port(fabric.own_port());
    if (own.peer == kNoPortIndex || own.linked != sweep) return false;
    const Node& node = fabric.node(fabric.port(own.peer).node);
    if (node.type != NodeType::kSwitch) return false;
    return fabric.switch_row(node.switch_index).seen != sweep ||
           fabric.port(node.first_port).seen != sweep;
}

}  // namespace ember
