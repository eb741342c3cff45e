// SPDX-License-Identifier: Apache-2.0
// EmberSM: the order in which the ranks of a job meet least congestion on a fat tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/fabric/fabric.h"
#include "core/graph/topology.h"
#include "core/settings/engine_options.h"
#include "engines/fat_tree/plan.h"

namespace ember {

/// The compute nodes of a fat tree as ftree routes them, leaf by leaf, each leaf filled up with
/// dummies to the size of the largest: shifts by any distance are free of congestion in it.
///
/// There is one under the orders that ftree counts down the leaves in; under Order::kBalanced a
/// route does not depend on its place, so no order is better than another.
class NodeOrder {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Topology::ScratchBytes(limits) + FatTreePlan::ScratchBytes(limits);
    }

    NodeOrder() = default;
    NodeOrder(const NodeOrder&) = delete;
    NodeOrder& operator=(const NodeOrder&) = delete;

    /// There is an order when `engine` has made the routes under these options.
    [[nodiscard]] static bool Exists(EngineKind engine, const EngineOptions& options) {
        return engine == EngineKind::kFtree && options.order != Order::kBalanced;
    }

    /// Both stay unchanged while the order is used. Takes from `scratch` from where it stands.
    void Begin(const Fabric& fabric, const EngineOptions& options, Arena& scratch);
    /// Does the next slice, well below a millisecond. kDone: leaf_count() holds.
    [[nodiscard]] Progress Advance();

    /// 0 on a fabric that is no tree.
    [[nodiscard]] std::size_t leaf_count() const { return is_tree_ ? plan_.leaves().size() : 0; }
    /// Calls `visit(Lid)` for the slots of a leaf, by its ports; kNoLid: a dummy.
    template <typename Visit>
    void ForEachSlot(std::size_t leaf, Visit visit) const {
        plan_.ForEachSlotOf(plan_.leaves()[leaf], visit);
    }

private:
    Topology topology_;
    FatTreePlan plan_;
    bool is_tree_ = false;
};

}  // namespace ember
