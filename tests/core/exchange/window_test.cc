// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the window of SMPs in flight.
#include "core/exchange/window.h"

#include <gtest/gtest.h>

#include "core/base/time.h"

namespace ember {
namespace {

Window Made(std::size_t capacity, std::uint32_t usual, std::uint32_t ceiling = 0) {
    Window window;
    window.Configure(capacity, usual, ceiling, 600);
    return window;
}

TEST(Window, StartsAsWideAsTheOperatorAllows) {
    EXPECT_EQ(Made(4096, 32).size(), 32U);
}

TEST(Window, IsNeverWiderThanTheBoardHolds) {
    EXPECT_EQ(Made(16, 1000, 2000).size(), 16U);
    EXPECT_EQ(Made(16, 0).size(), 16U) << "max_wire_smps 0 means no limit of its own";
}

TEST(Window, ALossHalvesItOnceForAllThatWereLostTogether) {
    Window window = Made(64, 32);
    EXPECT_TRUE(window.HearLoss(100, 300));
    EXPECT_FALSE(window.HearLoss(101, 301));
    EXPECT_FALSE(window.HearLoss(300, 500)) << "sent before the halving took effect";
    EXPECT_EQ(window.size(), 16U);

    window.HearAnswer(350);
    EXPECT_TRUE(window.HearLoss(310, 510));
    EXPECT_EQ(window.size(), 8U);
}

TEST(Window, IsNeverNarrowerThanWhatAnyBufferHolds) {
    Window window = Made(64, 32);
    for (std::uint64_t now = 1000; now < 20000; now += 1000) {
        window.HearAnswer(now + 1);
        window.HearLoss(now + 2, now + 3);
        EXPECT_GE(window.size(), Window::kLeast);
    }
    EXPECT_EQ(window.size(), Window::kLeast);
    Window narrow = Made(64, 2);
    narrow.HearLoss(1, 2);
    EXPECT_EQ(narrow.size(), 2U) << "and never wider than configured";
}

TEST(Window, AnswersOpenItAgainFastUpToHalfAndThenByOneAWindow) {
    Window window = Made(64, 32);
    std::uint64_t now = 1000;
    for (int i = 0; i < 3; ++i) {  // 16, 8, 4 with one answer between.
        window.HearLoss(now + 1, now + 2);
        now += 10;
        if (i < 2) window.HearAnswer(now);
    }
    const std::size_t low = window.size();
    ASSERT_LT(low, 16U);
    for (std::size_t i = low; i < 16; ++i) {
        window.HearAnswer(now);
    }
    EXPECT_EQ(window.size(), 16U);
    for (int i = 0; i < 15; ++i) {
        window.HearAnswer(now);
    }
    EXPECT_EQ(window.size(), 16U);
    window.HearAnswer(now);
    EXPECT_EQ(window.size(), 17U);
    for (int i = 0; i < 1000; ++i) {
        window.HearAnswer(now);
    }
    EXPECT_EQ(window.size(), 32U) << "and no wider than configured";
}

TEST(Window, SilenceLetsOneMoreOutAtATimeUpToTheCeiling) {
    Window window = Made(64, 4, 6);
    window.BeginSilence(1000);
    EXPECT_EQ(window.NextAllowanceUs(), 1600U);
    window.ObserveSilence(1599);
    EXPECT_EQ(window.size(), 4U);
    window.ObserveSilence(1600);
    EXPECT_EQ(window.size(), 5U);
    EXPECT_EQ(window.NextAllowanceUs(), 2200U);
    window.ObserveSilence(9999);
    EXPECT_EQ(window.size(), 6U);
    EXPECT_EQ(window.NextAllowanceUs(), kNever);
    window.HearAnswer(10000);
    EXPECT_EQ(window.size(), 4U) << "an answer sets the allowance back";
}

TEST(Window, WithoutASecondLimitSilenceEarnsNothing) {
    Window window = Made(64, 4);
    window.BeginSilence(0);
    window.ObserveSilence(1000000);
    EXPECT_EQ(window.size(), 4U);
    EXPECT_EQ(window.NextAllowanceUs(), kNever);
}

}  // namespace
}  // namespace ember
