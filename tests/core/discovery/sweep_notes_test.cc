// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how much of a sweep is noted one by one.

#include "core/discovery/sweep_notes.h"

#include <cstddef>
#include <gtest/gtest.h>

#include "tests/core/discovery/discovery_fixture.h"

namespace ember {
namespace {

/// The notes of sweeps that change nothing in the triangle.
class SweepNotesTest : public DiscoveryTest {
protected:
    SweepNotesTest() {
        Sweep();
        log_seen_ = log_.CountOf(Note::kLinkLost);
        notes_.Begin(now_us_);
    }

    void LoseLinks(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            notes_.LostLink(fabric_.IndexOf(Found(kLeft, 2)), now_us_);
        }
    }
    [[nodiscard]] std::size_t LostNoted() const {
        return log_.CountOf(Note::kLinkLost) - log_seen_;
    }
    void NextSweep() {
        outcome_ = SweepOutcome{};
        notes_.Begin(now_us_);
    }

    std::size_t log_seen_ = 0;
    SweepOutcome outcome_;
    SweepNotes notes_{fabric_, log_, outcome_};
};

TEST_F(SweepNotesTest, AreOneByOneUpToSixtyFourAndThenASum) {
    LoseLinks(64);
    notes_.End(now_us_);
    EXPECT_EQ(LostNoted(), 64U);
    EXPECT_EQ(log_.CountOf(Note::kChangesUntold), 0U);
    LoseLinks(6);
    notes_.End(now_us_);
    EXPECT_EQ(LostNoted(), 64U);
    EXPECT_EQ(outcome_.links_lost, 70U);
    EXPECT_EQ(log_.CountOf(Note::kChangesUntold), 1U);
}

TEST_F(SweepNotesTest, AreOneOfAKindWhenSweepsHaveNotedTooManyWithinASecond) {
    for (std::size_t sweep = 0; sweep < 8; ++sweep) {
        LoseLinks(64);
        NextSweep();
    }
    EXPECT_EQ(LostNoted(), 512U);
    LoseLinks(64);
    EXPECT_EQ(LostNoted(), 513U);
    now_us_ += 1'000'000;
    NextSweep();
    LoseLinks(64);
    EXPECT_EQ(LostNoted(), 513U + 64U);
}

TEST_F(SweepNotesTest, NameANewLinkWhenTheSweepEndsUnlessItIsLostAgain) {
    const std::size_t before = log_.CountOf(Note::kLinkUp);
    notes_.GainedLink(fabric_.IndexOf(Found(kLeft, 2)));
    notes_.GainedLink(fabric_.IndexOf(Found(kNear, 4)));  // No link is there.
    EXPECT_EQ(log_.CountOf(Note::kLinkUp), before);
    notes_.End(now_us_);
    EXPECT_EQ(log_.CountOf(Note::kLinkUp), before + 1);
    EXPECT_EQ(outcome_.links_gained, 2U);
    NextSweep();
    notes_.End(now_us_);
    EXPECT_EQ(log_.CountOf(Note::kLinkUp), before + 1) << "of another sweep";
}

TEST_F(SweepNotesTest, OfTheFirstSweepAreANoteANodeAndASum) {
    const std::size_t found = log_.CountOf(Note::kNodeFound);
    ASSERT_EQ(found, kNodes);
    ASSERT_EQ(log_.CountOf(Note::kNodesFound), 1U);
    EXPECT_EQ(log_.CountOf(Note::kNodeJoined), 0U);
    EXPECT_EQ(log_.CountOf(Note::kLinkUp), 0U);
    Node& host = fabric_.node(Found(kHost, 1).node);
    notes_.Announce(Found(kHost, 1).node, now_us_);
    EXPECT_EQ(outcome_.nodes_announced, 0U) << "was announced";
    host.is_announced = false;
    notes_.Announce(Found(kHost, 1).node, now_us_);
    EXPECT_EQ(log_.CountOf(Note::kNodeJoined), 1U);
    EXPECT_EQ(outcome_.nodes_announced, 1U);
}

TEST_F(SweepNotesTest, SayOnceWhatLasts) {
    const Port& own = fabric_.port(fabric_.own_port());
    const PortIndex exit = fabric_.IndexOf(Found(kLeft, 3));
    for (int sweep = 0; sweep < 3; ++sweep) {
        notes_.OwnPort(own, false, now_us_);
        notes_.OwnNeighbor(own, true, now_us_);
        notes_.Duplicate(Guid{5}, PortNumber{1}, exit, kNoPortIndex, now_us_);
        NextSweep();
    }
    EXPECT_EQ(log_.CountOf(Note::kOwnPortDown), 1U);
    EXPECT_EQ(log_.CountOf(Note::kOwnNeighborSilent), 1U);
    EXPECT_EQ(log_.CountOf(Note::kDuplicateGuid), 1U);
    notes_.OwnPort(own, true, now_us_);
    notes_.OwnPort(own, true, now_us_);
    notes_.OwnPort(own, false, now_us_);
    EXPECT_EQ(log_.CountOf(Note::kOwnPortUp), 1U);
    EXPECT_EQ(log_.CountOf(Note::kOwnPortDown), 2U);
    notes_.Duplicate(Guid{6}, PortNumber{1}, exit, kNoPortIndex, now_us_);
    EXPECT_EQ(log_.CountOf(Note::kDuplicateGuid), 2U);
}

}  // namespace
}  // namespace ember
