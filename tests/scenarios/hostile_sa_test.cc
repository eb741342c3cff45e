// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts that mean harm to subnet administration, and what others notice of it.
//
// Goal:   a port acts for itself only, and takes its share only: whatever one host, or six, ask,
//         an honest one joins, registers, and is told tables.
// Method: raw datagrams from hosts of the simulated fabric, to a manager with the settings as
//         shipped. H8, H12 and M5 of the hostile review.
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "core/wire/guid_info_record.h"
#include "core/wire/node_info.h"
#include "core/wire/rmpp.h"
#include "core/wire/service_record.h"
#include "tests/support/sa_client.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kTrusted = 1;  ///< The default sa_key.

class HostileSa : public ::testing::Test {
protected:
    HostileSa() : world_(net::FatTree2(6)) { world_.AddManager(BriskSettings()); }
    void SetUp() override { ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes(); }

    [[nodiscard]] Guid GuidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).guid;
    }
    [[nodiscard]] Lid LidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).info.Get(PortInfo::kLid);
    }
    static SaStatus Join(SaClient& client, Guid port, std::uint64_t group, std::uint64_t key = 0) {
        McMemberRecord record = FullMember(port);
        record.SetMgid({0xFF15A01C00000000, group});
        return client.StatusOf(Method::kSet, SaAttribute::kMcMemberRecord, kToJoin, record, key);
    }
    static SaStatus Leave(SaClient& client, Guid port, std::uint64_t group) {
        McMemberRecord record = FullMember(port);
        record.SetMgid({0xFF15A01C00000000, group});
        return client.StatusOf(Method::kDelete, SaAttribute::kMcMemberRecord, kToLeave, record);
    }
    /// Set or Delete of GUIDs 1 to 7 of block 0 of a host.
    SaStatus Aliases(SaClient& client, Method method, std::uint32_t host, std::uint64_t key = 0) {
        GuidInfoRecord record;
        record.Set(GuidInfoRecord::kLid, LidOf(host));
        return client.StatusOf(method, SaAttribute::kGuidInfoRecord,
                               3U | 0xFEULL << GuidInfoRecord::kFirstGuid, record, key);
    }
    const SubnetManager& sm() { return world_.sm(); }
    const Groups& groups() { return world_.sm().multicast().groups(); }

    SimWorld world_;
};

TEST_F(HostileSa, AServiceIsItsOwnersUnlessOneHasTheSmKey) {
    SaClient victim(world_, 3);
    SaClient evil(world_, 5);
    ServiceRecord mine;
    mine.Set(ServiceRecord::kServiceId, std::uint64_t{0x1234});
    mine.SetGid({0xFE80000000000000, Raw(victim.guid())});
    mine.Set(ServiceRecord::kServicePKey, std::uint16_t{0xFFFF});
    mine.Set(ServiceRecord::kServiceLease, ServiceRecord::kForever);
    for (std::size_t i = 0; i < ServiceRecord::kServiceKey.octets(); ++i) {
        mine.octets()[ServiceRecord::kServiceKey.octet() + i] = 0x5A;
    }
    mine.octets()[ServiceRecord::kServiceData8.octet()] = 1;
    constexpr std::uint64_t kMask = 0b10110111;
    const auto ask = [&](SaClient& client, Method method, const ServiceRecord& record,
                         std::uint64_t key = 0) {
        return client.StatusOf(method, SaAttribute::kServiceRecord, kMask, record, key);
    };
    ASSERT_EQ(ask(victim, Method::kSet, mine), SaStatus::kOk);
    ServiceRecord forged = mine;
    for (std::size_t i = 0; i < ServiceRecord::kServiceKey.octets(); ++i) {
        forged.octets()[ServiceRecord::kServiceKey.octet() + i] = 0;
    }
    forged.octets()[ServiceRecord::kServiceData8.octet()] = 66;
    for (const ServiceRecord& said : {forged, mine}) {  // Even if it knew the ServiceKey.
        EXPECT_EQ(ask(evil, Method::kSet, said), SaStatus::kRequestDenied);
        EXPECT_EQ(ask(evil, Method::kDelete, said), SaStatus::kRequestDenied);
    }
    EXPECT_EQ(sm().records().services().count(), 1U);
    EXPECT_GE(world_.Heard(Note::kSaDenied), 1U);
    EXPECT_EQ(sm().administration().statistics().denied, 4U);
    EXPECT_EQ(ask(victim, Method::kDelete, forged), SaStatus::kOk) << "what it was shown";
    EXPECT_EQ(ask(victim, Method::kSet, mine), SaStatus::kOk);
    EXPECT_EQ(ask(evil, Method::kDelete, forged, kTrusted), SaStatus::kOk);
}

TEST_F(HostileSa, OneHostTakesItsShareOfGroupsAndPutsNobodyElseIntoThem) {
    SaClient evil(world_, 5);
    SaClient honest(world_, 3);
    std::uint64_t made = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        if (Join(evil, evil.guid(), 1000 + i) == SaStatus::kOk) ++made;
    }
    EXPECT_LE(made, kSimSmall.max_groups / 2);
    EXPECT_GE(made, kSimSmall.max_groups / 2 - 1);
    EXPECT_EQ(groups().group_count(), made + 1);
    EXPECT_EQ(Join(honest, honest.guid(), 7), SaStatus::kOk);
    EXPECT_EQ(Join(honest, honest.guid(), 1000), SaStatus::kOk) << "it may join any";
    const std::size_t members = groups().member_count();
    EXPECT_EQ(Join(evil, GuidOf(9), 1000), SaStatus::kRequestDenied);
    EXPECT_EQ(Join(evil, GuidOf(9), 7), SaStatus::kRequestDenied);
    EXPECT_EQ(Leave(evil, honest.guid(), 7), SaStatus::kRequestDenied);
    EXPECT_EQ(groups().member_count(), members);
}

TEST_F(HostileSa, ProxiesAreChargedToWhoAsksThoughItBeTrusted) {
    SaClient evil(world_, 5);
    SaClient honest(world_, 3);
    std::size_t joined = 0;
    for (std::uint64_t group = 0; group < 90; ++group) {
        for (std::uint32_t host = 6; host < 18; ++host) {
            if (Join(evil, GuidOf(host), 2000 + group, kTrusted) == SaStatus::kOk) ++joined;
        }
        world_.RunFor(20 * kMs);
    }
    EXPECT_LE(joined, kSimSmall.max_members / 2 + 12);
    EXPECT_EQ(Join(honest, honest.guid(), 7), SaStatus::kOk);
    EXPECT_EQ(Leave(honest, honest.guid(), 7), SaStatus::kOk);
}

TEST_F(HostileSa, AliasGuidsOfOthersAreOutOfReach) {
    SaClient evil(world_, 5);
    SaClient honest(world_, 1);
    ASSERT_EQ(Aliases(honest, Method::kSet, 1), SaStatus::kOk);
    const std::size_t mine = sm().records().aliases().count();
    EXPECT_GE(mine, 1U);
    for (std::uint32_t host = 0; host < 18; ++host) {
        if (host == 5) continue;
        EXPECT_EQ(Aliases(evil, Method::kSet, host), SaStatus::kRequestDenied) << host;
        EXPECT_EQ(Aliases(evil, Method::kDelete, host), SaStatus::kRequestDenied) << host;
    }
    EXPECT_EQ(sm().records().aliases().count(), mine);
    EXPECT_EQ(Aliases(evil, Method::kSet, 5), SaStatus::kOk) << "its own are its own";
    EXPECT_EQ(Aliases(evil, Method::kDelete, 1, kTrusted), SaStatus::kOk);
    EXPECT_EQ(sm().records().aliases().count(), mine);
}

TEST_F(HostileSa, TablesThatNobodyAcknowledgesLeaveRoomForOthers) {
    std::vector<std::unique_ptr<SaClient>> evils;
    for (std::uint32_t host = 5; host < 11; ++host) {
        evils.push_back(std::make_unique<SaClient>(world_, host));
    }
    SaClient honest(world_, 3);
    for (std::size_t i = 0; i + 1 < evils.size(); ++i) {
        evils[i]->neighbor = evils[i + 1].get();
    }
    honest.neighbor = evils[0].get();
    for (int round = 0; round < 20; ++round) {
        for (const auto& evil : evils) {
            for (int i = 0; i < 40; ++i) {
                for (const auto attribute : {SaAttribute::kPathRecord, SaAttribute::kNodeRecord}) {
                    evil->Send(evil->Question(Method::kGetTable, attribute, 0, NodeRecord{}));
                }
            }
        }
        honest.Listen(20 * kMs);
        NodeRecord of_me;
        of_me.Set(NodeRecord::kLid, honest.lid());
        const SaMad question =
            honest.Question(Method::kGetTable, SaAttribute::kNodeRecord, 1, of_me);
        const auto answer = honest.AskOnce(question, 300 * kMs);
        ASSERT_TRUE(answer.has_value()) << round;
        EXPECT_EQ(answer->header.status, 0) << round;
        honest.Listen(50 * kMs);
    }
}

// Two hosts and some STOPs once made the count of transfers wrap, after which everybody had a
// crowded table's share, and silent ones were waited for, until the next restart.
TEST_F(HostileSa, AnAnswerIsReleasedOnceWhoeverStopsWhat) {
    SaClient x(world_, 5);
    SaClient y(world_, 7);
    SaClient honest(world_, 9);
    x.neighbor = &y;
    y.neighbor = &honest;
    honest.neighbor = &x;
    const auto open = [&](SaClient& client) {
        const SaMad question =
            client.Question(Method::kGetTable, SaAttribute::kNodeRecord, 0, NodeRecord{});
        client.Send(question);
        client.Listen(2 * kMs);
        return question;
    };
    const auto stop = [&](SaClient& client, SaMad question) {
        question.rmpp = MakeRmppEnd(RmppStatus::kResourcesExhausted);
        client.Send(question);
        client.Listen(2 * kMs);
    };
    for (int round = 0; round < 12; ++round) {
        std::vector<SaMad> mine;
        for (int i = 0; i < 8; ++i) {
            mine.push_back(open(x));
        }
        open(y);
        open(y);
        stop(x, mine[0]);
        stop(x, mine[1]);
        const std::size_t before = sm().administration().transfers();
        EXPECT_LE(before, 10U);
        x.Listen(1100 * kMs);
        open(x);
        open(x);
        EXPECT_LE(sm().administration().transfers(), kSimSmall.max_sa_transfers);
        x.Listen(30 * kSecond);
        y.Hear();
        ASSERT_EQ(sm().administration().transfers(), 0U) << "nobody asks, in round " << round;
    }
    const SaMad question =
        honest.Question(Method::kGetTable, SaAttribute::kNodeRecord, 0, NodeRecord{});
    const auto answer = honest.AskOnce(question);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->header.status, 0);
}

}  // namespace
}  // namespace ember::testing
