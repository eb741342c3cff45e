// SPDX-License-Identifier: Apache-2.0
// EmberSM: the other subnet managers among the ports of the fabric.

#include "core/replication/peers_met.h"

#include "core/discovery/port_quotas.h"
#include "core/fabric/m_key.h"
#include "core/role/sender.h"

namespace ember {
namespace {

[[nodiscard]] bool SaysIsSm(const Port& port) {
    return port.has_info &&
           (port.info.Get(PortInfo::kCapabilityMask) & capability_mask::kIsSm) != 0;
}

}  // namespace

void InvitePeers(const Fabric& fabric, const Settings& settings, Role& role, std::uint64_t now_us) {
    EMBER_ASSERT(fabric.own_port() != kNoPortIndex);
    const Port& own = fabric.port(fabric.own_port());
    role.SetOwnPort(own.guid, own.lid != kNoLid ? own.lid : own.info.Get(PortInfo::kLid));
    role.BeginElection();
    ForEachEndPort(fabric, [&](PortIndex at, const Port& port) {
        if (!SaysIsSm(port) || at == fabric.own_port()) return;
        if (IsEdgePort(fabric, settings, port.peer)) return;  // No SM is allowed there.
        DirectedPath path;
        if (fabric.PathTo(at, path) != Status::kOk) return;
        static_cast<void>(role.Invite(port.guid, port.info.Get(PortInfo::kLid), path, now_us));
        role.SetMKeyOf(port.guid, MKeyOf(fabric, settings, at));
    });
}

void ReviewPeers(const Fabric& fabric, Role& role) {
    for (std::size_t i = role.others().size(); i-- > 0;) {
        const PortIndex at = fabric.FindPort(role.others()[i].port);
        if (at == kNoPortIndex || !SaysIsSm(fabric.port(at))) role.Forget(role.others()[i].port);
    }
    role.Review();
}

void SetRoleLids(const Fabric& fabric, Role& role) {
    EMBER_ASSERT(fabric.own_port() != kNoPortIndex);
    const Port& own = fabric.port(fabric.own_port());
    role.SetOwnPort(own.guid, own.lid);
    for (const OtherSm& other : role.others()) {
        const PortIndex at = fabric.FindPort(other.port);
        if (at == kNoPortIndex || fabric.port(at).lid == kNoLid) continue;
        role.SetLidOf(other.port, fabric.port(at).lid);
    }
}

bool ServeSmInfo(const Fabric& fabric, Role& role, Exchange& exchange, const Envelope& request,
                 std::uint64_t now_us) {
    // Known from the first answer of the first sweep.
    const PortIndex own = fabric.own_port();
    if (!role.knows_own_port() && own != kNoPortIndex) {
        role.SetOwnPort(fabric.port(own).guid, kNoLid);
    }
    Envelope reply;
    const SmpSender sender = SenderOf(fabric, role, request);
    if (role.Serve(request, sender, now_us, reply) != Status::kOk) return true;
    return exchange.Send(reply) == Status::kOk;
}

}  // namespace ember
