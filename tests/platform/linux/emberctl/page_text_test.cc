// SPDX-License-Identifier: Apache-2.0
// EmberSM: blanks of the pages of emberctl, and what an answer may lack.

#include "platform/linux/emberctl/page_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ember::ctl {
namespace {

using Json = nlohmann::ordered_json;

TEST(PageText, FillsBlanksByTheirKind) {
    const Json from = {{"sent", 1234567}, {"us", 1500},
                       {"guid", "0x10"},  {"guid_name", "leaf 1"},
                       {"other", "0x20"}, {"in", {{"word", "verified"}, {"count", 7}}}};
    EXPECT_EQ(Fill("{sent} is {sent,}", from), "1234567 is 1,234,567");
    EXPECT_EQ(Fill("{us~}", from), "1.500 ms");
    EXPECT_EQ(Fill("{guid@} and {other@}", from), "0x10 \"leaf 1\" and 0x20");
    EXPECT_EQ(Fill("{in.word}, {in.count}", from), "verified, 7");
}

TEST(PageText, TakesAMemberThatIsMissingForNothingOrZero) {
    const Json from = {{"text", "x"}, {"list", Json::array({1})}};
    EXPECT_EQ(Fill("<{none}> <{none,}> <{none~}> <{none@}>", from), "<> <0> <0 us> <>");
    EXPECT_EQ(Fill("<{text.none}> <{none.none,}>", from), "<> <0>");
    EXPECT_EQ(Fill("no blank, and one without an end {text", from),
              "no blank, and one without an end ");
}

TEST(PageText, TakesNoBlankOfAnAnswerForOneOfItsOwn) {
    EXPECT_EQ(Fill("{name}", Json{{"name", "{secret}"}, {"secret", "s"}}), "{secret}");
}

TEST(PageText, GroupsDigitsAndRoundsDurations) {
    EXPECT_EQ(Grouped(0), "0");
    EXPECT_EQ(Grouped(999), "999");
    EXPECT_EQ(Grouped(1000), "1,000");
    EXPECT_EQ(Grouped(1234567), "1,234,567");
    EXPECT_EQ(Duration(999), "999 us");
    EXPECT_EQ(Duration(1500), "1.500 ms");
    EXPECT_EQ(Duration(2345678), "2.346 s");
    EXPECT_EQ(Duration(90061000000), "1 d 01:01");
}

}  // namespace
}  // namespace ember::ctl
