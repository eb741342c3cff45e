// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the SMs that an SM obeys, and of those that get its SM_Key.
#include <gtest/gtest.h>
#include <initializer_list>

#include "core/role/role.h"
#include "core/wire/port_info.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

using Peer = LoneRole::Peer;
constexpr std::uint64_t kSecret = 0x5EC2E7;
constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint32_t kHandover = 1;
constexpr std::uint32_t kDisable = 3;
constexpr std::uint32_t kStandby = 4;
constexpr std::uint32_t kDiscover = 5;

/// The MAD status of the answer to a Set; no answer is 0xFFFF.
std::uint16_t Told(LoneRole& lone, std::uint32_t control, const Peer& peer) {
    const Status served = lone.Request(Method::kSet, control, peer);
    return served == Status::kOk ? StatusOf(lone.reply.mad.header) : std::uint16_t{0xFFFF};
}

TEST(RoleObeys, NoPeerThatTheSweepHasNotMet) {
    for (const SmState in : {SmState::kStandby, SmState::kMaster}) {
        for (const std::uint32_t control : {kHandover, kDisable, kStandby, kDiscover}) {
            LoneRole lone;
            lone.BringTo(in);
            EXPECT_NE(Told(lone, control, {0x66, 15, SmState::kMaster}), 0) << control;
            EXPECT_EQ(lone.role.state(), in);
            EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
        }
    }
}

TEST(RoleObeys, OnlyTheMasterThatItFollows) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    lone.HoldElection({{0x10, 15, SmState::kMaster}, {0x60, 0, SmState::kStandby}});
    static_cast<void>(lone.role.TakeAct());
    for (const std::uint32_t control : {kDisable, kStandby, kDiscover}) {
        EXPECT_EQ(Told(lone, control, {0x60, 15, SmState::kMaster}), kMadStatusInvalidField);
        EXPECT_EQ(lone.role.state(), SmState::kStandby) << control;
    }
    EXPECT_EQ(Told(lone, kDisable, {0x10, 15, SmState::kMaster}), 0);
    EXPECT_EQ(lone.role.state(), SmState::kNotActive);
}

TEST(RoleObeys, AMasterObeysOnlyAHandover) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kStandby}});
    lone.role.EndFirstSweep();
    static_cast<void>(lone.role.TakeAct());
    for (const std::uint32_t control : {kDisable, kStandby, kDiscover}) {
        EXPECT_EQ(Told(lone, control, {0x60, 0, SmState::kMaster}), kMadStatusInvalidField);
        EXPECT_EQ(lone.role.state(), SmState::kMaster) << control;
        EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
    }
}

TEST(RoleObeys, AHandoverFromAnSmThatNoSweepMetAsMasterCausesASweep) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kStandby}});
    lone.role.EndFirstSweep();
    static_cast<void>(lone.role.TakeAct());
    EXPECT_EQ(Told(lone, kHandover, {0x60, 0, SmState::kMaster}), 0);
    EXPECT_EQ(lone.role.TakeAct(), Act::kLook);
    EXPECT_FALSE(lone.role.is_first_sweep()) << "clients are served meanwhile";
    // The other SM is there and no longer master, so it has managed the subnet meanwhile.
    lone.HoldElection({{0x60, 0, SmState::kStandby}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kSweep);
    EXPECT_TRUE(lone.role.is_first_sweep());
}

TEST(RoleObeys, AHandoverDuringAFirstSweepBeginsNoOther) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kStandby}});
    static_cast<void>(lone.role.TakeAct());
    ASSERT_TRUE(lone.role.is_first_sweep());
    EXPECT_EQ(Told(lone, kHandover, {0x60, 0, SmState::kMaster}), 0);
    EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
    EXPECT_TRUE(lone.role.EndFirstSweep()) << "clients of the other master register again";
    EXPECT_FALSE(lone.role.EndFirstSweep()) << "once";

    LoneRole discovering;
    discovering.Start();
    discovering.role.BeginElection();
    DirectedPath path;
    path.hops = path.ports[0] = 1;
    ASSERT_EQ(discovering.role.Invite(Guid{0x60}, Lid{7}, path, 0), Status::kOk);
    discovering.Answer({{0x60, 0, SmState::kMaster}});
    static_cast<void>(discovering.role.TakeAct());
    EXPECT_EQ(Told(discovering, kHandover, {0x60, 0, SmState::kMaster}), 0);
    EXPECT_EQ(discovering.role.TakeAct(), Act::kNothing);
    discovering.role.Conclude(discovering.now);
    EXPECT_TRUE(discovering.role.is_master()) << "there is no other master any more";
}

TEST(RoleObeys, OnceASecondAndTheSameAgainIsARepetition) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    const Peer master{0x10, 15, SmState::kMaster};
    EXPECT_EQ(Told(lone, kDisable, master), 0);
    EXPECT_EQ(Told(lone, kStandby, master), kMadStatusBusy);
    EXPECT_EQ(lone.role.state(), SmState::kNotActive);
    lone.now += kSecond;
    EXPECT_EQ(Told(lone, kStandby, master), 0);
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    EXPECT_EQ(Told(lone, kStandby, master), 0);
}

TEST(RoleObeys, TheKeyOrNoneAndNoOther) {
    LoneRole lone;
    lone.settings.sm_key = kSecret;
    lone.BringTo(SmState::kStandby);
    EXPECT_EQ(Told(lone, kHandover, {0x10, 15, SmState::kMaster, 1}), kMadStatusInvalidField);
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    EXPECT_EQ(Told(lone, kHandover, {0x10, 15, SmState::kMaster, 0}), 0) << "so does OpenSM";
    EXPECT_TRUE(lone.role.is_master());
}

/// DISABLE from the LID at which the last sweep met `peer`.
Status DisableByLid(LoneRole& lone, const Peer& peer) {
    Envelope request;
    request.peer = Lid{77};
    request.mad = MakeLidRouted({Method::kSet, AttributeId::kSmInfo, kDisable, 0, TransactionId{5},
                                 LoneRole::InfoOf(peer).octets()});
    return lone.role.Serve(request, {.port = Guid{peer.guid}, .is_sm = true}, lone.now, lone.reply);
}

/// The sender's port is asked for its PortInfo, says that it is an SM, and `tells` its SMInfo.
template <typename Smp>
void TellWhoItIs(LoneRole& lone, const Peer& tells) {
    lone.port.sent.clear();
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    if (std::is_same_v<Smp, LidSmp>) {
        EXPECT_EQ(lone.port.sent[0].peer, Lid{77});
    }
    PortInfo info;
    info.Set(PortInfo::kCapabilityMask, capability_mask::kIsSm);
    Envelope answer = ResponseTo(lone.port.sent[0]);
    auto smp = std::bit_cast<Smp>(answer.mad);
    smp.data = info.octets();
    answer.mad = std::bit_cast<Mad>(smp);
    lone.Deliver(answer);
    lone.port.sent.clear();
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    EXPECT_EQ(lone.port.sent[0].mad.header.attribute_id, AttributeId::kSmInfo);
    lone.Deliver(LoneRole::InfoAnswer(lone.port.sent[0], tells));
}

TEST(RoleObeys, DisableByLidOnlyIfTheMasterIsFoundThere) {
    const Peer master{0x10, 15, SmState::kMaster};
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    EXPECT_EQ(DisableByLid(lone, master), Status::kRefused) << "its sender asks again";
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    TellWhoItIs<LidSmp>(lone, master);
    EXPECT_EQ(lone.role.others().size(), 1U) << "it is known already";
    EXPECT_EQ(DisableByLid(lone, master), Status::kOk);
    EXPECT_EQ(StatusOf(lone.reply.mad.header), 0);
    EXPECT_EQ(lone.role.state(), SmState::kNotActive);
}

TEST(RoleObeys, NoDisableOfAHostThatHasTheLidOfTheMasterByNow) {
    const Peer master{0x10, 15, SmState::kMaster};
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    EXPECT_EQ(DisableByLid(lone, master), Status::kRefused);
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    lone.Deliver(ResponseTo(lone.port.sent[0]));  // The port has no IsSM.
    EXPECT_EQ(DisableByLid(lone, master), Status::kOk);
    EXPECT_EQ(StatusOf(lone.reply.mad.header), kMadStatusInvalidField);
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
}

TEST(RoleObeys, NoDisableOfAnotherManagerThatHasItNorALongTimeAfter) {
    const Peer master{0x10, 15, SmState::kMaster};
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    EXPECT_EQ(DisableByLid(lone, master), Status::kRefused);
    TellWhoItIs<LidSmp>(lone, {0x66, 15, SmState::kMaster});
    EXPECT_EQ(DisableByLid(lone, master), Status::kRefused) << "asked anew";
    TellWhoItIs<LidSmp>(lone, {0x10, 15, SmState::kStandby});
    EXPECT_EQ(DisableByLid(lone, master), Status::kRefused);
    TellWhoItIs<LidSmp>(lone, master);
    lone.now += 3 * kSecond;
    EXPECT_EQ(DisableByLid(lone, master), Status::kRefused) << "it was there long ago";
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
}

TEST(RolePeers, GetTheSmKeyAndStrangersAreAskedFirst) {
    LoneRole lone;
    lone.settings.sm_key = kSecret;
    lone.BringTo(SmState::kMaster);
    const Peer stranger{0x66, 0, SmState::kStandby};
    ASSERT_EQ(lone.Request(Method::kGet, 0, stranger), Status::kOk) << "IsSM";
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), kSecret);
    EXPECT_EQ(lone.Request(Method::kGet, 0, stranger, 0, false), Status::kRefused);

    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    EXPECT_EQ(lone.port.sent[0].mad.header.attribute_id, AttributeId::kPortInfo);
    EXPECT_EQ(lone.Request(Method::kGet, 0, stranger, 0, false), Status::kRefused) << "not twice";
    lone.Deliver(ResponseTo(lone.port.sent[0]));  // The port has no IsSM.
    ASSERT_EQ(lone.Request(Method::kGet, 0, stranger, 0, false), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), 0U);
    EXPECT_NE(Told(lone, kHandover, {0x66, 15, SmState::kMaster, kSecret}), 0);

    lone.now += 11 * kSecond;
    EXPECT_EQ(lone.Request(Method::kGet, 0, stranger, 0, false), Status::kRefused) << "once more";
}

TEST(RolePeers, AnSmThatHasJustBeenStartedIsOneOfThem) {
    LoneRole lone;
    lone.settings.sm_key = kSecret;
    lone.BringTo(SmState::kMaster);
    const Peer fresh{0x66, 0, SmState::kDiscovering, kSecret};
    EXPECT_EQ(lone.Request(Method::kGet, 0, fresh, 0, false), Status::kRefused);
    TellWhoItIs<DirectedSmp>(lone, fresh);
    ASSERT_EQ(lone.Request(Method::kGet, 0, fresh, 0, false), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), kSecret);
    EXPECT_EQ(lone.role.others().size(), 1U);
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmFound), 1U);
}

TEST(RolePeers, EverySenderGetsTheWellKnownSmKey) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    ASSERT_EQ(lone.Request(Method::kGet, 0, {0x66, 0, SmState::kStandby}, 0, false), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), 1U);
}

TEST(RolePeers, OnlyListedPortsCountAndGetTheSmKey) {
    LoneRole lone;
    ASSERT_EQ(lone.settings.sm_peers.TryPush(Guid{0x60}), Status::kOk);
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x20, 15, SmState::kMaster}});
    lone.HoldElection({{0x20, 15, SmState::kMaster}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kServe) << "it is not one of them";
    EXPECT_EQ(lone.log.CountOf(Note::kOtherSmUnlisted), 1U) << "told once";
    EXPECT_TRUE(lone.role.others().empty());
    ASSERT_EQ(lone.Request(Method::kGet, 0, {0x20, 15, SmState::kMaster}), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), 0U);
    ASSERT_EQ(lone.Request(Method::kGet, 0, {0x60, 0, SmState::kStandby}, 0, false), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmKey), 1U);
    lone.HoldElection({{0x60, 15, SmState::kStandby}});
    EXPECT_EQ(lone.role.TakeAct(), Act::kHandOver);
}

TEST(RoleFollows, AMasterHasShownThatItServesWhenItAnswersAndOurPortBearsItsLid) {
    LoneRole lone;
    lone.BringTo(SmState::kStandby);
    PortInfo own;
    own.Set(PortInfo::kLid, Lid{1});
    own.Set(PortInfo::kMasterSmLid, Lid{1});
    const auto poll = [&] {
        lone.port.sent.clear();
        lone.Pass(10 * kSecond);
        const auto polls = lone.port.sent;
        lone.port.sent.clear();
        for (const Envelope& asked : polls) {
            lone.Deliver(LoneRole::InfoAnswer(asked, {0x10, 15, SmState::kMaster}));
        }
        lone.role.Step(lone.now);
        for (const Envelope& asked : lone.port.sent) {
            if (asked.mad.header.attribute_id != AttributeId::kPortInfo) continue;
            Envelope answer = ResponseTo(asked);
            auto smp = std::bit_cast<DirectedSmp>(answer.mad);
            smp.data = own.octets();
            answer.mad = std::bit_cast<Mad>(smp);
            lone.Deliver(answer);
        }
    };
    for (int i = 0; i < 6; ++i)
        poll();
    EXPECT_FALSE(lone.role.is_succeeded()) << "it talks, and our port is as we left it";
    own.Set(PortInfo::kMasterSmLid, Lid{9});
    poll();
    EXPECT_TRUE(lone.role.is_succeeded());
}

TEST(RoleLeaves, AMasterOffersTheSubnetToTheHighestStandbyAndThenToTheNext) {
    LoneRole lone;
    lone.settings.sm_priority = 9;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 1, SmState::kStandby},
                       {0x20, 3, SmState::kStandby},
                       {0x21, 8, SmState::kNotActive},
                       {0x22, 7, SmState::kDiscovering}});
    lone.port.sent.clear();
    lone.role.Leave(lone.now);
    EXPECT_TRUE(lone.role.leaves(lone.now));
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    const Envelope first = lone.port.sent[0];
    EXPECT_EQ(first.mad.header.attribute_modifier, kHandover);
    EXPECT_EQ(std::bit_cast<DirectedSmp>(first.mad).initial_path[1], 2);
    lone.Deliver(ResponseTo(first, kMadStatusInvalidField));
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 2U);
    const Envelope second = lone.port.sent[1];
    EXPECT_EQ(std::bit_cast<DirectedSmp>(second.mad).initial_path[1], 1);
    lone.Deliver(LoneRole::InfoAnswer(second, {0x60, 1, SmState::kMaster}));
    EXPECT_EQ(lone.role.state(), SmState::kNotActive);
    EXPECT_EQ(lone.role.TakeAct(), Act::kSleep);
    EXPECT_TRUE(lone.role.leaves(lone.now)) << "until the new master has met us";
    ASSERT_EQ(lone.Request(Method::kGet, 0, {0x60, 1, SmState::kMaster}), Status::kOk);
    EXPECT_EQ(lone.ReplyInfo().Get(SmInfo::kSmState), SmState::kNotActive);
    EXPECT_FALSE(lone.role.leaves(lone.now));
}

TEST(RoleLeaves, WithoutAStandbyThereIsNothingToWaitFor) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    lone.role.Leave(lone.now);
    lone.role.Step(lone.now);
    EXPECT_FALSE(lone.role.leaves(lone.now));
    EXPECT_TRUE(lone.port.sent.empty());
    EXPECT_TRUE(lone.role.is_master());
}

TEST(RoleLeaves, AndASilentStandbyIsNotWaitedForMoreThanASecond) {
    LoneRole lone;
    lone.settings.transaction_retries = 30;
    lone.BringTo(SmState::kMaster);
    lone.HoldElection({{0x60, 0, SmState::kStandby}});
    lone.role.Leave(lone.now);
    lone.role.Step(lone.now);
    EXPECT_TRUE(lone.role.leaves(lone.now + kSecond - 1));
    EXPECT_FALSE(lone.role.leaves(lone.now + kSecond));
}

}  // namespace
}  // namespace ember
