// SPDX-License-Identifier: Apache-2.0
// EmberSM: which service levels packets have.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"

namespace ember {

/// The service levels (SLs) of all packets from one port to one LID.
///
/// Packets have the SL of their path, and that of the path back too: a connection has one SL for
/// both directions, and an answer has that of the request (IBA vol. 1, 13.5.4). Either may have
/// RoutingLanes::level_bit as well.
class PacketSls {
public:
    /// The SLs that all senders at a switch have in common.
    struct Pair {
        std::uint8_t forth = kNoSl;  ///< Of the path to the LID.
        std::uint8_t back = kNoSl;   ///< Of all paths back; kNoSl: they differ by LID.
    };
    /// A LID, and the switch of its owner.
    struct Target {
        SwitchIndex at = kNoSwitch;
        Lid lid = kNoLid;
    };

    constexpr PacketSls() = default;
    /// Both outlive it.
    PacketSls(const Topology& topology, const RoutingLanes& lanes)
        : topology_(&topology), lanes_(&lanes) {}

    [[nodiscard]] Pair PairOf(SwitchIndex from, const Target& to) const;
    /// A bit each, of packets that come in at `in` of switch `from`, their first one. `may_be_0`:
    /// they may have SL 0 too. 0: the routing knows no such path.
    [[nodiscard]] unsigned Of(SwitchIndex from, PortNumber in, const Target& to, const Pair& pair,
                              bool may_be_0) const;

private:
    [[nodiscard]] unsigned Back(SwitchIndex from, PortNumber in, const Target& to,
                                const Pair& pair) const;

    const Topology* topology_ = nullptr;
    const RoutingLanes* lanes_ = nullptr;
};

}  // namespace ember
