// SPDX-License-Identifier: Apache-2.0
// EmberSM: proves that what a multicast LID's packets do is a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/graph/dependencies.h"
#include "core/graph/lane_map.h"
#include "core/multicast/mft_tables.h"
#include "core/multicast/tree_lanes.h"

namespace ember {

/// The verifier of multicast, which follows packets and shares nothing with what makes trees.
class TreeCheck {
public:
    /// The state of a switch in a check.
    struct Spot {
        std::uint32_t stamp = 0;
        PortNumber entry = kNoPort;    ///< The port that the packet came in by.
        SwitchIndex root = kNoSwitch;  ///< Of AddLink(): the set it belongs to.
    };
    struct Finding {
        std::uint32_t reached = 0;  ///< End ports, the sender's switch's included.
        bool has_loop = false;      ///< A switch is reached twice.
        bool has_one_way = false;   ///< A link that is open at one end only.
        [[nodiscard]] bool is_tree() const { return !has_loop && !has_one_way; }
    };
    /// Findings of AddDependencies().
    struct Waits {
        bool is_new = false;      ///< A dependency that the graph had not.
        bool is_dropped = false;  ///< Packets that a map drops at a switch: they wait for nothing.
        bool is_strange = false;  ///< A lane that the graph has not: it is of no use any more.
    };

    /// `spots` and `queue`: max_switches rows.
    TreeCheck(const Fabric& fabric, const MftTables& tables, std::span<Spot> spots,
              std::span<SwitchIndex> queue)
        : fabric_(fabric), tables_(tables), spots_(spots), queue_(queue) {}

    /// Follows a packet that starts at the switch `from` by all ports of `masks`, which has a mask
    /// for each position of MftTables.
    [[nodiscard]] Finding Follow(SwitchIndex from, std::span<const std::uint16_t> masks);

    /// Adds to a graph what the packets of a tree wait for, whichever member sends them. The graph
    /// may hold the dependencies of unicast routes and of other trees; its topology is that of the
    /// fabric. Where the graph has one lane, all packets travel on it, whatever `lanes` says.
    [[nodiscard]] Waits AddDependencies(std::span<const std::uint16_t> masks,
                                        const TreeLanes& lanes, DependencyGraph& graph) const;
    /// Packets of the tree that come in at switch `at` by port `in` leave it by `out`.
    [[nodiscard]] bool HasTurn(std::span<const std::uint16_t> masks, const LaneTurn& turn) const;

    /// Begins a set of links, which AddLink() adds one by one to find a loop among them.
    void BeginLinks();
    /// True when `one` and `other` were connected already.
    [[nodiscard]] bool AddLink(SwitchIndex one, SwitchIndex other);

private:
    void Leave(const Port& port, std::span<const std::uint16_t> masks, Finding& finding);
    [[nodiscard]] Spot& Meet(SwitchIndex at);
    [[nodiscard]] SwitchIndex RootOf(SwitchIndex at);

    const Fabric& fabric_;
    const MftTables& tables_;
    std::span<Spot> spots_;
    std::span<SwitchIndex> queue_;
    std::uint32_t stamp_ = 0;
    std::size_t known_ = 0;  ///< Switches that Follow() has come to.
};

}  // namespace ember
