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
#include "core/routing/engine.h"
#include "engines/sssp/lane_graph.h"

namespace ember {

/// Takes forwarding tables as they are and spreads their paths over lanes. A packet stays on its
/// lane, whose number is that of its service level. Two switches have one lane for all paths
/// between their end ports, in both directions, as a connection has one service level for both: the
/// first lane that stays free of cycles.
///
/// Paths to and from switches that have no end port are of service level 0, on which tools that ask
/// for no path send to them in any case.
class LaneLayers {
public:
    static constexpr std::size_t kMostLanes = 15;

    /// The most that a run takes from its arena, for as many lanes as the board has.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return FixedBytes(limits) + limits.max_lanes * LaneGraph::ScratchBytes(limits);
    }
    /// What it takes for one lane.
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return FixedBytes(limits) + LaneGraph::ScratchBytes(limits);
    }

    constexpr LaneLayers() = default;
    LaneLayers(const LaneLayers&) = delete;
    LaneLayers& operator=(const LaneLayers&) = delete;

    /// `task.tables` hold the routes, and get the lanes.
    void Begin(const RoutingTask& task);
    /// Serves some pairs. Not ok: see complaint().
    [[nodiscard]] Result<Progress> Advance();
    [[nodiscard]] EngineComplaint complaint() const { return complaint_; }

private:
    using Link = LaneLinks::Link;
    static constexpr std::size_t kStepsPerSlice = 100'000;

    [[nodiscard]] static constexpr std::size_t FixedBytes(const Limits& limits) {
        return LaneLinks::ScratchBytes(limits) + Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }
    /// How many lanes may be taken, and what the complaint is when they do not suffice.
    void StudyLinks();
    void FindSenders();
    [[nodiscard]] bool GoToNextPair();
    [[nodiscard]] Status ServePair(SwitchIndex one, SwitchIndex other);
    [[nodiscard]] bool Fits(LaneGraph& graph, SwitchIndex one, SwitchIndex other);
    [[nodiscard]] bool AddPaths(LaneGraph& graph, SwitchIndex from, SwitchIndex to);
    [[nodiscard]] bool AddPath(LaneGraph& graph, SwitchIndex from, SwitchIndex to, Lid lid);
    [[nodiscard]] Status OpenLane();
    [[nodiscard]] std::size_t StepsTaken() const;

    RoutingTask task_;
    LaneLinks links_;
    std::array<LaneGraph, kMostLanes> graphs_;  ///< By lane.
    std::uint8_t lanes_ = 0;                    ///< In use.
    std::uint8_t most_lanes_ = 1;
    EngineComplaint shortage_;        ///< When more are needed.
    std::span<SwitchIndex> senders_;  ///< Switches with end ports.
    // The pair that was served last: places in senders_.
    std::size_t one_ = 0;
    std::size_t other_ = 0;
    std::size_t walked_ = 0;
    EngineComplaint complaint_;
};

}  // namespace ember
