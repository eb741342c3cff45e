// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of enhanced_qos_policy_file: what is read, and every mistake with its place.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::LoadedBandwidths;
using emberc::LoadedQosPolicy;

struct Parsed {
    LoadedBandwidths loaded;
    std::string said;  ///< "line:column word" of each diagnostic, apart by commas.
    std::size_t errors = 0;
};

Parsed Parse(std::string_view text) {
    const std::vector<LoadedQosPolicy::Group> groups = {{.name = "Storage"}, {.name = "Two Words"}};
    Diagnostics diagnostics("enhanced.conf");
    Parsed parsed;
    parsed.loaded = emberc::ParseEnhancedQosPolicyFile(text, diagnostics, {.port_groups = groups});
    parsed.errors = diagnostics.CountOf(emberc::Severity::kError);
    parsed.said = PlacesAndWords(diagnostics);
    return parsed;
}

/// Limits of the SLs that are named; -1 stands for all.
BandwidthSet Limits(std::initializer_list<std::pair<int, std::uint32_t>> items) {
    BandwidthSet set;
    for (const auto& [sl, rate] : items) {
        for (int i = sl < 0 ? 0 : sl; i <= (sl < 0 ? 15 : sl); ++i) {
            set.named = static_cast<std::uint16_t>(set.named | 1U << static_cast<unsigned>(i));
            set.rates.at(static_cast<std::size_t>(i)) = rate;
        }
    }
    return set;
}

/// The example of the documents of the key.
constexpr std::string_view kExample = R"(BW_NAMES
bw1 = 50
bw2 = 25
bw3 = 15
bw4 = 10

BW_RULES
default= 1:bw1
0x2c90000000025= 1:bw2

VPORT_BW_RULES
default= all:bw3
0x2c90000000026= 3:bw4
)";

TEST(EnhancedQosPolicyFile, ReadsTheExampleOfItsDocuments) {
    const Parsed parsed = Parse(kExample);
    EXPECT_EQ(parsed.said, "");
    const LoadedBandwidths expected = {
        .rules = {{.guid = kNoGuid, .limits = Limits({{1, 50}})},
                  {.guid = Guid{0x2c90000000025}, .limits = Limits({{1, 25}})}},
        .groups = {},
        .virtual_rules = {{.guid = kNoGuid, .limits = Limits({{-1, 15}})},
                          {.guid = Guid{0x2c90000000026}, .limits = Limits({{3, 10}})}}};
    EXPECT_EQ(parsed.loaded, expected);
}

TEST(EnhancedQosPolicyFile, ReadsGroupsAllAndBothFormsOfAServiceLevel) {
    const Parsed parsed = Parse(
        "# limits\n"
        "BW_RULES\n"
        "0x9 = all : BW1 , SL3:BW2\n"
        "storage = 3:BW1, 9:none   # by group\n"
        "\"Two Words\" = sl15:BW2, all:BW1\n"
        "0x8=0:BW1,1:BW2\r\n"
        "BW_NAMES\n"
        "  BW1 = 0x10\n"
        "BW2=4294967295\n"
        "none = 0\n");
    EXPECT_EQ(parsed.said, "") << "names may be defined behind their use";
    const BandwidthSet twice = Limits({{-1, 16}, {15, 4294967295}});
    const LoadedBandwidths expected = {
        .rules = {{.guid = Guid{8}, .limits = Limits({{0, 16}, {1, 4294967295}})},
                  {.guid = Guid{9}, .limits = Limits({{-1, 16}, {3, 4294967295}})}},
        .groups = {{.group = 0, .name = "Storage", .limits = Limits({{3, 16}, {9, 0}})},
                   {.group = 1, .name = "Two Words", .limits = twice}},
        .virtual_rules = {}};
    EXPECT_EQ(parsed.loaded, expected);
    const emberc::OptionContents contents{.bandwidths = parsed.loaded};
    EXPECT_EQ(ContentsAsText(contents, true),
              "# enhanced_qos_policy_file: 4 rules\n"
              "#     BW_RULES: 0x0000000000000008 = 0:16, 1:4294967295 Mbit/s\n"
              "#     BW_RULES: 0x0000000000000009 = all:16, 3:4294967295 Mbit/s\n"
              "#     BW_RULES: Storage = 3:16, 9:0 Mbit/s\n"
              "#     BW_RULES: Two Words = all:16, 15:4294967295 Mbit/s\n");
}

TEST(EnhancedQosPolicyFile, KnowsThePredefinedGroupsWithoutAFileOfGroups) {
    const Parsed parsed = Parse("BW_NAMES\nfew = 7\nBW_RULES\nALL_CAS = all:few\nall = 2:few\n");
    EXPECT_EQ(parsed.said, "");
    const LoadedBandwidths expected = {.rules = {},
                                       .groups = {{.group = kGroupOfTypes | qos_node_type::kCa,
                                                   .name = "ALL_CAS",
                                                   .limits = Limits({{-1, 7}})},
                                                  {.group = kGroupOfTypes | qos_node_type::kAll,
                                                   .name = "ALL",
                                                   .limits = Limits({{2, 7}})}},
                                       .virtual_rules = {}};
    EXPECT_EQ(parsed.loaded, expected);
}

struct Mistake {
    std::string_view text;
    std::string_view said;
};

TEST(EnhancedQosPolicyFile, TellsEveryMistakeWithItsPlace) {
    constexpr std::string_view kNames = "BW_NAMES\nb = 1\n";  // Lines 1 and 2.
    for (const Mistake& mistake : std::initializer_list<Mistake>{
             {"BW_RULES\ndefault\n", "4:1 unknown-line"},
             {"BW_RULE\ndefault = 1:b\n", "3:1 unknown-line, 4:11 bad-number"},
             {"bw_rules\n", "3:1 unknown-line"},
             {"b = 1\n", "0:0 empty-file, 2:1 unused-entry, 3:1 duplicate-entry"},
             {"b = 2\n", "3:1 contradiction"},
             {"c =\n", "3:1 missing-value"},
             {" = 3\n", "3:2 missing-value"},
             {"c = fast\n", "3:5 bad-number"},
             {"c = 10Mb\n", "3:5 bad-number"},
             {"c = 1 2\n", "3:5 bad-number"},
             {"c = -1\n", "3:5 out-of-range"},
             {"c = 4294967296\n", "3:5 out-of-range"},
             {"my c = 1\n", "3:3 not-a-name"},
             {"c:d = 1\n", "3:2 not-a-name"},
             {"BW_NAMES\n", "3:1 duplicate-entry"},
             {"BW_RULES\n= 1:b\n", "4:1 missing-value"},
             {"BW_RULES\ndefault =\n", "4:1 missing-value"},
             {"BW_RULES\ndefault = 1:b,\n", "4:15 missing-value"},
             {"BW_RULES\ndefault = 1\n", "4:11 missing-value"},
             {"BW_RULES\ndefault = :b\n", "4:11 missing-value"},
             {"BW_RULES\ndefault = 1:\n", "4:11 missing-value"},
             {"BW_RULES\ndefault = 16:b\n", "4:11 out-of-range"},
             {"BW_RULES\ndefault = SL16:b\n", "4:13 out-of-range"},
             {"BW_RULES\ndefault = SLx:b\n", "4:11 bad-value"},
             {"BW_RULES\ndefault = ALL:b\n", "4:11 bad-value"},
             {"BW_RULES\ndefault = 1:c\n", "4:13 undefined-name"},
             {"BW_RULES\ndefault = 1:b, 1:b\n", "4:16 duplicate-entry"},
             {"c = 2\nBW_RULES\ndefault = 1:b, 1:c\n", "5:16 contradiction"},
             {"c = 2\nBW_RULES\ndefault = all:b, all:c\n", "5:18 contradiction"},
             {"BW_RULES\ndefault = 1:b\ndefault = 2:b\n", "5:1 contradiction"},
             {"BW_RULES\n0x7 = 1:b\n7 = 2:b\n", "5:1 contradiction"},
             {"BW_RULES\nstorage = 1:b\nSTORAGE = 1:b\n", "5:1 contradiction"},
             {"BW_RULES\nstore = 1:b\n", "4:1 undefined-name"},
             {"BW_RULES\nDefault = 1:b\n", "4:1 undefined-name"},
             {"BW_RULES\n0x = 1:b\n", "4:1 bad-number"},
             {"BW_RULES\n0 = 1:b\n", "4:1 out-of-range"},
             {"BW_RULES\n783900000000 = 1:b\n", "4:1 decimal-guid"},
             {"VPORT_BW_RULES\nstorage = 1:b\n", "4:1 bad-value"},
             {"VPORT_BW_RULES\n0x7 = 1:b\n0x7 = 1:b\n", "5:1 contradiction"},
             {"c = 3\nBW_RULES\n0x7 = 1:b\n", "3:1 unused-entry"},
         }) {
        EXPECT_EQ(Parse(std::string(kNames) + std::string(mistake.text)).said, mistake.said)
            << mistake.text;
    }
    EXPECT_EQ(Parse("default = 1:b\n").said, "1:1 unknown-line") << "before the first section";
    EXPECT_EQ(Parse("BW_RULES\ndefault = 1:b\n").said, "2:13 undefined-name");
    EXPECT_EQ(Parse("").said, "0:0 empty-file") << "it lifts all limits";
    EXPECT_EQ(Parse(kExample).errors, 0U) << "what is right stays right beside all that";
}

TEST(EnhancedQosPolicyFile, HasABoundOfGroupsAndRightSides) {
    std::vector<LoadedQosPolicy::Group> groups;
    std::string text = "BW_NAMES\nb = 1\nBW_RULES\n";
    for (std::size_t i = 0; i <= kMostBandwidthGroups; ++i) {
        groups.push_back({.name = fmt::format("g{}", i)});
        text += fmt::format("g{} = 1:b\n", i);
    }
    Diagnostics few("few");
    const auto all_but_one = text.substr(0, text.rfind('g'));
    static_cast<void>(
        emberc::ParseEnhancedQosPolicyFile(all_but_one, few, {.port_groups = groups}));
    EXPECT_TRUE(few.all().empty());
    Diagnostics many("many");
    static_cast<void>(emberc::ParseEnhancedQosPolicyFile(text, many, {.port_groups = groups}));
    ASSERT_EQ(many.all().size(), 1U);
    EXPECT_EQ(many.all()[0].code, emberc::Code::kTooLarge);

    std::string names = "BW_NAMES\n";
    std::string rules = "BW_RULES\n";
    for (std::size_t i = 0; i <= kMostBandwidthSets; ++i) {
        names += fmt::format("b{} = {}\n", i, i);
        rules += fmt::format("{:#x} = 1:b{}\n", i + 1, i);
    }
    EXPECT_EQ(Parse(names + rules).said, "0:0 too-large");
}

}  // namespace
}  // namespace ember::test
