// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of a master that meets a lower one which never hands over.
#include <gtest/gtest.h>

#include "core/role/role.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

/// Time until patience with a lower master ends.
std::uint64_t PatienceUs(const LoneRole& lone) {
    return (lone.settings.polling_retry_number + std::uint64_t{1}) *
           lone.settings.sminfo_polling_timeout * 1000U;
}

/// Answers each poll of a time; the lower master is master still.
void LetItStayMaster(LoneRole& lone, std::uint64_t us) {
    for (std::uint64_t passed = 0; passed < us && lone.role.watched() != kNoGuid;
         passed += 1000000) {
        lone.port.sent.clear();
        lone.Pass(1000000);
        const auto sent = lone.port.sent;
        for (const Envelope& envelope : sent) {
            if (envelope.mad.header.method != Method::kGet) continue;
            lone.Deliver(LoneRole::InfoAnswer(envelope, {0x60, 0, SmState::kMaster}));
        }
    }
}

TEST(Role, AMasterWaitsForALowerOneOnlyAsLongAsItWouldWaitForASilentOne) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kAwait);
    lone.role.EndFirstSweep();
    LetItStayMaster(lone, PatienceUs(lone) - 2000000);
    EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
    EXPECT_EQ(lone.log.CountOf(Note::kHandoverOverdue), 0U);
    LetItStayMaster(lone, 3000000);
    EXPECT_EQ(lone.role.state(), SmState::kMaster);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    EXPECT_TRUE(lone.role.is_first_sweep());
    EXPECT_EQ(lone.log.CountOf(Note::kHandoverOverdue), 1U);
}

/// Its priority was raised meanwhile: it waits for us as we wait for it.
TEST(Role, ALowerMasterThatRanksAboveByNowIsHandedTheSubnet) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kAwait);
    lone.port.sent.clear();
    lone.Pass(10000000);
    ASSERT_FALSE(lone.port.sent.empty());
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], {0x60, 9, SmState::kMaster}));
    EXPECT_EQ(lone.role.TakeAct(), Act::kHandOver);
    lone.port.sent.clear();
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    EXPECT_EQ(lone.port.sent[0].mad.header.method, Method::kSet);
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], {0x60, 9, SmState::kMaster}));
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
}

TEST(Role, PatienceEndsInTimeWhetherOrNotPollsAreDue) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.settings.sminfo_polling_timeout = 3000;
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    const std::uint64_t ends_us = lone.now + PatienceUs(lone);
    LetItStayMaster(lone, PatienceUs(lone) - 1500000);
    EXPECT_LE(lone.role.NextDeadlineUs(), ends_us);
}

/// A lower master may have a large subnet to sweep before it hands over, however often it is
/// polled.
TEST(Role, WhereNoTimeoutIsSetPatienceIsThatOfTenSeconds) {
    LoneRole lone;
    const std::uint64_t patience_us = PatienceUs(lone);
    lone.settings.sminfo_polling_timeout = 0;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kAwait);
    LetItStayMaster(lone, patience_us - 2000000);
    EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
    LetItStayMaster(lone, 3000000);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    EXPECT_EQ(lone.log.CountOf(Note::kHandoverOverdue), 1U);
    EXPECT_EQ(lone.role.served_beside(), kNoGuid) << "no election has been held since";
}

TEST(Role, SweepsWhileItWaitsDoNotGiveALowerMasterMoreTime) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    for (std::uint64_t passed = 0; passed < PatienceUs(lone); passed += 4000000) {
        lone.HoldElection({{0x60, 0, SmState::kMaster}});
        EXPECT_EQ(lone.role.TakeAct(), Act::kAwait) << passed;
        lone.now += 4000000;
    }
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
    EXPECT_TRUE(lone.role.is_first_sweep());
    EXPECT_EQ(lone.log.CountOf(Note::kHandoverOverdue), 1U);
}

TEST(Role, AMasterThatLostPatienceServesBesideTheLowerOneAndPollsItOn) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    static_cast<void>(lone.role.TakeAct());
    LetItStayMaster(lone, PatienceUs(lone) + 1000000);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    for (int sweep = 0; sweep < 3; ++sweep) {
        lone.HoldElection({{0x60, 0, SmState::kMaster}});
        EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
        EXPECT_EQ(lone.role.watched(), Guid{0x60});
        EXPECT_EQ(lone.role.served_beside(), Guid{0x60});
        lone.role.EndFirstSweep();
        LetItStayMaster(lone, 2 * PatienceUs(lone));
        EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
    }
    EXPECT_EQ(lone.log.CountOf(Note::kHandoverOverdue), 1U);
    // The other SM ceases to be master: the next sweep reads all tables again.
    lone.port.sent.clear();
    lone.Pass(10000000);
    ASSERT_FALSE(lone.port.sent.empty());
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], {0x60, 0, SmState::kStandby}));
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    EXPECT_TRUE(lone.role.is_first_sweep());
    // And when it comes back, it has the same time again.
    lone.HoldElection({{0x60, 0, SmState::kStandby}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kAwait);
}

TEST(Role, ALowerMasterThatBoreOurLidIsToldAtTheOneThatWeGaveIt) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.role.SetOwnPort(Guid{0x50}, Lid{77});  // Where the sweep finds the other as well.
    const auto traps = [&lone] {
        std::vector<Lid> told;
        for (const Envelope& envelope : lone.port.sent) {
            if (envelope.mad.header.method == Method::kTrap) told.push_back(envelope.peer);
        }
        return told;
    };
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    EXPECT_TRUE(traps().empty()) << "nobody tells oneself";
    static_cast<void>(lone.role.TakeAct());
    LetItStayMaster(lone, PatienceUs(lone) + 1000000);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
    lone.role.SetOwnPort(Guid{0x50}, Lid{1});
    lone.role.SetLidOf(Guid{0x60}, Lid{4});
    LetItStayMaster(lone, 2 * std::uint64_t{lone.settings.sminfo_polling_timeout} * 1000U);
    EXPECT_EQ(traps(), std::vector<Lid>{Lid{4}});
}

TEST(Role, ALowerMasterThatASweepNoLongerMeetsHasLeftTheSubnetToUs) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kAwait);
    lone.role.EndFirstSweep();
    lone.HoldElection({});
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    EXPECT_TRUE(lone.role.is_first_sweep());
    lone.HoldElection({});
    EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
}

TEST(Role, AnotherLowerMasterHasItsOwnTime) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kMaster}});
    static_cast<void>(lone.role.TakeAct());
    LetItStayMaster(lone, PatienceUs(lone) + 1000000);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    lone.HoldElection({{0x61, 0, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kAwait);
    EXPECT_EQ(lone.role.watched(), Guid{0x61});
}

}  // namespace
}  // namespace ember
