// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a fabric that a chain routes would carry under one engine.
#include "config/emberc/plan/single_engines.h"

#include <memory>
#include <tuple>

#include "config/emberc/plan/scene.h"
#include "core/base/assert.h"
#include "core/settings/chain_rows.h"

namespace ember::plan {
namespace {

/// By what one is better than another.
auto MeritOf(const SingleEngine& one) {
    return std::tuple(one.saturation_by_rate, one.outcome == RoutingOutcome::kVerified);
}

}  // namespace

std::optional<SingleEngine> BestSingleEngine(const Scene& scene, const Settings& settings,
                                             const Tick& tick) {
    std::optional<SingleEngine> best;
    for (std::size_t i = 0; i < kNamedEngines.size(); ++i) {
        const EngineKind kind = kNamedEngines[i].kind;
        if (tick) tick(i + 1, kNamedEngines.size());
        if (!IsForChains(kind, settings.chain_lanes)) continue;
        Settings alone = settings;
        alone.manager_tables.chain_steps = {};
        alone.routing_engine.clear();
        alone.no_fallback = true;
        const Status kept = alone.routing_engine.TryPush(kind);
        EMBER_ASSERT(kept == Status::kOk);
        const std::unique_ptr<Planned> plan = scene.Route(alone);
        if (!plan->verdict().may_program()) continue;
        const AllToAll loads =
            MeasureAllToAll(plan->topology(), plan->lfts(), {}, plan->host_rate());
        const SingleEngine one{.engine = std::string(plan->verdict().engine),
                               .outcome = plan->verdict().outcome,
                               .saturation = loads.saturation,
                               .saturation_by_rate = loads.saturation_by_rate,
                               .mean_hops = loads.mean_hops()};
        if (!best || MeritOf(*best) < MeritOf(one)) best = one;
    }
    return best;
}

}  // namespace ember::plan
