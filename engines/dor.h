// SPDX-License-Identifier: Apache-2.0
// EmberSM: shortest paths, dimension by dimension.
#pragma once

#include <string_view>

#include "core/routing/engine.h"
#include "engines/dimension_finder.h"
#include "engines/spreading_engine.h"

namespace ember {

/// Dimension order routing: shortest paths on any topology. Free of credit loops on meshes and
/// hypercubes whose switches name the dimensions in the same order of ports, or are told to by
/// port_search_ordering_file (dimn_ports_file); that is not examined here and not promised, the
/// verifier sees it. Under Order::kOpensm this is the result of OpenSM 3.3.23's dor, octet for
/// octet.
class Dor final : public SpreadingEngine<DimensionFinder> {
public:
    [[nodiscard]] EngineKind kind() const override { return EngineKind::kDor; }
    [[nodiscard]] std::string_view name() const override { return "dor"; }
    /// With weights a way of least weight may be longer than the shortest.
    [[nodiscard]] Promise promise(const Settings& settings) const override {
        return {.shortest = settings.tables.hop_weights.empty()};
    }
};

}  // namespace ember
