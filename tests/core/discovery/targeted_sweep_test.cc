// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a targeted sweep asks, and of paths through lost links.

#include "core/discovery/targeted_sweep.h"

#include <array>
#include <gtest/gtest.h>

#include "tests/core/discovery/discovery_fixture.h"

namespace ember {
namespace {

TEST_F(DiscoveryTest, ATargetedSweepAsksOneSwitchAndWhatIsNewBehindIt) {
    TakeCableOut(kHost, 1);
    Sweep();
    ASSERT_FALSE(Knows(kHost));
    PutCableIn(kLeft, 3, kHost, 1);
    answers_of.clear();
    const std::array targets = {fabric_.node(Found(kLeft, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    const Discovery::Outcome& outcome = RunToEnd();
    EXPECT_TRUE(outcome.targeted);
    EXPECT_FALSE(outcome.unsettled);
    EXPECT_EQ(outcome.nodes_gained, 1U);
    EXPECT_EQ(PeerOf(kHost, 1), NameOf(GuidOf(kLeft), 3));
    EXPECT_EQ(fabric_.node_count(), kNodes) << "no other node is lost";
    EXPECT_EQ((answers_of[{GuidOf(kHost), AttributeId::kNodeInfo}]), 1);
    EXPECT_GE((answers_of[{GuidOf(kLeft), AttributeId::kPortInfo}]), 4);
    for (const std::uint32_t node : {kNear, kRight, kOther})
        EXPECT_EQ((answers_of[{GuidOf(node), AttributeId::kPortInfo}]), 0) << node;
}

TEST_F(DiscoveryTest, ATargetedSweepIsVoidWhenASwitchBecomesSilent) {
    Sweep();
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kLeft); };
    const std::array targets = {fabric_.node(Found(kLeft, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    const Discovery::Outcome& outcome = RunToEnd();
    EXPECT_TRUE(outcome.unsettled) << "a heavy sweep is needed";
    EXPECT_EQ(outcome.nodes_lost, 0U);
    EXPECT_TRUE(Knows(kLeft));
    EXPECT_TRUE(Knows(kHost));
}

TEST_F(DiscoveryTest, ATargetedSweepIsVoidWhenAKnownHostIsSilentBehindALinkThatTrained) {
    Sweep();
    TakeCableOut(kHost, 1);
    PutCableIn(kLeft, 3, kHost, 1);
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kHost); };
    const std::array targets = {fabric_.node(Found(kLeft, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    EXPECT_TRUE(RunToEnd().unsettled);
    EXPECT_TRUE(Knows(kHost));
}

TEST_F(DiscoveryTest, ATargetedSweepFindsAnotherPathToASwitchThatLostALink) {
    Sweep();
    TakeCableOut(kLeft, 1);
    const std::array targets = {fabric_.node(Found(kNear, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    const Discovery::Outcome& outcome = RunToEnd();
    EXPECT_FALSE(outcome.unsettled);
    EXPECT_EQ(outcome.nodes_lost, 0U);
    EXPECT_EQ(PeerOf(kNear, 2), "");
    DirectedPath path;
    ASSERT_EQ(fabric_.PathTo(fabric_.FindPort(GuidOf(kLeft)), path), Status::kOk);
    EXPECT_EQ(path.hops, 3) << "through the third switch";
}

TEST_F(DiscoveryTest, ATargetedSweepSeesThatASwitchIsGoneWithAllItsLinks) {
    Sweep();
    TakeCableOut(kLeft, 1);
    TakeCableOut(kLeft, 2);
    const std::array targets = {fabric_.node(Found(kNear, 0).node).switch_index};
    discovery_.BeginAt(targets, now_us_);
    const Discovery::Outcome& outcome = RunToEnd();
    EXPECT_TRUE(outcome.unsettled) << "its neighbor was asked for the other link";
    EXPECT_EQ(outcome.nodes_lost, 0U) << "only a heavy sweep reports that";
    EXPECT_EQ(Sweep().nodes_lost, 2U);
}

/// A TargetedSweep by itself, over the triangle as sweeps found it.
class TargetsTest : public DiscoveryTest {
protected:
    TargetsTest() {
        Sweep();
        queue_.Begin(scratch_.arena());
        outcome_ = {.sweep = discovery_.sweep(), .targeted = true};
    }

    [[nodiscard]] SwitchIndex SwitchOf(std::uint32_t node) {
        return fabric_.node(Found(node, 0).node).switch_index;
    }
    [[nodiscard]] PortIndex At(std::uint32_t node, unsigned number) {
        return fabric_.IndexOf(Found(node, number));
    }
    void Begin(std::uint32_t node) {
        const std::array targets = {SwitchOf(node)};
        sweep_.Begin(targets);
        sweep_.Start();
    }
    /// The kinds of questions about a port that are queued, oldest first; empties the queue.
    [[nodiscard]] std::map<PortIndex, std::string> Queued() {
        std::map<PortIndex, std::string> kinds;
        while (queue_.has_next()) {
            const Probe probe = queue_.Pop();
            const bool is_port = probe.kind == Probe::Kind::kPortInfo;
            kinds[probe.port] += is_port ? "p" : probe.kind == Probe::Kind::kSwitchInfo ? "s" : "?";
        }
        return kinds;
    }

    using Kinds = std::map<PortIndex, std::string>;
    SweepOutcome outcome_;
    ProbeQueue queue_{kSweptBoard, outcome_};
    TargetedSweep sweep_{fabric_, queue_, outcome_};
};

TEST_F(TargetsTest, AreAskedOnceForSwitchInfoAndPortZero) {
    Begin(kLeft);
    EXPECT_EQ(Queued(), (Kinds{{At(kLeft, 0), "sp"}}));
    sweep_.Add(SwitchOf(kLeft));
    sweep_.AddNodeOf(At(kLeft, 2));
    EXPECT_EQ(Queued(), Kinds{});
    sweep_.AddNodeOf(At(kHost, 1));
    EXPECT_EQ(Queued(), Kinds{}) << "a host is no target";
    sweep_.AddNodeOf(At(kRight, 3));
    EXPECT_EQ(Queued(), (Kinds{{At(kRight, 0), "sp"}}));
}

TEST_F(TargetsTest, ThatChangeAfterTheyWereAskedAreAllAskedAgain) {
    Begin(kLeft);
    EXPECT_TRUE(sweep_.AddChanged(SwitchOf(kRight)));
    EXPECT_FALSE(sweep_.must_restart());
    static_cast<void>(Queued());
    EXPECT_FALSE(sweep_.AddChanged(SwitchOf(kLeft)));
    EXPECT_TRUE(sweep_.must_restart());
    sweep_.Start();
    EXPECT_FALSE(sweep_.must_restart());
    EXPECT_EQ(Queued(), (Kinds{{At(kLeft, 0), "sp"}, {At(kRight, 0), "sp"}}));
}

TEST_F(TargetsTest, AreNotAskedAgainForEver) {
    Begin(kLeft);
    for (int starts = 1; starts <= 8; ++starts) {
        static_cast<void>(Queued());
        sweep_.Start();
        EXPECT_FALSE(outcome_.unsettled) << starts;
    }
    static_cast<void>(Queued());
    sweep_.Start();
    EXPECT_TRUE(outcome_.unsettled);
    EXPECT_FALSE(queue_.has_next());
}

TEST_F(TargetsTest, IncludeTheSwitchAtTheOtherEndOfALinkThatHasMoved) {
    Begin(kLeft);
    static_cast<void>(Queued());
    const PortIndex at = At(kLeft, 2);
    fabric_.port(at).info.Set(PortInfo::kPortState, PortState::kDown);
    sweep_.OnPortInfo(at, true);
    EXPECT_EQ(Queued(), (Kinds{{At(kRight, 0), "sp"}}));
    EXPECT_EQ(Found(kRight, 2).info.Get(PortInfo::kPortState), PortState::kDown)
        << "a link that is down is down at both ends";
    EXPECT_NE(Found(kLeft, 2).linked, discovery_.sweep()) << "the link is to be crossed again";
    sweep_.OnPortInfo(At(kLeft, 1), false);
    EXPECT_EQ(Queued(), Kinds{});
    EXPECT_EQ(Found(kLeft, 1).linked, discovery_.sweep());
}

TEST_F(TargetsTest, GetAnotherPathWhenTheirsIsLost) {
    Begin(kLeft);
    static_cast<void>(Queued());
    const PortIndex exit = At(kNear, 2);
    ASSERT_EQ(fabric_.node(Found(kLeft, 0).node).entry, exit);
    fabric_.Disconnect(exit);
    sweep_.OnLostLink(exit, At(kLeft, 1));
    EXPECT_EQ(fabric_.node(Found(kLeft, 0).node).entry, At(kRight, 2));
    EXPECT_TRUE(sweep_.must_restart()) << "its answers will not come";
    EXPECT_FALSE(outcome_.unsettled);
    EXPECT_EQ(Queued(), (Kinds{{At(kRight, 2), "p"}})) << "is the switch there at all?";
    sweep_.End();
    EXPECT_FALSE(sweep_.must_restart());
}

TEST_F(TargetsTest, WithoutAPathAreLeftToAHeavySweep) {
    Begin(kNear);
    fabric_.Disconnect(At(kRight, 2));
    fabric_.Disconnect(At(kNear, 2));
    sweep_.OnLostLink(At(kNear, 2), At(kLeft, 1));
    EXPECT_TRUE(outcome_.unsettled);
}

}  // namespace
}  // namespace ember
