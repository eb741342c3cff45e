// SPDX-License-Identifier: Apache-2.0
// EmberSM: lanes of the steps of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/progress.h"
#include "core/base/status.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/routing/plan_progress.h"

namespace ember {

/// Gives the steps of a plan lanes of their own, when the routes of all are made: a class of pairs
/// of switches for each later step, and for them the lanes that the plan's lane engine makes.
class StepLanes {
public:
    constexpr StepLanes() = default;
    StepLanes(const StepLanes&) = delete;
    StepLanes& operator=(const StepLanes&) = delete;

    /// `plan` has a lane engine. It and all that `task` shows stand still until Advance() ends;
    /// `task` is of the whole subnet, its classes are filled in here.
    void Begin(const PlanProgress& plan, const RoutingTask& task);
    /// Marks the class of the next step, or does a slice of the engine's. Not ok: there are no such
    /// lanes; the engine's complaint says why.
    [[nodiscard]] Result<Progress> Advance();

private:
    void MarkClass();

    const PlanProgress* plan_ = nullptr;
    RoutingTask task_;
    std::span<std::uint16_t> parts_;  ///< That classes_ shows.
    PairClasses classes_;
    bool engine_began_ = false;
};

}  // namespace ember
