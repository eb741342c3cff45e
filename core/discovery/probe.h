// SPDX-License-Identifier: Apache-2.0
// EmberSM: a question of a sweep.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace ember {

/// A question that a sweep has yet to ask. The ports of a switch are one probe with a cursor, so
/// the queue is short.
struct Probe {
    enum class Kind : std::uint8_t {
        kCross,        ///< NodeInfo of the node at the other end of `port`.
        kDescription,  ///< NodeDescription of the node of `port`.
        kSwitchInfo,
        kPortInfo,     ///< PortInfo of `port` itself.
        kSwitchPorts,  ///< PortInfo of the external ports of the switch whose port 0 is `port`.
    };
    Kind kind{};
    /// kSwitchPorts: the last port asked. kCross: how often it was tried, and kWaited.
    std::uint8_t cursor = 0;
    /// The answer claimed the GUID or port of a known node, and has waited for that node's answer.
    static constexpr std::uint8_t kWaited = 0x80;
    std::uint8_t turn = 0;  ///< Which of the M_Keys is tried: see KnownMKeys.
    PortIndex port = kNoPortIndex;
};
static_assert(sizeof(Probe) == 8, "the scratch arena holds two a port and three a node");

}  // namespace ember
