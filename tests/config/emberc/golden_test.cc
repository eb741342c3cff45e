// SPDX-License-Identifier: Apache-2.0
// EmberSM: what emberc says of whole files, word for word: tests/golden/emberc/*.conf and *.txt.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/emberc/configuration.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/files.h"

namespace ember::test {
namespace {

/// With EMBER_UPDATE_GOLDEN set the expected texts are written instead; review them in the diff.
TEST(GoldenDiagnostics, AreWordForWordWhatTheyWere) {
    const std::filesystem::path folder =
        std::filesystem::path(EMBER_SOURCE_DIR) / "tests/golden/emberc";
    std::filesystem::current_path(folder);  // So that no name has the place of the tree in it.
    const bool update = std::getenv("EMBER_UPDATE_GOLDEN") != nullptr;
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".conf") continue;
        std::filesystem::path default_folder = entry.path().filename();
        default_folder.replace_extension(".etc");  // Of most there is none.
        const emberc::Configuration read =
            emberc::ReadConfiguration(entry.path().filename(), emberc::ReadText(entry.path()),
                                      {.allowances = {},
                                       .strict = false,
                                       .default_files = true,
                                       .default_folder = default_folder});
        const std::string said = RenderText(std::span<const emberc::Diagnostics>(read.reports)) +
                                 Summary(read.reports) + "\n";
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
