// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a routing may be programmed, from what the verifier found.
#pragma once

#include "core/routing/engine.h"
#include "core/routing/verdict.h"
#include "core/routing/verifier.h"

namespace ember {

/// The terms on which a routing is accepted.
struct RouteTerms {
    Promise promise{};                   ///< Of the engines that made it, all together.
    Promise first{};                     ///< Of the first alternatives of the plan.
    bool is_safe = false;                ///< The routing is that of Router::BeginSafe().
    bool require_deadlock_free = false;  ///< RoutingPlan::require_deadlock_free.
    bool may_bridge = false;  ///< The engine has a last resort that can still be asked for.
};

/// A routing as it is judged.
struct Judgement {
    RoutingOutcome outcome = RoutingOutcome::kRefused;
    RoutingReason reason = RoutingReason::kNone;  ///< Of kRefused.
    /// A possible credit loop among end ports is all that speaks against it: lanes may help.
    bool has_loop_alone = false;
};

/// Judges a routing that engines made. Where a pair without a path breaks Promise::all_switches, it
/// becomes the fault that `findings` name.
[[nodiscard]] Judgement JudgeRoutes(const RouteTerms& terms, Findings& findings);

/// The tables that switches have may stay. Their maker is not known: `terms.first` holds for them
/// as for any fallback, but for shortest paths.
[[nodiscard]] bool MayKeepTables(const RouteTerms& terms, const Findings& findings);

}  // namespace ember
