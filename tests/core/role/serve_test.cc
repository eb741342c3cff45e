// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the answers of an SM to SMInfo, and of its traps.
#include <gtest/gtest.h>

#include "core/role/role.h"
#include "core/wire/port_info.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

using Peer = LoneRole::Peer;

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
    const Peer peer{0x10, 15, SmState::kMaster, 0x1234};
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
    EXPECT_EQ(lone.log.CountOf(Note::kSmpKeyWrong), 0U);
    EXPECT_EQ(lone.Request(Method::kGet, 0, peer, 0xBB), Status::kRefused);
    EXPECT_EQ(lone.log.CountOf(Note::kSmpKeyWrong), 1U);
    EXPECT_EQ(lone.Request(Method::kGet, 0, peer, 0xAA), Status::kOk);

    lone.settings.m_key_protection_level = 0;
    EXPECT_EQ(lone.Request(Method::kSet, 1, peer, 0xBB), Status::kRefused)
        << "a Set needs the key at every level";
    EXPECT_EQ(lone.role.state(), SmState::kStandby);
    EXPECT_EQ(lone.Request(Method::kSet, 1, peer, 0xAA), Status::kOk);
    EXPECT_EQ(lone.role.state(), SmState::kMaster);
}

TEST(Role, ASetOfASenderThatMayNotSendItIsRefusedWithInvalidField) {
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
        EXPECT_EQ(lone.log.CountOf(Note::kSmInfoSetRefused), 1U);
        EXPECT_EQ(lone.role.state(), SmState::kStandby);
        EXPECT_EQ(lone.role.TakeAct(), Act::kNothing);
    }
}

TEST(Role, AnotherAttributeIsNotAnswered) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    Envelope request;
    request.mad = MakeDirected(
        {.method = Method::kGet, .attribute = AttributeId::kNodeInfo, .id = TransactionId{1}}, {});
    EXPECT_EQ(lone.role.Serve(request, {}, 0, lone.reply), Status::kAbsent);
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

TEST(Role, ATrapIsRepeatedUntilTheMasterHasHeardIt) {
    LoneRole lone;
    lone.settings.sm_priority = 9;
    lone.settings.transaction_retries = 3;
    lone.exchange.Configure(lone.settings);
    lone.Start();
    lone.HoldElection({{0x60, 2, SmState::kMaster}});
    const auto traps = [&lone] {
        return std::count_if(lone.port.sent.begin(), lone.port.sent.end(), [](const Envelope& e) {
            return e.mad.header.method == Method::kTrap;
        });
    };
    ASSERT_EQ(traps(), 1);
    const std::uint64_t began_us = lone.now;
    lone.Pass(200'000);
    ASSERT_EQ(traps(), 2) << "unheard";
    Envelope repress = lone.port.sent.back();
    repress.mad.header.method = Method::kTrapRepress;
    lone.Deliver(repress);
    EXPECT_EQ(lone.exchange.in_flight(), 0U);
    while (lone.now < began_us + 9'000'000) {
        lone.Pass(100'000);
    }
    EXPECT_EQ(traps(), 2) << "heard, and the next poll is not due yet";
}

TEST(Role, ATrapWaitsForRoomInTheExchange) {
    LoneRole lone;
    lone.settings.sm_priority = 9;
    lone.settings.max_wire_smps = 1;
    lone.exchange.Configure(lone.settings);
    lone.Start();
    Ask ask;
    ask.cookie.client = Client{200};
    ask.attribute = AttributeId::kNodeInfo;
    lone.role.BeginElection();
    DirectedPath path;
    path.hops = path.ports[0] = 1;
    ASSERT_EQ(lone.role.Invite(Guid{0x60}, Lid{77}, path, lone.now), Status::kOk);
    lone.Answer({{0x60, 2, SmState::kMaster}});
    lone.exchange.Post(ask, lone.now);
    lone.port.sent.clear();
    lone.role.Conclude(lone.now);
    EXPECT_TRUE(lone.port.sent.empty());
    lone.exchange.Abandon(Client{200});
    EXPECT_EQ(lone.role.NextDeadlineUs(), 0U);
    lone.role.Step(lone.now);
    ASSERT_EQ(lone.port.sent.size(), 1U);
    EXPECT_EQ(lone.port.sent[0].mad.header.method, Method::kTrap);
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

TEST(Role, AnSmThatDoesNotKnowItsOwnGuidDoesNotAnswer) {
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
