// SPDX-License-Identifier: Apache-2.0
// EmberSM: a lane for each pair of switches, so that no lane has a cycle of waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/routing/engine.h"
#include "engines/lanes/lane_graph.h"

namespace ember {

/// Data VLs that there are, 0..14.
inline constexpr std::uint8_t kMostPathLanes = 15;

/// Which pairs of switches get lanes, and by which paths.
struct LayerPlan {
    /// Pairs are served in this order, the first switch with all that follow it; other pairs have
    /// service level 0. See LaneLayers::FindSenders().
    std::span<const SwitchIndex> switches{};
    /// Not empty: the port by which a switch (row) sends on to every LID at another one (column),
    /// or 255. Else the entries of `task.tables` for the LIDs of end ports are looked at.
    Matrix<SwitchIndex, const std::uint8_t> exits{};
    bool counts_switch_lids = false;  ///< Without `exits`: paths to port 0 of switches too.
    std::uint8_t first_lane = 0;      ///< Paths take no lane below it,
    std::uint8_t most_lanes =
        kMostPathLanes;  ///< and of all lanes no more than the first of so many.
    /// In the end pairs go from the lane with the most to the one with the fewest.
    bool is_even = false;
    /// Not null: pairs are served class by class, and two classes share no lane. The paths may get
    /// lost on their way, or run in a loop: they then count as far as that is seen.
    const PairClasses* classes = nullptr;
};

/// Takes forwarding tables as they are and spreads their paths over lanes. A packet stays on its
/// lane, whose number is that of its service level. Two switches have one lane for all paths
/// between their ports, in both directions, as a connection has one service level for both: the
/// first lane that stays free of cycles.
///
/// Paths to and from switches that LayerPlan leaves out are of service level 0, on which tools that
/// ask for no path send to them in any case.
class LaneLayers {
public:
    /// The most that a run takes from its arena, for as many lanes as the board has.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return FixedBytes(limits) + limits.max_lanes * LaneGraph::ScratchBytes(limits);
    }
    /// The most that it takes for one lane.
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return FixedBytes(limits) + LaneGraph::ScratchBytes(limits);
    }

    constexpr LaneLayers() = default;
    LaneLayers(const LaneLayers&) = delete;
    LaneLayers& operator=(const LaneLayers&) = delete;

    /// The switches with end ports, in an order that takes few lanes. Taken from `task.scratch`; it
    /// counts among ScratchBytes().
    [[nodiscard]] static std::span<const SwitchIndex> FindSenders(const RoutingTask& task);
    /// `task.tables` hold the routes, and get the lanes; what `plan` shows stands still meanwhile.
    void Begin(const RoutingTask& task, const LayerPlan& plan);
    /// Serves some pairs. Not ok: see complaint().
    [[nodiscard]] Result<Progress> Advance();
    [[nodiscard]] EngineComplaint complaint() const { return complaint_; }

private:
    using Link = LaneLinks::Link;
    struct SwitchPair {
        SwitchIndex one = kNoSwitch;
        SwitchIndex other = kNoSwitch;
    };
    /// Lanes that differ by fewer pairs are even, as they are to OpenSM.
    static constexpr std::uint32_t kUneven = 6;
    static constexpr std::size_t kStepsPerSlice = 50'000;

    [[nodiscard]] static constexpr std::size_t FixedBytes(const Limits& limits) {
        return LaneLinks::ScratchBytes(limits) + Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }
    /// How many lanes may be taken, and what the complaint is when they do not suffice.
    void StudyLinks();
    [[nodiscard]] Status OpenFirstLane();
    [[nodiscard]] bool GoToNextPair();
    [[nodiscard]] bool GoToNextClass();
    [[nodiscard]] bool IsServed(const SwitchPair& pair) const;
    [[nodiscard]] bool GoesOn(SwitchIndex at, std::uint8_t port, std::size_t hops) const;
    [[nodiscard]] Status ServePair(const SwitchPair& pair);
    [[nodiscard]] bool Fits(LaneGraph& graph, const SwitchPair& pair);
    [[nodiscard]] bool AddPaths(LaneGraph& graph, SwitchIndex from, SwitchIndex to);
    [[nodiscard]] bool AddPathsTo(LaneGraph& graph, SwitchIndex from, const Destination& row);
    template <typename ExitOf>
    [[nodiscard]] bool AddPath(LaneGraph& graph, SwitchIndex from, SwitchIndex to,
                               const ExitOf& exit_of);
    [[nodiscard]] Status OpenLane();
    void SetLane(const SwitchPair& pair, std::uint8_t lane) const;
    [[nodiscard]] std::uint8_t LaneOf(const SwitchPair& pair) const;
    [[nodiscard]] Progress EvenOut();
    [[nodiscard]] bool EvenOutNext();
    [[nodiscard]] std::size_t StepsTaken() const;

    RoutingTask task_;
    LayerPlan plan_;
    LaneLinks links_;
    std::array<LaneGraph, kMostPathLanes> graphs_;       ///< By lane, less the first one.
    std::array<std::uint32_t, kMostPathLanes> pairs_{};  ///< Likewise: how many it has.
    std::uint8_t lanes_ = 0;                             ///< In use.
    std::uint8_t most_lanes_ = 1;
    std::size_t class_ = 0;            ///< The one that is served.
    std::uint8_t first_of_class_ = 0;  ///< Of graphs_: its first lane.
    EngineComplaint shortage_;         ///< When more are needed.
    // The pair that was served last: places in plan_.switches.
    std::size_t one_ = 0;
    std::size_t other_ = 0;
    bool is_evening_ = false;
    std::size_t walked_ = 0;
    EngineComplaint complaint_;
};

}  // namespace ember
