// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of exits that a sweep does not cross, or crosses last.

#include "core/discovery/exit_guard.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "tests/core/discovery/quotas_fixture.h"

namespace ember {
namespace {

constexpr std::uint64_t kMinute = ShutDoors::kProbationUs;

/// A root with a switch behind port 2, where a host was. Untrusted switches get an eighth of the
/// table of switches: one, as the first of them is taken in as the host was.
class ExitGuardTest : public QuotasTest {
protected:
    ExitGuardTest() : notes_(256), log_(notes_), queue_(limits_, outcome_) {
        limits_.max_switches = 16;
        Build();
        root_ = MeetSwitch(own_port_, 8);
        Former(At(root_, 2));
        behind_ = MeetSwitch(At(root_, 2), 8);
        guard_.emplace(ExitGuard::Parts{fabric(), log_, queue_, outcome_});
        guard_->Begin(exits_.arena());
        queue_.Begin(probes_.arena());
    }

    void Start() {
        outcome_ = SweepOutcome{};
        guard_->StartHeavy(kNoPortIndex);
        guard_->Count(own_port_, fabric().node(root_), now_us_);
        guard_->Count(At(root_, 2), fabric().node(behind_), now_us_);
    }
    [[nodiscard]] bool Passes(PortIndex exit) {
        return guard_->Passes({.kind = Probe::Kind::kCross, .port = exit}, now_us_);
    }
    /// Untrusted switches have used up their share.
    void UseUpShare() {
        guard_->DoubleShares();
        for (unsigned number = 2; number <= 3; ++number) {
            Node met;
            met.type = NodeType::kSwitch;
            met.port_count = 8;
            met.fresh = false;
            guard_->Count(At(behind_, number), met, now_us_);
        }
    }

    std::vector<LogRecord> notes_;
    Log log_;
    SweepOutcome outcome_;
    ProbeQueue queue_;
    testing::ArenaStorage exits_{ExitGuard::ScratchBytes(kSpaciousBoard)};
    testing::ArenaStorage probes_{ProbeQueue::ScratchBytes(kSpaciousBoard)};
    std::optional<ExitGuard> guard_;
    NodeIndex root_ = kNoNode;
    NodeIndex behind_ = kNoNode;
    std::uint64_t now_us_ = 1000;
};

TEST_F(ExitGuardTest, OfTrustedSwitchesAreCrossedAtOnce) {
    Start();
    EXPECT_TRUE(Passes(At(root_, 3)));
    EXPECT_FALSE(queue_.has_waiting());
}

TEST_F(ExitGuardTest, OfASwitchWhereAHostWasWaitForAllOthers) {
    Start();
    EXPECT_FALSE(Passes(At(behind_, 2)));
    EXPECT_TRUE(queue_.has_waiting());
    EXPECT_EQ(outcome_.shut, 0U);
    guard_->DoubleShares();
    EXPECT_TRUE(Passes(At(behind_, 2)));
}

TEST_F(ExitGuardTest, AreShutWhenTheShareIsUsedUpAndOpenAfterAMinute) {
    for (int sweep = 0; sweep < 2; ++sweep) {
        Start();
        UseUpShare();
        EXPECT_FALSE(Passes(At(behind_, 5)));
        EXPECT_FALSE(queue_.has_waiting());
        EXPECT_EQ(outcome_.shut, 1U);
        guard_->EndHeavy();
    }
    EXPECT_EQ(log_.CountOf(Note::kQuotaUsedUp), 1U);
    EXPECT_EQ(guard_->NextLookUs(), now_us_ + kMinute);
    now_us_ += kMinute;
    EXPECT_TRUE(guard_->TakeLook(now_us_));
    Start();
    UseUpShare();
    EXPECT_FALSE(Passes(At(behind_, 5)));
    EXPECT_TRUE(queue_.has_waiting()) << "it is crossed in this sweep";
    EXPECT_EQ(outcome_.shut, 0U);
    EXPECT_EQ(log_.CountOf(Note::kDoorOpened), 1U);
    EXPECT_FALSE(fabric().port(At(root_, 2)).had_end_node);
}

TEST_F(ExitGuardTest, StayShutWhileNewNodesAreMetBeyond) {
    Start();
    UseUpShare();
    EXPECT_FALSE(Passes(At(behind_, 5)));
    guard_->EndHeavy();
    now_us_ += kMinute;
    Start();
    Node fresh;
    fresh.type = NodeType::kChannelAdapter;
    fresh.port_count = 1;
    fresh.fresh = true;
    guard_->Count(At(behind_, 4), fresh, now_us_);
    UseUpShare();
    EXPECT_FALSE(Passes(At(behind_, 5)));
    EXPECT_EQ(outcome_.shut, 1U);
    EXPECT_EQ(log_.CountOf(Note::kDoorOpened), 0U);
}

TEST_F(ExitGuardTest, OfUntrustedSwitchesAreShutInATargetedSweepWithoutANote) {
    Start();
    outcome_.targeted = true;
    guard_->StartTargeted();
    EXPECT_FALSE(Passes(At(behind_, 2)));
    EXPECT_FALSE(queue_.has_waiting());
    EXPECT_EQ(outcome_.shut, 1U);
    EXPECT_EQ(log_.CountOf(Note::kQuotaUsedUp), 0U);
}

}  // namespace
}  // namespace ember
