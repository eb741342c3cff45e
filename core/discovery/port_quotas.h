// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many rows of tables the nodes behind one port get.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/discovery/room_donors.h"
#include "core/fabric/fabric.h"
#include "core/fabric/untrusted_switches.h"
#include "core/settings/settings.h"

namespace ember {

/// True when `exit` is listed in edge_ports: one end node is behind it, never a switch.
[[nodiscard]] bool IsEdgePort(const Fabric& fabric, const Settings& settings, PortIndex exit);

/// Says which ports of switches a sweep crosses, and when. An exit is a port of a switch that leads
/// to the nodes behind it.
///
/// A hostile host may answer an SMP as a switch of 254 ports, and again behind each of them. So
/// rows are shared by exit:
/// - Behind a port that was an end node's, one node is taken in at once. If it is a switch, the
///   nodes behind it are taken in after all other exits were crossed, and all such switches
///   together get an eighth of each table.
/// - When an eighth of a table is taken, an exit gets four rows of ports for each port of its
///   switch. When no other question is left, it gets twice as many, and so on.
/// - New nodes behind the exit that owed room last come after all others; see RoomDonors.
/// An honest fabric is found whole, in another order, if the board holds twice its size. A fabric
/// that just fits the board is found whole too. If a hostile host takes rows at the same pace, it
/// gives them back by and by.
class PortQuotas {
public:
    enum class Verdict : std::uint8_t {
        kAdmitted,
        kLater,    ///< After all other exits.
        kRefused,  ///< Untrusted switches have used up their share.
    };

    explicit PortQuotas(const Fabric& fabric) : fabric_(fabric) {}
    PortQuotas(const PortQuotas&) = delete;
    PortQuotas& operator=(const PortQuotas&) = delete;

    /// Bytes that Begin() takes from its arena; End() forgets them.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint16_t>(limits.max_ports);
    }
    void Begin(Arena& scratch);
    /// Starts again: no node has been met. `last`: the exit that owed room last; kNoPortIndex:
    /// none.
    void Restart(bool is_targeted, PortIndex last = kNoPortIndex);
    void End() { rows_ = {}; }

    /// May `exit` be crossed now? Walks the path to it: 64 hops at most.
    [[nodiscard]] Verdict Judge(PortIndex exit) const;
    /// A node was met behind `exit`.
    void Count(PortIndex exit, const Node& node);
    /// There was no room for a node of this type behind `exit`.
    void CountRefusal(PortIndex exit, NodeType type, std::uint8_t ports);
    /// At the end of the sweep of this number: the exit that owes room to nodes that were refused.
    /// Afterwards the quotas count nothing until Restart().
    [[nodiscard]] OwedRoom FindOwedRoom(std::uint32_t sweep);
    /// All admitted exits were crossed: shares double.
    void DoubleShares();

private:
    [[nodiscard]] bool IsRoomy() const;
    [[nodiscard]] bool HasUntrustedShareLeft() const;
    [[nodiscard]] bool IsCrowded(PortIndex exit) const;
    [[nodiscard]] bool ComesLast(PortIndex exit) const;

    const Fabric& fabric_;
    Table<PortIndex, std::uint16_t> rows_;  ///< By exit, as exit_rows says.
    unsigned round_ = 0;
    PortIndex last_ = kNoPortIndex;  ///< The exit that owed room last.
    bool is_targeted_ = false;
    bool has_refused_ = false;
    // Of nodes met behind ports that were end nodes', without the first node behind each.
    std::size_t untrusted_nodes_ = 0;
    std::size_t untrusted_switches_ = 0;
    std::size_t untrusted_rows_ = 0;
};

}  // namespace ember
