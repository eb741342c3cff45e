// SPDX-License-Identifier: Apache-2.0
// EmberSM: the other subnet managers among the ports of the fabric.

#include "core/upkeep/peers_met.h"

#include "core/discovery/port_quotas.h"
#include "core/fabric/m_key.h"

namespace ember {

void InvitePeers(const Fabric& fabric, const Settings& settings, Role& role, std::uint64_t now_us) {
    EMBER_ASSERT(fabric.own_port() != kNoPortIndex);
    const Port& own = fabric.port(fabric.own_port());
    role.SetOwnPort(own.guid, own.lid != kNoLid ? own.lid : own.info.Get(PortInfo::kLid));
    role.BeginElection();
    ForEachEndPort(fabric, [&](PortIndex at, const Port& port) {
        const bool is_sm = port.has_info &&
                           (port.info.Get(PortInfo::kCapabilityMask) & capability_mask::kIsSm) != 0;
        if (!is_sm || at == fabric.own_port()) return;
        if (IsEdgePort(fabric, settings, port.peer)) return;  // No SM is allowed there.
        DirectedPath path;
        if (fabric.PathTo(at, path) != Status::kOk) return;
        static_cast<void>(role.Invite(port.guid, port.info.Get(PortInfo::kLid), path, now_us));
        role.SetMKeyOf(port.guid, MKeyOf(fabric, settings, at));
    });
}

void TellLids(const Fabric& fabric, Role& role) {
    EMBER_ASSERT(fabric.own_port() != kNoPortIndex);
    const Port& own = fabric.port(fabric.own_port());
    role.SetOwnPort(own.guid, own.lid);
    for (const OtherSm& other : role.others()) {
        const PortIndex at = fabric.FindPort(other.port);
        if (at == kNoPortIndex || fabric.port(at).lid == kNoLid) continue;
        role.SetLidOf(other.port, fabric.port(at).lid);
    }
}

}  // namespace ember
