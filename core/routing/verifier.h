// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof that a routing may be programmed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/static_vector.h"
#include "core/base/table.h"
#include "core/graph/dependencies.h"
#include "core/graph/islands.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"
#include "core/routing/engine.h"
#include "core/routing/lane_dependencies.h"

namespace ember {

/// The findings of the verifier. `fault` is the first fault met; the search ends there.
struct Findings {
    enum class Fault : std::uint8_t {
        kNone,
        /// Packets from switch `at` to `lid` end nowhere, or at the wrong place; or they are given
        /// a data VL that the routing does not use.
        kLost,
        kLoop,  ///< Packets from switch `at` to `lid` run in a loop, which is `loop`.
    };
    Fault fault = Fault::kNone;
    Guid at = kNoGuid;  ///< The switch where it was noticed.
    Lid lid = kNoLid;
    Guid port_guid = kNoGuid;  ///< Owner of `lid`.
    ChannelList loop;

    // No fault in itself: pairs (switch, LID) without a path, one of the two a mere switch, or
    // both of aggregation nodes alone, whose packets a table drops on purpose (port 255).
    std::uint64_t switch_pairs_apart = 0;
    /// Of these, pairs of a switch and the subnet manager, in both directions.
    std::uint64_t manager_pairs_apart = 0;
    Guid apart_at = kNoGuid;         ///< The first such pair: from this switch
    Lid apart_lid = kNoLid;          ///< to this LID,
    Guid apart_port_guid = kNoGuid;  ///< which is this port's.

    // Channel dependencies. Only when fault is kNone.
    bool end_ports_may_deadlock = false;  ///< A cycle by traffic among end ports: `cycle`.
    bool anything_may_deadlock = false;   ///< A cycle once switches' port 0 send and receive too.
    ChannelList cycle;                    ///< A cycle of the first kind, else of the second.

    // Statistics of the routes.
    std::uint64_t routes = 0;          ///< (switch, LID) pairs followed to their end.
    std::uint64_t longer_routes = 0;   ///< Of these, longer than the shortest path.
    std::uint32_t lids = 0;            ///< LIDs routed to.
    std::uint32_t islands = 0;         ///< Parts of the subnet without a link between them.
    std::uint64_t end_port_paths = 0;  ///< (end port, LID of another end port) on one island.
    std::uint64_t end_port_hops = 0;   ///< Links between switches on all those paths together.
    std::uint32_t max_hops = 0;        ///< Most links between switches on one such path.

    /// Average links between switches on a path between end ports, in thousandths.
    [[nodiscard]] std::uint32_t average_hops_milli() const {
        return end_port_paths == 0
                   ? 0
                   : static_cast<std::uint32_t>((end_port_hops * 1000 + end_port_paths / 2) /
                                                end_port_paths);
    }
};

inline constexpr Findings kNoFindings;  ///< Too large to be made on the stack.

/// Proves or refutes a routing from the topology and the forwarding tables alone, whatever made
/// them: (i) from every switch every LID on its island is reached, and what is on another island
/// is dropped at once; (ii) no packet runs in a loop; (iii) the graph of channel dependencies has
/// no cycle, so no cycle of full buffers can form (Dally and Seitz).
///
/// Of (i) there is an exception, for up/down routing: where no end port is concerned, packets may
/// be dropped, by port 255 in a table. No end port is concerned when the LID is a mere switch's
/// own, or when the switch has none: packets then come from its own port 0 alone. These pairs are
/// counted.
///
/// (iii) is asked twice. The traffic of end ports (hosts, routers, and the subnet manager's own
/// switch port 0) decides what an engine may promise. Traffic from and to every switch's port 0 is
/// reported beside it: it is rare and small, but it uses the same buffers.
///
/// Tables are read in blocks of 128 LIDs, so that a cache line is fetched once for all its LIDs.
class Verifier {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return 2 * DependencyGraph::ScratchBytes(limits) + CycleSearch::ScratchBytes(limits) +
               Arena::BytesFor<DestinationIndex>(LidStride(limits)) +
               Arena::BytesFor<Stand>(limits.max_switches) +
               LaneDependencies::ScratchBytes(limits) + Islands::ScratchBytes(limits) +
               4 * Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_ports) +
               Arena::BytesFor<std::uint8_t>(kBlock * limits.max_switches);
    }

    constexpr Verifier() = default;
    Verifier(const Verifier&) = delete;
    Verifier& operator=(const Verifier&) = delete;

    struct Task {
        const Topology* topology = nullptr;
        Matrix<SwitchIndex, const std::uint8_t> hops;
        Matrix<SwitchIndex, const std::uint8_t> lfts;
        /// For the dependencies that end ports make, which outlive the run then:
        /// DependencyGraph::Words() words, or none.
        std::span<std::uint64_t> dependencies = {};
        /// Null, or of one lane: all packets travel on VL 0. At most Limits::max_lanes are in use.
        const RoutingLanes* lanes = nullptr;
        /// Not empty: only the LIDs of these entries are followed, and only end ports' traffic is
        /// searched for a cycle. `dependencies` hold those of all other LIDs already, from an
        /// earlier run over the same switches with as many lanes.
        std::span<const ChangeLog::Entry> only = {};
    };

    /// The views in `task` stand still until Advance() says kDone; so does what was taken from
    /// `scratch`.
    void Begin(const Task& task, Arena& scratch);
    void Begin(const Topology& topology, Matrix<SwitchIndex, const std::uint8_t> hops,
               Matrix<SwitchIndex, const std::uint8_t> lfts, std::span<std::uint64_t> dependencies,
               Arena& scratch) {
        Begin({.topology = &topology, .hops = hops, .lfts = lfts, .dependencies = dependencies},
              scratch);
    }
    [[nodiscard]] Progress Advance();
    [[nodiscard]] const Findings& findings() const { return findings_; }
    /// The dependencies of end ports' traffic; all of them when no fault was found.
    [[nodiscard]] DependencyGraph& dependencies() { return by_end_ports_; }
    [[nodiscard]] const DependencyGraph& dependencies() const { return by_end_ports_; }
    /// The dependencies of all traffic. Meaningful when no cycle by end ports was found, and not
    /// after a run with Task::only.
    [[nodiscard]] DependencyGraph& all_dependencies() { return by_others_; }
    /// Free for another search in either graph, when the run is done.
    [[nodiscard]] CycleSearch& search() { return search_; }
    /// Lanes of both graphs.
    [[nodiscard]] std::uint8_t graph_lanes() const { return by_end_ports_.lanes(); }

private:
    enum class Phase : std::uint8_t { kIslands, kBlock, kLids, kSomeLids, kEndPorts, kAll, kDone };
    static constexpr std::size_t kBlock = 128;  // Two cache lines of a forwarding table.
    static constexpr std::size_t kRoutesPerSlice = 64'000;
    static constexpr std::size_t kLaneFactor = 16;  ///< A route over lanes costs so much more.

    /// The facts of a switch that a step from it needs.
    struct Stand {
        std::uint32_t first_exit = 0;
        std::uint16_t end_ports =
            0;  ///< Senders here: end ports with LIDs, the manager's included.
        std::uint8_t port_count = 0;
    };

    void StudySubnet();
    void SortSwitches();
    [[nodiscard]] std::size_t AppendSwitches(std::size_t count, bool with_senders);
    void ReadBlock();
    void FollowLids();
    void FollowSome();
    void EndBlock(bool is_fine);
    void EndLids();
    [[nodiscard]] bool FollowLid(const Destination& destination, Lid lid);
    [[nodiscard]] bool TakeSteps(const Destination& destination, Lid lid);
    [[nodiscard]] SwitchIndex JudgeElsewhere(const Destination& destination);
    [[nodiscard]] bool Walk(SwitchIndex from);
    [[nodiscard]] bool EndWalk(SwitchIndex from, std::size_t first);
    [[nodiscard]] bool EndApart(SwitchIndex from, std::size_t first);
    [[nodiscard]] bool MayDrop(SwitchIndex from) const;
    void SetApart(std::size_t first);
    void NameApart(const Destination& destination, Lid lid);
    void RecordLoop(SwitchIndex at);
    template <typename Step>
    void CountRoutes(const Destination& destination, const Step& step);
    [[nodiscard]] bool RecordDependencies(const Destination& destination, Lid lid,
                                          std::size_t by_end_ports);
    void CountHops(const Destination& destination);
    bool Fail(Findings::Fault fault, SwitchIndex at);
    void SearchCycle();

    const Topology* topology_ = nullptr;
    Matrix<SwitchIndex, const std::uint8_t> hops_;
    Matrix<SwitchIndex, const std::uint8_t> lfts_;
    DependencyGraph by_end_ports_;
    DependencyGraph by_others_;  ///< Later: by all.
    CycleSearch search_;
    const RoutingLanes* lanes_ = nullptr;  ///< Null: one lane.
    LaneDependencies by_lane_;
    std::span<DestinationIndex> owner_;  ///< By LID.
    std::span<Stand> stands_;            ///< By switch; a hole has no port.
    Islands islands_;
    std::span<SwitchIndex> switches_;     ///< Switches with senders first.
    std::span<SwitchIndex> next_;         ///< By switch: the next one towards the LID.
    std::span<std::uint16_t> distance_;   ///< By switch: links between switches to the LID's own.
    std::span<SwitchIndex> visited_;      ///< In the order of the walks.
    std::span<SwitchIndex> peers_;        ///< By exit: the switch behind it.
    std::span<std::uint8_t> exits_;       ///< The block turned: a row a LID, a column a switch.
    const std::uint8_t* exit_ = nullptr;  ///< The row of the LID that is being followed.
    std::size_t sender_switches_ = 0;     ///< So many at the front of switches_.
    std::size_t visited_count_ = 0;
    SwitchIndex first_apart_ = kNoSwitch;
    std::size_t apart_count_ = 0;  ///< Switches from which the LID being followed is dropped.
    bool to_end_port_ = false;     ///< The LID being followed is an end port's.
    bool to_aggregation_ = false;  ///< The LID being followed is an aggregation node's.
    std::span<const ChangeLog::Entry> only_;
    std::size_t lid_ = 0;  ///< Next to be followed; of only_ the row.
    Phase phase_ = Phase::kDone;
    Findings findings_;
};

}  // namespace ember
