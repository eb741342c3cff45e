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

/// A request was dropped for its M_Key: the port tells the master, unless it has something else to
/// tell. IBA vol. 1, 14.2.5.1: trap 256.
void FabricSim::RaiseBadMKey(const Packet& packet) {
    const std::uint32_t node = world_.port(packet.to).node;
    PendingTrap& trap = traps_[node];
    if (trap.waiting || trap.timer_runs) return;
    const auto smp = std::bit_cast<LidSmp>(packet.mad);
    const bool directed = smp.header.mgmt_class == MgmtClass::kSubnDirected;
    MKeyNotice& notice = trap.bad_m_key;
    notice = {};
    notice.Set(MKeyNotice::kLidAddr, packet.slid);
    notice.Set(MKeyNotice::kDrSlid, directed ? kPermissiveLid : kNoLid);
    notice.Set(MKeyNotice::kMethod, Method{smp.header.method});
    notice.Set(MKeyNotice::kAttributeId, AttributeId{smp.header.attribute_id});
    notice.Set(MKeyNotice::kAttributeModifier, std::uint32_t{smp.header.attribute_modifier});
    notice.Set(MKeyNotice::kMKey, std::uint64_t{smp.m_key});
    notice.Set(MKeyNotice::kDrNotice, std::uint8_t{directed ? std::uint8_t{1} : std::uint8_t{0}});
    RaiseTrap(node, TrapNumber::kBadMKey);
}

/// The content of a trap of a port with this PortInfo.
Notice FabricSim::NoticeOf(const PendingTrap& trap, const PortInfo& info) const {
    const Lid lid = info.Get(PortInfo::kLid);
    const bool link_state = trap.number == TrapNumber::kLinkStateChange;
    const bool is_bad_key = trap.number == TrapNumber::kBadMKey;
    Notice notice;
    if (is_bad_key) notice = trap.bad_m_key;
    notice.Set(Notice::kIsGeneric, std::uint8_t{1});
    notice.Set(Notice::kTrapNumber, trap.number);
    notice.Set(Notice::kIssuerLid, lid);
    notice.Set(Notice::kType, is_bad_key   ? NoticeType::kSecurity
                              : link_state ? NoticeType::kUrgent
                                           : NoticeType::kInformational);
    if (is_bad_key) return notice;
    if (link_state) {
        auto details = std::bit_cast<LinkStateNotice>(notice);
        details.Set(LinkStateNotice::kLidAddr, lid);
        return details;
    }
    auto details = std::bit_cast<LocalChangesNotice>(notice);
    details.Set(LocalChangesNotice::kLidAddr, lid);
    details.Set(LocalChangesNotice::kOtherLocalChanges, std::uint8_t{1});
    details.Set(LocalChangesNotice::kCapabilityMask, info.Get(PortInfo::kCapabilityMask));
    details.Set(LocalChangesNotice::kNodeDescriptionChange,
                trap.is_renamed ? std::uint8_t{1} : std::uint8_t{0});
    return details;
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
    Notice notice = NoticeOf(trap, info);
    notice.Set(Notice::kProducerType, static_cast<ProducerType>(Raw(node.type)));
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

/// False: the node's agent waits for no such repress. A repress with another M_Key than that of the
/// port is dropped.
bool FabricSim::RepressTrap(std::uint32_t row, const Mad& mad) {
    if (!MKeyFits(world_.port(world_.ManagementRow(row)).info, mad)) return true;
    PendingTrap& trap = traps_[world_.port(row).node];
    if (TransactionId{mad.header.transaction_id} != TransactionId{trap.serial}) return false;
    trap.waiting = false;
    return true;
}

}  // namespace ember::sim
