// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of polls of the master, and of its silence.
#include <gtest/gtest.h>

#include "core/wire/port_info.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

TEST(Role, AStandbyGivesUpItsMasterAfterMoreThanPollingRetryNumberMisses) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    LetPollsGoUnanswered(lone, lone.settings.polling_retry_number);
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    LetPollsGoUnanswered(lone, 1);
    EXPECT_EQ(lone.role.state(), SmState::kDiscovering);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    EXPECT_EQ(lone.log.CountOf(Note::kMasterSilent), 1U);
    EXPECT_EQ(lone.role.watched(), kNoGuid);
}

/// Of whatever kind the master is.
TEST(Role, WhereNoTimeoutIsSetASilentMasterIsGivenUpAfterSomeFourSeconds) {
    LoneRole lone;
    lone.settings.sminfo_polling_timeout = 0;
    lone.BringTo(SmState::kStandby);
    const std::uint64_t died_us = lone.now;
    while (lone.role.state() == SmState::kStandby && lone.now < died_us + 60'000'000) {
        lone.Pass(50'000);
    }
    EXPECT_EQ(lone.role.state(), SmState::kDiscovering);
    EXPECT_GE(lone.now - died_us, 3'600'000U);
    EXPECT_LE(lone.now - died_us, 4'600'000U);
}

/// Each poll in vain lasts 1.6 s and more.
TEST(Role, WhereNoTimeoutIsSetThatTimeHoldsForSlowTriesToo) {
    LoneRole lone;
    lone.settings.sminfo_polling_timeout = 0;
    lone.settings.transaction_timeout = 400;
    lone.settings.transaction_retries = 3;
    lone.BringTo(SmState::kStandby);
    const std::uint64_t died_us = lone.now;
    while (lone.role.state() == SmState::kStandby && lone.now < died_us + 60'000'000) {
        lone.Pass(50'000);
    }
    EXPECT_GE(lone.now - died_us, 3'600'000U);
    EXPECT_LE(lone.now - died_us, 5'600'000U);
}

/// The master may be handing the subnet over to a third SM, after a sweep.
TEST(Role, WhereNoTimeoutIsSetAMasterThatAnswersAsAnotherRoleHasFortySeconds) {
    LoneRole lone;
    lone.settings.sminfo_polling_timeout = 0;
    lone.BringTo(SmState::kStandby);
    const std::uint64_t began_us = lone.now;
    while (lone.role.state() == SmState::kStandby && lone.now < began_us + 120'000'000) {
        lone.port.sent.clear();
        lone.Pass(50'000);
        const auto sent = lone.port.sent;
        for (const Envelope& envelope : sent) {
            if (envelope.mad.header.method != Method::kGet) continue;
            lone.Deliver(LoneRole::InfoAnswer(envelope, {0x10, 15, SmState::kStandby}));
        }
    }
    EXPECT_GE(lone.now - began_us, 39'000'000U);
    EXPECT_LE(lone.now - began_us, 43'000'000U);
}

TEST(Role, APollForWhichThereIsNoRoomIsNotDueForEver) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    Ask ask;
    ask.attribute = AttributeId::kNodeInfo;
    ask.cookie.client = Client{1};
    while (lone.exchange.has_room()) {
        lone.exchange.Post(ask, lone.now);
    }
    lone.now += 10 * std::uint64_t{lone.settings.sminfo_polling_timeout} * 1000U;
    lone.role.Step(lone.now);
    EXPECT_GT(lone.role.NextDeadlineUs(), lone.now) << "who makes room calls it";
}

TEST(Role, AnAnswerFromTheMasterForgivesTheMissesBefore) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    LetPollsGoUnanswered(lone, 4);
    lone.port.sent.clear();
    lone.Pass(10000000);
    ASSERT_FALSE(lone.port.sent.empty());
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], {0x10, 15, SmState::kMaster}));
    LetPollsGoUnanswered(lone, 4);
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
}

TEST(Role, ThePollOfAnSmUpdatesItsRow) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    lone.Pass(10000000);
    ASSERT_FALSE(lone.port.sent.empty());
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], {0x10, 14, SmState::kStandby}));
    ASSERT_EQ(lone.role.others().size(), 1U);
    EXPECT_EQ(lone.role.others()[0].state, SmState::kStandby);
    EXPECT_EQ(lone.role.others()[0].priority, 14);
    EXPECT_EQ(lone.role.watched_heard_us(), lone.now);
    ASSERT_NE(lone.role.watched_sm(), nullptr);
    EXPECT_EQ(lone.role.watched_sm()->state, SmState::kStandby);
    EXPECT_EQ(lone.role.misses(), 1U);
}

TEST(Role, AnSmThatIsNoMasterDoesNotServeAsOne) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    for (int i = 0; i < 5; ++i) {
        lone.port.sent.clear();
        lone.Pass(10000000);
        ASSERT_EQ(lone.port.sent.size(), 1U);
        lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], {0x10, 15, SmState::kStandby}));
    }
    EXPECT_EQ(lone.role.state(), SmState::kDiscovering);
}

/// Two standbys that each take the other for the next master would wait for one another.
TEST(Role, AStandbyDoesNotWaitForAnSmThatRanksBelowItToServe) {
    LoneRole lone;
    lone.settings.sm_priority = 5;
    lone.BringTo(SmState::kStandby);
    lone.Pass(10000000);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], {0x10, 4, SmState::kStandby}));
    EXPECT_EQ(lone.role.state(), SmState::kDiscovering);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
}

}  // namespace
}  // namespace ember
