// SPDX-License-Identifier: Apache-2.0
// EmberSM: text and JSON in buffers of fixed size.

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>
#include <string>

#include "core/log/fixed_text.h"
#include "core/log/json_writer.h"

namespace ember {
namespace {

TEST(FixedText, LeavesOutWhatDoesNotFitWhole) {
    std::array<char, 5> room{};
    FixedText text(room);
    text.Add("abc").Add("def").Add("g");
    EXPECT_EQ(text.text(), "abc");
    EXPECT_TRUE(text.full());
    text.clear();
    EXPECT_EQ(text.Add("abcde").text(), "abcde");
    EXPECT_FALSE(text.full());
}

TEST(FixedText, FillsNumbersUpWithZeros) {
    std::array<char, 64> room{};
    FixedText text(room);
    text.AddNumber(7U, 3).Add(' ').AddNumber(1234U, 3).Add(' ').AddHex(0xABCU, 4);
    EXPECT_EQ(text.text(), "007 1234 0abc");
    text.clear();
    text.AddNumber(std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(text.text(), "18446744073709551615");
}

TEST(JsonWriter, NestsAndSeparates) {
    std::array<char, 256> room{};
    JsonWriter json(room);
    json.Open().Add("a", 1U).OpenList("list").Add("", "x").Add("", 2U).Open().Close().CloseList();
    json.Open("empty").Close().Add("yes", true).AddGuid("guid", 0x1234).Close();
    EXPECT_EQ(json.text(),
              R"({"a":1,"list":["x",2,{}],"empty":{},"yes":true,"guid":"0x0000000000001234"})");
}

TEST(JsonWriter, SaysWhenTheBufferWasTooSmall) {
    std::array<char, 10> room{};
    JsonWriter json(room);
    json.Open().Add("key", "a long value").Close();
    EXPECT_TRUE(json.full());
}

RC_GTEST_PROP(JsonWriter, EveryOctetOfATextSurvives, ()) {
    const auto octets = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    std::string room(octets.size() * 6 + 64, '\0');
    JsonWriter json(room);
    json.Open().Add("text", octets).Close();
    RC_ASSERT(!json.full());
    const auto parsed = nlohmann::json::parse(json.text());
    // Octets above 0x7E are written as the code points of the same number.
    std::string read;
    const auto utf8 = parsed["text"].get<std::string>();
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        auto octet = static_cast<unsigned char>(utf8[i]);
        if (octet >= 0xC2) {
            const auto low = static_cast<unsigned char>(utf8[++i]);
            octet = static_cast<unsigned char>(unsigned{octet} << 6U) | (low & 0x3FU);
        }
        read.push_back(static_cast<char>(octet));
    }
    RC_ASSERT(read == octets);
}

}  // namespace
}  // namespace ember
