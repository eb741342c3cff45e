// SPDX-License-Identifier: Apache-2.0
// EmberSM: the P_Keys of datagrams to queue pair 1, as channel adapters and switches compare them.
#include "platform/sim/p_keys.h"

#include <span>

#include "core/partitions/partitions.h"
#include "core/settings/partition_rows.h"

namespace ember::sim {
namespace {

/// Blocks of a P_Key table have 32 entries of two octets.
constexpr std::uint32_t kEntries = 32;
constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

/// Of one partition, and one of both is that of a full member. IBA vol. 1, 10.9.3.
bool Match(std::uint16_t one, std::uint16_t other) {
    return SamePartition(one, other) && NamesPartition(one) &&
           ((one | other) & kFullMembership) != 0;
}

}  // namespace

std::uint16_t SimPKeys::KeyAt(std::uint32_t row, std::uint32_t index) const {
    const std::span<const std::uint8_t> block = world_.PKeyBlock(row, index / kEntries);
    if (block.empty()) return kNoPKey;
    const std::size_t at = std::size_t{2} * (index % kEntries);
    return static_cast<std::uint16_t>(block[at] << 8U | block[at + 1]);
}

/// The lowest index of an entry that matches; kNoIndex: there is none.
std::uint32_t SimPKeys::IndexOf(std::uint32_t row, std::uint16_t p_key) const {
    for (std::uint32_t index = 0; !world_.PKeyBlock(row, index / kEntries).empty(); ++index) {
        if (Match(KeyAt(row, index), p_key)) return index;
    }
    return kNoIndex;
}

/// The switch port in front of the end port `row` lets the P_Key pass, on its way in or out.
/// Partitions alone are compared: what a limited member sends has to pass the entry of a limited
/// one. Whether two members are both limited is seen by the end ports.
bool SimPKeys::PassesGuard(std::uint32_t row, std::uint16_t p_key, bool inbound) const {
    const std::uint32_t guard = world_.Wired(row);
    if (guard == kNoRow || !world_.node_of(guard).is_switch()) return true;
    const PortInfo& info = world_.port(guard).info;
    const std::uint8_t enforces = info.Get(inbound ? PortInfo::kPartitionEnforcementInbound
                                                   : PortInfo::kPartitionEnforcementOutbound);
    if (enforces == 0) return true;
    if (!NamesPartition(p_key)) return false;
    for (std::uint32_t index = 0; !world_.PKeyBlock(guard, index / kEntries).empty(); ++index) {
        if (SamePartition(KeyAt(guard, index), p_key)) return true;
    }
    return false;
}

bool SimPKeys::Take(Packet& packet) const {
    const std::uint32_t to = world_.ManagementRow(packet.to);
    if (!PassesGuard(packet.from, packet.p_key, true)) return false;
    if (!PassesGuard(to, packet.p_key, false)) return false;
    const std::uint32_t index = IndexOf(to, packet.p_key);
    packet.p_key_index = static_cast<std::uint16_t>(index);
    return index != kNoIndex;
}

}  // namespace ember::sim
