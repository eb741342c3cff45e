// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of links that a restarted node loses, and of marks that go with a link.
#include <gtest/gtest.h>
#include <vector>

#include "tests/core/links/flapping_links_fixture.h"

namespace ember::flapping_links {
namespace {

TEST_F(FlappingLinksTest, ANodeThatLosesAllItsLinksAtOnceWasRestarted) {
    for (unsigned i = 0; i < 3; ++i) {
        const std::uint64_t now_us = kStartUs + i * 15 * kSecondUs;
        for (const unsigned port : {1U, 2U, 3U}) {
            ASSERT_TRUE(Lose(At(kOther, port), now_us + port));  // In as many sweeps.
        }
        Review(now_us + kSecondUs);
        EXPECT_EQ(CountOf(LinkVerdict::kQuarantined) + CountOf(LinkVerdict::kDamped), 0U) << i;
        for (const FlappingLink& row : rows_) {
            EXPECT_EQ(links_.RecentEvents(row, now_us + kSecondUs), 0U);
        }
        EXPECT_EQ(log_.CountOf(Note::kNodeRestarts), i == 2 ? 1U : 0U) << "three times is often";
    }
    EXPECT_EQ(statistics().losses, 9U);
    LoseTooOften(At(kOne, 3), kStartUs + 100 * kSecondUs);
    Review(kStartUs + 100 * kSecondUs);
    EXPECT_TRUE(IsQuarantined(At(kOne, 3))) << "alone it is to blame";
}

TEST_F(FlappingLinksTest, ANodeThatKeepsALinkOrIsGoneWithOneWasNotRestarted) {
    for (unsigned i = 0; i < 3; ++i) {
        const std::uint64_t now_us = kStartUs + i * 15 * kSecondUs;
        ASSERT_TRUE(Lose(At(kOne, 2), now_us));
        ASSERT_TRUE(Lose(At(kOne, 3), now_us));  // The hosts of both switches stay.
        Review(now_us);
    }
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_EQ(CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_EQ(log_.CountOf(Note::kNodeRestarts), 0U);
    ASSERT_TRUE(Lose(At(kFarHost, 1), kStartUs + 100 * kSecondUs));
    fabric().RemoveNode(built_.node(kFarHost));
    Review(kStartUs + 100 * kSecondUs);
    EXPECT_EQ(links_.RecentEvents(rows_[2], kStartUs + 100 * kSecondUs), 1U) << "its only link";
}

TEST_F(FlappingLinksTest, AComplaintIsNotTakenBack) {
    ASSERT_TRUE(Lose(At(kOther, 2), kStartUs));
    ASSERT_TRUE(Lose(At(kOther, 3), kStartUs));
    static_cast<void>(links_.NoteComplaint(At(kOther, 3), kStartUs + 1));
    fabric().RemoveNode(built_.node(kOther));
    Review(kStartUs + kSecondUs);
    EXPECT_EQ(links_.RecentEvents(rows_[0], kStartUs + kSecondUs), 1U);
    EXPECT_EQ(links_.RecentEvents(rows_[1], kStartUs + kSecondUs), 2U);
}

TEST_F(FlappingLinksTest, BothEndsOfEachLinkWhoseTimeIsOverAreDue) {
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    const auto due = [&](std::uint64_t now_us) {
        std::vector<PortIndex> ports;
        links_.ForEachDue(now_us, [&](PortIndex at) { ports.push_back(at); });
        return ports;
    };
    EXPECT_TRUE(due(kStartUs + kHoldUs - 1).empty());
    EXPECT_EQ(due(kStartUs + kHoldUs), (std::vector<PortIndex>{At(kOne, 2), At(kOther, 2)}));
    fabric().RemoveNode(built_.node(kOther));
    EXPECT_EQ(due(kStartUs + kHoldUs), std::vector<PortIndex>{At(kOne, 2)});
    links_.PutOff(kStartUs + 5);
    EXPECT_EQ(links_.NextReleaseUs(), kStartUs + 5);
}

TEST_F(FlappingLinksTest, ALinkWhosePortLeadsElsewhereIsForgottenAndALostLinkIsNot) {
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    fabric().Disconnect(At(kOne, 2));
    Review(kStartUs + 1);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 1U) << "the lost link may return";
    fabric().Connect(At(kOne, 2), At(kOther, 4));
    Review(kStartUs + 2);
    EXPECT_FALSE(rows_[0].is_live());
    EXPECT_FALSE(IsQuarantined(At(kOne, 2)));
}

/// A loss that a release has forgiven is not taken back a second time when the node is restarted.
TEST_F(FlappingLinksTest, ALossBeforeItsReleaseIsNoPartOfALaterRestart) {
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    ASSERT_TRUE(IsQuarantined(At(kOne, 2)));
    const std::uint64_t released_us = kStartUs + kSecondUs;
    ASSERT_TRUE(Lose(At(kOne, 2), released_us));
    settings_.flapping_link_policy = FlappingLinkPolicy::kDamp;  // Ends quarantines at once.
    Review(released_us);
    ASSERT_FALSE(IsQuarantined(At(kOne, 2)));
    ASSERT_TRUE(Lose(At(kOne, 3), released_us + kSecondUs));
    fabric().RemoveNode(built_.node(kOther));
    Review(released_us + kSecondUs);
    EXPECT_EQ(rows_[0].events, 0U);
}

/// Rows for one link only.
class OneRow : public FlappingLinksTest {
protected:
    OneRow() : FlappingLinksTest(1) {}
};

TEST_F(OneRow, LeavesNoMarkAtAPortWhosePeerIsGone) {
    LoseTooOften(At(kOne, 2), kStartUs);
    fabric().RemoveNode(built_.node(kOther));
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 0U);
    EXPECT_FALSE(IsQuarantined(At(kOne, 2)));
    ASSERT_TRUE(Lose(At(kOne, 1), kStartUs)) << "the row goes to another link";
    Review(kStartUs);
    EXPECT_FALSE(IsQuarantined(At(kOne, 2)));
}

TEST_F(OneRow, GoesToTheLastLinkThatIsNotInQuarantine) {
    EXPECT_TRUE(Lose(At(kOne, 3), kStartUs));
    LoseTooOften(At(kOne, 2), kStartUs + 10 * kSecondUs);
    EXPECT_EQ(rows_[0].ends[0], EndOf(fabric(), At(kOne, 2)));
    EXPECT_EQ(statistics().forgotten, 0U);
    Review(kStartUs + 10 * kSecondUs);
    EXPECT_FALSE(Lose(At(kOne, 3), kStartUs + 10 * kSecondUs));
    EXPECT_FALSE(links_.NoteComplaint(At(kOne, 3), kStartUs + 10 * kSecondUs));
    EXPECT_EQ(statistics().forgotten, 2U);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 1U);
}

}  // namespace
}  // namespace ember::flapping_links
