// SPDX-License-Identifier: Apache-2.0
// EmberSM: a client that tries every way around a partition, by what it asks for.
//
// Goal:   a port that is not in a partition learns nothing of those that are, gets no path to them,
//         and joins, offers and hears nothing there. tests/interop/RESULTS.md lists the attempts.
// Method: hosts of a simulated fabric that compares P_Keys as hardware does. Hosts 1 and 2 are in
//         partition 1, host 3 is not; 3 and 4 are limited members of partition 2, host 5 a full
//         one. Each attempt of host 3 is made by a port that may as well, and succeeds there.
#include <gtest/gtest.h>

#include "tests/scenarios/hostile_partitions_fixture.h"

namespace ember::testing {
namespace {

TEST_F(HostilePartitions, GetNoPathByGids) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    EXPECT_EQ(PathByGids(member, 1, 2), kOk);
    EXPECT_EQ(PathByGids(evil, 3, 1), kNothing);
    EXPECT_EQ(PathByGids(evil, 1, 3), kNothing) << "the way back";
    EXPECT_EQ(PathByGids(evil, 1, 2), kNothing) << "as a third party";
    EXPECT_EQ(PathByGids(evil, 3, 0), kOk) << "the subnet manager's port";
}

TEST_F(HostilePartitions, GetNoPathByLids) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    EXPECT_EQ(PathByLids(member, 1, 2), kOk);
    EXPECT_EQ(PathByLids(evil, 3, 1), kNothing);
    EXPECT_EQ(PathByLids(evil, 1, 2), kNothing);
    EXPECT_EQ(PathByLids(evil, 3, 0), kOk);
}

TEST_F(HostilePartitions, GetNoPathBetweenLimitedMembers) {
    SaClient full(world_, host(5));
    SaClient evil(world_, host(3));
    EXPECT_EQ(PathByGids(evil, 3, 5), kOk);
    EXPECT_EQ(PathByGids(full, 5, 4), kOk);
    EXPECT_EQ(PathByGids(evil, 3, 4), kNothing);
}

TEST_F(HostilePartitions, GetNoPathWithAForeignPKey) {
    SaClient evil(world_, host(3));
    const auto ask = [&](std::uint16_t p_key) {
        PathRecord record;
        record.Set(PathRecord::kSlid, LidOf(3));
        record.Set(PathRecord::kDlid, LidOf(5));
        record.Set(PathRecord::kPKey, p_key);
        return evil.StatusOf(Method::kGet, SaAttribute::kPathRecord, 1U << 4 | 1U << 5 | 1U << 13,
                             record);
    };
    EXPECT_EQ(ask(0x8002), kOk);
    EXPECT_EQ(ask(0x8001), kNothing);
    EXPECT_EQ(ask(0x0001), kNothing);
    EXPECT_EQ(ask(0), kNothing);
}

TEST_F(HostilePartitions, JoinNoGroup) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    EXPECT_NE(Join(evil, evil.guid(), kBroadcast, 0, kByMgid), kOk) << "without a P_Key";
    for (const std::uint16_t p_key : PKeys{0x8001, 0x0001, 0x8002, 0xFFFF, 0}) {
        EXPECT_NE(Join(evil, evil.guid(), kBroadcast, p_key, kByMgid | 1U << 7), kOk) << p_key;
    }
    EXPECT_EQ(Join(member, member.guid(), kBroadcast, 0, kByMgid), kOk);
}

TEST_F(HostilePartitions, MakeNoGroup) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    constexpr Gid kNew{0xFF15A01C00000000, 9};
    const std::size_t groups = world_.sm().multicast().groups().group_count();
    for (const std::uint16_t p_key : PKeys{0x8001, 0x0001, 0x8000, 0}) {
        EXPECT_NE(Join(evil, evil.guid(), kNew, p_key, kToJoin), kOk) << p_key;
    }
    EXPECT_EQ(world_.sm().multicast().groups().group_count(), groups);
    EXPECT_EQ(Join(member, member.guid(), kNew, 0x8001, kToJoin), kOk);
}

TEST_F(HostilePartitions, JoinForNoOtherPort) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    const std::uint64_t key = settings_.sa_key;
    EXPECT_EQ(Join(evil, GuidOf(1), kBroadcast, 0, kByMgid), SaStatus::kRequestDenied);
    EXPECT_NE(Join(evil, GuidOf(1), kBroadcast, 0, kByMgid, key), kOk) << "though it is trusted";
    EXPECT_NE(Join(member, GuidOf(3), kBroadcast, 0, kByMgid, key), kOk) << "from inside";
    EXPECT_EQ(Join(member, GuidOf(2), kBroadcast, 0, kByMgid, key), kOk);
}

TEST_F(HostilePartitions, TakeNoMembersAliasGuid) {
    SaClient evil(world_, host(3));
    const auto alias = [&](Guid guid) {
        GuidInfoRecord record;
        record.Set(GuidInfoRecord::kLid, LidOf(3));
        GuidInfo table;
        table.SetGuid(1, guid);
        Put(record, GuidInfoRecord::kTable, table);
        return evil.StatusOf(Method::kSet, SaAttribute::kGuidInfoRecord,
                             3U | 1ULL << (GuidInfoRecord::kFirstGuid + 1), record);
    };
    static_cast<void>(alias(GuidOf(1)));
    EXPECT_EQ(world_.sm().records().aliases().PortOf(GuidOf(1)), kNoGuid);
    // The GUID of a member that is away is free as an alias, and makes the port no member.
    EXPECT_EQ(alias(Guid{kGone}), kOk);
    EXPECT_EQ(world_.sm().records().aliases().PortOf(Guid{kGone}), GuidOf(3));
    EXPECT_NE(Join(evil, Guid{kGone}, kBroadcast, 0, kByMgid), kOk);
    EXPECT_NE(Service(evil, Method::kSet, 0x8001, Guid{kGone}), kOk);
}

TEST_F(HostilePartitions, EndNoMembership) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    ASSERT_EQ(Join(member, member.guid(), kBroadcast, 0, kByMgid), kOk);
    McMemberRecord record = FullMember(member.guid());
    record.SetMgid(kBroadcast);
    EXPECT_NE(evil.StatusOf(Method::kDelete, SaAttribute::kMcMemberRecord, kToLeave, record), kOk);
    EXPECT_EQ(member.StatusOf(Method::kDelete, SaAttribute::kMcMemberRecord, kToLeave, record),
              kOk);
}

TEST_F(HostilePartitions, SeeNoGroup) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    McMemberRecord record;
    record.SetMgid(kBroadcast);
    const auto ask = [&](SaClient& client) {
        return client.StatusOf(Method::kGet, SaAttribute::kMcMemberRecord, 1U << 0, record);
    };
    EXPECT_EQ(ask(member), kOk);
    EXPECT_EQ(ask(evil), kNothing);
}

TEST_F(HostilePartitions, GetNoPathToAGroup) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    ASSERT_EQ(Join(member, member.guid(), kBroadcast, 0, kByMgid), kOk);
    PathRecord record;
    record.Set(PathRecord::kSgidPrefix, kPrefix);
    record.Set(PathRecord::kSgidGuid, GuidOf(1));
    record.Set(PathRecord::kDgidPrefix, kBroadcast.high);
    record.Set(PathRecord::kDgidGuid, Guid{kBroadcast.low});
    const auto ask = [&](SaClient& client) {
        return client.StatusOf(Method::kGet, SaAttribute::kPathRecord, 1U << 2 | 1U << 3, record);
    };
    EXPECT_EQ(ask(member), kOk);
    EXPECT_EQ(ask(evil), kNothing);
}

TEST_F(HostilePartitions, OfferNoService) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    EXPECT_EQ(Service(member, Method::kSet, 0x8001, member.guid()), kOk);
    EXPECT_NE(Service(evil, Method::kSet, 0x8001, evil.guid()), kOk);
    EXPECT_NE(Service(evil, Method::kSet, 0x8001, member.guid()), kOk) << "under a forged GID";
    EXPECT_NE(Service(evil, Method::kSet, 0x7FFF, member.guid()), kOk);
    EXPECT_NE(Service(evil, Method::kDelete, 0x8001, member.guid()), kOk);
    EXPECT_EQ(world_.sm().records().services().count(), 1U);
}

TEST_F(HostilePartitions, FindNoService) {
    SaClient one(world_, host(1));
    SaClient two(world_, host(2));
    SaClient evil(world_, host(3));
    SaClient limited(world_, host(4));
    SaClient full(world_, host(5));
    ASSERT_EQ(Service(one, Method::kSet, 0x8001, one.guid()), kOk);
    EXPECT_EQ(Service(two, Method::kGet, 0x8001, one.guid()), kOk);
    EXPECT_EQ(Service(evil, Method::kGet, 0x8001, one.guid()), kNothing);
    ASSERT_EQ(Service(limited, Method::kSet, 0x8002, limited.guid()), kOk);
    EXPECT_EQ(Service(full, Method::kGet, 0x8002, limited.guid()), kOk);
    EXPECT_EQ(Service(evil, Method::kGet, 0x8002, limited.guid()), kNothing) << "both are limited";
}

TEST_F(HostilePartitions, SubscribeToNoPort) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    InformInfo by_gid = All(TrapNumber::kOutOfService);
    by_gid.Set(InformInfo::kGidHigh, kPrefix);
    by_gid.Set(InformInfo::kGidLow, Raw(GuidOf(2)));
    InformInfo by_lid = All(TrapNumber::kOutOfService);
    by_lid.Set(InformInfo::kLidRangeBegin, LidOf(2));
    by_lid.Set(InformInfo::kLidRangeEnd, LidOf(2));
    for (const InformInfo& info : {by_gid, by_lid}) {
        EXPECT_EQ(Subscribe(member, info), kOk);
        EXPECT_EQ(Subscribe(evil, info), SaStatus::kRequestInvalid);
    }
}

TEST_F(HostilePartitions, HearOfNoGroup) {
    SaClient one(world_, host(1));
    SaClient two(world_, host(2));
    SaClient evil(world_, host(3));
    one.neighbor = &two;
    two.neighbor = &evil;
    evil.neighbor = &one;
    for (SaClient* client : {&two, &evil}) {
        ASSERT_EQ(Subscribe(*client, All(TrapNumber::kMulticastCreated)), kOk);
        ASSERT_EQ(Subscribe(*client, All(TrapNumber::kMulticastDeleted)), kOk);
    }
    constexpr Gid kNew{0xFF15A01C00000000, 9};
    ASSERT_EQ(Join(one, one.guid(), kNew, 0x8001, kToJoin), kOk);
    McMemberRecord record = FullMember(one.guid());
    record.SetMgid(kNew);
    ASSERT_EQ(one.StatusOf(Method::kDelete, SaAttribute::kMcMemberRecord, kToLeave, record), kOk);
    one.Listen(kSecond);
    EXPECT_TRUE(Heard(two, TrapNumber::kMulticastCreated));
    EXPECT_TRUE(Heard(two, TrapNumber::kMulticastDeleted));
    EXPECT_TRUE(evil.reports.empty());
}

TEST_F(HostilePartitions, HearOfNoPort) {
    SaClient two(world_, host(2));
    SaClient evil(world_, host(3));
    two.neighbor = &evil;
    evil.neighbor = &two;
    for (SaClient* client : {&two, &evil}) {
        ASSERT_EQ(Subscribe(*client, All(TrapNumber::kOutOfService)), kOk);
        ASSERT_EQ(Subscribe(*client, All(TrapNumber::kInService)), kOk);
    }
    world_.Cut(host(1), 1);
    two.Listen(20 * kSecond);
    EXPECT_TRUE(Heard(two, TrapNumber::kOutOfService)) << world_.Notes();
    world_.Join(host(1), 1);
    two.Listen(20 * kSecond);
    EXPECT_TRUE(Heard(two, TrapNumber::kInService)) << world_.Notes();
    EXPECT_TRUE(evil.reports.empty());
}

}  // namespace
}  // namespace ember::testing
