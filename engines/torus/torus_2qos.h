// SPDX-License-Identifier: Apache-2.0
// EmberSM: dimension order routing on tori, free of credit loops on several lanes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/routing/engine.h"
#include "engines/torus/torus_map.h"
#include "engines/torus/torus_routes.h"
#include "engines/torus/torus_search.h"

namespace ember {

/// OpenSM's torus-2QoS, with its tables, service levels and maps, octet for octet, under every
/// order: torus_config says all that it asks. Tori and meshes of two and three dimensions are
/// routed, also where links, a switch, or switches next to each other along z are missing; no path
/// changes its SL for that. A fabric that it cannot route without a credit loop is refused, and so
/// is one with a switch that it cannot place, which OpenSM would leave without routes.
class Torus2Qos final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return TorusMap::ScratchBytes(limits) + TorusRoutes::ScratchBytes(limits);
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kTorus2Qos;
    static constexpr std::array<std::string_view, 1> kOptions = {"torus_config"};

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.deadlock_free = true};
    }
    Status Begin(const RoutingTask& task) override;
    Result<Progress> Advance() override;
    [[nodiscard]] EngineComplaint complaint() const override { return complaint_; }
    /// Of torus_config alone, which says what the fabric is.
    [[nodiscard]] EngineChoice choice() const override;

private:
    enum class Phase : std::uint8_t { kSearch, kCheck, kRoutes };

    [[nodiscard]] Status Refuse(const EngineComplaint& complaint);

    RoutingTask task_;
    TorusMap map_;
    TorusSearch search_;
    TorusRoutes routes_;
    Phase phase_ = Phase::kSearch;
    EngineComplaint complaint_;
    EngineComplaint misfit_;
};

}  // namespace ember
