// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the names of nodes.
#include "core/fabric/node_names.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric/departed_nodes.h"

namespace ember {
namespace {

std::string Cleaned(std::string_view description, std::size_t room_octets = kMaxNameOctets) {
    const std::vector<std::uint8_t> octets(description.begin(), description.end());
    std::vector<char> room(room_octets);
    const std::size_t length = CleanName(octets, room);
    return {room.data(), length};
}

TEST(CleanName, KeepsPrintableAscii) {
    EXPECT_EQ(Cleaned("leaf 2 HCA-1"), "leaf 2 HCA-1");
    EXPECT_EQ(Cleaned(std::string_view("leaf\0rest", 9)), "leaf") << "up to its first zero";
    EXPECT_EQ(Cleaned("leaf   "), "leaf");
    EXPECT_EQ(Cleaned(""), "");
    EXPECT_EQ(Cleaned("   "), "");
}

TEST(CleanName, ReplacesControlCharactersAndQuotationMarks) {
    EXPECT_EQ(Cleaned("a\x1b[2J\nb\tc\x7f"), "a?[2J?b?c?");
    EXPECT_EQ(Cleaned("say \"hello\""), "say 'hello'");
    EXPECT_EQ(Cleaned("caf\xc3\xa9 \xe2\x80\xae"), "caf? ?") << "one for a character";
    EXPECT_EQ(Cleaned("\xc2\x9b"
                      "31m"),
              "?31m");
}

TEST(CleanName, IsBoundedByItsRoom) {
    EXPECT_EQ(Cleaned(std::string(64, 'x')), std::string(64, 'x'));
    EXPECT_EQ(Cleaned("leaf-2", 4), "leaf");
    EXPECT_EQ(Cleaned("leaf-2", 0), "");
}

DepartedNode Gone(std::uint64_t guid, char name) {
    DepartedNode node{.guids = {Guid{guid}, Guid{guid + 1000}}};
    node.description[0] = static_cast<std::uint8_t>(name);
    return node;
}

TEST(DepartedNodes, AreFoundByNodeGuidAndByPortGuid) {
    DepartedNodes nodes;
    EXPECT_EQ(nodes.Find(Guid{1}), nullptr);
    for (std::uint64_t i = 1; i <= DepartedNodes::kMost + 1; ++i) {
        nodes.Remember(Gone(i, 'a'));
    }
    EXPECT_EQ(nodes.Find(Guid{1}), nullptr) << "the oldest made room";
    ASSERT_NE(nodes.Find(Guid{2}), nullptr);
    EXPECT_EQ(nodes.Find(Guid{1002}), nodes.Find(Guid{2})) << "by its PortGUID too";
    EXPECT_EQ(nodes.Find(kNoGuid), nullptr) << "though some have fewer GUIDs";
    nodes.Remember(Gone(2, 'b'));
    EXPECT_EQ(nodes.Find(Guid{2})->description[0], 'b') << "its own place";
    EXPECT_NE(nodes.Find(Guid{3}), nullptr);
    nodes.clear();
    EXPECT_EQ(nodes.Find(Guid{3}), nullptr);
}

}  // namespace
}  // namespace ember
