// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what each policy makes of flapping links and babbling ports.
#include <gtest/gtest.h>

#include "tests/core/links/flapping_links_fixture.h"

namespace ember::flapping_links {
namespace {

TEST_F(FlappingLinksTest, VerdictsStayAsLongAsNoLinkFlaps) {
    LoseTooOften(At(kOne, 2), kStartUs);
    LoseTooOften(At(kOne, 3), kStartUs + kSecondUs);
    for (std::uint64_t later_us = 1; later_us < 5; ++later_us) {
        Review(kStartUs + later_us * kSecondUs);
        EXPECT_FALSE(IsQuarantined(At(kOne, 2))) << "the one that is quiet for longer";
        EXPECT_TRUE(IsQuarantined(At(kOne, 3)));
    }
    EXPECT_EQ(log_.CountOf(Note::kLinkNeeded), 1U);
    EXPECT_EQ(log_.CountOf(Note::kLinkQuarantined), 1U);
    EXPECT_EQ(statistics().releases, 0U);
}

TEST_F(FlappingLinksTest, ALinkInQuarantineReturnsWhenTheOthersFail) {
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    fabric().Disconnect(At(kOne, 3));
    Review(kStartUs + 1);
    EXPECT_EQ(CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_FALSE(IsQuarantined(At(kOne, 2)) || IsQuarantined(At(kOther, 2)));
    EXPECT_EQ(links_.NextReleaseUs(), kNever);
    EXPECT_EQ(statistics().releases, 1U);
    EXPECT_EQ(log_.CountOf(Note::kLinkNeeded), 1U);
}

TEST_F(FlappingLinksTest, AQuietLinkIsKeptRatherThanOneThatFlapsNow) {
    LoseTooOften(At(kOne, 3), kStartUs);
    Review(kStartUs);
    LoseTooOften(At(kOne, 2), kStartUs + 10 * kSecondUs);
    Review(kStartUs + 10 * kSecondUs);
    EXPECT_TRUE(IsQuarantined(At(kOne, 2)));
    EXPECT_FALSE(IsQuarantined(At(kOne, 3)));
    EXPECT_EQ(CountOf(LinkVerdict::kDamped), 1U);
}

TEST_F(FlappingLinksTest, ThePolicyDampLeavesEveryLinkInUse) {
    settings_.flapping_link_policy = FlappingLinkPolicy::kDamp;
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    EXPECT_EQ(CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_FALSE(IsQuarantined(At(kOne, 2)));
    Review(kStartUs + 1);
    EXPECT_EQ(log_.CountOf(Note::kLinkDamped), 1U) << "noted once";
}

TEST_F(FlappingLinksTest, ThePolicyDampEndsAQuarantine) {
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    settings_.flapping_link_policy = FlappingLinkPolicy::kDamp;
    Review(kStartUs + 1);
    EXPECT_EQ(CountOf(LinkVerdict::kWatched), 1U);
    EXPECT_FALSE(IsQuarantined(At(kOne, 2)));
    EXPECT_EQ(log_.CountOf(Note::kLinkReleased), 1U);
}

/// Complaints at the longest distance at which they are in a row: they babble, but do not flap.
class Babble : public FlappingLinksTest {
protected:
    Babble() {
        settings_.flapping_link_count = FlappingLink::kMostCounted;
        settings_.babbling_port_policy = true;
    }
    /// How many of `times` complaints need a review.
    std::uint32_t Complain(PortIndex at, std::uint32_t times) {
        std::uint32_t wanted = 0;
        for (std::uint32_t i = 0; i < times; ++i) {
            now_us_ += FlappingLinks::kBabbleWindowUs;
            if (links_.NoteComplaint(at, now_us_)) ++wanted;
        }
        return wanted;
    }
    std::uint64_t now_us_ = kStartUs;
};

TEST_F(Babble, DisablesTheEndNearerToTheManager) {
    EXPECT_EQ(Complain(At(kOther, 2), FlappingLinks::kBabble - 1), 0U);
    Review(now_us_);
    EXPECT_EQ(statistics().disabled, 0U);
    EXPECT_EQ(Complain(At(kOther, 2), 1), 1U);
    Review(now_us_);
    EXPECT_TRUE(fabric().port(At(kOne, 2)).shall_go_down);
    EXPECT_FALSE(fabric().port(At(kOther, 2)).shall_go_down);
    EXPECT_EQ(statistics().disabled, 1U);
    EXPECT_EQ(log_.CountOf(Note::kPortDisabled), 1U);
    EXPECT_EQ(Complain(At(kOther, 2), FlappingLinks::kBabble - 1), 0U) << "counted from 0 again";
}

TEST_F(Babble, IsOverAfterAMinuteWithoutAComplaint) {
    EXPECT_EQ(Complain(At(kOther, 2), FlappingLinks::kBabble - 1), 0U);
    now_us_ += 1;
    EXPECT_EQ(Complain(At(kOther, 2), FlappingLinks::kBabble - 1), 0U);
    EXPECT_EQ(Complain(At(kOther, 2), 1), 1U);
}

TEST_F(Babble, NeverDisablesTheOwnPort) {
    EXPECT_EQ(Complain(At(kOne, 1), FlappingLinks::kBabble), 1U);
    Review(now_us_);
    EXPECT_FALSE(fabric().port(At(kManager, 1)).shall_go_down);
    EXPECT_FALSE(fabric().port(At(kOne, 1)).shall_go_down);
    EXPECT_EQ(statistics().disabled, 0U);
}

TEST_F(Babble, DisablesNothingWithoutThePolicy) {
    settings_.babbling_port_policy = false;
    EXPECT_EQ(Complain(At(kOther, 2), FlappingLinks::kBabble), 0U);
    Review(now_us_);
    EXPECT_EQ(statistics().disabled, 0U);
    EXPECT_EQ(statistics().complaints, FlappingLinks::kBabble);
}

}  // namespace
}  // namespace ember::flapping_links
