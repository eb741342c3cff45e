// SPDX-License-Identifier: Apache-2.0
// EmberSM: text and JSON in buffers of fixed size.

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "core/base/utf8.h"
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
    // Octets of what is no character that a name may have are written as code points of their own.
    std::string wanted;
    const std::vector<std::uint8_t> all(octets.begin(), octets.end());
    for (std::size_t i = 0; i < all.size();) {
        const Utf8Character next = FirstCharacter(std::span(all).subspan(i));
        const std::size_t end = i + std::max(next.octets, std::size_t{1});
        const bool is_kept = next.octets == 1 || (next.octets > 1 && IsNameCharacter(next.code));
        if (is_kept) wanted.append(octets, i, end - i);
        for (; !is_kept && i < end; ++i) {
            wanted.push_back(static_cast<char>(0xC0U | unsigned{all[i]} >> 6U));
            wanted.push_back(static_cast<char>(0x80U | (all[i] & 0x3FU)));
        }
        i = end;
    }
    RC_ASSERT(parsed["text"].get<std::string>() == wanted);
}

}  // namespace
}  // namespace ember
