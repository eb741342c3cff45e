// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the list of what diagnostics can be about.
#include "config/emberc/diagnostic_codes.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "config/emberc/files.h"

namespace ember::test {
namespace {

std::string Source(const std::string& path) {
    return emberc::ReadText(std::string(EMBER_SOURCE_DIR) + "/" + path);
}

TEST(DiagnosticCodes, AreWhatTheManualPageSays) {
    const std::string page = Source("docs/man/emberc.1");
    const std::string begin = ".\\\" Made by emberc codes --mdoc:\n";
    const std::size_t at = page.find(begin);
    ASSERT_NE(at, std::string::npos);
    const std::size_t from = at + begin.size();
    const std::size_t end = page.find(".\\\" So far.\n", from);
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(page.substr(from, end - from), emberc::CodesAsMdoc())
        << "make docs-update writes it anew";
}

/// Goal:   a code that nothing reports any more goes, and a new one has an example.
/// Method: each of them is behind a diagnostic in one of the golden texts.
TEST(DiagnosticCodes, AreEachReportedSomewhere) {
    std::string golden;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(EMBER_SOURCE_DIR) +
                                                                 "/tests/golden/emberc")) {
        if (entry.path().extension() == ".txt") golden += emberc::ReadText(entry.path());
    }
    for (const emberc::CodeRow& row : emberc::kCodes) {
        // Golden texts are made without a fabric: tests of TorusConfig hold this one.
        if (row.word == "not-in-fabric") continue;
        const std::string shown = " [" + std::string(row.word) + "]\n";
        EXPECT_NE(golden.find(shown), std::string::npos) << row.word << " is in no golden text";
    }
}

}  // namespace
}  // namespace ember::test
