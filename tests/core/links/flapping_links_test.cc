// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of flapping links: events, lengths of quarantines, and links that are needed.
//
// Goal:   the contract of each function of FlappingLinks, at its bounds.
// Method: a subnet of two hosts and two switches with two links between these. The test reports
//         losses and traps, and sets the time.
#include "core/links/flapping_links.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/core/links/flapping_links_fixture.h"

namespace ember::flapping_links {
namespace {

TEST_F(FlappingLinksTest, ALossCountsOnceASweepFromWhicheverEnd) {
    links_.BeginSweep(true);
    EXPECT_TRUE(links_.NoteLoss(At(kOther, 2), kStartUs));
    EXPECT_FALSE(links_.NoteLoss(At(kOne, 2), kStartUs)) << "the other end of the same link";
    EXPECT_TRUE(links_.NoteLoss(At(kOne, 3), kStartUs)) << "another link";
    EXPECT_EQ(statistics().losses, 2U);
    EXPECT_TRUE(Lose(At(kOne, 2), kStartUs)) << "the next sweep";
    EXPECT_EQ(links_.RecentEvents(rows_[0], kStartUs), 2U);
    EXPECT_EQ(links_.RecentEvents(rows_[1], kStartUs), 1U);
}

TEST_F(FlappingLinksTest, LossesCountOnlyInASweepThatCountsThem) {
    EXPECT_FALSE(links_.NoteLoss(At(kOne, 2), kStartUs)) << "before any sweep";
    links_.BeginSweep(false);
    EXPECT_FALSE(links_.NoteLoss(At(kOne, 2), kStartUs));
    EXPECT_EQ(statistics().losses, 0U);
    EXPECT_FALSE(rows_[0].is_live());
}

TEST_F(FlappingLinksTest, APortWithoutALinkHasNoEvents) {
    EXPECT_FALSE(Lose(At(kOne, 4), kStartUs));
    EXPECT_FALSE(links_.NoteComplaint(At(kOne, 4), kStartUs));
    EXPECT_EQ(statistics().losses, 0U);
    EXPECT_EQ(statistics().complaints, 0U);
    EXPECT_EQ(statistics().forgotten, 0U);
}

TEST_F(FlappingLinksTest, ARowNamesASwitchFirstAndOfTwoTheOneOfTheSmallerGuid) {
    EXPECT_TRUE(Lose(At(kFarHost, 1), kStartUs));
    EXPECT_TRUE(Lose(At(kOther, 3), kStartUs));
    EXPECT_EQ(rows_[0].ends[0], EndOf(fabric(), At(kOther, 1)));
    EXPECT_EQ(rows_[0].ends[1], EndOf(fabric(), At(kFarHost, 1)));
    EXPECT_EQ(rows_[1].ends[0], EndOf(fabric(), At(kOne, 3)));
    EXPECT_EQ(rows_[1].ends[1], EndOf(fabric(), At(kOther, 3)));
    EXPECT_EQ(links_.rows().size(), rows_.size());
}

TEST_F(FlappingLinksTest, AnEventCountsToTheEndOfTheWindow) {
    EXPECT_TRUE(Lose(At(kOne, 2), kStartUs));
    EXPECT_EQ(links_.RecentEvents(rows_[0], kStartUs + kWindowUs), 1U);
    EXPECT_EQ(links_.RecentEvents(rows_[0], kStartUs + kWindowUs + 1), 0U);
}

TEST_F(FlappingLinksTest, EventsBeyondTheRingDoNotCount) {
    for (std::size_t i = 0; i < FlappingLink::kMostCounted + 4; ++i) {
        static_cast<void>(links_.NoteComplaint(At(kOne, 2), kStartUs));
    }
    EXPECT_EQ(links_.RecentEvents(rows_[0], kStartUs), FlappingLink::kMostCounted);
    EXPECT_EQ(statistics().complaints, FlappingLink::kMostCounted + 4);
}

TEST_F(FlappingLinksTest, AComplaintNeedsAReviewWhenThereAreTooManyEvents) {
    EXPECT_TRUE(Lose(At(kOne, 2), kStartUs));
    EXPECT_FALSE(links_.NoteComplaint(At(kOther, 2), kStartUs));
    EXPECT_TRUE(links_.NoteComplaint(At(kOne, 2), kStartUs)) << "the third event";
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_FALSE(links_.NoteComplaint(At(kOne, 2), kStartUs)) << "Review() has decided";
}

TEST_F(FlappingLinksTest, FlappingLinkCountEventsPutALinkIntoQuarantineAndFewerDoNot) {
    EXPECT_TRUE(Lose(At(kOne, 2), kStartUs));
    EXPECT_TRUE(Lose(At(kOne, 2), kStartUs));
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kWatched), 1U);
    EXPECT_FALSE(IsQuarantined(At(kOne, 2)));
    EXPECT_EQ(links_.NextReleaseUs(), kNever);

    fabric().port(At(kOne, 2)).touched = false;
    EXPECT_TRUE(Lose(At(kOne, 2), kStartUs));
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_TRUE(IsQuarantined(At(kOne, 2)) && IsQuarantined(At(kOther, 2))) << "both ends";
    EXPECT_FALSE(IsQuarantined(At(kOne, 3)) || IsQuarantined(At(kOther, 3)));
    EXPECT_TRUE(fabric().port(At(kOne, 2)).touched) << "its plan changes";
    EXPECT_EQ(links_.NextReleaseUs(), kStartUs + kHoldUs);
    EXPECT_EQ(statistics().quarantines, 1U);
    Review(kStartUs + 1);
    EXPECT_EQ(log_.CountOf(Note::kLinkQuarantined), 1U) << "noted once";
}

TEST_F(FlappingLinksTest, AQuietLinkIsReleasedWhenItsTimeIsOver) {
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    Review(kStartUs + kHoldUs - 1);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 1U);
    Review(kStartUs + kHoldUs);
    EXPECT_EQ(CountOf(LinkVerdict::kWatched), 1U);
    EXPECT_FALSE(IsQuarantined(At(kOne, 2)) || IsQuarantined(At(kOther, 2)));
    EXPECT_EQ(links_.NextReleaseUs(), kNever);
    EXPECT_EQ(statistics().releases, 1U);
    EXPECT_EQ(log_.CountOf(Note::kLinkReleased), 1U);
    EXPECT_EQ(links_.RecentEvents(rows_[0], kStartUs + kHoldUs), 0U) << "counting starts again";
}

TEST_F(FlappingLinksTest, AnEventInQuarantinePutsItsEndOff) {
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    const std::uint64_t again_us = kStartUs + kHoldUs - 1;
    EXPECT_TRUE(Lose(At(kOne, 2), again_us));
    Review(kStartUs + kHoldUs);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_EQ(links_.NextReleaseUs(), again_us + kHoldUs);
    Review(again_us + kHoldUs);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 0U);
}

/// Goal: each quarantine is twice as long as the one before, up to 2^kMostDoublings times the
/// first; after a rest of its length and a window it is the first again.
TEST_F(FlappingLinksTest, QuarantinesGrowToABoundAndShrinkAfterARest) {
    const PortIndex at = At(kOne, 2);
    std::uint64_t now_us = kStartUs;
    const auto held_us = [&] {
        LoseTooOften(at, now_us);
        Review(now_us);
        const std::uint64_t until_us = links_.NextReleaseUs();
        Review(until_us);
        EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 0U);
        const std::uint64_t length_us = until_us - now_us;
        now_us = until_us;  // The time of its release.
        return length_us;
    };
    for (std::uint32_t i = 0; i < FlappingLinks::kMostDoublings + 3; ++i) {
        EXPECT_EQ(held_us(), kHoldUs << std::min(i, FlappingLinks::kMostDoublings)) << i;
        now_us += 10 * kSecondUs;
    }
    constexpr std::uint64_t kLongestUs = kHoldUs << FlappingLinks::kMostDoublings;
    now_us += kLongestUs + kWindowUs - 10 * kSecondUs;
    EXPECT_EQ(held_us(), kLongestUs) << "it has not rested for long enough";
    now_us += kLongestUs + kWindowUs + 1;
    EXPECT_EQ(held_us(), kHoldUs);
}

TEST_F(FlappingLinksTest, ALinkToAHostIsOnlyDamped) {
    LoseTooOften(At(kOther, 1), kStartUs);
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_FALSE(IsQuarantined(At(kOther, 1)) || IsQuarantined(At(kFarHost, 1)));
    EXPECT_EQ(links_.NextReleaseUs(), kNever);
    Review(kStartUs + 1);
    EXPECT_EQ(log_.CountOf(Note::kLinkNeeded), 1U) << "noted once";
    EXPECT_EQ(statistics().quarantines, 0U);
    Review(kStartUs + kWindowUs);
    EXPECT_EQ(CountOf(LinkVerdict::kWatched), 1U) << "only its last event is in the window";
}

TEST_F(FlappingLinksTest, TheOnlyLinkBetweenSwitchesIsNeeded) {
    fabric().Disconnect(At(kOne, 3));
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 0U);
}

TEST_F(FlappingLinksTest, ALinkThatIsDownConnectsNoSwitches) {
    fabric().port(At(kOne, 3)).info.Set(PortInfo::kPortState, PortState::kDown);
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kDamped), 1U);
}

TEST_F(FlappingLinksTest, WhenAllLinksFlapOneIsKept) {
    LoseTooOften(At(kOne, 2), kStartUs);
    LoseTooOften(At(kOne, 3), kStartUs);
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_EQ(CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_NE(IsQuarantined(At(kOne, 2)), IsQuarantined(At(kOne, 3)));
}

}  // namespace
}  // namespace ember::flapping_links
