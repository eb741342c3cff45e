// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what is said after a great loss, and of the patience with silent links.

#include "core/manager/great_loss.h"

#include <gtest/gtest.h>

#include "core/manager/look_patience.h"

namespace ember {
namespace {

using Word = GreatLoss::Word;

TEST(GreatLoss, IsOneOfMoreThanHalf) {
    GreatLoss loss;
    EXPECT_EQ(loss.Judge({.nodes = 14}, 0), Word::kNone) << "the first sweep";
    EXPECT_EQ(loss.Judge({.nodes = 7}, 1), Word::kNone);
    EXPECT_EQ(loss.Judge({.nodes = 4}, 2), Word::kNone) << "of 7";
    EXPECT_EQ(loss.before(), 0U);
    EXPECT_EQ(loss.NextDeadlineUs(), kNever);
    EXPECT_EQ(loss.Judge({.nodes = 1}, 3), Word::kUnconfirmed);
    EXPECT_EQ(loss.before(), 4U);
}

TEST(GreatLoss, IsSeenAfterASweepWithErrorsToo) {
    GreatLoss loss;
    loss.Note(9);
    EXPECT_EQ(loss.Judge({.nodes = 2}, 0), Word::kUnconfirmed) << "it took seven links down";
    loss.Note(2);
    EXPECT_EQ(loss.Judge({.nodes = 9}, 1), Word::kNone);
    EXPECT_EQ(loss.Judge({.nodes = 5}, 2), Word::kNone);
}

TEST(GreatLoss, IsTakenForTrueByASecondLookAtTheEarliest) {
    GreatLoss loss;
    ASSERT_EQ(loss.Judge({.nodes = 14}, 0), Word::kNone);
    ASSERT_EQ(loss.Judge({.nodes = 2}, 10), Word::kUnconfirmed);
    EXPECT_EQ(loss.NextDeadlineUs(), 10 + GreatLoss::kConfirmUs);
    EXPECT_EQ(loss.Judge({.nodes = 2}, 20), Word::kUnconfirmed)
        << "a sweep that came for something else";
    EXPECT_FALSE(loss.TakeLook(9 + GreatLoss::kConfirmUs));
    EXPECT_TRUE(loss.TakeLook(10 + GreatLoss::kConfirmUs));
    EXPECT_FALSE(loss.TakeLook(11 + GreatLoss::kConfirmUs)) << "once";
    EXPECT_EQ(loss.Judge({.nodes = 2}, 12 + GreatLoss::kConfirmUs), Word::kNew);
    EXPECT_EQ(loss.Judge({.nodes = 3}, 13 + GreatLoss::kConfirmUs), Word::kKnown);
    EXPECT_EQ(loss.before(), 14U);
    EXPECT_EQ(loss.NextDeadlineUs(), kNever);
    EXPECT_EQ(loss.Judge({.nodes = 7}, 14 + GreatLoss::kConfirmUs), Word::kNone)
        << "half are there";
    EXPECT_EQ(loss.before(), 0U);
}

TEST(GreatLoss, WaitsForASweepInWhichNothingMovesButNotForEver) {
    GreatLoss loss;
    ASSERT_EQ(loss.Judge({.nodes = 14}, 0), Word::kNone);
    ASSERT_EQ(loss.Judge({.nodes = 1, .is_settled = false}, 10), Word::kUnconfirmed);
    const std::uint64_t ends_us = 10 + GreatLoss::kConfirmUs;
    EXPECT_EQ(loss.Judge({.nodes = 1, .is_settled = false}, ends_us), Word::kUnconfirmed);
    GreatLoss other = loss;
    EXPECT_EQ(other.Judge({.nodes = 2}, ends_us + 1), Word::kNew);
    EXPECT_EQ(loss.Judge({.nodes = 1, .is_settled = false}, ends_us + GreatLoss::kUnrestUs),
              Word::kNew);
}

TEST(GreatLoss, IsAcceptedByHandWhenItIsKnown) {
    GreatLoss loss;
    ASSERT_EQ(loss.Judge({.nodes = 14}, 0), Word::kNone);
    EXPECT_EQ(loss.Judge({.nodes = 2, .is_by_hand = true}, 10), Word::kUnconfirmed)
        << "the operator has not seen it yet";
    EXPECT_EQ(loss.Judge({.nodes = 2}, 10 + GreatLoss::kConfirmUs), Word::kNew);
    EXPECT_EQ(loss.Judge({.nodes = 2, .is_by_hand = true}, 20 + GreatLoss::kConfirmUs),
              Word::kNone);
    EXPECT_EQ(loss.Judge({.nodes = 2}, 21 + GreatLoss::kConfirmUs), Word::kNone);
}

TEST(GreatLoss, IsForgottenWithWhatWasThere) {
    GreatLoss loss;
    ASSERT_EQ(loss.Judge({.nodes = 14}, 0), Word::kNone);
    ASSERT_EQ(loss.Judge({.nodes = 2}, 10), Word::kUnconfirmed);
    loss.Forget();
    EXPECT_EQ(loss.NextDeadlineUs(), kNever);
    EXPECT_EQ(loss.Judge({.nodes = 2}, 20), Word::kNone);
}

TEST(LookPatience, DoublesFromTenSecondsToTenMinutes) {
    LookPatience patience;
    std::uint64_t looks = 0;
    std::uint64_t last_us = 0;
    std::uint64_t longest_us = 0;
    for (std::uint64_t now_us = kSecondUs; now_us < 10'000 * kSecondUs; now_us += kSecondUs) {
        if (!patience.Grants(true, now_us)) continue;
        if (looks == 0) EXPECT_EQ(now_us, 11 * kSecondUs);
        if (looks == 1) EXPECT_EQ(now_us, 31 * kSecondUs);
        longest_us = now_us - last_us;
        last_us = now_us;
        ++looks;
    }
    EXPECT_EQ(longest_us, LookPatience::kMostUs);
    EXPECT_GE(looks, 15U);
    EXPECT_LE(looks, 25U);
    EXPECT_FALSE(patience.Grants(false, 10'000 * kSecondUs));
    EXPECT_FALSE(patience.Grants(true, 10'001 * kSecondUs)) << "starts again";
    EXPECT_TRUE(patience.Grants(true, 10'011 * kSecondUs));
}

}  // namespace
}  // namespace ember
