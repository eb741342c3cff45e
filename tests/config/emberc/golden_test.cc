// SPDX-License-Identifier: Apache-2.0
// EmberSM: what emberc says of whole files, word for word: tests/golden/emberc/*.conf and *.txt.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "config/emberc/diagnostics.h"
#include "config/emberc/files.h"
#include "config/emberc/opensm_conf.h"

namespace ember::test {
namespace {

/// With EMBER_UPDATE_GOLDEN set the expected texts are written instead; review them in the diff.
TEST(GoldenDiagnostics, AreWordForWordWhatTheyWere) {
    const std::filesystem::path folder(std::string(EMBER_SOURCE_DIR) + "/tests/golden/emberc");
    const bool update = std::getenv("EMBER_UPDATE_GOLDEN") != nullptr;
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".conf") continue;
        emberc::Diagnostics diagnostics(entry.path().filename());
        (void)emberc::ParseOpensmConf(emberc::ReadText(entry.path()), diagnostics);
        const std::string said = RenderText(diagnostics) + Summary(diagnostics) + "\n";
        std::filesystem::path expected = entry.path();
        expected.replace_extension(".txt");
        if (update) emberc::WriteText(expected, said, emberc::Access::kEverybody);
        EXPECT_EQ(said, emberc::ReadText(expected)) << entry.path();
        ++compared;
    }
    EXPECT_GE(compared, 5);
    EXPECT_FALSE(update) << "the expected texts were written, nothing was compared";
}

}  // namespace
}  // namespace ember::test
