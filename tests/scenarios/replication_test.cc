// SPDX-License-Identifier: Apache-2.0
// EmberSM: a standby follows what clients register with its master, and takes over with it.
//
// Goal:   when the master dies nothing is lost that was acknowledged half a second before: groups
//         with their MLIDs, members, services with their leases, subscriptions; no client is asked
//         to register again, and no table that was right is written. Where a standby does not know
//         all, it asks.
// Method: two to five managers on simulated hardware, killed with kill -9 at moments of all kinds,
//         under loss, repetition and disorder, with clients that join and leave; a plain model of
//         what was acknowledged.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/scenarios/replication_fixture.h"

namespace ember::testing {
namespace {

TEST_F(Replication, ATakeoverLosesNothingAsksNobodyAndWritesNoTable) {
    Add(0, 9);
    Add(3, 3);
    ASSERT_TRUE(Settle(0)) << AllNotes();
    Join(0, 1, {1, 5, 9});
    Join(0, 2, {2, 4, 7, 11});
    SaClient client(world_, 8);
    ServiceRecord service;
    service.Set(ServiceRecord::kServiceId, std::uint64_t{7});
    service.SetGid({0xFE80000000000000, Raw(client.guid())});
    service.Set(ServiceRecord::kServicePKey, std::uint16_t{0xFFFF});
    service.Set(ServiceRecord::kServiceLease, std::uint32_t{1000});
    EXPECT_EQ(client.StatusOf(Method::kSet, SaAttribute::kServiceRecord, 7U | 1U << 4U, service),
              SaStatus::kOk);
    static_cast<void>(client.Ask(Method::kSet, SaAttribute::kInformInfo, 0,
                                 Subscription(TrapNumber::kInService)));
    ASSERT_TRUE(Settle(0));
    ASSERT_TRUE(WaitForReplica(1)) << AllNotes();
    world_.RunFor(2 * kSecond);
    const std::vector<std::string> before = Table(0);
    ASSERT_EQ(before.size(), 7U);
    EXPECT_EQ(Table(1), before) << "it is here while the master lives";
    ASSERT_EQ(world_.sm(1).records().services().count(), 1U);
    ASSERT_EQ(world_.sm(1).records().subscriptions().count(), 1U);

    world_.sim().ClearCounters();
    world_.Kill(0);
    ASSERT_TRUE(TakesOver(1)) << AllNotes();
    ASSERT_TRUE(Settle(1)) << AllNotes();
    EXPECT_EQ(Table(1), before) << AllNotes();
    EXPECT_EQ(world_.Heard(Note::kReplicaUsed, 1), 1U);
    EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << AllNotes();
    EXPECT_EQ(MftSets(), 0U) << AllNotes();
    EXPECT_EQ(world_.sm(1).records().services().count(), 1U);
    EXPECT_EQ(world_.sm(1).records().subscriptions().count(), 1U);
    const ServiceRecord shown = world_.sm(1).records().services().Shown(ServiceIndex{0});
    EXPECT_LT(shown.Get(ServiceRecord::kServiceLease), 1000U) << "the lease goes on";
    EXPECT_GT(shown.Get(ServiceRecord::kServiceLease), 900U);
    EXPECT_EQ(world_.Judge(1), "");
}

TEST_F(Replication, WhoComesLateGetsACopyAndWhatFollows) {
    Add(0, 9);
    ASSERT_TRUE(Settle(0));
    Join(0, 1, {1, 5, 9});
    world_.RunFor(5 * kSecond);
    Add(3, 3);
    ASSERT_TRUE(WaitForReplica(1)) << AllNotes();
    Join(0, 2, {2, 4});
    static_cast<void>(groups(0).Leave(
        groups(0).FindMember(groups(0).Find(Gid{0xFF12A01C00000000ULL, 1}), GuidOf(5)),
        join_state::kAll, world_.now_us()));
    world_.Wake(0);
    world_.RunFor(500 * kMs);
    EXPECT_EQ(Table(1), Table(0));
    EXPECT_EQ(Table(1).size(), 4U);
}

TEST_F(Replication, WithoutTheKeyATakeoverAsksEveryHost) {
    Settings settings = Replicating(9);
    settings.replication_key.clear();
    world_.AddManager(0, 1, settings);
    settings.sm_priority = 3;
    world_.AddManager(3, 1, settings);
    ASSERT_TRUE(Settle(0));
    Join(0, 1, {1, 5});
    world_.RunFor(2 * kSecond);
    world_.sim().ClearCounters();
    world_.Kill(0);
    ASSERT_TRUE(TakesOver(1));
    EXPECT_TRUE(Table(1).empty());
    EXPECT_GT(world_.sim().counters().reregistrations, 0U);
}

/// A board on which hardly anything can be registered.
constexpr Limits kTiny = [] {
    Limits limits = kSimSmall;
    limits.max_groups = 2;
    limits.max_members = 3;
    return limits;
}();

TEST_F(Replication, ABoardThatIsTooSmallSaysSoAndAsksEveryHost) {
    Add(0, 9);
    Add<kTiny>(3, 3);
    ASSERT_TRUE(Settle(0));
    Join(0, 1, {1, 5, 9, 10});
    Join(0, 2, {2, 4});
    world_.RunFor(15 * kSecond);
    EXPECT_GE(world_.Heard(Note::kReplicaTooLarge, 1), 1U) << AllNotes();
    EXPECT_GE(world_.Heard(Note::kPeerTooSmall, 0), 1U) << AllNotes();
    world_.sim().ClearCounters();
    world_.Kill(0);
    ASSERT_TRUE(TakesOver(1)) << AllNotes();
    EXPECT_EQ(world_.Heard(Note::kReplicaUsed, 1), 0U);
    EXPECT_GT(world_.sim().counters().reregistrations, 0U);
}

/// A board that says Hello, and follows no records.
constexpr Limits kAlone = [] {
    Limits limits = kSimSmall;
    limits.replication_bytes = 0;
    return limits;
}();

TEST_F(Replication, ABoardThatFollowsNoRecordsIsAPeerAndIsSentNone) {
    Add(0, 9);
    Add<kAlone>(3, 3);
    ASSERT_TRUE(Settle(0));
    Join(0, 1, {1, 5});
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kPeerProved, 0), 1U) << AllNotes();
    EXPECT_EQ(world_.Heard(Note::kPeerFallsBehind, 0), 0U) << AllNotes();
    EXPECT_EQ(world_.sm(0).replication().feed().records(), 0U);
    EXPECT_EQ(world_.sm(1).peers().statistics().refused, 0U);
}

/// Changes wait until all standbys have the last record: of one that hangs the others learn that.
TEST_F(Replication, ChangesThatAHangingStandbyHoldsUpAreAskedForAgain) {
    Add(0, 9);
    Add(3, 5);
    Add(6, 3);
    ASSERT_TRUE(Settle(0));
    ASSERT_TRUE(WaitForReplica(1)) << AllNotes();
    ASSERT_TRUE(WaitForReplica(2)) << AllNotes();
    world_.RunFor(kSecond);
    EXPECT_TRUE(world_.sm(1).replication().holds_replica());
    world_.Hang(2);
    Join(0, 1, {1, 5});
    world_.RunFor(200 * kMs);
    EXPECT_EQ(Table(1), Table(0));
    Join(0, 2, {2, 4});
    world_.RunFor(500 * kMs);
    EXPECT_NE(Table(1), Table(0)) << "it waits";
    EXPECT_FALSE(world_.sm(1).replication().holds_replica());
    world_.sim().ClearCounters();
    world_.Kill(0);
    ASSERT_TRUE(TakesOver(1)) << AllNotes();
    EXPECT_EQ(world_.Heard(Note::kReplicaUsed, 1), 0U) << AllNotes();
    EXPECT_EQ(world_.Heard(Note::kReplicaLate, 1), 1U) << AllNotes();
    EXPECT_GT(world_.sim().counters().reregistrations, 0U);
    EXPECT_EQ(Table(1).size(), 2U) << "what is known is kept";
}

TEST_F(Replication, AHangingStandbyIsFedNoLongerAndTheOthersAre) {
    Add(0, 9);
    Add(3, 5);
    Add(6, 3);
    ASSERT_TRUE(Settle(0));
    ASSERT_TRUE(WaitForReplica(1)) << AllNotes();
    ASSERT_TRUE(WaitForReplica(2)) << AllNotes();
    world_.Hang(2);
    Join(0, 1, {1, 5});
    Join(0, 2, {2, 4});
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(Table(1), Table(0));
    EXPECT_TRUE(world_.sm(1).replication().holds_replica()) << AllNotes();
    EXPECT_FALSE(world_.sm(0).replication().feed().feeds_any() &&
                 world_.sm(0).replication().feed().BehindUs(world_.now_us()) > kSecond);
}

}  // namespace
}  // namespace ember::testing
