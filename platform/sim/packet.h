// SPDX-License-Identifier: Apache-2.0
// EmberSM: a datagram under way in a simulated fabric.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/mad.h"
#include "platform/sim/world.h"

namespace ember::sim {

/// A datagram under way.
struct Packet {
    Mad mad;
    std::uint32_t from;  ///< Row where it set out.
    std::uint32_t to;    ///< Row where it arrives.
    std::uint32_t hops;
    Lid slid;
    Lid dlid;
    std::uint8_t queue_pair;
    std::uint8_t service_level;
    std::uint16_t p_key_index;
    std::uint16_t p_key;  ///< Matters with CheckPKeys().
    bool is_beyond;       ///< Wanted to go on from `to`, or claims to come from beyond `from`.
    std::uint64_t link_epoch;
    std::uint64_t route_epoch;
};
/// Where a walk ended: kNoRow when the datagram is lost on the way.
struct Arrival {
    std::uint32_t row = kNoRow;
    std::uint32_t hops = 0;
    bool is_beyond = false;  ///< The way is longer, and ends at `row`: a liar may answer.
    bool is_circle = false;  ///< Lost, as forwarding tables lead it in a circle.
};
[[nodiscard]] inline bool IsSmp(const MadHeader& header) {
    return header.mgmt_class == MgmtClass::kSubnLid ||
           header.mgmt_class == MgmtClass::kSubnDirected;
}

/// Whether a datagram is for a subnet manager, not for the node's agent.
[[nodiscard]] inline bool IsForManager(const MadHeader& header) {
    if (!IsSmp(header)) return true;
    if (header.method == Method::kTrapRepress) return false;
    return IsResponse(header.method) || header.method == Method::kTrap ||
           header.attribute_id == AttributeId::kSmInfo;
}

/// Whether a changed datagram arrives: what a subnet manager hears, not what it tells clients.
[[nodiscard]] inline bool ArrivesChanged(const MadHeader& header) {
    if (IsSmp(header)) return IsForManager(header);
    if (header.method == Method::kReport) return false;
    return header.method == Method::kReportResp || !IsResponse(header.method);
}

[[nodiscard]] inline bool IsDirected(const Mad& mad) {
    return mad.header.mgmt_class == MgmtClass::kSubnDirected;
}
/// Of a directed route: on its way back.
[[nodiscard]] inline bool IsReturning(const Mad& mad) {
    return (mad.header.status & kDirectionBit) != 0;
}

}  // namespace ember::sim
