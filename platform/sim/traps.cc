// SPDX-License-Identifier: Apache-2.0
// EmberSM: what simulated nodes say unasked.

#include "platform/sim/fabric_sim.h"

namespace ember::sim {

void FabricSim::RaiseTrap(std::uint32_t node, TrapNumber number) {
    PendingTrap& trap = traps_[node];
    trap.waiting = true;
    trap.number = number;
    trap.tries = 0;
    ++trap.serial;  // A TrapRepress of an earlier trap does not repress this one.
    SendTrap(node);
}

/// Sends the trap that is pending at `node`, and again later until it is repressed. A node that has
/// no LID or knows no master stays silent, as the IBA wants it: the next sweep will ask.
void FabricSim::SendTrap(std::uint32_t at) {
    PendingTrap& trap = traps_[at];
    const SimNode& node = world_.node(at);
    std::uint32_t row = node.first_row + (node.is_switch() ? 0U : 1U);
    while (!node.is_switch() && row < node.first_row + node.port_count &&
           world_.Beyond(row) == kNoRow) {
        ++row;  // A CA speaks through its first port that is up.
    }
    const PortInfo& info = world_.port(row).info;
    const Lid lid = info.Get(PortInfo::kLid);
    const Lid master = info.Get(PortInfo::kMasterSmLid);
    const bool speechless = lid == kNoLid || master == kNoLid || !node.powered;
    if (speechless || trap.tries >= timing_.trap_tries) {
        trap.waiting = false;
        return;
    }
    ++trap.tries;
    ++counters_.traps;
    LocalChangesNotice notice;  // Its common rows are Notice's.
    const bool link_state = trap.number == TrapNumber::kLinkStateChange;
    notice.Set(Notice::kIsGeneric, std::uint8_t{1});
    notice.Set(Notice::kType, link_state ? NoticeType::kUrgent : NoticeType::kInformational);
    notice.Set(Notice::kProducerType, static_cast<ProducerType>(Raw(node.type)));
    notice.Set(Notice::kTrapNumber, trap.number);
    notice.Set(Notice::kIssuerLid, lid);
    if (link_state) {
        notice.Set(LinkStateNotice::kLidAddr, lid);
    } else {
        notice.Set(LocalChangesNotice::kLidAddr, lid);
        notice.Set(LocalChangesNotice::kOtherLocalChanges, std::uint8_t{1});
        notice.Set(LocalChangesNotice::kCapabilityMask, info.Get(PortInfo::kCapabilityMask));
        notice.Set(LocalChangesNotice::kNodeDescriptionChange, std::uint8_t{1});
    }
    LidSmp smp{};
    smp.header.base_version = kBaseVersion;
    smp.header.mgmt_class = MgmtClass::kSubnLid;
    smp.header.class_version = kSubnClassVersion;
    smp.header.method = Method::kTrap;
    smp.header.transaction_id = TransactionId{trap.serial};
    smp.header.attribute_id = AttributeId::kNotice;
    smp.data = notice.octets();
    Packet packet{};
    packet.mad = std::bit_cast<Mad>(smp);
    packet.from = row;
    packet.slid = lid;
    packet.dlid = master;
    Launch(packet, clock_.now_ns());
    if (trap.timer_runs) return;
    trap.timer_runs = true;
    Push(clock_.now_ns() + timing_.trap_resend_ns, EventKind::kTrap, at);
}

/// False: the node's agent waits for no such repress.
bool FabricSim::RepressTrap(std::uint32_t node, const Mad& mad) {
    PendingTrap& trap = traps_[node];
    if (TransactionId{mad.header.transaction_id} != TransactionId{trap.serial}) return false;
    trap.waiting = false;
    return true;
}

}  // namespace ember::sim
