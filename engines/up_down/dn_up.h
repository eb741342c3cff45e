// SPDX-License-Identifier: Apache-2.0
// EmberSM: up*/down* routing that counts from the leaves.
#pragma once

#include <string_view>

#include "core/routing/engine.h"
#include "engines/spreading_engine.h"
#include "engines/up_down/up_down_finder.h"

namespace ember {

/// As UpDn, but a switch is the higher the farther it is from any switch with an end port, so end
/// ports may hang on every level of a tree. A step between switches of one level is always legal:
/// where such cables close a ring, so may buffers. Under Order::kOpensm this is the result of
/// OpenSM 3.3.23's dnup, octet for octet.
class DnUp final : public SpreadingEngine<DnUpFinder> {
public:
    [[nodiscard]] EngineKind kind() const override { return EngineKind::kDnUp; }
    [[nodiscard]] std::string_view name() const override { return "dnup"; }
    [[nodiscard]] Promise promise(const Settings& settings) const override {
        return {.all_switches = settings.connect_roots};
    }
    [[nodiscard]] EngineComplaint complaint() const override { return finder().complaint(); }
};

}  // namespace ember
