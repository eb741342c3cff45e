// SPDX-License-Identifier: Apache-2.0
// EmberSM: a routing plan of one step from engines that a test owns.
#pragma once

#include <span>
#include <vector>

#include "core/routing/routing_plan.h"

namespace ember::testing {

/// As ListPlan, with these engines. A nullptr stands for one that Settings::routing_engine names at
/// its place and the board has not got. `settings` outlives it.
class EnginePlan {
public:
    EnginePlan(std::span<RoutingEngine* const> engines, const Settings& settings) {
        const EngineList listed = EnginesToTry(settings.routing_engine, settings.order);
        for (std::size_t i = 0; i < engines.size(); ++i) {
            const EngineKind kind = engines[i] != nullptr ? engines[i]->kind() : listed[i];
            alternatives_.push_back({.kind = kind, .engine = engines[i]});
        }
        step_ = {.options = &settings, .alternatives = alternatives_};
        plan_ = {.steps = {&step_, 1},
                 .options = &settings,
                 .most_vls = static_cast<VlCap>(settings.max_op_vls),
                 .require_deadlock_free = settings.require_deadlock_free,
                 .writes_lanes = settings.qos};
    }
    EnginePlan(const EnginePlan&) = delete;
    EnginePlan& operator=(const EnginePlan&) = delete;

    [[nodiscard]] const RoutingPlan& plan() const { return plan_; }

private:
    std::vector<Alternative> alternatives_;
    RoutingStep step_;
    RoutingPlan plan_;
};

}  // namespace ember::testing
