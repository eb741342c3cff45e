// SPDX-License-Identifier: Apache-2.0
// EmberSM: the agent in every simulated node that answers subnet management packets.
#pragma once

#include <cstdint>

#include "core/wire/mad.h"
#include "platform/sim/world.h"

namespace ember::sim {

/// True when the SMP bears the M_Key of a port with this PortInfo, or the port has none.
[[nodiscard]] bool MKeyFits(const PortInfo& info, const Mad& mad);

/// The subnet management agent of every node of a World: reads and writes what the IBA says, and
/// refuses what it forbids with the right status. This object serves all nodes and has no state.
class Sma {
public:
    explicit Sma(World& world) : world_(world) {}

    /// Handles a request that came in by the port at `row` (a switch's row 0: from its own SM) and
    /// turns `mad` into the answer. False when nothing is answered: the M_Key was wrong, or the
    /// datagram is of a kind that agents ignore.
    bool Answer(std::uint32_t row, Mad& mad, std::uint64_t now_ns);
    /// True when the M_Key of a request is not that of the port, and the request needs it: Answer()
    /// has dropped it for that.
    [[nodiscard]] bool IsGuarded(std::uint32_t row, const Mad& mad) const;

private:
    struct Request {
        std::uint32_t row;  ///< Where it came in.
        std::uint32_t node;
        std::uint32_t modifier;
        bool set;
        bool key_fits;  ///< Its M_Key is the port's, or the port has none.
    };

    bool CheckMKey(const Request& request, std::uint64_t now_ns);
    std::uint16_t Dispatch(const Request& request, AttributeId attribute, SmpData& data);
    std::uint16_t GetNodeInfo(const Request& request, SmpData& data) const;
    std::uint16_t DoSwitchInfo(const Request& request, SmpData& data);
    std::uint16_t DoGuidInfo(const Request& request, SmpData& data);
    std::uint16_t DoPKeyTable(const Request& request, SmpData& data);
    std::uint16_t DoSlToVl(const Request& request, SmpData& data);
    std::uint16_t SetSlToVlRow(const Request& request, const SmpData& data);
    std::uint16_t DoVlArbitration(const Request& request, SmpData& data);
    std::uint16_t DoBandwidth(const Request& request, SmpData& data);
    std::uint16_t DoLinearForwarding(const Request& request, SmpData& data);
    std::uint16_t DoMulticastForwarding(const Request& request, SmpData& data);
    std::uint16_t DoVendorDiag(const Request& request, SmpData& data) const;
    std::uint16_t DoLedInfo(const Request& request, SmpData& data);
    std::uint16_t DoPortInfo(const Request& request, SmpData& data);
    std::uint16_t SetPortInfo(std::uint32_t row, const PortInfo& wanted);
    static std::uint16_t CheckEndPort(const PortInfo& now, const PortInfo& wanted);
    static std::uint16_t CheckLink(const PortInfo& now, const PortInfo& wanted);
    static void WriteEndPort(PortInfo& now, const PortInfo& wanted);
    static void WriteLink(PortInfo& now, const PortInfo& wanted);
    void ChangeState(std::uint32_t row, const PortInfo& wanted);
    /// The row that a modifier names: a switch's port, or a CA's (0: where the request came in).
    /// kNoRow when there is none.
    [[nodiscard]] std::uint32_t RowNamed(const Request& request, std::uint32_t number) const;

    World& world_;
};

}  // namespace ember::sim
