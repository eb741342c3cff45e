// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a plan comes to, in one word and one line.
#pragma once

#include <string>

#include "config/emberc/commands.h"
#include "config/emberc/plan/planner.h"
#include "config/emberc/plan/report.h"

namespace ember::plan {

/// The exit status of a plan: the first of refused, too large for the board, possible credit loop
/// that holds, else kDone.
[[nodiscard]] emberc::ExitStatus ConclusionOf(const Planned& plan, const Report& report);

/// All that is wrong in one line without a stop, the worst first: "NOT ROUTED: ...; DOES NOT FIT
/// board sim_small: switches: 80 of 64". Else how the fabric is routed.
[[nodiscard]] std::string Headline(const Planned& plan, const Report& report);

}  // namespace ember::plan
