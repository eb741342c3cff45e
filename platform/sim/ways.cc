// SPDX-License-Identifier: Apache-2.0
// EmberSM: where a datagram goes in a simulated fabric, hop by hop.
#include "platform/sim/ways.h"

namespace ember::sim {
namespace {

constexpr std::size_t kDrLidsInBody = offsetof(DirectedSmp, dr_slid) - sizeof(MadHeader);
constexpr std::size_t kInitialInBody = offsetof(DirectedSmp, initial_path) - sizeof(MadHeader);
constexpr std::size_t kReturnInBody = offsetof(DirectedSmp, return_path) - sizeof(MadHeader);
constexpr std::uint32_t kMaxLidHops = 64;

/// Only routes that are directed the whole way are simulated: no manager here uses the mixed kind.
bool IsWhollyDirected(const Mad& mad) {
    for (std::size_t i = 0; i < 4; ++i) {
        if (mad.body[kDrLidsInBody + i] != 0xFF) return false;
    }
    return mad.header.hop_count <= kMaxHops;
}

/// No link leads on from `row` for hop `hop`. A liar there may answer all the same.
Arrival EndOfWay(std::uint32_t row, std::uint32_t hop, bool has_liar) {
    if (!has_liar || hop < 2) return {};  // The first hop is the sender's own.
    return {row, hop - 1, true};
}

}  // namespace

Arrival Ways::Walk(Packet& packet, bool has_liar) const {
    if (!world_.node_of(packet.from).powered) return {};
    if (!IsDirected(packet.mad)) return WalkByLid(packet);
    if (!IsWhollyDirected(packet.mad)) return {};
    if (!IsReturning(packet.mad)) return WalkOut(packet.from, packet.mad, has_liar);
    const std::uint32_t hops = packet.is_beyond ? packet.hops : packet.mad.header.hop_count;
    return WalkBack(packet.from, packet.mad, hops);
}

/// A request along its initial path. IBA vol. 1, C14-9: the hop pointer counts up from 0, every
/// switch on the way writes down the port it came in by, only switches pass datagrams on.
Arrival Ways::WalkOut(std::uint32_t from, Mad& mad, bool has_liar) const {
    if (mad.header.hop_pointer != 0) return {};
    const std::uint32_t hops = mad.header.hop_count;
    std::uint32_t row = from;
    for (std::uint32_t hop = 1; hop <= hops; ++hop) {
        const SimNode& node = world_.node_of(row);
        const std::uint8_t in = world_.port(row).number;
        const std::uint8_t out = mad.body[kInitialInBody + hop];
        if (hop > 1) mad.body[kReturnInBody + hop - 1] = in;
        if (node.is_switch() ? out == 0 || out > node.port_count : hop > 1 || out != in) {
            return EndOfWay(row, hop, has_liar);
        }
        const std::uint32_t next = world_.Beyond(node.first_row + out);
        if (next == kNoRow) return EndOfWay(row, hop, has_liar);
        row = next;
    }
    if (hops > 0) mad.body[kReturnInBody + hops] = world_.port(row).number;
    mad.header.hop_pointer = static_cast<std::uint8_t>(hops + 1);
    return {row, hops};
}

/// An answer along the last `hops` hops of the return path, hop pointer counting down: all of them,
/// unless a liar sent it. IBA vol. 1, C14-13.
Arrival Ways::WalkBack(std::uint32_t from, Mad& mad, std::uint32_t hops) const {
    if (mad.header.hop_pointer != mad.header.hop_count + 1) return {};
    std::uint32_t row = from;
    for (std::uint32_t hop = hops; hop >= 1; --hop) {
        const SimNode& node = world_.node_of(row);
        const std::uint8_t out = mad.body[kReturnInBody + hop];
        if (node.is_switch() ? out == 0 || out > node.port_count
                             : hop < hops || out != world_.port(row).number) {
            return {};
        }
        row = world_.Beyond(node.first_row + out);
        if (row == kNoRow) return {};
    }
    mad.header.hop_pointer = 0;
    return {row, hops};
}

bool Ways::OwnsLid(std::uint32_t row, Lid lid) const {
    const PortInfo& info = world_.port(row).info;
    const std::uint32_t first = Raw(info.Get(PortInfo::kLid));
    const std::uint32_t count = 1U << info.Get(PortInfo::kLmc);
    return first != 0 && Raw(lid) >= first && Raw(lid) < first + count;
}

/// By the switches' own tables. Management datagrams of QP 0 travel on VL15 and pass any link that
/// is up; all others need ACTIVE ports.
Arrival Ways::WalkByLid(const Packet& packet) const {
    const Lid lid = packet.dlid;
    const bool needs_active = packet.queue_pair != 0;
    std::uint32_t row = packet.from;
    if (lid == kPermissiveLid || OwnsLid(world_.ManagementRow(row), lid)) return {row, 0};
    for (std::uint32_t hops = 0; hops < kMaxLidHops; ++hops) {
        const SimNode& node = world_.node_of(row);
        std::uint32_t out = row;
        if (node.is_switch()) {
            if (OwnsLid(node.first_row, lid)) return {row, hops};
            if (lid > node.switch_info.Get(SwitchInfo::kLinearFdbTop)) return {};
            const std::uint8_t entry = world_.LftEntry(world_.port(row).node, Raw(lid));
            if (entry == 0 || entry > node.port_count) return {};
            out = node.first_row + entry;
        } else if (hops > 0) {
            return OwnsLid(row, lid) ? Arrival{row, hops} : Arrival{};
        }
        const PortState state = world_.port(out).info.Get(PortInfo::kPortState);
        if (needs_active && state != PortState::kActive) return {};
        row = world_.Beyond(out);
        if (row == kNoRow) return {};
    }
    return {.is_circle = true};
}

}  // namespace ember::sim
