// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the corpus of chain_files_fuzz: what is refused, and what is not.
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "config/emberc/files.h"
#include "config/netlist/topologies.h"
#include "tests/support/chain_files.h"

namespace ember::test {
namespace {

namespace fs = std::filesystem;

TEST(ChainCorpus, EachRefusedTextHasAMistakeWithItsPlaceAndTheOthersNone) {
    const net::Netlist tree = net::FatTree2(4);
    std::size_t refused = 0;
    std::size_t good = 0;
    std::set<std::string> reasons;
    for (const auto& entry :
         fs::directory_iterator(EMBER_SOURCE_DIR "/tests/fuzz/corpus/chain_files_fuzz")) {
        const std::string name = entry.path().filename().string();
        const testing::ChainFiles files =
            testing::ReadChainFiles(emberc::ReadText(entry.path()), tree);
        if (name.starts_with("good_")) {
            ++good;
            EXPECT_EQ(files.diagnostics.CountOf(emberc::Severity::kError), 0U)
                << name << '\n'
                << RenderText(files.diagnostics);
            EXPECT_TRUE(testing::IsTakenBySwitch(files.contents)) << name;
            continue;
        }
        if (!name.starts_with("refused_")) continue;
        ++refused;
        bool has_place = false;
        for (const emberc::Diagnostic& one : files.diagnostics.all()) {
            if (one.severity != emberc::Severity::kError) continue;
            has_place = has_place || one.place.line > 0 || name == "refused_no_step";
            reasons.insert(one.text);
        }
        EXPECT_TRUE(has_place) << name << '\n' << RenderText(files.diagnostics);
    }
    EXPECT_GE(refused, 24U);
    EXPECT_GE(good, 5U);
    EXPECT_GE(reasons.size(), 20U) << "few mistakes look alike";
}

}  // namespace
}  // namespace ember::test
