// SPDX-License-Identifier: Apache-2.0
// EmberSM: lanes that rise inside the path, so that shortest paths close no cycle of waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/status.h"
#include "core/graph/lane_map.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"

namespace ember {

/// Which pairs of switches get service levels, and which links lead up.
struct RisePlan {
    /// Pairs are served in this order, the first switch with all that follow it; other pairs have
    /// service level 0. See LaneLayers::FindSenders().
    std::span<const SwitchIndex> switches{};
    /// All switches, each once: a link to one that stands further to the front leads up.
    std::span<const SwitchIndex> order{};
};

/// Takes forwarding tables as they are and lets the lane of a packet rise on its path.
///
/// A turn is a step from a link between switches to the next; from a link down to a link up it
/// breaks the order. By the SL to VL map of the turn a packet's lane never falls, and rises where
/// the order is broken; so packets of one lane wait along the order only, and no cycle can close.
/// Packets begin on lane 0. Which lane a turn gives to a service level is open until the first path
/// of that level needs it; a pair of switches has the first level whose lanes suit all paths
/// between their ports, those of port 0 included, in both directions.
///
/// A path of two links suits every level, since its one turn is its last. So only pairs that are
/// farther apart count, and few levels serve them.
class RisingLanes {
public:
    /// The most that Begin() takes from its arena for this topology.
    [[nodiscard]] static std::size_t ScratchBytes(const Topology& topology);

    constexpr RisingLanes() = default;
    RisingLanes(const RisingLanes&) = delete;
    RisingLanes& operator=(const RisingLanes&) = delete;

    /// `task.tables` hold the routes, and get the lanes; what `plan` shows stands still meanwhile.
    void Begin(const RoutingTask& task, const RisePlan& plan);
    /// Does the next slice. Not ok: see complaint(); the lanes are as they come out.
    [[nodiscard]] Result<Progress> Advance();
    [[nodiscard]] EngineComplaint complaint() const { return complaint_; }

private:
    /// Two bits a service level: 0 while open, else the lane and one.
    using Turn = std::uint32_t;
    enum class Phase : std::uint8_t { kOpenAll, kPairs, kFillMap };

    /// As many as two bits tell from an open one.
    static constexpr std::uint8_t kMostLanes = 3;
    static constexpr std::uint8_t kFewestLanes = 2;
    static constexpr std::size_t kStepsPerSlice = 50'000;
    static constexpr std::size_t kTurnsPerSlice = 1U << 17U;
    static constexpr std::size_t kPortPairsPerSlice = 16'384;
    /// Turns that one pair may settle: a pair with more is served by no level.
    static constexpr std::size_t kMostSettled = 1024;
    static constexpr std::uint8_t kNoTrunk = 0xFF;

    /// A packet on its path.
    struct Walk {
        std::uint8_t lane = 0;
        bool goes_down = false;  ///< By the link that it holds.
    };

    void StudyLinks();
    void NumberTurns();
    void OpenAll();
    [[nodiscard]] Result<Progress> OpenTurns();
    [[nodiscard]] Result<Progress> BeginPairs();
    [[nodiscard]] Result<Progress> ServePairs();
    [[nodiscard]] bool GoToNextPair();
    [[nodiscard]] Status ServePair(SwitchIndex one, SwitchIndex other);
    [[nodiscard]] bool Fits(std::uint8_t sl, SwitchIndex one, SwitchIndex other);
    [[nodiscard]] bool SettlePaths(std::uint8_t sl, SwitchIndex from, SwitchIndex to);
    [[nodiscard]] bool SettlePath(std::uint8_t sl, SwitchIndex from, SwitchIndex to, Lid lid);
    [[nodiscard]] bool SettleTurn(std::size_t turn, std::uint8_t sl, bool is_free, Walk& walk);
    void TakeBack(std::uint8_t sl);
    [[nodiscard]] Status OpenLevel();
    [[nodiscard]] Status GoOnWithMoreLanes();
    void EndPairs();
    [[nodiscard]] Result<Progress> FillMap();
    [[nodiscard]] Status FillSwitch(SwitchIndex at);
    [[nodiscard]] LaneRow RowOf(SwitchIndex at, PortNumber in, PortNumber out) const;

    [[nodiscard]] bool IsUp(SwitchIndex from, SwitchIndex to) const {
        return place_[Raw(to)] < place_[Raw(from)];
    }
    [[nodiscard]] std::uint8_t TrunkAt(SwitchIndex at, PortNumber port) const {
        return trunk_[task_.topology->switch_row(at).first_exit + Raw(port)];
    }
    [[nodiscard]] std::size_t TurnAt(SwitchIndex at, PortNumber in, PortNumber out) const {
        const std::size_t trunks = task_.topology->trunks(at).size();
        return first_turn_[Raw(at)] + TrunkAt(at, in) * trunks + TrunkAt(at, out);
    }

    RoutingTask task_;
    RisePlan plan_;
    std::span<std::uint16_t> place_;       ///< By switch: its place in the order.
    std::span<std::uint8_t> trunk_;        ///< By exit: which of its switch's trunks; kNoTrunk.
    std::span<std::uint32_t> first_turn_;  ///< By switch.
    std::span<Turn> turns_;                ///< By switch, trunk in and trunk out.
    std::span<std::uint32_t> settled_;     ///< Turns that the pair at work has settled.
    std::size_t settled_count_ = 0;
    std::uint8_t levels_ = 0;     ///< Service levels in use.
    std::uint8_t most_ = 0;       ///< Lanes that may be used in this try,
    std::uint8_t available_ = 0;  ///< and in any.
    std::uint8_t top_lane_ = 0;   ///< The highest that a path has.
    EngineComplaint shortage_;    ///< When more lanes are needed.
    // The pair that was served last: places in plan_.switches.
    std::size_t one_ = 0;
    std::size_t other_ = 0;
    std::size_t next_ = 0;  ///< The turn to open, or the switch by GUID whose map is filled, next.
    std::size_t walked_ = 0;
    Phase phase_ = Phase::kOpenAll;
    EngineComplaint complaint_;
};

}  // namespace ember
