// SPDX-License-Identifier: Apache-2.0
// EmberSM: a key that the documentation says acts does.
//
// Goal:   every key that docs/configuration.md marks `acts: yes` has an effect that can be seen,
//         and every other key has none that this table knows of.
// Method: the key table of emberc is compared with a table of situations. In each of them the key
//         is left at its default and set to another value; both texts are compiled by emberc, read
//         as a switch reads them, and what is seen is compared with what is written here.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "config/emberc/keys.h"
#include "config/emberc/plan/settings_source.h"
#include "tests/config/acts/row.h"
#include "tests/config/plan/plan_support.h"

namespace ember::acts {
namespace {

std::vector<Row> AllRows() {
    std::vector<Row> all;
    for (auto* const part : {&PortRows, &SendingRows, &RoleRows, &FlappingRows, &EngineRows,
                             &SpreadRows, &FatTreeRows, &AdministrationRows, &RouterRows,
                             &GroupRows, &PartitionRows, &LaneRows, &BandwidthRows, &ProcessRows}) {
        std::vector<Row> rows = part();
        std::move(rows.begin(), rows.end(), std::back_inserter(all));
    }
    return all;
}

/// The settings that a switch reads from the blob of these lines; nullptr, and a test failure, when
/// emberc or the switch refuses.
std::unique_ptr<plan::PlanSettings> Compiled(const Row& row, const std::string& lines) {
    const plan::Folder folder;
    for (const File& file : row.files) {
        folder.Write(file.name, file.text);
    }
    folder.Write("opensm.conf", lines);
    const plan::Answer compiled = plan::Emberc(
        {"compile", folder.File("opensm.conf"), "-o", folder.File("blob"), "--counter", "1"});
    EXPECT_EQ(compiled.status, 0) << lines << compiled.error;
    if (compiled.status != 0) return nullptr;
    auto settings = plan::LoadSettings(folder.File("blob"));
    EXPECT_NE(settings, nullptr) << lines;
    return settings;
}

class Acts : public ::testing::TestWithParam<Row> {};

TEST_P(Acts, AsItIsDocumentedTo) {
    const Row& row = GetParam();
    ASSERT_NE(row.usual, row.other) << "no effect";
    const std::string beside(row.beside);
    const auto usual = Compiled(row, beside);
    ASSERT_NE(usual, nullptr);
    const auto other =
        Compiled(row, fmt::format("{}{} {}\n{}", beside, row.key, row.value, row.with));
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(row.look(usual->settings()), row.usual);
    EXPECT_EQ(row.look(other->settings()), row.other);
}

INSTANTIATE_TEST_SUITE_P(Key, Acts, ::testing::ValuesIn(AllRows()), [](const auto& test) {
    return fmt::format("{}_{}", test.param.key, test.index);
});

bool IsDocumentedToAct(const emberc::Key& key) {
    return key.use == emberc::Use::kActedOn;
}

TEST(KeyTable, NamesNoKeyAsActingThatHasNoRowHere) {
    std::set<std::string_view> shown;
    for (const Row& row : AllRows()) {
        shown.insert(row.key);
    }
    std::size_t acting = 0;
    for (const emberc::Key& key : emberc::Keys()) {
        if (!IsDocumentedToAct(key)) continue;
        ++acting;
        EXPECT_EQ(shown.count(key.name), 1U)
            << key.name << " is documented as `acts: yes`, and no row shows an effect of it";
    }
    EXPECT_GE(acting, 90U);
}

TEST(KeyTable, NamesEveryKeyAsActingThatHasARowHere) {
    for (const Row& row : AllRows()) {
        const auto at = emberc::FindKey(row.key);
        ASSERT_TRUE(at.has_value()) << row.key;
        const emberc::Key& key = emberc::Keys()[*at];
        EXPECT_EQ(key.name, row.key) << "an old name";
        EXPECT_TRUE(IsDocumentedToAct(key)) << row.key << " is documented as not acting";
        EXPECT_NE(key.default_text, row.value) << row.key;
    }
}

}  // namespace

/// For GoogleTest, where a row fails.
void PrintTo(const Row& row, std::ostream* out) {
    *out << row.key << ' ' << row.value;
}

}  // namespace ember::acts
