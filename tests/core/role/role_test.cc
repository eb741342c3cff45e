// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of one SM; the test plays the other SMs.
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
    const std::uint64_t transitions = lone.log.CountOf(Note::kRoleChanged);
    happen(lone);
    const RoleRow& row = Decide(in, cue);
    EXPECT_EQ(lone.role.state(), row.to) << "in " << int(in) << " on " << int(cue);
    EXPECT_EQ(lone.role.TakeAct(), row.act) << "in " << int(in) << " on " << int(cue);
    EXPECT_EQ(lone.log.CountOf(Note::kRoleChanged) - transitions, row.to == in ? 0U : 1U);
}

TEST(Role, ObeysTheTableOnWhatItsMasterSays) {
    const Peer master{0x10, 15, SmState::kMaster};
    for (const auto& [control, cue] :
         {std::pair{1U, Cue::kHandover}, std::pair{3U, Cue::kDisable}, std::pair{4U, Cue::kStandby},
          std::pair{5U, Cue::kDiscover}}) {
        ExpectRow(SmState::kStandby, cue, [&, modifier = control](LoneRole& r) {
            EXPECT_EQ(r.Request(Method::kSet, modifier, master), Status::kOk);
            EXPECT_EQ(StatusOf(r.reply.mad.header), 0) << modifier;
        });
    }
    ExpectRow(SmState::kStandby, Cue::kAcknowledge, [&](LoneRole& r) {
        EXPECT_EQ(r.Request(Method::kSet, 2, {0x10, 15, SmState::kStandby}), Status::kOk);
        EXPECT_EQ(StatusOf(r.reply.mad.header), 0);
    });
}

TEST(Role, ObeysTheTableOnItsOwnAffairs) {
    for (const SmState in : kEveryState) {
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

TEST(Role, AMasterThatDoubtsItsMasterySweepsAsForTheFirstTimeAndMerges) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.role.SuspectOtherMaster();
    EXPECT_FALSE(lone.role.merges()) << "it has not served yet";
    lone.role.EndFirstSweep();
    lone.role.SuspectOtherMaster();
    EXPECT_TRUE(lone.role.is_first_sweep());
    EXPECT_TRUE(lone.role.merges());
}

TEST(Role, NamesItselfFirstThenTheOthersThatCount) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    constexpr std::uint64_t kWrongKey = 0x666;
    lone.HoldElection({{0x60, 0, SmState::kStandby, lone.settings.sm_key},
                       {0x70, 2, SmState::kStandby, kWrongKey}});
    ASSERT_EQ(lone.role.manager_count(), 3U);
    const SmInfo own = lone.role.manager(0);
    EXPECT_EQ(own.Get(SmInfo::kGuid), Guid{0x50});
    EXPECT_EQ(own.Get(SmInfo::kSmState), SmState::kMaster);
    EXPECT_EQ(own.Get(SmInfo::kPriority), lone.settings.sm_priority);
    const SmInfo other = lone.role.manager(1);
    EXPECT_EQ(other.Get(SmInfo::kGuid), Guid{0x60});
    EXPECT_EQ(other.Get(SmInfo::kPriority), 0);
    EXPECT_EQ(other.Get(SmInfo::kSmState), SmState::kStandby);
    EXPECT_EQ(other.Get(SmInfo::kSmKey), 0U);
    EXPECT_EQ(lone.role.manager(2), SmInfo{}) << "it does not have our SM_Key";
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
        EXPECT_EQ(lone.log.CountOf(Note::kHandoverFailed), 1U);
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

TEST(Role, AStandbyThatIsHandedTheSubnetSweepsAsForTheFirstTime) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    lone.role.EndFirstSweep();
    ASSERT_EQ(lone.Request(Method::kSet, 1, {0x10, 15, SmState::kMaster}), Status::kOk);
    EXPECT_TRUE(lone.role.is_master());
    EXPECT_TRUE(lone.role.is_first_sweep());
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmState), SmState::kMaster);
}

TEST(Role, TheSmThatSetsItToStandbyIsPolledAlongThePathOfItsRequest) {
    LoneRole lone;
    lone.BringTo(SmState::kNotActive);
    lone.HoldElection({{0x20, 3, SmState::kMaster}});
    lone.port.sent.clear();
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
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmKeyWrong), 1U);
}

TEST(Role, UnderIgnoreOtherSmAnSmActsAsTheOnlyOne) {
    LoneRole lone;
    lone.settings.ignore_other_sm = true;
    lone.Start();
    lone.HoldElection({{0x10, 15, SmState::kMaster}});
    EXPECT_EQ(lone.role.state(), SmState::kMaster);
    EXPECT_TRUE(lone.port.sent.empty());
    lone.HoldElection({{0x10, 15, SmState::kMaster}});
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmIgnored), 1U) << "told once";
}

TEST(Role, NotesAnotherSmWhenItIsFoundChangedAndLost) {
    LoneRole lone;
    lone.settings.sm_priority = 5;
    lone.Start();
    lone.HoldElection({{0x60, 1, SmState::kDiscovering}});
    lone.HoldElection({{0x60, 1, SmState::kDiscovering}});
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmFound), 1U) << "not at each sweep";
    lone.HoldElection({{0x60, 1, SmState::kStandby}});
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmFound), 2U);
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmLost), 0U);
    lone.HoldElection({});
    lone.HoldElection({});
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmLost), 1U);
    lone.HoldElection({{0x60, 1, SmState::kStandby}});
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmFound), 3U);
}

TEST(Role, MoreSmsThanTheBoardRemembersAreReportedAndTheRestStillElects) {
    LoneRole lone(0x50, 1);
    lone.Start();
    lone.role.BeginElection();
    const DirectedPath path;
    EXPECT_EQ(lone.role.Invite(Guid{1}, kNoLid, path, 0), Status::kOk);
    EXPECT_EQ(lone.role.Invite(Guid{2}, kNoLid, path, 0), Status::kFull);
    EXPECT_EQ(lone.log.CountOf(Note::kLimitExhausted), 1U);
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

/// How long an election waits for the one SM that is invited, which is silent.
std::uint64_t WaitForSilentUs(LoneRole& lone) {
    const std::uint64_t began_us = lone.now;
    lone.role.BeginElection();
    static_cast<void>(lone.role.Invite(Guid{0x60}, Lid{77}, DirectedPath{}, lone.now));
    lone.role.Step(lone.now);
    while (lone.role.electing()) {  // Ends: the exchange gives up.
        lone.Pass(10000);
    }
    lone.role.Conclude(lone.now);
    static_cast<void>(lone.role.TakeAct());
    return lone.now - began_us;
}

/// A host may set IsSM and never answer: each sweep for a trap would be held up by it.
TEST(Role, AnSmThatAnswersNoElectionIsNotWaitedForAsLongAsOthers) {
    LoneRole lone;
    lone.settings.transaction_retries = 6;
    lone.exchange.Configure(lone.settings);
    lone.BringTo(SmState::kMaster);
    const std::uint64_t patient_us = WaitForSilentUs(lone);
    EXPECT_GT(patient_us, 4000000U);
    EXPECT_GT(WaitForSilentUs(lone), patient_us / 2);
    EXPECT_GT(WaitForSilentUs(lone), patient_us / 2);
    EXPECT_LT(WaitForSilentUs(lone), patient_us / 2);
    lone.role.Review();
    EXPECT_FALSE(lone.role.electing());
    // The SM has answered: from now on it is waited for again.
    lone.HoldElection({{0x60, 0, SmState::kStandby}});
    EXPECT_GT(WaitForSilentUs(lone), patient_us / 2);
}

/// An SM shows its SM_Key to those that it has met, and may not have met us yet.
TEST(Role, AnSmThatAnswersWithoutOurSmKeyIsAskedInEachReview) {
    LoneRole lone;
    lone.settings.sm_key = 7;
    lone.BringTo(SmState::kMaster);
    for (int i = 0; i < 5; ++i) {
        lone.HoldElection({{0x60, 0, SmState::kStandby, 0}});
        static_cast<void>(lone.role.TakeAct());
    }
    lone.role.Review();
    EXPECT_TRUE(lone.role.electing());
}

TEST(Role, OfManySmsThatAnswerNoElectionTheLatestAreKnown) {
    LoneRole lone(0x50, 12);
    lone.BringTo(SmState::kMaster);
    std::vector<LoneRole::Peer> peers;
    for (std::uint64_t guid = 0x60; guid < 0x6C; ++guid) {
        peers.push_back(
            {.guid = guid, .priority = 0, .state = SmState::kStandby, .answers = false});
    }
    for (int i = 0; i < 5; ++i) {
        lone.HoldElection(peers);
        EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
    }
    EXPECT_EQ(lone.role.others().size(), 12U);
}

TEST(Role, AReviewDoesNotWaitForASilentPortThatSaysIsSmNoLonger) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{.guid = 0x60, .priority = 0, .state = SmState::kStandby, .answers = false},
                       {0x70, 0, SmState::kStandby}});
    lone.role.Forget(Guid{0x60});
    lone.role.Forget(Guid{0x70});  // This SM has answered, whatever its port says.
    ASSERT_EQ(lone.role.others().size(), 1U);
    EXPECT_EQ(lone.role.others()[0].port, Guid{0x70});
    lone.role.Review();
    EXPECT_TRUE(lone.role.electing());
}

}  // namespace
}  // namespace ember
