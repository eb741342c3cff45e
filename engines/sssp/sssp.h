// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes by least paths over loaded links, on one lane.
#pragma once

#include <cstddef>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/sssp/path_tables.h"

namespace ember {

/// OpenSM's sssp: PathTables, and nothing against credit loops. Paths have as few links as there
/// can be where loads are small against the square of all LIDs, which is not promised.
class Sssp final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return PathTables::ScratchBytes(limits);
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kSssp;
    static constexpr auto kOptions = PathTables::kOptions;

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override { return {}; }
    Status Begin(const RoutingTask& task) override { return tables_.Begin(task); }
    Result<Progress> Advance() override { return tables_.Advance(); }
    [[nodiscard]] EngineComplaint complaint() const override { return tables_.complaint(); }

private:
    PathTables tables_;
};

}  // namespace ember
