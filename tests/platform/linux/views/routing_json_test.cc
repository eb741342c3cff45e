// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the part of the status that is about routes.

#include "platform/linux/views/routing_json.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace ember {
namespace {

std::string TextOf(const ChannelList& list) {
    std::array<char, 512> room{};
    JsonWriter json(room);
    json.Open();
    AddChannels(json, "cycle", list);
    json.Close();
    return std::string(json.text());
}

TEST(AddChannels, NamesTheVlOnlyWhereThereAreSeveral) {
    ChannelList list;
    ASSERT_EQ(list.channels.TryPush({Guid{0x11}, PortNumber{3}, 0}), Status::kOk);
    list.length = 1;
    EXPECT_EQ(TextOf(list),
              R"({"cycle":{"length":1,"channels":[{"switch":"0x0000000000000011","port":3}]}})");
    list.lanes = 2;
    list.channels[0].lane = 1;
    EXPECT_EQ(TextOf(list), R"({"cycle":{"length":1,"channels":[)"
                            R"({"switch":"0x0000000000000011","port":3,"vl":1}]}})");
}

}  // namespace
}  // namespace ember
