// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of flapping links: events, lengths of quarantines, and links that are needed.
//
// Goal:   the contract of each function of FlappingLinks, at its bounds.
// Method: a subnet of two hosts and two switches with two links between these. The test reports
//         losses and traps, and sets the time.
#include "core/fabric/flapping_links.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/time.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

// Nodes of the subnet, in the order of the netlist.
constexpr std::uint32_t kManager = 0;
constexpr std::uint32_t kOne = 1;
constexpr std::uint32_t kOther = 2;
constexpr std::uint32_t kFarHost = 3;

constexpr std::uint64_t kStartUs = 1'000'000 * kSecondUs;
constexpr std::uint64_t kWindowUs = 60 * kSecondUs;
constexpr std::uint64_t kHoldUs = 20 * kSecondUs;

/// Port 1 of each switch leads to a host; ports 2 and 3 lead to the other switch; port 4 is free.
net::Netlist Subnet() {
    net::Netlist net;
    net.Add(NodeType::kChannelAdapter, 1, "manager", "");
    net.Add(NodeType::kSwitch, 4, "one", "");
    net.Add(NodeType::kSwitch, 4, "other", "");
    net.Add(NodeType::kChannelAdapter, 1, "far host", "");
    net.Connect(kManager, 1, kOne, 1);
    net.Connect(kOne, 2, kOther, 2);
    net.Connect(kOne, 3, kOther, 3);
    net.Connect(kOther, 1, kFarHost, 1);
    net.AssignGuids();
    return net;
}

class FlappingLinksTest : public ::testing::Test {
protected:
    explicit FlappingLinksTest(std::size_t rows = 4) : rows_(rows) {
        settings_.flapping_link_count = 3;
        settings_.flapping_link_window = 60;
        settings_.flapping_link_hold = 20;
        // The paths that a sweep would have found.
        fabric().node(built_.node(kOne)).entry = At(kManager, 1);
        fabric().node(built_.node(kOther)).entry = At(kOne, 2);
    }

    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] PortIndex At(std::uint32_t node, unsigned number) {
        return fabric().PortOf(built_.node(node), static_cast<PortNumber>(number));
    }
    /// A sweep finds the link of `at` lost.
    bool Lose(PortIndex at, std::uint64_t now_us) {
        links_.BeginSweep(true);
        return links_.NoteLoss(at, now_us);
    }
    /// flapping_link_count losses, the last one at `now_us`.
    void LoseTooOften(PortIndex at, std::uint64_t now_us) {
        for (unsigned before = settings_.flapping_link_count; before > 0; --before) {
            EXPECT_TRUE(Lose(at, now_us - (before - 1) * kSecondUs));
        }
    }
    void Review(std::uint64_t now_us) { links_.Review(now_us, scratch_.arena()); }
    [[nodiscard]] std::size_t CountOf(LinkVerdict verdict) const { return links_.CountOf(verdict); }
    [[nodiscard]] bool IsQuarantined(PortIndex at) { return fabric().port(at).quarantined; }
    [[nodiscard]] const FlappingStatistics& statistics() const { return links_.statistics(); }

    testing::BuiltFabric built_{Subnet()};
    std::array<LogRecord, 64> ring_{};
    Log log_{ring_};
    Settings settings_;
    std::vector<FlappingLink> rows_;
    FlappingLinks links_{rows_, built_.fabric(), log_, settings_};
    testing::ArenaStorage scratch_{FlappingLinks::ScratchBytes(built_.limits())};
};

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

/// What a release has forgiven is not taken back a second time when the node is restarted.
TEST_F(FlappingLinksTest, ALossBeforeItsReleaseIsNoPartOfALaterRestart) {
    LoseTooOften(At(kOne, 2), kStartUs);
    Review(kStartUs);
    ASSERT_TRUE(IsQuarantined(At(kOne, 2)));
    const std::uint64_t released_us = kStartUs + kSecondUs;
    ASSERT_TRUE(Lose(At(kOne, 2), released_us));
    settings_.flapping_link_policy = FlappingLinkPolicy::kDamp;  // It ends quarantines at once.
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
}  // namespace ember
