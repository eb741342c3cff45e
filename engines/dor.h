// SPDX-License-Identifier: Apache-2.0
// EmberSM: shortest paths, dimension by dimension.
#pragma once

#include "core/routing/engine.h"
#include "engines/engine_options.h"
#include "engines/spread/dimension_finder.h"
#include "engines/spreading_engine.h"

namespace ember {

/// Dimension order routing: shortest paths on any topology. Free of credit loops on meshes and
/// hypercubes whose switches have the dimensions in the same order of ports, or are told that order
/// by port_search_ordering_file (dimn_ports_file). The engine does not examine that and does not
/// promise it; the verifier finds credit loops. Under Order::kOpensm this is the result of OpenSM
/// 3.3.23's dor, octet for octet.
class Dor final : public SpreadingEngine<DimensionFinder> {
public:
    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kDor;
    static constexpr auto kOptions = WithOptions(LftBuilder::kOptions, "hop_weights_file");

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    /// With weights a path of least weight may be longer than the shortest.
    [[nodiscard]] Promise promise(const EngineOptions& options) const override {
        return {.shortest = options.tables.hop_weights.empty()};
    }
};

}  // namespace ember
