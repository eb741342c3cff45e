// SPDX-License-Identifier: Apache-2.0
// EmberSM: engines side by side on one fabric.
#include "config/emberc/plan/comparison.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>

#include "config/emberc/plan/progress_bar.h"
#include "core/base/assert.h"
#include "core/base/engine_kind.h"
#include "core/settings/chain_rows.h"
#include "engines/catalogue.h"

namespace ember::plan {
namespace {

EngineKind EngineNamed(const std::string& word) {
    for (const EngineEntry& entry : kEngineCatalogue) {
        if (EngineName(entry.kind) == word) return entry.kind;
    }
    std::string names;
    for (const EngineEntry& entry : kEngineCatalogue) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", EngineName(entry.kind));
    }
    throw UsageError(
        fmt::format("--compare: there is no engine \"{}\"; there are {}, and all", word, names));
}

EngineEffect EffectOf(const Planned& plan, EngineKind kind, const Effort& effort) {
    const Verdict& verdict = plan.verdict();
    EngineEffect effect;
    effect.engine = EngineName(kind);
    effect.outcome = verdict.outcome;
    if (!verdict.may_program()) {
        const std::size_t tried = verdict.attempts.size();
        effect.reason = tried == 0 ? std::string(Word(verdict.outcome))
                                   : Explain(plan, verdict.attempts[tried - 1]);
        return effect;
    }
    const AllToAll loads = MeasureAllToAll(plan.topology(), plan.lfts(), {}, plan.host_rate());
    effect.saturation = loads.saturation;
    effect.saturation_by_rate = loads.saturation_by_rate;
    effect.mean_hops = loads.mean_hops();
    effect.longer_routes = verdict.findings.longer_routes;
    effect.effective_bisection =
        MeasureBisections(plan.topology(), plan.lfts(), effort.bisections, effort.seed).effective;
    effect.worst_shift = MeasureShifts(plan.topology(), plan.lfts(), effort.shifts).worst;
    effect.lanes = plan.lanes().count;
    effect.freedom = verdict.findings.end_ports_may_deadlock  ? CreditFreedom::kNone
                     : verdict.findings.anything_may_deadlock ? CreditFreedom::kHosts
                                                              : CreditFreedom::kAll;
    return effect;
}

}  // namespace

std::vector<EngineKind> EnginesNamed(const std::vector<std::string>& words) {
    std::vector<EngineKind> engines;
    if (words.size() == 1 && words.front() == "all") {
        std::transform(kEngineCatalogue.begin(), kEngineCatalogue.end(),
                       std::back_inserter(engines),
                       [](const EngineEntry& entry) { return entry.kind; });
        return engines;
    }
    for (const std::string& word : words) {
        const EngineKind kind = EngineNamed(word);
        if (std::find(engines.begin(), engines.end(), kind) != engines.end()) {
            throw UsageError(fmt::format("--compare names {} twice", word));
        }
        engines.push_back(kind);
    }
    return engines;
}

std::vector<EngineEffect> CompareEngines(const Scene& scene, const Settings& settings,
                                         const std::vector<EngineKind>& engines,
                                         const Effort& effort) {
    std::vector<EngineEffect> effects;
    Settings alone = settings;
    alone.no_fallback = true;
    std::optional<ProgressBar> bar;
    if (!effort.is_quiet && !engines.empty()) bar.emplace(stderr, "engines");
    for (const EngineKind kind : engines) {
        alone.routing_engine.clear();
        static_cast<void>(alone.routing_engine.TryPush(kind));
        effects.push_back(EffectOf(*scene.Route(alone), kind, effort));
        if (bar.has_value()) bar->tick()(effects.size(), engines.size());
    }
    return effects;
}

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
