// SPDX-License-Identifier: Apache-2.0
// EmberSM: a tree by which every switch reaches every other one, whatever else is routed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/routing/engine.h"
#include "engines/lanes/lane_graph.h"

namespace ember {

/// A breadth-first tree from the switch from which all end ports are nearest. Its waits are put
/// into a graph before any others: up and then down a tree no channel dependencies form a cycle. So
/// the graph always has room for a path along the tree.
class EscapeTree {
public:
    using Link = LaneLinks::Link;

    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return 2 * Arena::BytesFor<Link>(limits.max_switches) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches);
    }

    constexpr EscapeTree() = default;
    EscapeTree(const EscapeTree&) = delete;
    EscapeTree& operator=(const EscapeTree&) = delete;

    /// All that `task` shows, `links` and `graph` stand still, but for what this adds to the graph.
    void Begin(const RoutingTask& task, const LaneLinks& links, LaneGraph& graph);
    /// Grows the tree and adds its waits.
    [[nodiscard]] Progress Advance();

    /// From now on Next() is about paths to this switch. Steps: its depth.
    void AimAt(SwitchIndex to);
    /// The link out of a switch towards the one aimed at; not of that one itself, nor where there
    /// is no path.
    [[nodiscard]] Link Next(SwitchIndex at) const {
        return aim_[Raw(at)] == aims_ ? down_[Raw(at)] : up_[Raw(at)];
    }

private:
    static constexpr std::size_t kStepsPerSlice = 100'000;

    void MeasureNext();
    void Grow();
    [[nodiscard]] bool AddNeighbors(SwitchIndex at, bool by_avoided);
    [[nodiscard]] bool IsOfTree(SwitchIndex at, const Trunk& trunk) const;
    std::size_t AddWaitsOf(SwitchIndex at);
    std::size_t AddWaitsOf(SwitchIndex at, const Trunk& from);

    RoutingTask task_;
    const LaneLinks* links_ = nullptr;
    LaneGraph* graph_ = nullptr;
    std::span<Link> up_;    ///< By switch: the link to its parent; kNoLink: the root.
    std::span<Link> down_;  ///< By switch above the one aimed at: the link on the path to it.
    std::span<SwitchIndex> parent_;
    std::span<SwitchIndex> queue_;  ///< The switches of the tree, from the root on.
    std::span<std::uint32_t> aim_;  ///< By switch: the last aim that it was above.
    std::uint32_t aims_ = 0;
    std::size_t count_ = 0;  ///< In queue_.
    std::size_t next_ = 0;
    bool has_tree_ = false;
    SwitchIndex root_ = kNoSwitch;
    std::uint64_t least_ = 0;  ///< Hops to all end ports from root_.
};

}  // namespace ember
