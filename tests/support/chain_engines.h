// SPDX-License-Identifier: Apache-2.0
// EmberSM: the engines that any chain may have, for tests of each of them.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/base/engine_kind.h"
#include "core/settings/chain_rows.h"

namespace ember::testing {

/// Engines that need no lanes of steps.
[[nodiscard]] inline std::vector<EngineKind> ForChains() {
    std::vector<EngineKind> kinds;
    for (const NamedEngine& named : kNamedEngines) {
        if (IsForChains(named.kind, false)) kinds.push_back(named.kind);
    }
    return kinds;
}

/// The name of a test of one of them.
[[nodiscard]] inline std::string NameOfEngine(const ::testing::TestParamInfo<EngineKind>& test) {
    return std::string(EngineName(test.param));
}

}  // namespace ember::testing
