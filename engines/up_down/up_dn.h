// SPDX-License-Identifier: Apache-2.0
// EmberSM: up*/down* routing.
#pragma once

#include <string_view>

#include "core/routing/engine.h"
#include "engines/spreading_engine.h"
#include "engines/up_down/up_down_finder.h"

namespace ember {

/// Ways that go up towards the roots, then down, and never up again; so buffers never wait in a
/// circle. The roots are those of root_guid_file, or else found (see Levels). Two roots reach each
/// other's own LIDs only where a way below them is legal, or with connect_roots, which costs the
/// promise. Under Order::kOpensm this is the result of OpenSM 3.3.23's updn, octet for octet; else,
/// and as the last resort, no pair of end ports is lost while cables connect them.
class UpDn final : public SpreadingEngine<UpDnFinder> {
public:
    [[nodiscard]] EngineKind kind() const override { return EngineKind::kUpDn; }
    [[nodiscard]] std::string_view name() const override { return "updn"; }
    [[nodiscard]] Promise promise(const Settings& settings) const override {
        return {
            .deadlock_free = !settings.connect_roots, .all_switches = false, .last_resort = true};
    }
    [[nodiscard]] EngineComplaint complaint() const override { return finder().complaint(); }
};

}  // namespace ember
