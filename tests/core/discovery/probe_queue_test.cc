// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the order in which a sweep asks.

#include "core/discovery/probe_queue.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

constexpr Limits kBoard{.max_nodes = 2,
                        .max_switches = 1,
                        .max_ports = 4,
                        .max_switch_ports = 4,
                        .max_lid = 255,
                        .max_smps = 16,
                        .max_other_sms = 2,
                        .journal_notes = 64,
                        .scratch_bytes = 65536};
constexpr std::uint64_t kPatienceUs = 5000;

class ProbeQueueTest : public ::testing::Test {
protected:
    ProbeQueueTest() { queue_.Begin(scratch_.arena()); }

    [[nodiscard]] static Probe Crossing(std::uint32_t port, bool is_claim) {
        return {.kind = Probe::Kind::kCross,
                .cursor = is_claim ? Probe::kWaited : std::uint8_t{0},
                .port = static_cast<PortIndex>(port)};
    }
    void Queue(std::uint32_t port) {
        queue_.Queue(Probe::Kind::kPortInfo, static_cast<PortIndex>(port));
    }

    testing::ArenaStorage scratch_{ProbeQueue::ScratchBytes(kBoard)};
    SweepOutcome outcome_;
    ProbeQueue queue_{kBoard, outcome_};
};

TEST_F(ProbeQueueTest, AsksInTheOrderOfTheQuestions) {
    EXPECT_TRUE(queue_.empty());
    Queue(7);
    queue_.Queue(Probe::Kind::kCross, PortIndex{8}, 2, 3);
    EXPECT_EQ(Raw(queue_.Pop().port), 7U);
    const Probe second = queue_.Pop();
    EXPECT_EQ(second.kind, Probe::Kind::kCross);
    EXPECT_EQ(second.cursor, 2);
    EXPECT_EQ(second.turn, 3);
    EXPECT_TRUE(queue_.empty());
}

TEST_F(ProbeQueueTest, CrossesACrowdedExitWhenNothingElseIsLeftAndAnswersAreLate) {
    queue_.Wait(Crossing(7, false));
    Queue(1);
    EXPECT_FALSE(queue_.TakeUpWaiting(1, 100)) << "there are other questions";
    EXPECT_EQ(queue_.NextDeadlineUs(), kNever);
    static_cast<void>(queue_.Pop());
    EXPECT_FALSE(queue_.TakeUpWaiting(1, 100));
    EXPECT_EQ(queue_.NextDeadlineUs(), 100 + kPatienceUs);
    EXPECT_FALSE(queue_.TakeUpWaiting(1, 99 + kPatienceUs));
    EXPECT_TRUE(queue_.has_waiting());
    EXPECT_FALSE(queue_.has_next());
    EXPECT_TRUE(queue_.TakeUpWaiting(1, 100 + kPatienceUs)) << "exits get larger shares";
    EXPECT_FALSE(queue_.has_waiting());
    EXPECT_EQ(Raw(queue_.Pop().port), 7U);
    EXPECT_EQ(queue_.NextDeadlineUs(), kNever);
}

TEST_F(ProbeQueueTest, CrossesItAtOnceWhenNothingIsUnderWay) {
    queue_.Wait(Crossing(7, false));
    EXPECT_TRUE(queue_.TakeUpWaiting(0, 100));
    EXPECT_TRUE(queue_.has_next());
}

TEST_F(ProbeQueueTest, LooksAtAClaimWhenEveryQuestionIsAnswered) {
    queue_.Wait(Crossing(7, true));
    EXPECT_FALSE(queue_.TakeUpWaiting(1, 100));
    EXPECT_FALSE(queue_.TakeUpWaiting(1, 100 + 10 * kPatienceUs));
    EXPECT_EQ(queue_.NextDeadlineUs(), kNever) << "a claim waits for answers alone";
    EXPECT_TRUE(queue_.TakeUpWaiting(0, 100));
    EXPECT_EQ(queue_.Pop().cursor, Probe::kWaited);
}

TEST_F(ProbeQueueTest, LeavesAClaimWaitingBesideACrowdedExit) {
    queue_.Wait(Crossing(7, true));
    queue_.Wait(Crossing(8, false));
    EXPECT_FALSE(queue_.TakeUpWaiting(1, 100));
    EXPECT_TRUE(queue_.TakeUpWaiting(1, 100 + kPatienceUs));
    EXPECT_EQ(Raw(queue_.Pop().port), 8U);
    EXPECT_FALSE(queue_.has_next());
    EXPECT_TRUE(queue_.has_waiting());
    EXPECT_FALSE(queue_.TakeUpWaiting(1, 200 + kPatienceUs));
    EXPECT_TRUE(queue_.TakeUpWaiting(0, 200 + kPatienceUs));
    EXPECT_EQ(Raw(queue_.Pop().port), 7U);
}

TEST_F(ProbeQueueTest, IsUnsettledByMoreQuestionsThanANodeThatBehavesCauses) {
    for (std::uint32_t i = 0; i < 4 * 2 + 2 * 3; ++i) {
        Queue(i);
    }
    EXPECT_FALSE(outcome_.unsettled);
    Queue(99);
    EXPECT_TRUE(outcome_.unsettled);
}

TEST_F(ProbeQueueTest, IsUnsettledByMoreThatWaitThanThereArePorts) {
    for (std::uint32_t i = 0; i < 4; ++i) {
        queue_.Wait(Crossing(i, false));
    }
    EXPECT_FALSE(outcome_.unsettled);
    queue_.Wait(Crossing(9, false));
    EXPECT_TRUE(outcome_.unsettled);
    queue_.Clear();
    EXPECT_TRUE(queue_.empty());
}

}  // namespace
}  // namespace ember
