// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts that ask, join and subscribe while datagrams are lost, doubled and overtaken.
//
// Goal:   a client that repeats its question is answered rightly; a member is in its group once; a
//         notice is told until it is acknowledged, and no longer.
// Method: a client at a host of the simulated fabric that speaks raw datagrams, by seed.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

#include "core/wire/node_info.h"
#include "tests/support/sa_client.h"

namespace ember::testing {
namespace {

/// A master on a fat tree whose wire gets bad once it is up, and a client on another leaf.
class Clients : public ::testing::TestWithParam<std::uint64_t> {
protected:
    Clients() : world_(net::FatTree2(4), {.faults = {.seed = GetParam()}}) {
        Settings settings = BriskSettings();
        settings.transaction_timeout = 50;
        world_.AddManager(settings);
        EXPECT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    }
    void SpoilTheWire() {
        sim::Faults& faults = world_.sim().faults();
        faults.loss = 15 * sim::kPercent;
        faults.duplication = 15 * sim::kPercent;
        faults.jitter_ns = 5'000'000;
    }

    SimWorld world_;
};

TEST_P(Clients, AreAnsweredRightlyWhoeverRepeatsItsQuestion) {
    SaClient client(world_, 5);
    SpoilTheWire();
    for (std::uint32_t i = 0; i < 60; ++i) {
        const std::uint32_t host = i % 8;
        NodeRecord asked;
        const Lid lid = world_.world().port(world_.sim().RowOf(host, 1)).info.Get(PortInfo::kLid);
        asked.Set(NodeRecord::kLid, lid);
        const SaMad told = client.Ask(Method::kGet, SaAttribute::kNodeRecord, 1, asked);
        ASSERT_EQ(told.header.status, 0);
        std::array<std::uint8_t, sizeof(NodeRecord)> octets{};
        std::copy_n(told.data.begin(), octets.size(), octets.begin());
        EXPECT_EQ(std::bit_cast<NodeRecord>(octets).Get(NodeRecord::kLid), lid);
    }
}

TEST_P(Clients, AreInTheirGroupOnceHoweverOftenTheyAsk) {
    SaClient one(world_, 5);
    SaClient other(world_, 6);
    one.neighbor = &other;
    other.neighbor = &one;
    const std::size_t groups = world_.sm().status().multicast.groups;
    SpoilTheWire();
    for (int turn = 0; turn < 5; ++turn) {
        for (SaClient* const client : {&one, &other}) {
            const SaMad told = client->Ask(Method::kSet, SaAttribute::kMcMemberRecord, kToJoin,
                                           FullMember(client->guid()));
            ASSERT_EQ(told.header.status, 0);
        }
        EXPECT_EQ(world_.sm().status().multicast.groups, groups + 1);
        EXPECT_EQ(world_.sm().status().multicast.members, 2U);
        for (SaClient* const client : {&one, &other}) {
            // The second try of a leave may find that the first was heard.
            static_cast<void>(client->Ask(Method::kDelete, SaAttribute::kMcMemberRecord, kToLeave,
                                          FullMember(client->guid())));
        }
        EXPECT_EQ(world_.sm().status().multicast.groups, groups);
    }
}

TEST_P(Clients, AreToldOfEachEventUntilTheyAcknowledgeIt) {
    SaClient client(world_, 5);
    ASSERT_EQ(
        client
            .Ask(Method::kSet, SaAttribute::kInformInfo, 0, Subscription(TrapNumber::kOutOfService))
            .header.status,
        0);
    SpoilTheWire();
    const std::uint32_t gone = 7;
    const Guid guid = world_.world().port(world_.sim().RowOf(gone, 1)).guid;
    world_.Cut(gone, 1);
    client.Listen(5 * kSecond);
    // Sweeps lose sight of others as well on such a wire; of this one the client was told.
    const auto is_of = [](Guid port) {
        return [port](const Notice& report) {
            return std::bit_cast<GidNotice>(report).Get(GidNotice::kGidGuid) == Raw(port);
        };
    };
    EXPECT_TRUE(std::any_of(client.reports.begin(), client.reports.end(), is_of(guid)));
    // Repeats are the same notice, octet by octet.
    for (std::size_t i = 0; i < client.reports.size(); ++i) {
        EXPECT_EQ(client.reports[i].Get(Notice::kTrapNumber), TrapNumber::kOutOfService);
        for (std::size_t k = 0; k < i; ++k) {
            if (client.report_ids[i] != client.report_ids[k]) continue;
            EXPECT_EQ(client.told[i], client.told[k]) << "of " << i << " and " << k;
        }
    }
    // When it is acknowledged it is not told again.
    world_.sim().faults() = {};
    client.Listen(3 * kSecond);
    const std::size_t heard = client.reports.size();
    client.Listen(5 * kSecond);
    EXPECT_EQ(client.reports.size(), heard);
}

TEST_P(Clients, ThatAcknowledgeNothingAreGivenUp) {
    SaClient client(world_, 5);
    ASSERT_EQ(
        client
            .Ask(Method::kSet, SaAttribute::kInformInfo, 0, Subscription(TrapNumber::kOutOfService))
            .header.status,
        0);
    client.acknowledges = false;
    world_.Cut(7, 1);
    client.Listen(5 * kSecond);
    EXPECT_EQ(client.reports.size(), Settings{}.transaction_retries);
    EXPECT_EQ(world_.Heard(Note::kReportUnheard), 1U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Clients, ::testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace ember::testing
