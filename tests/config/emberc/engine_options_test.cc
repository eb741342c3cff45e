// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the options that engines say they look at.

#include <gtest/gtest.h>

#include "config/emberc/keys.h"
#include "engines/catalogue.h"

namespace ember {
namespace {

TEST(EngineOptions, AreKeys) {
    for (const EngineEntry& entry : kEngineCatalogue) {
        EXPECT_FALSE(entry.options.empty()) << EngineName(entry.kind);
        for (const auto options : {entry.options, entry.balanced_options}) {
            for (const std::string_view option : options) {
                EXPECT_TRUE(emberc::FindKey(option).has_value()) << option;
            }
        }
    }
}

}  // namespace
}  // namespace ember
