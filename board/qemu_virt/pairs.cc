// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether simulated hardware forwards what it should.

#include "board/qemu_virt/pairs.h"

#include "core/base/ids.h"
#include "core/wire/port_info.h"

namespace ember {
namespace {

/// More hops than a shortest path has in a fabric of this size; who needs more runs in a circle.
constexpr unsigned kMostHops = 64;

/// Whether a packet for the LID of the port at `home` arrives there from the switch `at`.
bool Arrives(const sim::World& world, std::uint32_t at, std::uint32_t home) {
    const auto lid = Raw(world.port(home).info.Get(PortInfo::kLid));
    if (lid == 0) return false;
    for (unsigned hop = 0; hop < kMostHops; ++hop) {
        const std::uint8_t exit = world.LftEntry(at, lid);
        if (exit > world.node(at).port_count) return false;
        const std::uint32_t row = world.node(at).first_row + exit;
        if (exit == 0) return row == home;
        const std::uint32_t next = world.Beyond(row);
        if (next == sim::kNoRow) return false;
        if (!world.node_of(next).is_switch()) return next == home;
        at = world.port(next).node;
    }
    return false;
}

/// A port that should have a LID: port 0 of a switch, or a host's port with a link that is up.
bool IsEndPort(const sim::World& world, std::uint32_t row) {
    const sim::SimNode& node = world.node_of(row);
    if (!node.powered) return false;
    const std::uint8_t number = world.port(row).number;
    return node.is_switch() ? number == 0 : number != 0 && world.Beyond(row) != sim::kNoRow;
}

}  // namespace

PairCount CountPairs(const sim::World& world) {
    PairCount count;
    for (std::uint32_t at = 0; at < world.node_count(); ++at) {
        if (!world.node(at).is_switch() || !world.node(at).powered) continue;
        for (std::uint32_t row = 0; row < world.row_count(); ++row) {
            if (!IsEndPort(world, row)) continue;
            ++count.asked;
            if (Arrives(world, at, row)) ++count.reached;
        }
    }
    return count;
}

std::uint32_t DigestOfLids(const sim::World& world) {
    constexpr std::uint32_t kPrime = 16777619;  // FNV-1a.
    std::uint32_t digest = 2166136261;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        if (!IsEndPort(world, row)) continue;
        digest = (digest ^ Raw(world.port(row).info.Get(PortInfo::kLid))) * kPrime;
    }
    return digest;
}

}  // namespace ember
