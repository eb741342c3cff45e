// SPDX-License-Identifier: Apache-2.0
// EmberSM: up*/down* routing that counts from the leaf switches.
#pragma once

#include "core/routing/engine.h"
#include "engines/engine_options.h"
#include "engines/spreading_engine.h"
#include "engines/up_down/up_down_finder.h"

namespace ember {

/// As UpDn, but a switch is the higher the farther it is from any switch with an end port, so end
/// ports may be attached on every level of a tree. A step between switches of one level is always
/// legal: where such links close a ring, a credit loop is possible. Under Order::kOpensm this is
/// the result of OpenSM 3.3.23's dnup, octet for octet.
class DnUp final : public SpreadingEngine<UpDownFinder> {
public:
    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kDnUp;
    static constexpr auto kOptions = WithOptions(LftBuilder::kOptions, "connect_roots");

    DnUp() : SpreadingEngine(UpDownRule::kFromLeaves) {}

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& options) const override {
        return {.all_switches = options.connect_roots};
    }
    [[nodiscard]] EngineComplaint complaint() const override { return finder().complaint(); }
    [[nodiscard]] EngineChoice choice() const override { return finder().choice(); }
};

}  // namespace ember
