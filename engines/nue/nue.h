// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes without a credit loop on any topology, with any number of lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/engine_options.h"
#include "engines/lanes/lane_layers.h"
#include "engines/nue/safe_paths.h"
#include "engines/sssp/path_tables.h"

namespace ember {

/// OpenSM's nue by what it promises: no credit loop, whatever the topology, on at most so many
/// lanes as nue_max_num_vls says. Tables and lanes are not OpenSM's: they are those of dfsssp if
/// the lanes there are suffice, else SafePaths on one lane.
class Nue final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return std::max({PathTables::ScratchBytes(limits), LaneLayers::ScratchBytes(limits),
                         SafePaths::ScratchBytes(limits)});
    }
    /// With no more than that it has fewer lanes, and routes every fabric all the same.
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return std::max({PathTables::ScratchBytes(limits), LaneLayers::LeastScratchBytes(limits),
                         SafePaths::ScratchBytes(limits)});
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kNue;
    static constexpr auto kOptions =
        WithOptions(PathTables::kOptions, "nue_max_num_vls", "nue_include_switches");

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.deadlock_free = true};
    }
    Status Begin(const RoutingTask& task) override;
    Result<Progress> Advance() override;
    /// Of a fabric in parts, which it cannot route.
    [[nodiscard]] EngineComplaint complaint() const override { return tables_.complaint(); }

private:
    enum class Phase : std::uint8_t { kTables, kLayers, kSafePaths };

    void BeginLayers();
    void BeginSafePaths();

    RoutingTask task_;
    std::size_t mark_ = 0;  ///< Where scratch stood at Begin().
    Phase phase_ = Phase::kTables;
    PathTables tables_;
    LaneLayers layers_;
    SafePaths paths_;
};

}  // namespace ember
