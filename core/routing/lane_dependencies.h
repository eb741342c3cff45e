// SPDX-License-Identifier: Apache-2.0
// EmberSM: what packets wait for when they travel on several data VLs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/dependencies.h"
#include "core/graph/packet_sls.h"
#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"

namespace ember {

/// Adds to dependency graphs what the packets to one LID wait for, lane by lane. A single pass goes
/// from the farthest switches to the LID and carries along, for each SL, the lanes on which packets
/// leave a switch. No pair of end ports is walked by itself: a LID costs one look at each switch,
/// at its senders and at 16 SLs.
///
/// Where SLs do not depend on LIDs, two LIDs behind one switch to which all entries lead alike have
/// their dependencies in common, as those begin where packets do and end before the last link. Then
/// only the last link is looked at, and for the switch's own LID what has SL 0.
///
/// SLs are those of PacketSls. Packets from and to a mere switch's port 0 may have SL 0 too: tools
/// that ask for no path send on it.
class LaneDependencies {
    enum class Traffic : std::uint8_t { kEndPorts, kOthers };
    static constexpr std::array kTraffics = {Traffic::kEndPorts, Traffic::kOthers};
    /// By kind of traffic and SL: a set of lanes on which packets leave a switch.
    using Load = std::array<std::array<std::uint16_t, kServiceLevels>, kTraffics.size()>;
    /// A LID of an end port whose packets were followed.
    struct Leader {
        Lid lid = kNoLid;
        std::uint16_t visited = 0;  ///< As many switches as Tree::visited.
    };

public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        if (limits.max_lanes == 1) return 0;
        return Arena::BytesFor<Load>(limits.max_switches) +
               Arena::BytesFor<Leader>(limits.max_switches) +
               Arena::BytesFor<std::uint16_t>(limits.max_ports);
    }

    /// The forwarding entries for one LID, which arrive from every switch that is visited.
    struct Tree {
        const Destination* destination = nullptr;
        Lid lid = kNoLid;
        bool is_to_end_port = false;          ///< End ports send to end ports. Else all are others.
        std::span<const SwitchIndex> next;    ///< By switch: the next one towards the LID.
        std::span<const std::uint8_t> ports;  ///< By switch: the port towards the LID.
        /// Switches whose packets arrive, but the LID's own: one walk after the other, each of them
        /// as packets go, as far as a switch that an earlier walk has visited.
        std::span<const SwitchIndex> visited;
    };

    constexpr LaneDependencies() = default;
    LaneDependencies(const LaneDependencies&) = delete;
    LaneDependencies& operator=(const LaneDependencies&) = delete;

    /// All stand still until the last Record(). Not for a routing of one lane.
    void Begin(const Topology& topology, const RoutingLanes& lanes,
               Matrix<SwitchIndex, const std::uint8_t> lfts, Arena& scratch);
    /// Adds what packets to the LID of `tree` wait for: those of end ports to one graph, those from
    /// and to a mere switch's port 0 to the other. Both graphs have RoutingLanes::count lanes.
    /// Returns kNoSwitch, or a switch that drops packets, or that sends them on to a lane that is
    /// not in use or that its link has not; then both graphs are of no use any more.
    [[nodiscard]] SwitchIndex Record(const Tree& tree, DependencyGraph& by_end_ports,
                                     DependencyGraph& by_others);

private:
    /// Of the dependencies of a LID: what those of an earlier one have.
    enum class Known : std::uint8_t { kNothing, kAllButManagement, kEverything };
    /// Where packets of a sender come in at their first switch.
    struct Sender {
        SwitchIndex at = kNoSwitch;
        PortNumber in{};
        Traffic traffic = Traffic::kEndPorts;
    };
    /// The lanes of packets at a turn.
    struct TurnLanes {
        LaneRow row;
        std::uint8_t count = 0;         ///< In use, and of the link.
        bool is_to_management = false;  ///< Packets to the switch itself take none.

        /// kNoLane: packets are dropped, or the link has no such lane.
        [[nodiscard]] std::uint8_t Of(std::uint8_t sl) const {
            if (is_to_management) return 0;
            const std::uint8_t lane = row.Of(sl);
            return lane < count ? lane : kNoLane;
        }
    };
    [[nodiscard]] Known FindKnown(const Tree& tree) const;
    [[nodiscard]] SwitchIndex Follow(const Tree& tree, DependencyGraph& by_end_ports,
                                     DependencyGraph& by_others);
    [[nodiscard]] bool Arrive(const Tree& tree) const;
    [[nodiscard]] bool AddSenders(const Tree& tree, SwitchIndex at);
    [[nodiscard]] bool AddManagement(const Tree& tree, SwitchIndex at);
    [[nodiscard]] bool AddSender(const Tree& tree, const Sender& sender,
                                 const PacketSls::Pair& pair);
    [[nodiscard]] bool Pass(const Tree& tree, SwitchIndex at, Traffic traffic,
                            DependencyGraph& graph);
    [[nodiscard]] static PortNumber OutOf(const Tree& tree, SwitchIndex at);
    [[nodiscard]] std::size_t InOf(const LaneTurn& turn) const {
        return topology_->switch_row(turn.at).first_exit + std::size_t{Raw(turn.in)};
    }
    [[nodiscard]] TurnLanes LanesAt(const LaneTurn& turn) const;

    const Topology* topology_ = nullptr;
    const RoutingLanes* lanes_ = nullptr;
    PacketSls sls_;
    Matrix<SwitchIndex, const std::uint8_t> lfts_;
    std::span<Load> loads_;      ///< By switch; empty between two LIDs.
    std::span<Leader> leaders_;  ///< By switch: the last of its LIDs that was followed.
    /// By exit of a switch that has a leader: SLs, a bit each, of packets to it that come in there.
    std::span<std::uint16_t> arrivals_;
    Known known_ = Known::kNothing;  ///< Of the LID at work.
};

}  // namespace ember
