// SPDX-License-Identifier: Apache-2.0
// EmberSM: words, numbers, GIDs and rates of a question.
#include "config/explain/words.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ember::explain {
namespace {

std::vector<std::string> WordsOf(std::string_view line) {
    std::vector<std::string> found;
    std::string_view word;
    for (Words words(line); words.Next(word);) {
        found.emplace_back(word);
    }
    return found;
}

TEST(ExplainWords, ArePartedByBlanksUnlessTheyAreQuoted) {
    EXPECT_EQ(WordsOf(""), std::vector<std::string>());
    EXPECT_EQ(WordsOf("   "), std::vector<std::string>());
    EXPECT_EQ(WordsOf(" path  a b "), (std::vector<std::string>{"path", "a", "b"}));
    EXPECT_EQ(WordsOf("path \"host 1 HCA-1\" b"),
              (std::vector<std::string>{"path", "host 1 HCA-1", "b"}));
    EXPECT_EQ(WordsOf("\"\" x"), (std::vector<std::string>{"", "x"}));
    EXPECT_EQ(WordsOf("a \"not closed"), (std::vector<std::string>{"a", "not closed"}));
    EXPECT_EQ(WordsOf("\""), (std::vector<std::string>{""}));
}

TEST(ExplainWords, NumbersAreWholeAndBounded) {
    std::uint64_t number = 0;
    EXPECT_TRUE(ReadNumber("12", 12, number));
    EXPECT_EQ(number, 12U);
    EXPECT_TRUE(ReadNumber("0x1F", 31, number));
    EXPECT_EQ(number, 31U);
    EXPECT_TRUE(ReadNumber("0xffffffffffffffff", ~std::uint64_t{0}, number));
    EXPECT_EQ(number, ~std::uint64_t{0});
    for (const char* wrong : {"", "13", "-1", "1x", "0x", "0xg", " 1", "18446744073709551616"}) {
        EXPECT_FALSE(ReadNumber(wrong, 12, number)) << wrong;
    }
}

TEST(ExplainWords, GidsAreReadAsPeopleWriteThem) {
    constexpr Gid kBroadcast{0xFF12401BFFFF0000, 0xFFFFFFFF};
    for (const char* text : {"ff12:401b:ffff::ffff:ffff", "FF12:401B:FFFF:0000:0000:0000:FFFF:FFFF",
                             "0xff12401bffff000000000000ffffffff"}) {
        Gid gid;
        EXPECT_TRUE(ReadGid(text, gid)) << text;
        EXPECT_EQ(gid, kBroadcast) << text;
    }
    Gid gid;
    EXPECT_TRUE(ReadGid("::", gid));
    EXPECT_EQ(gid, Gid{});
    EXPECT_TRUE(ReadGid("ff02::1", gid));
    EXPECT_EQ(gid, (Gid{0xFF02000000000000, 1}));
    EXPECT_TRUE(ReadGid("ff02::", gid));
    EXPECT_EQ(gid, (Gid{0xFF02000000000000, 0}));
    for (const char* wrong :
         {"", "ff12", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::1", "g::1",
          "1:2:3:4:5:6:7:8::", "0xff", "1:", ":1", "ff02:::1"}) {
        EXPECT_FALSE(ReadGid(wrong, gid)) << wrong;
    }
}

TEST(ExplainWords, GidsAreWrittenInFull) {
    std::array<char, 64> room{};
    FixedText text(room);
    AddGid(text, {0xFF12401BFFFF0000, 0xFFFFFFFF});
    EXPECT_EQ(text.text(), "ff12:401b:ffff:0000:0000:0000:ffff:ffff");
}

TEST(ExplainWords, MtusAndRatesAreThoseOfTheSpecification) {
    Mtu mtu{};
    EXPECT_TRUE(ReadMtu("2048", mtu));
    EXPECT_EQ(mtu, Mtu::k2048);
    EXPECT_EQ(OctetsOf(Mtu::k256), 256U);
    EXPECT_EQ(OctetsOf(Mtu::k4096), 4096U);
    EXPECT_EQ(OctetsOf(Mtu::kNone), 0U);
    for (const char* wrong : {"", "128", "8192", "2049", "4"}) {
        EXPECT_FALSE(ReadMtu(wrong, mtu)) << wrong;
    }
    Rate rate{};
    EXPECT_TRUE(ReadRate("2.5", rate));
    EXPECT_EQ(rate, Rate::k2Gb5);
    EXPECT_TRUE(ReadRate("100", rate));
    EXPECT_EQ(rate, Rate::k100Gb);
    EXPECT_TRUE(ReadRate("1200", rate));
    EXPECT_EQ(rate, Rate::k1200Gb);
    EXPECT_EQ(RateWord(Rate::k14Gb), "14");
    EXPECT_EQ(RateWord(Rate::kNone), "");
    EXPECT_FALSE(ReadRate("", rate));
    EXPECT_FALSE(ReadRate("26", rate));
}

}  // namespace
}  // namespace ember::explain
