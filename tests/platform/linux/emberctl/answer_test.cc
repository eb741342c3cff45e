// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what emberctl takes for an answer.

#include "platform/linux/emberctl/answer.h"

#include <gtest/gtest.h>

#include "platform/linux/emberctl/client.h"

namespace ember::ctl {
namespace {

TEST(ParseAnswer, TakesAnObject) {
    const auto answer = ParseAnswer(R"({"ok":true,"count":18446744073709551615,"share":0.5})");
    EXPECT_EQ(answer.at("count").get<std::uint64_t>(), 18446744073709551615U);
    EXPECT_TRUE(answer.at("ok").get<bool>());
}

TEST(ParseAnswer, TakesNothingElse) {
    for (const char* line : {"", "7", "[1]", "{\"ok\":", "\"ok\"", "null"}) {
        EXPECT_THROW(static_cast<void>(ParseAnswer(line)), Trouble) << line;
    }
}

TEST(ParseAnswer, TakesNoNumberThatNoIntegerHolds) {
    for (const char* number : {"1844674404073709551615", "1e30", "-1.5", "3e9"}) {
        const std::string line = std::string(R"({"a":[{"bytes":)") + number + "}]}";
        EXPECT_THROW(static_cast<void>(ParseAnswer(line)), Trouble) << number;
    }
}

}  // namespace
}  // namespace ember::ctl
