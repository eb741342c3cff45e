// SPDX-License-Identifier: Apache-2.0
// EmberSM: cables that are no step from a level to the next, where a tree has few of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/base/static_vector.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "engines/auto/switch_order.h"

namespace ember {

/// Finds the cables by which a fabric is no tree, if it would be one without them: a stray cable
/// from leaf to leaf, from pod to pod, or from leaf to core. A tree with such cables needs lanes,
/// or loses most of what it carries on one; without them it loses a cable. Nothing is cut off: each
/// switch at such a cable has one to another level, and no part hangs on one alone.
class OddLinks {
public:
    /// Of cables to switches, one of so many may be odd; and no more than kMost.
    static constexpr std::size_t kShare = 8;
    static constexpr std::size_t kMost = 32;

    /// The most that Find() takes from its arena and gives back.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<bool>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    void Clear() { ports_.clear(); }
    /// `order`: after Begin(). True: there are some.
    [[nodiscard]] bool Find(const Topology& topology, const SwitchOrder& order, Arena& scratch);
    /// Both ends of each.
    [[nodiscard]] std::span<const SwitchExit> ports() const {
        return {ports_.begin(), ports_.size()};
    }

private:
    [[nodiscard]] bool Collect(const Topology& topology, const SwitchOrder& order);
    [[nodiscard]] bool CollectAt(SwitchIndex at, const Topology& topology,
                                 const SwitchOrder& order);
    [[nodiscard]] static std::size_t CountIslands(const Topology& topology,
                                                  const SwitchOrder* order, Arena& scratch);

    StaticVector<SwitchExit, 2 * kMost> ports_;
};

}  // namespace ember
