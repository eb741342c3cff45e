// SPDX-License-Identifier: Apache-2.0
// EmberSM: from which port of the fabric an SMP came.
#include "core/role/sender.h"

#include <algorithm>
#include <bit>

#include "core/wire/smp.h"

namespace ember {
namespace {

/// The port at the end of the return path. IBA vol. 1, 14.2.2: ReturnPath[n] is the port by which
/// hop n was entered; the last is ours.
[[nodiscard]] PortIndex EndOfReturnPath(const Fabric& fabric, const DirectedSmp& smp) {
    const std::size_t hops = std::min<std::size_t>(smp.header.hop_count, kMaxHops);
    PortIndex at = fabric.own_port();
    if (at == kNoPortIndex) return at;
    for (std::size_t hop = hops; hop > 0; --hop) {
        const NodeIndex node = fabric.port(at).node;
        const bool is_switch = fabric.node(node).type == NodeType::kSwitch;
        if (!is_switch && at != fabric.own_port()) return kNoPortIndex;
        const PortIndex exit = fabric.PortOf(node, PortNumber{smp.return_path[hop]});
        if (exit == kNoPortIndex) return kNoPortIndex;
        at = fabric.port(exit).peer;
        if (at == kNoPortIndex) return kNoPortIndex;
    }
    const SwitchIndex owner = fabric.node(fabric.port(at).node).switch_index;
    return owner == kNoSwitch ? at : fabric.ManagementPortOf(owner);
}

/// Before we are master LIDs are those that others gave.
[[nodiscard]] PortIndex OwnerOf(const Fabric& fabric, const Role& role, Lid lid) {
    const PortIndex at = fabric.PortByLid(lid);
    if (at != kNoPortIndex || lid == kNoLid) return at;
    for (const OtherSm& other : role.others()) {
        if (other.lid == lid) return fabric.FindPort(other.port);
    }
    return kNoPortIndex;
}

}  // namespace

SmpSender SenderOf(const Fabric& fabric, const Role& role, const Envelope& request) {
    const bool is_directed = request.mad.header.mgmt_class == MgmtClass::kSubnDirected;
    const PortIndex at = is_directed
                             ? EndOfReturnPath(fabric, std::bit_cast<DirectedSmp>(request.mad))
                             : OwnerOf(fabric, role, request.peer);
    if (at == kNoPortIndex || at == fabric.own_port()) return {};  // We do not ask ourselves.
    const Port& port = fabric.port(at);
    const std::uint32_t mask = port.has_info ? port.info.Get(PortInfo::kCapabilityMask) : 0;
    return {.port = port.guid, .is_sm = (mask & capability_mask::kIsSm) != 0};
}

}  // namespace ember
