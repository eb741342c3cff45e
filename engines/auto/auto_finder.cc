// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits of the scheme that suits a fabric.

#include "engines/auto/auto_finder.h"

#include <algorithm>

namespace ember {

Status AutoFinder::Begin(const RoutingTask& task) {
    task_ = task;
    choice_ = {};
    order_.Begin(*task.topology, task.hops, *task.scratch);
    mark_ = task.scratch->used_bytes();
    grid_.Begin(*task.topology, *task.scratch);
    phase_ = Phase::kGrid;
    return Status::kOk;
}

Result<Progress> AutoFinder::Prepare() {
    switch (phase_) {
        case Phase::kGrid:
            if (grid_.Advance() == Progress::kMore) break;
            JudgeShape();
            break;
        case Phase::kRoutes:
            if (routes_.Advance() == Progress::kDone) TakeGrid();
            break;
        case Phase::kGroups:
            if (groups_.Advance() == Progress::kDone) TakeGroups();
            break;
        case Phase::kGroupHops:
            if (groups_.FillHops() == Progress::kDone) phase_ = Phase::kDone;
            break;
        case Phase::kSearch:
            if (search_.Advance() == Progress::kMore) break;
            choice_.detours = search_.detours();
            phase_ = Phase::kDone;
            break;
        case Phase::kDone:
            break;
    }
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

/// A grid, or else.
void AutoFinder::JudgeShape() {
    if (task_.topology->switch_count() == 1) {
        choice_.shape = FabricShape::kOneSwitch;
        StartSearch(RoutingScheme::kLevelOrder);
        return;
    }
    if (!order_.is_layered()) choice_.not_tree = ShapeMismatch::kFlatLinks;
    if (!grid_.is_grid()) choice_.not_grid = ShapeMismatch::kNoRows;
    if (!PrefersGrid()) {
        TakeNoGrid();
        return;
    }
    routes_.Begin(task_, grid_);
    phase_ = Phase::kRoutes;
}

/// Small trees are grids too; as trees they spread their paths better. No tree has a longer ring
/// than four without a way across.
bool AutoFinder::PrefersGrid() const {
    if (!grid_.is_grid()) return false;
    return !order_.is_layered() || GridRoutes::CountRings(grid_) > 0;
}

FabricShape AutoFinder::GridShape() const {
    const auto dimensions = grid_.dimensions();
    const auto rings = std::count_if(dimensions.begin(), dimensions.end(),
                                     [](const Grid::Dimension& row) { return row.is_ring; });
    if (rings > 0) return dimensions.size() == 1 ? FabricShape::kRing : FabricShape::kTorus;
    const bool is_cube = std::all_of(dimensions.begin(), dimensions.end(),
                                     [](const Grid::Dimension& row) { return row.radix == 2; });
    return is_cube ? FabricShape::kHypercube : FabricShape::kMesh;
}

/// Half of the switches of a ring split their ties one way. If half a round is an odd number of
/// links, some of its links carry one path more than others: 5 to 4 with six switches.
bool AutoFinder::SplitsTiesUnevenly() const {
    const auto dimensions = grid_.dimensions();
    return std::any_of(dimensions.begin(), dimensions.end(), [](const Grid::Dimension& row) {
        return row.is_ring && row.radix > 3 && row.radix % 4 == 2;
    });
}

/// Dimension order, unless links that are missing or lanes that are not there forbid it.
void AutoFinder::TakeGrid() {
    choice_.shape = GridShape();
    choice_.is_damaged = routes_.is_damaged();
    if (!routes_.is_routable()) {
        choice_.not_grid = ShapeMismatch::kRowsCut;
        TakeNoGrid();
        return;
    }
    const bool is_small = task_.topology->switch_count() <= kFewSwitches;
    if (is_small && !choice_.is_damaged && SplitsTiesUnevenly()) {
        TakeShortest();
        return;
    }
    TakeDimensionOrder();
}

void AutoFinder::TakeDimensionOrder() {
    choice_.shortage = routes_.FillLanes(target_, rows_);
    if (choice_.shortage.what != EngineFault::kNone) {
        StartSearch(RoutingScheme::kUpDown);
        return;
    }
    choice_.scheme = RoutingScheme::kDimensionOrder;
    phase_ = Phase::kDone;
}

/// A tree needs one lane.
void AutoFinder::TakeNoGrid() {
    if (order_.is_layered() && choice_.shape == FabricShape::kUnknown) {
        choice_.shape = FabricShape::kTree;
        StartSearch(RoutingScheme::kLevelOrder);
        return;
    }
    task_.scratch->Rewind(mark_);
    groups_.Begin(task_);
    phase_ = Phase::kGroups;
}

/// A dragonfly needs two.
void AutoFinder::TakeGroups() {
    if (!groups_.is_dragonfly()) {
        if (groups_.lacks_links()) {
            choice_.shape = FabricShape::kDragonfly;
            choice_.is_damaged = true;
        }
        TakeNothing();
        return;
    }
    choice_.shape = FabricShape::kDragonfly;
    choice_.shortage = groups_.FillLanes(target_, rows_);
    if (choice_.shortage.what != EngineFault::kNone) {
        StartSearch(RoutingScheme::kUpDown);
        return;
    }
    choice_.scheme = RoutingScheme::kOneGlobal;
    phase_ = Phase::kGroupHops;
}

/// A fabric of none of these shapes gets shortest paths, which lanes keep apart.
void AutoFinder::TakeNothing() {
    if (choice_.shape == FabricShape::kUnknown) choice_.shape = FabricShape::kIrregular;
    if (!IsOneIsland()) {
        choice_.shortage = {.what = EngineFault::kApart};
        StartSearch(RoutingScheme::kUpDown);
        return;
    }
    task_.scratch->Rewind(mark_);
    TakeShortest();
}

void AutoFinder::TakeShortest() {
    choice_.scheme = RoutingScheme::kRisingLanes;
    static_cast<void>(shortest_.Begin(task_));
    phase_ = Phase::kDone;
}

bool AutoFinder::IsOneIsland() const {
    const auto switches = task_.topology->switches_by_guid();
    return std::none_of(switches.begin(), switches.end(), [&](SwitchIndex at) {
        return task_.hops[switches.front()][Raw(at)] == kNoHops;
    });
}

std::span<const SwitchIndex> AutoFinder::FindOrder() {
    order_.Arrange(false);
    return order_.from_top();
}

void AutoFinder::GiveUpRising(const EngineComplaint& shortage) {
    if (choice_.not_grid == ShapeMismatch::kNone) {
        TakeDimensionOrder();
        return;
    }
    choice_.shortage = shortage;
    choice_.scheme = RoutingScheme::kLayers;
}

void AutoFinder::GiveUpLayers(const EngineComplaint& shortage) {
    choice_.shortage = shortage;
    StartSearch(RoutingScheme::kUpDown);
}

/// Searches paths for one lane: on a tree at no cost; elsewhere some are longer than the shortest.
void AutoFinder::StartSearch(RoutingScheme scheme) {
    task_.scratch->Rewind(mark_);
    choice_.scheme = scheme;
    order_.Arrange(scheme == RoutingScheme::kLevelOrder);
    search_.Begin(task_, order_, task_.hop_room->Spend());
    phase_ = Phase::kSearch;
}

Matrix<SwitchIndex, const std::uint8_t> AutoFinder::hops() const {
    switch (choice_.scheme) {
        case RoutingScheme::kDimensionOrder:
            return routes_.hops();
        case RoutingScheme::kOneGlobal:
            return groups_.hops();
        case RoutingScheme::kRisingLanes:
        case RoutingScheme::kLayers:
            return shortest_.hops();
        case RoutingScheme::kNone:
        case RoutingScheme::kLevelOrder:
        case RoutingScheme::kUpDown:
            break;
    }
    return search_.hops();
}

void AutoFinder::Find(SwitchIndex here, std::size_t first, std::size_t words,
                      std::span<std::uint64_t> masks) const {
    switch (choice_.scheme) {
        case RoutingScheme::kDimensionOrder:
            routes_.Find(here, first, words, masks);
            return;
        case RoutingScheme::kOneGlobal:
            groups_.Find(here, first, words, masks);
            return;
        case RoutingScheme::kRisingLanes:
        case RoutingScheme::kLayers:
            shortest_.Find(here, first, words, masks);
            return;
        case RoutingScheme::kNone:
        case RoutingScheme::kLevelOrder:
        case RoutingScheme::kUpDown:
            search_.Find(here, first, words, masks);
            return;
    }
}

}  // namespace ember
