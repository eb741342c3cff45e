// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many rows of tables the nodes behind one port get.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/fabric/untrusted_switches.h"
#include "core/settings.h"

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
/// - An exit on a ring of links has no share: what is behind it is behind another exit too, and one
///   host has one link.
/// - What is behind an exit may keep what others do not need. If there is no room for a node behind
///   exits that have less than their first shares or are on rings, an exit with more than twice its
///   own has to make room. Exits on the paths to both do not count, nor do rings on the path to the
///   latter. So a fake fabric that has filled the board keeps no honest switch out.
/// So a fabric in which every switch has two ways to the SM is found whole before any host that
/// plays one gets more than its first share. Other honest fabrics are found whole, in another
/// order, if the board holds twice their size.
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
    /// Starts again: no node has been met.
    void Restart(bool is_targeted);
    void End() { rows_ = {}; }

    /// May `exit` be crossed now? Walks the path to it: 64 hops at most.
    [[nodiscard]] Verdict Judge(PortIndex exit) const;
    /// A node was met behind `exit`.
    void Count(PortIndex exit, const Node& node);
    /// Both ends say that there is a link between these ports of switches, which were met in this
    /// sweep. If neither was entered by it, it closes a ring, whose exits have no share any more.
    /// Walks both paths: 128 hops at most.
    void CountLink(PortIndex one, PortIndex other);
    /// There was no room for a node of this type behind `exit`.
    void CountRefusal(PortIndex exit, NodeType type);
    /// At the end of a sweep: the exit that has to make room for a node that was refused;
    /// kNoPortIndex: none has. Nodes behind it, except the first, shall be forgotten: the next
    /// sweep shares the room anew. Takes time when nodes were refused: walks the paths to them and
    /// to the exits that have more than twice their first shares.
    [[nodiscard]] PortIndex FindCrowdingExit();
    /// All admitted exits were crossed: shares double.
    void DoubleShares();

private:
    static constexpr std::uint16_t kOnRing = 0xFFFF;
    static constexpr std::uint16_t kRefused = 0xFFFE;

    [[nodiscard]] bool IsRoomy() const;
    [[nodiscard]] bool HasUntrustedShareLeft() const;
    [[nodiscard]] bool IsCrowded(PortIndex exit) const;
    [[nodiscard]] std::size_t FirstShareOf(PortIndex exit) const;
    [[nodiscard]] bool IsCrowding(PortIndex exit) const;
    [[nodiscard]] std::uint16_t RowsBehind(PortIndex exit) const;
    [[nodiscard]] std::uint16_t& MarkOf(NodeIndex at);
    void MarkDebtors(PortIndex exit);
    [[nodiscard]] bool IsDebtor(NodeIndex at);

    const Fabric& fabric_;
    /// Rows of ports of the nodes met behind a port; kOnRing: it has no share; kRefused: none, and
    /// a node was refused there. Of port 0: the mark of its switch.
    Table<PortIndex, std::uint16_t> rows_;
    unsigned round_ = 0;
    bool is_targeted_ = false;
    bool has_refused_ = false;
    // Of nodes met behind ports that were end nodes', without the first node behind each.
    std::size_t untrusted_nodes_ = 0;
    std::size_t untrusted_switches_ = 0;
    std::size_t untrusted_rows_ = 0;
};

}  // namespace ember
