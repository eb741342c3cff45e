// SPDX-License-Identifier: Apache-2.0
// EmberSM: where a datagram goes in a simulated fabric, hop by hop.
#pragma once

#include <cstdint>

#include "platform/sim/packet.h"
#include "platform/sim/world.h"

namespace ember::sim {

/// The ways of datagrams through the fabric as it is at this moment.
class Ways {
public:
    explicit Ways(const World& world) : world_(world) {}

    /// Where the packet arrives that sets out at Packet::from; the fields of a directed route are
    /// as they are there. `has_liar`: what has no way on may be answered where the way ends.
    [[nodiscard]] Arrival Walk(Packet& packet, bool has_liar) const;

private:
    [[nodiscard]] Arrival WalkOut(std::uint32_t from, Mad& mad, bool has_liar) const;
    [[nodiscard]] Arrival WalkBack(std::uint32_t from, Mad& mad, std::uint32_t hops) const;
    [[nodiscard]] Arrival WalkByLid(const Packet& packet) const;
    [[nodiscard]] bool OwnsLid(std::uint32_t row, Lid lid) const;

    const World& world_;
};

}  // namespace ember::sim
