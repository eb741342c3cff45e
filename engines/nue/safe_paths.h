// SPDX-License-Identifier: Apache-2.0
// EmberSM: paths on one lane that no credit loop is possible with, on any topology.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "engines/lanes/lane_graph.h"
#include "engines/nue/escape_tree.h"
#include "engines/nue/switch_heap.h"

namespace ember {

/// Routes a LID after the other by least paths over links that count what they carry, and takes a
/// link only where that closes no cycle among the waits of all LIDs before. A switch that is left
/// without a path sends along the escape tree, for which there always is room; those on its way
/// then send along the tree too, and the search begins anew with them.
class SafePaths {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return LaneLinks::ScratchBytes(limits) + LaneGraph::ScratchBytes(limits) +
               EscapeTree::ScratchBytes(limits) + SwitchHeap::ScratchBytes(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_ports) +
               Arena::BytesFor<std::uint64_t>(LaneLinks::RowWords(limits.max_ports)) +
               Arena::BytesFor<Link>(limits.max_switches) +
               Arena::BytesFor<std::uint64_t>(limits.max_switches) +
               Arena::BytesFor<bool>(limits.max_switches) +
               2 * Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    constexpr SafePaths() = default;
    SafePaths(const SafePaths&) = delete;
    SafePaths& operator=(const SafePaths&) = delete;

    /// All switches reach each other.
    void Begin(const RoutingTask& task);
    /// Routes some LIDs.
    [[nodiscard]] Progress Advance();

private:
    using Link = LaneLinks::Link;
    static constexpr std::size_t kStepsPerSlice = 20'000;
    /// Searches for a LID until all switches that are left take the tree.
    static constexpr std::size_t kMostTries = 8;

    /// The weight of a link that is avoided: more than a path over all others.
    static constexpr std::uint64_t kAvoided = std::uint64_t{1} << 48U;

    void CountLids();
    [[nodiscard]] bool GoToNextLid();
    void BeginSearch();
    void SettleAlongTree(SwitchIndex from);
    void Settle(SwitchIndex at, std::uint64_t distance);
    void SettleNext();
    void LookForOther(SwitchIndex at);
    void EndSearch();
    void Finish();
    [[nodiscard]] std::size_t StepsTaken() const { return steps_ + graph_.steps(); }
    [[nodiscard]] const Destination& destination() const {
        return task_.topology->destination(task_.topology->destinations_by_crowd()[next_]);
    }
    [[nodiscard]] std::uint64_t WeightOf(Link link) const { return least_weight_ + load_[link]; }
    /// The same, more if the link is one of those that paths avoid.
    [[nodiscard]] std::uint64_t WeightOf(Link link, SwitchIndex at, const Trunk& trunk) const {
        const bool is_avoided = task_.options->avoid_throttled_links &&
                                task_.topology->exit(at, trunk.port).is_throttled;
        return WeightOf(link) + (is_avoided ? kAvoided : 0);
    }
    [[nodiscard]] bool WasRefused(Link link) const {
        return (refused_[link / 64] >> (link % 64) & 1U) != 0;
    }
    [[nodiscard]] Link LinkOf(SwitchIndex at, const Trunk& trunk) const {
        return links_.Of(at, Raw(trunk.port));
    }

    RoutingTask task_;
    LaneLinks links_;
    LaneGraph graph_;
    EscapeTree tree_;
    SwitchHeap heap_;
    bool has_tree_ = false;
    std::uint64_t least_weight_ = 1;    ///< Of a link: more than all loads together can be.
    std::span<std::uint32_t> load_;     ///< By link: the LIDs that send over it to LIDs.
    std::span<std::uint64_t> refused_;  ///< A bit for each link: it was refused in this search.
    std::span<Link> via_;               ///< By switch: the link by which it sends.
    std::span<std::uint64_t> far_;      ///< By switch that is settled.
    std::span<std::uint32_t> settled_;  ///< By switch: the last search that settled it.
    std::span<std::uint32_t> lids_;     ///< By switch: LIDs that send.
    std::span<bool> takes_tree_;        ///< By switch: for this LID it sends along the tree.
    std::span<SwitchIndex> order_;      ///< Switches as they were settled.
    std::span<SwitchIndex> path_;       ///< From a switch along the tree.
    std::size_t count_ = 0;             ///< In order_.
    std::uint32_t search_ = 0;
    std::size_t tries_ = 0;
    std::size_t next_ = 0;        ///< Of the topology's destinations,
    std::uint32_t next_lid_ = 0;  ///< and of its LIDs.
    bool is_searching_ = false;
    std::size_t steps_ = 0;
};

}  // namespace ember
