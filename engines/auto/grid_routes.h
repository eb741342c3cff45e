// SPDX-License-Identifier: Apache-2.0
// EmberSM: dimension order on a grid, and the lanes that keep its rings open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/graph/ring_rule.h"
#include "core/log/words.h"
#include "core/routing/engine.h"
#include "engines/auto/grid.h"
#include "engines/auto/row_detours.h"
#include "engines/auto/split_rings.h"
#include "engines/exit_finder.h"
#include "engines/spread/exit_marks.h"

namespace ember {

/// Packets go to the destination's place in one dimension after the other, round a ring as its
/// RingRule says. Where a link of a ring is missing they go the other way round: that ring is a
/// row, in which no cycle of channel dependencies can close, so neither service levels nor lanes
/// change. Turns lead from earlier dimensions to later ones only.
///
/// Where a link between the only two switches of a row is missing such dimensions are taken in
/// pairs: see SplitRings. Where another row lacks a link packets leave it by its neighbor: see
/// RowDetours.
///
/// A ring that is open in two places, or a place without a switch, may leave pairs without a path:
/// then is_routable() is false.
class GridRoutes {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(limits.max_switches * kHeadings);
    }

    constexpr GridRoutes() = default;
    GridRoutes(const GridRoutes&) = delete;
    GridRoutes& operator=(const GridRoutes&) = delete;

    /// `grid` is one, and stands still.
    void Begin(const RoutingTask& task, const Grid& grid);
    /// Does the next slice. kDone: what follows holds, hops() not if routes are mended.
    /// task.hop_room is spent if a link is missing, everything is routable all the same and routes
    /// are made anew.
    [[nodiscard]] Progress Advance();

    [[nodiscard]] bool is_routable() const { return is_routable_; }
    /// Some link of the grid is missing.
    [[nodiscard]] bool is_damaged() const { return is_damaged_; }
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const { return hops_; }
    /// As ExitFinder::Find().
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const;

    /// Rings that need lanes: in smaller ones than four no packet goes straight on.
    [[nodiscard]] static std::size_t CountRings(const Grid& grid);
    /// Fills the lanes of a routing by this rule, for the switches of `task`: row i of the grid is
    /// its row rows[i]. Not kNone: what is missing for that, and the lanes are cleared.
    [[nodiscard]] EngineComplaint FillLanes(const RoutingTask& task,
                                            std::span<const SwitchIndex> rows) const;

private:
    enum class Phase : std::uint8_t { kReach, kCheck, kHops };
    static constexpr std::size_t kHeadings = 2 * Grid::kMostDimensions;
    static constexpr std::size_t kSwitchesPerSlice = 64;
    static constexpr std::size_t kPairsPerSlice = 8192;
    static constexpr std::uint8_t kNoWay = 0xFF;

    [[nodiscard]] bool NeedsLanes(std::size_t dimension) const {
        return NeedsLanes(grid_->dimensions()[dimension]);
    }
    [[nodiscard]] static bool NeedsLanes(const Grid::Dimension& row) {
        return row.is_ring && row.radix > 3;
    }
    [[nodiscard]] static std::uint8_t Number(std::size_t dimension, bool is_up) {
        return static_cast<std::uint8_t>(2 * dimension + (is_up ? 1U : 0U));
    }
    [[nodiscard]] std::uint8_t HeadingTo(SwitchIndex here, SwitchIndex to) const;
    template <std::size_t kWords>
    void Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const;
    void MeasureReach(SwitchIndex at);
    [[nodiscard]] std::uint8_t CountSteps(SwitchIndex at, std::size_t dimension, bool is_up);
    [[nodiscard]] std::uint8_t reach(SwitchIndex at, std::size_t dimension, bool is_up) const {
        return reach_[Raw(at) * kHeadings + Number(dimension, is_up)];
    }
    [[nodiscard]] RingWay WayTo(SwitchIndex at, std::size_t dimension, std::uint8_t to) const;
    /// A path is more than ways in single rows, one after the other.
    [[nodiscard]] bool has_bends() const { return split_.any() || detours_.any(); }
    [[nodiscard]] std::uint8_t CountHops(SwitchIndex from, SwitchIndex to) const;
    [[nodiscard]] std::uint8_t FollowHops(SwitchIndex from, SwitchIndex to) const;
    [[nodiscard]] std::uint8_t HeadingRound(SwitchIndex here, SwitchIndex to) const;
    [[nodiscard]] std::uint8_t HeadingInOrder(SwitchIndex here, SwitchIndex to) const;
    [[nodiscard]] bool IsSimpleCheck() const;
    [[nodiscard]] bool Check(SwitchIndex at);
    [[nodiscard]] bool HasWays(SwitchIndex at) const;
    [[nodiscard]] bool CountRow(SwitchIndex from);
    [[nodiscard]] EngineComplaint NarrowLink() const;
    [[nodiscard]] std::uint8_t RingOf(std::size_t dimension) const;
    void PlaceSwitch(SwitchIndex at, SwitchIndex row, RoutingLanes& lanes) const;
    void FillMap(const RoutingTask& task, std::span<const SwitchIndex> rows) const;

    RoutingTask task_;
    const Grid* grid_ = nullptr;
    SplitRings split_;
    RowDetours detours_;
    std::array<RingRule, Grid::kMostDimensions> rules_{};
    std::span<std::uint8_t> reach_;  ///< By switch and heading: steps that links allow.
    Matrix<SwitchIndex, std::uint8_t> room_;
    Matrix<SwitchIndex, const std::uint8_t> hops_;
    std::size_t next_ = 0;
    Phase phase_ = Phase::kReach;
    bool is_damaged_ = false;
    bool is_routable_ = false;
};

}  // namespace ember
