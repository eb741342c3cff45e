// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a fabric that a chain routes would carry under one engine.
#pragma once

#include <optional>
#include <string>

#include "config/emberc/plan/measure.h"
#include "core/routing/verdict.h"
#include "core/settings/settings.h"

namespace ember::plan {

struct Scene;

/// The whole fabric by one engine.
struct SingleEngine {
    std::string engine;
    RoutingOutcome outcome = RoutingOutcome::kRefused;
    double saturation = 0;  ///< These as in AllToAll.
    double saturation_by_rate = 0;
    double mean_hops = 0;
};

/// Routes the fabric by each engine that a chain may have, under settings without the chain, and
/// returns the one with the highest saturation by rate; of equals one without a possible credit
/// loop, then the first. Nothing: none may be programmed.
[[nodiscard]] std::optional<SingleEngine> BestSingleEngine(const Scene& scene,
                                                           const Settings& settings,
                                                           const Tick& tick);

}  // namespace ember::plan
