// SPDX-License-Identifier: Apache-2.0
// EmberSM: settings of a test that is about shortest paths.
#pragma once

#include "tests/support/sim_world.h"

namespace ember::testing {

/// BriskSettings() with the engine minhop.
[[nodiscard]] inline Settings MinHopSettings() {
    Settings settings = BriskSettings();
    EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kMinHop), Status::kOk);
    return settings;
}

}  // namespace ember::testing
