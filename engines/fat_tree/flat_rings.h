// SPDX-License-Identifier: Apache-2.0
// EmberSM: rings of switches that are equally far from the leaf switches.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/up_down/levels.h"

namespace ember {

/// Looks for three or more switches of one level, counted from the leaf switches, that links close
/// to a ring. A path may go along such a ring between up and down, so the rule that counts from the
/// leaf switches cannot promise that there is no credit loop along it. Several links between two
/// switches are no ring: no path turns back.
class FlatRings {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Levels::ScratchBytes(limits) + Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    /// The caller gives back what it takes of task.scratch, when it is done.
    void Begin(const RoutingTask& task);
    /// Does the next slice. kDone: what follows holds.
    [[nodiscard]] Progress Advance();
    [[nodiscard]] bool has_one() const { return has_one_; }

private:
    static constexpr std::size_t kSwitchesPerSlice = 512;

    void Join(SwitchIndex here);
    [[nodiscard]] SwitchIndex Representative(SwitchIndex at);

    RoutingTask task_;
    Levels levels_;
    bool has_levels_ = false;
    bool has_one_ = false;
    std::size_t next_ = 0;            ///< Of levels_.by_level().
    std::span<SwitchIndex> parents_;  ///< By switch: one nearer to its group's representative.
};

}  // namespace ember
