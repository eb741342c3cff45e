// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits of the scheme that suits a fabric.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/auto/grid.h"
#include "engines/auto/grid_routes.h"
#include "engines/auto/group_routes.h"
#include "engines/auto/order_search.h"
#include "engines/auto/switch_order.h"
#include "engines/exit_finder.h"
#include "engines/spread/min_hop_finder.h"

namespace ember {

/// Finds out what a fabric is, chooses a scheme of routing without a credit loop, and finds its
/// exits. Each scheme is free of credit loops whichever exits are chosen, but kRisingLanes and
/// kLayers, which need lanes once they are.
class AutoFinder final : public ExitFinder {
public:
    /// The most that it takes from its arena and Find() needs.
    [[nodiscard]] static constexpr std::size_t KeptBytes(const Limits& limits) {
        return SwitchOrder::ScratchBytes(limits) +
               std::max({Grid::ScratchBytes(limits) + GridRoutes::ScratchBytes(limits),
                         GroupRoutes::ScratchBytes(limits), OrderSearch::KeptBytes(limits)});
    }
    /// The most that it takes behind that, until Prepare() says kDone.
    [[nodiscard]] static constexpr std::size_t SearchBytes(const Limits& limits) {
        return OrderSearch::SearchBytes(limits);
    }

    /// Begin() will be given `task` with its switches renumbered: row i is rows[i] here. Lanes are
    /// filled for these rows.
    void SetTarget(const RoutingTask& task, std::span<const SwitchIndex> rows) {
        target_ = task;
        rows_ = rows;
    }
    Status Begin(const RoutingTask& task) override;
    Result<Progress> Prepare() override;
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const override;
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const override;
    [[nodiscard]] bool fixes_neighbor() const override {
        return choice_.scheme == RoutingScheme::kDimensionOrder;
    }
    [[nodiscard]] const EngineChoice& choice() const { return choice_; }
    /// The levels of switches, by which it is a tree or none.
    [[nodiscard]] const SwitchOrder& order() const { return order_; }
    /// All switches, each but the first next to one before it: for the scheme kRisingLanes.
    [[nodiscard]] std::span<const SwitchIndex> FindOrder();
    /// Gives up the scheme kRisingLanes for want of what is told: a grid is routed as one, which is
    /// as with GiveUpLayers(); else the scheme is kLayers, whose exits are the same.
    void GiveUpRising(const EngineComplaint& shortage);
    /// Gives up the scheme kLayers likewise: Prepare() is called again, until it returns kDone, and
    /// other exits are found.
    void GiveUpLayers(const EngineComplaint& shortage);

private:
    /// Grids of so many switches may take lanes that rise; larger ones need too many levels.
    static constexpr std::size_t kFewSwitches = 64;
    enum class Phase : std::uint8_t { kGrid, kRoutes, kGroups, kGroupHops, kSearch, kDone };

    void JudgeShape();
    [[nodiscard]] bool PrefersGrid() const;
    [[nodiscard]] FabricShape GridShape() const;
    [[nodiscard]] bool IsOneIsland() const;
    [[nodiscard]] bool SplitsTiesUnevenly() const;
    void TakeGrid();
    void TakeDimensionOrder();
    void TakeShortest();
    void TakeNoGrid();
    void TakeGroups();
    void TakeNothing();
    void StartSearch(RoutingScheme scheme);

    RoutingTask task_;
    RoutingTask target_;
    std::span<const SwitchIndex> rows_;
    SwitchOrder order_;
    Grid grid_;
    GridRoutes routes_;
    GroupRoutes groups_;
    OrderSearch search_;
    MinHopFinder shortest_;
    EngineChoice choice_;
    std::size_t mark_ = 0;  ///< Where scratch stood behind order_.
    Phase phase_ = Phase::kDone;
};

}  // namespace ember
