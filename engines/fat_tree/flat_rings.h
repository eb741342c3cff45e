// SPDX-License-Identifier: Apache-2.0
// EmberSM: rings of switches that are equally far from the leaves.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/up_down/levels.h"

namespace ember {

/// Looks for three or more switches of one level, counted from the leaves, that cables close to a
/// ring. A route may go along it between up and down, so the rule that counts from the leaves
/// cannot promise that no credits run round it. Several cables between two switches are no ring:
/// nobody turns back.
class FlatRings {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Levels::ScratchBytes(limits) + Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    /// What it takes of task.scratch is given back by whoever calls, when it is done.
    void Begin(const RoutingTask& task);
    /// One slice. kDone: what follows holds.
    [[nodiscard]] Progress Advance();
    [[nodiscard]] bool has_one() const { return has_one_; }

private:
    static constexpr std::size_t kSwitchesPerSlice = 512;

    void Join(SwitchIndex here);
    [[nodiscard]] SwitchIndex Spokesman(SwitchIndex at);

    RoutingTask task_;
    Levels levels_;
    bool has_levels_ = false;
    bool has_one_ = false;
    std::size_t next_ = 0;              ///< Of levels_.by_level().
    std::span<SwitchIndex> spokesmen_;  ///< By switch: one nearer to who speaks for its group.
};

}  // namespace ember
