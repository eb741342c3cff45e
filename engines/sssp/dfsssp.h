// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes by least paths over loaded links, on lanes without a credit loop.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/lanes/lane_layers.h"
#include "engines/sssp/path_tables.h"

namespace ember {

/// OpenSM's dfsssp: the tables of sssp, and lanes for their paths. The lanes are not OpenSM's,
/// which serve a path in one direction only: see LaneLayers.
class Dfsssp final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return std::max(PathTables::ScratchBytes(limits), LaneLayers::ScratchBytes(limits));
    }
    /// The least that a run needs; more lanes than it has room for are refused
    /// (EngineFault::kLanesNotProvable).
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return std::max(PathTables::ScratchBytes(limits), LaneLayers::LeastScratchBytes(limits));
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kDfsssp;
    static constexpr auto kOptions = PathTables::kOptions;

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.deadlock_free = true, .lays_lanes = true};
    }
    Status Begin(const RoutingTask& task) override {
        task_ = task;
        mark_ = task.scratch->used_bytes();
        has_tables_ = task.classes != nullptr;
        if (!has_tables_) return tables_.Begin(task);
        BeginLayers();
        return Status::kOk;
    }
    Result<Progress> Advance() override {
        if (has_tables_) return layers_.Advance();
        if (tables_.Advance() == Progress::kMore) return Progress::kMore;
        task_.scratch->Rewind(mark_);
        BeginLayers();
        has_tables_ = true;
        return Progress::kMore;
    }
    [[nodiscard]] EngineComplaint complaint() const override {
        return has_tables_ ? layers_.complaint() : tables_.complaint();
    }

private:
    void BeginLayers() {
        layers_.Begin(task_,
                      {.switches = LaneLayers::FindSenders(task_), .classes = task_.classes});
    }

    RoutingTask task_;
    std::size_t mark_ = 0;  ///< Where scratch stood at Begin().
    bool has_tables_ = false;
    PathTables tables_;
    LaneLayers layers_;
};

}  // namespace ember
