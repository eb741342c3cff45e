// SPDX-License-Identifier: Apache-2.0
// EmberSM: up*/down* routing.
#pragma once

#include "core/routing/engine.h"
#include "engines/engine_options.h"
#include "engines/spreading_engine.h"
#include "engines/up_down/up_down_finder.h"

namespace ember {

/// Paths that go up towards the roots, then down, and never up again, so there is no credit loop.
/// The roots are those of root_guid_file, or else found (see Levels). Two roots reach each other's
/// own LIDs only where a path below them is legal, or with connect_roots, which costs the promise.
/// Under Order::kOpensm this is the result of OpenSM 3.3.23's updn, octet for octet; else, and as
/// the last resort, no pair of end ports is lost while links connect them.
class UpDn final : public SpreadingEngine<UpDownFinder> {
public:
    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kUpDn;
    static constexpr auto kOptions =
        WithOptions(LftBuilder::kOptions, "connect_roots", "hop_weights_file", "root_guid_file",
                    "ids_guid_file");

    UpDn() : SpreadingEngine(UpDownRule::kFromRoots) {}

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& options) const override {
        return {
            .deadlock_free = !options.connect_roots, .all_switches = false, .last_resort = true};
    }
    [[nodiscard]] EngineComplaint complaint() const override { return finder().complaint(); }
    [[nodiscard]] EngineChoice choice() const override { return finder().choice(); }
};

}  // namespace ember
