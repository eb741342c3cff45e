// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of regular expressions of names: the table that a switch walks against RE2, which
// shares no code with it.
#include "config/emberc/option_files/name_automaton.h"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <re2/re2.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents_layout.h"
#include "config/emberc/option_files/name_expression_parser.h"
#include "core/port_groups/name_patterns.h"

namespace ember::test {
namespace {

using emberc::BuildPattern;
using emberc::ExpressionError;
using emberc::LoadedPattern;

/// As the switch decides.
bool Fits(const LoadedPattern& pattern, std::string_view name) {
    const emberc::LoadedPortGroups loaded{.groups = {}, .patterns = {pattern}};
    emberc::Layout layout;
    LayOut(loaded, layout);
    return FitsPattern(layout.tables, 0, name);
}

bool Fits(std::string_view expression, std::string_view name) {
    return Fits(BuildPattern(expression), name);
}

/// As RE2 decides: the expression matches at the front of the name.
bool FitsByRe2(std::string_view expression, std::string_view name) {
    const re2::RE2 judge(re2::StringPiece(expression.data(), expression.size()));
    return judge.Match(re2::StringPiece(name.data(), name.size()), 0, name.size(),
                       re2::RE2::ANCHOR_START, nullptr, 0);
}

TEST(NameAutomaton, FitsNamesThatBeginAsTheExpressionSays) {
    EXPECT_TRUE(Fits("SW", "SW")) << "the example of the documents: names that begin with SW";
    EXPECT_TRUE(Fits("SW", "SW17 leaf"));
    EXPECT_FALSE(Fits("SW", "S"));
    EXPECT_FALSE(Fits("SW", "leaf SW"));
    EXPECT_TRUE(Fits(".*SW", "leaf SW"));
    EXPECT_FALSE(Fits("SW$", "SW17"));
    EXPECT_TRUE(Fits("SW.*", "SW17")) << "the other example says the same";
    EXPECT_FALSE(Fits("SW", "sw17"));
    EXPECT_TRUE(Fits("(?i)SW", "sw17"));
}

TEST(NameAutomaton, HasAsFewStatesAsItCan) {
    const LoadedPattern pattern = BuildPattern("leaf[0-9]+|leaf[0-9]*5");
    EXPECT_EQ(pattern.states, 6U) << "one for each of 'leaf', one before the digit, one that fits";
    EXPECT_EQ(pattern.cells.size(), pattern.states * (pattern.classes + 1U));
    EXPECT_EQ(BuildPattern("").states, 1U);
    EXPECT_EQ(BuildPattern("(a|aa|aaa)*$").states, BuildPattern("a*$").states);
}

TEST(NameAutomaton, RefusesWhatIsNoExpressionWithItsPlace) {
    const auto place = [](std::string_view text) -> std::string {
        try {
            static_cast<void>(BuildPattern(text));
        } catch (const ExpressionError& error) {
            EXPECT_NE(std::string_view(error.what()), "");
            return std::to_string(error.begin()) + "+" + std::to_string(error.length());
        }
        return "accepted";
    };
    EXPECT_EQ(place("leaf(1"), "0+6");
    EXPECT_EQ(place("leaf[9-0]"), "5+3");
    EXPECT_EQ(place("a**"), "1+2");
    EXPECT_EQ(place("(a)\\1"), "3+2") << "an automaton remembers no group";
    EXPECT_EQ(place("a\\pL"), "1+2");
    EXPECT_EQ(place("[\\pL]"), "1+2");
    EXPECT_EQ(place("caf\xc3\xa9"), "3+1");
    EXPECT_EQ(place("a\\x{e9}"), "1+6");
    EXPECT_EQ(place("a\\tb"), "1+2") << "no name has a tabulator";
    EXPECT_EQ(place("say \\x22"), "4+4") << "nor a quotation mark";
    EXPECT_EQ(place("leaf[1-9]{1,3}"), "accepted");
}

/// The parser calls itself for each group: emberc's stack is not the measure of an expression.
TEST(NameAutomaton, RefusesGroupsThatAreTooDeep) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '(') + "a" + std::string(depth, ')');
    };
    EXPECT_NO_THROW(static_cast<void>(emberc::ParseExpression(nested(100))));
    for (const std::size_t depth : {std::size_t{101}, std::size_t{5000}, std::size_t{20000}}) {
        try {
            static_cast<void>(emberc::ParseExpression(nested(depth)));
            ADD_FAILURE() << depth;
        } catch (const emberc::ExpressionError& error) {
            EXPECT_EQ(error.begin(), 100U);
            EXPECT_STREQ(error.what(), "groups stand in each other more than 100 deep");
        }
    }
    std::string beside;
    for (int i = 0; i < 300; ++i) {
        beside += "(a)(?i)";
    }
    EXPECT_NO_THROW(static_cast<void>(emberc::ParseExpression(beside)));
}

TEST(NameAutomaton, RefusesWhatIsTooLarge) {
    const auto why = [](std::string_view text) -> std::string {
        try {
            static_cast<void>(BuildPattern(text));
        } catch (const ExpressionError& error) {
            return error.what();
        }
        return {};
    };
    // Which of the last twenty characters were an a: two to the power of twenty states.
    EXPECT_NE(why(".*a.{20}$").find("1024 states"), std::string::npos);
    EXPECT_NE(why("(a{30}b{30}){30}").find("1024 steps"), std::string::npos);
    EXPECT_EQ(why(".*a.{8}$"), "");
}

TEST(NameAutomaton, KnowsWhatRe2Knows) {
    constexpr std::array kExpressions = {
        "a|b|",        "(?:ab)+c?",  "a{2}b{0,2}",   "a{,2}",         "x{2",           "[]a]b",
        "[^]a]b",      "[a-]+$",     "[a\\]b]+$",    "[[:alpha:]]+$", "[[:^digit:]]$", "\\d+\\D",
        "\\w+\\b",     "\\Bb",       "a\\b-",        "^a^b",          "a$b",           "(^|b)a",
        "\\Qa.b\\E+$", "\\x61\\141", "(?i)aB[c-d]$", "(?i:A)b",       "(?P<n>a)b",     "(a*)*$",
        "(|a)+b",      "a.?b",       "\\.",          "[.]",           "a*?b",          "(?U)a+b$",
        "(?s).*b$",    "(?m)^a$",    "\\Ab\\z",      "[^a-b]",        "(?i)[^A]$",     "\\Cb",
        "{",           "a{0}b",      "(a|b){2,}$",   "[\\w-]+$",
    };
    constexpr std::array kNames = {"",    "a",   "b",    "ab",    "ba",   "aab", "abb", "abc",
                                   "a.b", "a-b", "A",    "aB",    "ABD",  "aBc", "1a",  "12b",
                                   "a b", "]b",  "a]b",  "x{2",   "{",    "a_1", ".",   "-",
                                   "a,2", "ab ", "aaaa", "a{,2}", "a.bb", "\\",  "cab"};
    std::size_t fits = 0;
    for (const std::string_view expression : kExpressions) {
        const LoadedPattern pattern = BuildPattern(expression);
        for (const std::string_view name : kNames) {
            const bool expected = FitsByRe2(expression, name);
            EXPECT_EQ(Fits(pattern, name), expected) << expression << " on '" << name << "'";
            fits += expected ? 1U : 0U;
        }
    }
    EXPECT_GT(fits, 100U);
}

/// Of few letters, so that names meet them.
std::string AnyExpression(int depth) {
    const auto pick = [](const std::vector<std::string>& words) {
        return words.at(*rc::gen::inRange<std::size_t>(0, words.size()));
    };
    if (depth == 0) {
        return pick({"a",   "b",   "A",   "-",   " ", ".", "[ab]", "[^a]",        "[a-c]", "\\w",
                     "\\W", "\\d", "\\b", "\\B", "^", "$", "ab",   "[[:upper:]]", "\\x2d", "\\."});
    }
    const std::string part = AnyExpression(depth - 1);
    switch (*rc::gen::inRange(0, 6)) {
        case 0:
            return "(" + part + ")" + pick({"*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "??"});
        case 1:
            return part + "|" + AnyExpression(depth - 1);
        case 2:
            return pick({"(?i)", "(?:", "(?i:", "("}) == "(?i)" ? "(?i)" + part : "(" + part + ")";
        case 3:
            return "(?i:" + part + ")";
        default:
            return part + AnyExpression(depth - 1);
    }
}

RC_GTEST_PROP(NameAutomaton, DecidesAsRe2Does, ()) {
    const std::string expression = AnyExpression(*rc::gen::inRange(0, 6));
    if (!re2::RE2(expression, re2::RE2::Quiet).ok()) return;
    LoadedPattern pattern;
    try {
        pattern = BuildPattern(expression);
    } catch (const ExpressionError& error) {
        RC_ASSERT(std::string_view(error.what()).find("too large") != std::string_view::npos);
        return;
    }
    for (int i = 0; i < 40; ++i) {
        const auto name =
            *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aabbcAB-- .1_")));
        if (Fits(pattern, name) != FitsByRe2(expression, name)) {
            RC_FAIL(expression + " on '" + name + "'");
        }
    }
}

}  // namespace
}  // namespace ember::test
