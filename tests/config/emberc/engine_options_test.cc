// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the options that engines say they look at.

#include <gtest/gtest.h>

#include "config/emberc/keys.h"
#include "engines/catalogue.h"

namespace ember {
namespace {

TEST(EngineOptions, AreKeys) {
    for (const EngineEntry& entry : kEngineCatalogue) {
        const bool looks_at_the_fabric_alone = entry.kind == EngineKind::kAuto;
        EXPECT_EQ(entry.options.empty(), looks_at_the_fabric_alone) << EngineName(entry.kind);
        for (const std::string_view option : entry.options) {
            EXPECT_TRUE(emberc::FindKey(option).has_value()) << option;
        }
    }
}

}  // namespace
}  // namespace ember
