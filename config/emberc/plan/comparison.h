// SPDX-License-Identifier: Apache-2.0
// EmberSM: engines side by side on one fabric.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/plan/report.h"
#include "config/emberc/plan/scene.h"

namespace ember::plan {

/// The engines that a list of words names: "minhop,updn", or "all" for all there are. Throws
/// UsageError for a word that is no engine of this release, and for one that stands there twice.
[[nodiscard]] std::vector<EngineKind> EnginesNamed(const std::vector<std::string>& words);

/// The effect of each of the engines on the fabric of `scene`, alone and without the safe routing,
/// everything else being as `settings` say. Hosts keep no LIDs from one to the next: each begins on
/// the fabric as it is.
[[nodiscard]] std::vector<EngineEffect> CompareEngines(const Scene& scene, const Settings& settings,
                                                       const std::vector<EngineKind>& engines,
                                                       const Effort& effort);

/// Routes the fabric by each engine that a chain may have, under settings without the chain, and
/// returns the one with the highest saturation by rate; of equals one without a possible credit
/// loop, then the first. Nothing: none may be programmed.
[[nodiscard]] std::optional<SingleEngine> BestSingleEngine(const Scene& scene,
                                                           const Settings& settings,
                                                           const Tick& tick);

}  // namespace ember::plan
