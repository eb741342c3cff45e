// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of lash: shortest paths, from a tree for each switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "engines/lash/lash_order.h"

namespace ember {

/// Grows a breadth-first tree from each switch in turn. A switch takes its exit towards another one
/// from the first tree in which that one is below it. A path down a tree is shortest, and so is all
/// that is left of it after a step; so the exits of different trees make shortest paths together,
/// and no loop.
class LashTrees {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return 2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint8_t>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches);
    }

    constexpr LashTrees() = default;
    LashTrees(const LashTrees&) = delete;
    LashTrees& operator=(const LashTrees&) = delete;

    /// Spends `task.hop_room`: it holds exits() until the engine is done; what `order` shows stands
    /// still meanwhile.
    void Begin(const RoutingTask& task, const LashOrder& order);
    /// Grows some trees, then fills some rows of the forwarding tables.
    [[nodiscard]] Progress Advance();
    /// By switch and switch: the port that leads from the one towards the other; kNoHops: none.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> exits() const { return exits_; }

private:
    enum class Phase : std::uint8_t { kClear, kGrow, kFill };
    static constexpr std::size_t kStepsPerSlice = 50'000;

    [[nodiscard]] std::size_t ClearNext();
    [[nodiscard]] std::size_t GrowNext();
    [[nodiscard]] std::size_t FillNext();
    [[nodiscard]] std::size_t ShareLinks(SwitchIndex at);
    [[nodiscard]] std::size_t Climb(SwitchIndex to, SwitchIndex root);
    void GoOnTo(Phase phase);

    RoutingTask task_;
    LashOrder order_;
    Matrix<SwitchIndex, std::uint8_t> exits_;
    std::span<SwitchIndex> queue_;   ///< The present tree, in the order of growing.
    std::span<SwitchIndex> parent_;  ///< By switch: the one above it in the present tree.
    std::span<std::uint8_t> port_;   ///< By switch: its parent's port to it.
    std::span<std::uint32_t> tree_;  ///< By switch: the last tree that it is in, from 1 on.
    Phase phase_ = Phase::kClear;
    std::size_t next_ = 0;  ///< The switch of this phase that is next, a place in the order.
};

}  // namespace ember
