// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of text beyond ASCII.

#include "core/base/utf8.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace ember {
namespace {

std::vector<std::uint8_t> Octets(std::string_view text) {
    return {text.begin(), text.end()};
}

TEST(Utf8, ReadsCharactersOfOneToFourOctets) {
    struct Row {
        std::string_view text;
        std::uint32_t code;
    };
    for (const Row& row : {Row{"A", 0x41}, Row{"\xc3\xa9", 0xE9}, Row{"\xe6\x9d\xb1", 0x6771},
                           Row{"\xf0\x9f\x90\xa7", 0x1F427}, Row{"\xf4\x8f\xbf\xbf", 0x10FFFF}}) {
        const Utf8Character read = FirstCharacter(Octets(row.text));
        EXPECT_EQ(read.code, row.code);
        EXPECT_EQ(read.octets, row.text.size());
    }
}

TEST(Utf8, RefusesWhatRfc3629Refuses) {
    for (const std::string_view text :
         {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xc3x", "\xe0\x80\xaf", "\xe6\x9d",
          "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80",
          "\xf5\x80\x80\x80", "\xff", ""}) {
        EXPECT_EQ(FirstCharacter(Octets(text)).octets, 0U) << text;
    }
}

TEST(Utf8, LetsNoNameSteerATerminalOrTurnItsLine) {
    EXPECT_EQ(NameOctets(Octets("Zürich 東京")), Octets("Zürich 東京").size());
    for (const std::string_view odd :
         {"\x1b", "\x7f", "\"", "\n", "\xc2\x80", "\xc2\x9f", "\xe2\x80\xa8", "\xe2\x80\xae",
          "\xe2\x80\x8b", "\xe2\x81\xa6", "\xef\xbb\xbf", "\xef\xbf\xbf", "\xd8\x9c", "\xff"}) {
        EXPECT_EQ(NameOctets(Octets("ab" + std::string(odd) + "c")), 2U) << odd;
    }
    EXPECT_EQ(NameOctets(Octets("\xc2\xa0")), 2U);  // A blank that does not break shows.
}

TEST(Utf8, CutsBetweenCharacters) {
    const std::vector<std::uint8_t> text = Octets("aé東b");  // 1 + 2 + 3 + 1 octets.
    const std::vector<std::size_t> expected{0, 1, 1, 3, 3, 3, 6, 7, 7};
    for (std::size_t most = 0; most < expected.size(); ++most) {
        EXPECT_EQ(WholeCharacters(text, most), expected[most]) << most;
    }
}

}  // namespace
}  // namespace ember
