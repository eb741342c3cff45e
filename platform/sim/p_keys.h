// SPDX-License-Identifier: Apache-2.0
// EmberSM: the P_Keys of datagrams to queue pair 1, as channel adapters and switches compare them.
#pragma once

#include <cstdint>

#include "platform/sim/packet.h"
#include "platform/sim/world.h"

namespace ember::sim {

/// The P_Key tables of the fabric as they are at this moment. IBA vol. 1, 10.9.
class SimPKeys {
public:
    explicit SimPKeys(const World& world) : world_(world) {}

    /// The entry of the table of the port at `row`; kNoPKey: it has no such index.
    [[nodiscard]] std::uint16_t KeyAt(std::uint32_t row, std::uint32_t index) const;
    /// False: the datagram is dropped for its P_Key. Else it has the index at its receiver.
    [[nodiscard]] bool Take(Packet& packet) const;

private:
    [[nodiscard]] std::uint32_t IndexOf(std::uint32_t row, std::uint16_t p_key) const;
    [[nodiscard]] bool PassesGuard(std::uint32_t row, std::uint16_t p_key, bool inbound) const;

    const World& world_;
};

}  // namespace ember::sim
