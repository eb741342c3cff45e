// SPDX-License-Identifier: Apache-2.0
// EmberSM: shortest paths, spread over equal exits.
#pragma once

#include "core/routing/engine.h"
#include "engines/engine_options.h"
#include "engines/spread/min_hop_finder.h"
#include "engines/spreading_engine.h"

namespace ember {

/// Shortest paths on any topology. Promises no more: a ring or torus may close a credit loop.
/// Under Order::kOpensm this is the result of OpenSM 3.3.23's minhop, octet for octet.
class MinHop final : public SpreadingEngine<MinHopFinder> {
public:
    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kMinHop;
    static constexpr auto kOptions = WithOptions(LftBuilder::kOptions, "hop_weights_file");

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    /// With weights a path of least weight may be longer than the shortest.
    [[nodiscard]] Promise promise(const EngineOptions& options) const override {
        return {.shortest = options.tables.hop_weights.empty()};
    }
};

}  // namespace ember
