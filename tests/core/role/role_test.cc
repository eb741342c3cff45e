// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of one SM among SMs that the test plays.
#include "core/role/role.h"

#include <gtest/gtest.h>

#include "core/wire/port_info.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

using Peer = LoneRole::Peer;
constexpr std::array kEveryState = {SmState::kNotActive, SmState::kDiscovering, SmState::kStandby,
                                    SmState::kMaster};

/// The role is brought to each state; `cue` says what happens; the table says what comes of it.
template <typename Happen>
void ExpectRow(SmState in, Cue cue, Happen happen) {
    LoneRole lone;
    lone.BringTo(in);
    const std::uint64_t transitions = lone.journal.CountOf(Note::kRoleChanged);
    happen(lone);
    const RoleRow& row = Decide(in, cue);
    EXPECT_EQ(lone.role.state(), row.to) << "in " << int(in) << " on " << int(cue);
    EXPECT_EQ(lone.role.TakeAct(), row.act) << "in " << int(in) << " on " << int(cue);
    EXPECT_EQ(lone.journal.CountOf(Note::kRoleChanged) - transitions, row.to == in ? 0U : 1U);
}

TEST(Role, ObeysTheTableOnEveryCueThatAnOutsiderGives) {
    const Peer master{0x20, 3, SmState::kMaster};
    const Peer standby{0x20, 3, SmState::kStandby};
    for (const SmState in : kEveryState) {
        ExpectRow(in, Cue::kHandover,
                  [&](LoneRole& r) { EXPECT_EQ(r.Request(Method::kSet, 1, master), Status::kOk); });
        ExpectRow(in, Cue::kAcknowledge, [&](LoneRole& r) {
            EXPECT_EQ(r.Request(Method::kSet, 2, standby), Status::kOk);
        });
        ExpectRow(in, Cue::kDisable,
                  [&](LoneRole& r) { EXPECT_EQ(r.Request(Method::kSet, 3, master), Status::kOk); });
        ExpectRow(in, Cue::kStandby,
                  [&](LoneRole& r) { EXPECT_EQ(r.Request(Method::kSet, 4, master), Status::kOk); });
        ExpectRow(in, Cue::kDiscover,
                  [&](LoneRole& r) { EXPECT_EQ(r.Request(Method::kSet, 5, master), Status::kOk); });
        ExpectRow(in, Cue::kPortDown, [](LoneRole& r) { r.role.LosePort(r.now); });
        ExpectRow(in, Cue::kPriorityChanged, [](LoneRole& r) {
            r.settings.sm_priority = 9;
            r.role.Reconsider(r.now);
        });
    }
}

TEST(Role, ObeysTheTableOnEveryOutcomeOfAnElection) {
    for (const SmState in : kEveryState) {
        ExpectRow(in, Cue::kUnrivaled, [](LoneRole& r) { r.HoldElection({}); });
        ExpectRow(in, Cue::kOutranked, [](LoneRole& r) {
            r.HoldElection({{0x20, 3, SmState::kStandby}});
        });
        ExpectRow(in, Cue::kMasterMet, [](LoneRole& r) {
            r.HoldElection({{0x20, 3, SmState::kMaster}});
        });
        ExpectRow(in, Cue::kLowerMasterMet, [](LoneRole& r) {
            r.HoldElection({{0x60, 0, SmState::kMaster}});
        });
    }
}

void LetPollsGoUnanswered(LoneRole& lone, std::uint32_t polls) {
    for (std::uint32_t i = 0; i < polls; ++i) {
        lone.Pass(std::uint64_t{lone.settings.sminfo_polling_timeout} * 1000U);
        lone.Pass(std::uint64_t{lone.settings.transaction_timeout} * 1000U);
    }
}

TEST(Role, AStandbyGivesUpItsMasterAfterMoreThanPollingRetryNumberMisses) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    LetPollsGoUnanswered(lone, lone.settings.polling_retry_number);
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    LetPollsGoUnanswered(lone, 1);
    EXPECT_EQ(lone.role.state(), SmState::kDiscovering);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    EXPECT_EQ(lone.journal.CountOf(Note::kMasterSilent), 1U);
    EXPECT_EQ(lone.role.watched(), kNoGuid);
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

TEST(Role, AMasterHandsOverToAHigherStandbyAndThenFollowsIt) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 1, SmState::kStandby}, {0x20, 3, SmState::kStandby}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kHandOver);
    lone.port.sent.clear();
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    const Envelope set = lone.port.sent[0];
    EXPECT_EQ(set.mad.header.method, Method::kSet);
    EXPECT_EQ(set.mad.header.attribute_modifier, Raw(SmControl::kHandover));
    EXPECT_EQ(std::bit_cast<DirectedSmp>(set.mad).initial_path[1], 2) << "to the highest";
    EXPECT_EQ(std::bit_cast<SmInfo>(DataOf(set.mad)).Get(SmInfo::kSmState), SmState::kMaster);

    lone.Deliver(LoneRole::InfoAnswer(set, {0x20, 3, SmState::kMaster}));
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    EXPECT_EQ(lone.role.TakeAct(), Act::kFollow);
    EXPECT_EQ(lone.role.watched(), Guid{0x20});
}

TEST(Role, AMasterWhoseHandoverFailsGoesOnServingAndDoesNotOfferItTwiceInOneSweep) {
    for (const bool is_refused : {false, true}) {
        LoneRole lone;
        lone.BringTo(SmState::kMaster);
        lone.HoldElection({{0x20, 3, SmState::kStandby}});
        lone.port.sent.clear();
        lone.role.Step(lone.now);
        ASSERT_EQ(lone.port.sent.size(), 1U);
        if (is_refused) {
            lone.Deliver(ResponseTo(lone.port.sent[0], kMadStatusInvalidField));
        } else {
            lone.Pass(1000000);
        }
        EXPECT_EQ(lone.role.state(), SmState::kMaster);
        EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
        lone.role.Conclude(lone.now);
        EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
    }
}

TEST(Role, AMasterWhoseHandoverFailedServesTheSweepsThatFollowUntilItReviews) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    const std::vector<LoneRole::Peer> peers = {{0x20, 3, SmState::kStandby}};
    lone.HoldElection(peers);
    lone.port.sent.clear();
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    lone.Deliver(ResponseTo(lone.port.sent[0], kMadStatusInvalidField));
    ASSERT_EQ(lone.role.TakeAct(), Act::kServe);
    for (int sweep = 0; sweep < 3; ++sweep) {
        lone.HoldElection(peers);
        EXPECT_EQ(lone.role.TakeAct(), Act::kServe) << sweep;
    }
    lone.role.Review();
    lone.Answer(peers);
    lone.role.Conclude(lone.now);
    EXPECT_EQ(lone.role.TakeAct(), Act::kHandOver) << "it may have changed its mind";
}

TEST(Role, AMasterLeavesAnSmAloneThatIsStillDiscovering) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x20, 3, SmState::kDiscovering}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
}

TEST(Role, AMasterThatAwaitsAHandoverSweepsAnewWhenItComesOrTheOtherFallsSilent) {
    for (const bool comes : {false, true}) {
        LoneRole lone;
        lone.BringTo(SmState::kMaster);
        lone.role.EndFirstSweep();
        lone.HoldElection({{0x60, 0, SmState::kMaster}});
        EXPECT_EQ(lone.role.TakeAct(), Act::kAwait);
        EXPECT_EQ(lone.role.watched(), Guid{0x60});
        if (comes) {
            ASSERT_EQ(lone.Request(Method::kSet, 1, {0x60, 0, SmState::kMaster}), Status::kOk);
        } else {
            LetPollsGoUnanswered(lone, 5);
        }
        EXPECT_EQ(lone.role.state(), SmState::kMaster);
        EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
        EXPECT_TRUE(lone.role.is_first_sweep()) << "the other has changed what we knew";
    }
}

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
    EXPECT_EQ(lone.journal.CountOf(Note::kHandoverOverdue), 0U);
    LetItStayMaster(lone, 3000000);
    EXPECT_EQ(lone.role.state(), SmState::kMaster);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    EXPECT_TRUE(lone.role.is_first_sweep());
    EXPECT_EQ(lone.journal.CountOf(Note::kHandoverOverdue), 1U);
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
    EXPECT_EQ(lone.journal.CountOf(Note::kHandoverOverdue), 1U);
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
        lone.role.EndFirstSweep();
        LetItStayMaster(lone, 2 * PatienceUs(lone));
        EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
    }
    EXPECT_EQ(lone.journal.CountOf(Note::kHandoverOverdue), 1U);
    // It ceases to be master: what it did to the subnet is to be learnt.
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

TEST(Role, AStandbyThatIsHandedTheSubnetSweepsAsForTheFirstTime) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    lone.role.EndFirstSweep();
    ASSERT_EQ(lone.Request(Method::kSet, 1, {0x10, 15, SmState::kMaster}), Status::kOk);
    EXPECT_TRUE(lone.role.is_master());
    EXPECT_TRUE(lone.role.is_first_sweep());
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmState), SmState::kMaster);
}

TEST(Role, WhoWakesItFromNotActiveIsPolledAlongTheWayItCame) {
    LoneRole lone;
    lone.BringTo(SmState::kNotActive);
    ASSERT_EQ(lone.Request(Method::kSet, 4, {0x20, 3, SmState::kMaster}), Status::kOk);
    EXPECT_EQ(lone.role.watched(), Guid{0x20});
    lone.Pass(10000000);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    const auto poll = std::bit_cast<DirectedSmp>(lone.port.sent[0].mad);
    EXPECT_EQ(poll.header.hop_count, 3);
    EXPECT_EQ(poll.initial_path[1], 23);
    EXPECT_EQ(poll.initial_path[2], 22);
    EXPECT_EQ(poll.initial_path[3], 21);
}

TEST(Role, RanksByPriorityAndThenByTheSmallerGuid) {
    const auto after = [](std::uint64_t guid, std::uint8_t priority, SmState state) {
        LoneRole lone(0x50);
        lone.settings.sm_priority = 5;
        lone.Start();
        lone.HoldElection({{guid, priority, state}});
        return lone.role.state();
    };
    EXPECT_EQ(after(0x60, 5, SmState::kDiscovering), SmState::kMaster);
    EXPECT_EQ(after(0x40, 5, SmState::kDiscovering), SmState::kStandby);
    EXPECT_EQ(after(0x40, 4, SmState::kDiscovering), SmState::kMaster);
    EXPECT_EQ(after(0x60, 6, SmState::kDiscovering), SmState::kStandby);
    EXPECT_EQ(after(0x60, 6, SmState::kNotActive), SmState::kMaster) << "it takes no part";
    EXPECT_EQ(after(0x60, 0, SmState::kMaster), SmState::kStandby) << "a master is not displaced";
}

TEST(Role, AnSmWithAnotherKeyOrWithoutAnAnswerDoesNotCount) {
    LoneRole lone;
    lone.Start();
    lone.HoldElection({{0x10, 15, SmState::kMaster, 2}, {0x11, 15, SmState::kMaster, 1, false}});
    EXPECT_EQ(lone.role.state(), SmState::kMaster);
    EXPECT_EQ(lone.journal.CountOf(Note::kOtherSmKeyWrong), 1U);
}

TEST(Role, IgnoreOtherSmActsAsIfThereWereNone) {
    LoneRole lone;
    lone.settings.ignore_other_sm = true;
    lone.Start();
    lone.HoldElection({{0x10, 15, SmState::kMaster}});
    EXPECT_EQ(lone.role.state(), SmState::kMaster);
    EXPECT_TRUE(lone.port.sent.empty());
}

TEST(Role, MoreSmsThanTheBoardRemembersAreReportedAndTheRestStillElects) {
    LoneRole lone(0x50, 1);
    lone.Start();
    lone.role.BeginElection();
    const DirectedPath path;
    EXPECT_EQ(lone.role.Invite(Guid{1}, kNoLid, path, 0), Status::kOk);
    EXPECT_EQ(lone.role.Invite(Guid{2}, kNoLid, path, 0), Status::kFull);
    EXPECT_EQ(lone.journal.CountOf(Note::kLimitExhausted), 1U);
    EXPECT_EQ(lone.role.others().size(), 1U);
}

TEST(Role, AReviewAsksTheSameSmsAgain) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    const std::vector<Peer> low = {{0x60, 0, SmState::kStandby}};
    lone.HoldElection(low);
    EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
    lone.role.Review();
    EXPECT_TRUE(lone.role.electing());
    lone.Answer({{0x60, 9, SmState::kStandby}});
    ASSERT_FALSE(lone.role.electing());
    lone.role.Conclude(lone.now);
    EXPECT_EQ(lone.role.TakeAct(), Act::kHandOver);
}

TEST(Role, AnswersGetWithItsOwnInfo) {
    LoneRole lone(0x77);
    lone.settings.sm_priority = 6;
    lone.settings.sm_key = 0x1234;
    lone.BringTo(SmState::kMaster);
    ASSERT_EQ(lone.Request(Method::kGet, 0, {0x20, 3, SmState::kStandby}), Status::kOk);
    EXPECT_EQ(lone.reply.mad.header.method, Method::kGetResp);
    EXPECT_EQ(StatusOf(lone.reply.mad.header), 0);
    const SmInfo info = lone.ReplyInfo();
    EXPECT_EQ(info.Get(SmInfo::kGuid), Guid{0x77});
    EXPECT_EQ(info.Get(SmInfo::kPriority), 6);
    EXPECT_EQ(info.Get(SmInfo::kSmState), SmState::kMaster);
    EXPECT_EQ(info.Get(SmInfo::kSmKey), 0x1234U);
}

TEST(Role, ActCountGrowsWithWhatIsSent) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    ASSERT_EQ(lone.Request(Method::kGet, 0, {0x20, 3, SmState::kStandby}), Status::kOk);
    const std::uint32_t before = lone.ReplyInfo().Get(SmInfo::kActCount);
    lone.Pass(10000000);
    ASSERT_EQ(lone.Request(Method::kGet, 0, {0x20, 3, SmState::kStandby}), Status::kOk);
    EXPECT_GT(lone.ReplyInfo().Get(SmInfo::kActCount), before);
}

TEST(Role, AWrongMKeyIsTreatedByTheProtectionLevel) {
    const Peer peer{0x20, 3, SmState::kMaster};
    LoneRole lone;
    lone.settings.m_key = 0xAA;
    lone.settings.sm_key = 0x1234;
    lone.BringTo(SmState::kStandby);

    EXPECT_EQ(lone.Request(Method::kGet, 0, peer, 0xBB), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), 0x1234U);
    lone.settings.m_key_protection_level = 1;
    EXPECT_EQ(lone.Request(Method::kGet, 0, peer, 0xBB), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), 0U);
    EXPECT_EQ(lone.Request(Method::kGet, 0, peer, 0xAA), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), 0x1234U);
    lone.settings.m_key_protection_level = 2;
    EXPECT_EQ(lone.Request(Method::kGet, 0, peer, 0xBB), Status::kRefused);
    EXPECT_EQ(lone.Request(Method::kGet, 0, peer, 0xAA), Status::kOk);

    lone.settings.m_key_protection_level = 0;
    EXPECT_EQ(lone.Request(Method::kSet, 1, peer, 0xBB), Status::kRefused)
        << "a Set needs the key at every level";
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    EXPECT_EQ(lone.Request(Method::kSet, 1, peer, 0xAA), Status::kOk);
    EXPECT_EQ(lone.role.state(), SmState::kMaster);
}

TEST(Role, ASetFromWhoMayNotAskIsRefusedWithInvalidField) {
    struct Case {
        std::uint32_t modifier;
        SmState sender;
    };
    for (const Case& one :
         {Case{1, SmState::kStandby}, Case{2, SmState::kMaster}, Case{3, SmState::kDiscovering},
          Case{4, SmState::kNotActive}, Case{5, SmState::kStandby}, Case{0, SmState::kMaster},
          Case{6, SmState::kMaster}, Case{0xFFFFFFFF, SmState::kMaster}}) {
        LoneRole lone;
        lone.BringTo(SmState::kStandby);
        ASSERT_EQ(lone.Request(Method::kSet, one.modifier, {0x10, 15, one.sender}), Status::kOk);
        EXPECT_EQ(StatusOf(lone.reply.mad.header), kMadStatusInvalidField) << one.modifier;
        EXPECT_EQ(lone.role.state(), SmState::kStandby);
        EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
    }
}

TEST(Role, AnotherAttributeIsNotItsBusiness) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    Envelope request;
    request.mad = MakeDirected(
        {.method = Method::kGet, .attribute = AttributeId::kNodeInfo, .id = TransactionId{1}}, {});
    EXPECT_EQ(lone.role.Serve(request, 0, lone.reply), Status::kAbsent);
}

TEST(Role, AStandbyThatOutranksItsMasterTellsItWithEveryPoll) {
    LoneRole lone;
    lone.settings.sm_priority = 9;
    lone.Start();
    const Peer low_master{0x60, 2, SmState::kMaster};
    lone.HoldElection({low_master});
    const auto traps = [&lone] {
        std::size_t count = 0;
        for (const Envelope& envelope : lone.port.sent) {
            if (envelope.mad.header.method != Method::kTrap) continue;
            ++count;
            EXPECT_EQ(envelope.peer, Lid{77});
            const auto octets = DataOf(envelope.mad);
            EXPECT_EQ(octets[4] << 8 | octets[5], 144);
            EXPECT_EQ(octets[21], 0x08) << "SMPriorityChange and nothing else";
        }
        return count;
    };
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    EXPECT_EQ(traps(), 1U);

    lone.port.sent.clear();
    lone.Pass(10000000);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], low_master));
    EXPECT_EQ(traps(), 1U);

    lone.port.sent.clear();
    lone.settings.sm_priority = 1;
    lone.role.Reconsider(lone.now);
    EXPECT_EQ(traps(), 0U) << "it no longer outranks the master";
    lone.settings.sm_priority = 3;
    lone.role.Reconsider(lone.now);
    EXPECT_EQ(traps(), 1U);
}

TEST(Role, AStandbyThatKnowsNoLidForItsTrapAsksItsOwnPort) {
    LoneRole lone;
    lone.settings.sm_priority = 9;
    lone.role.SetOwnPort(Guid{0x50}, kNoLid);
    lone.Start();
    const LoneRole::Peer low_master{0x60, 2, SmState::kMaster};
    lone.HoldElection({low_master});
    EXPECT_EQ(lone.role.NextDeadlineUs(), 0U);
    const auto answer_with = [&lone](Lid lid, Lid master) {
        lone.port.sent.clear();
        lone.role.Step(lone.now);
        ASSERT_EQ(lone.port.sent.size(), 1U);
        const Envelope asked = lone.port.sent[0];
        EXPECT_EQ(asked.mad.header.attribute_id, AttributeId::kPortInfo);
        EXPECT_EQ(asked.mad.header.hop_count, 0);
        PortInfo info;
        info.Set(PortInfo::kLid, lid);
        info.Set(PortInfo::kMasterSmLid, master);
        Envelope answer = ResponseTo(asked);
        auto smp = std::bit_cast<DirectedSmp>(answer.mad);
        smp.data = info.octets();
        answer.mad = std::bit_cast<Mad>(smp);
        lone.Deliver(answer);
    };
    answer_with(kNoLid, kNoLid);
    EXPECT_EQ(lone.port.sent.size(), 1U) << "no trap without LIDs";

    lone.port.sent.clear();
    lone.Pass(10000000);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], low_master));
    answer_with(Lid{8}, Lid{9});
    ASSERT_EQ(lone.port.sent.size(), 2U);
    EXPECT_EQ(lone.port.sent[1].mad.header.method, Method::kTrap);
    EXPECT_EQ(lone.port.sent[1].peer, Lid{9});
}

TEST(Role, AnSmThatDoesNotKnowItsOwnGuidAnswersNobody) {
    LoneRole lone(0);
    lone.Start();
    const LoneRole::Peer other{0x60, 2, SmState::kMaster};
    EXPECT_EQ(lone.Request(Method::kGet, 0, other), Status::kRefused);
    lone.role.SetOwnPort(Guid{0x50}, kNoLid);
    EXPECT_EQ(lone.Request(Method::kGet, 0, other), Status::kOk);
}

TEST(Role, GarbageInAnSmInfoAnswerIsNoSm) {
    LoneRole lone;
    lone.Start();
    lone.HoldElection({{0, 15, SmState::kMaster},              // No GUID.
                       {0x50, 15, SmState::kMaster},           // Ours.
                       {0x11, 15, static_cast<SmState>(9)}});  // No such state.
    EXPECT_EQ(lone.role.state(), SmState::kMaster);
}

}  // namespace
}  // namespace ember
