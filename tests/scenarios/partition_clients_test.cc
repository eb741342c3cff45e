// SPDX-License-Identifier: Apache-2.0
// EmberSM: clients find the groups of their partitions, and lose what they had in one they leave.
//
// Goal:   the groups that partition_config_file names exist, with its values, as long as it names
//         them; ports that are in the partition join them, others do not; who leaves a partition is
//         a member of its groups, and offers services in it, no longer.
// Method: clients on hosts of a simulated fabric, whose partitions change.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "core/multicast/own_groups.h"
#include "core/wire/service_record.h"
#include "tests/support/partition_world.h"
#include "tests/support/sa_client.h"

namespace ember::testing {
namespace {

constexpr Membership kFull = Membership::kFull;
constexpr std::uint16_t kPKey = 0x8001;
constexpr Gid kBroadcast = BroadcastMgid(2, kPKey);

class PartitionClientsScenario : public ::testing::Test, public PartitionWorld {
protected:
    [[nodiscard]] PartitionFile File() {
        PartitionFile file;
        file[1] = {{GuidOf(1), kFull}, {GuidOf(2), kFull}};
        file.groups = {
            {.mgid = kBroadcast, .q_key = 0xB1B, .p_key = 1, .mtu = 5, .rate = 6, .sl = 3}};
        return file;
    }
    [[nodiscard]] const Groups& groups() { return world_.sm().multicast().groups(); }
    [[nodiscard]] bool IsMember(std::size_t host) {
        const GroupIndex at = groups().Find(kBroadcast);
        return at != kNoGroup && groups().FindMember(at, GuidOf(host)) != kNoMember;
    }
    /// Asks by MGID, PortGID and JoinState to join the broadcast group of partition 1.
    [[nodiscard]] SaStatus Join(SaClient& client) {
        McMemberRecord record = FullMember(client.guid());
        record.SetMgid(kBroadcast);
        const SaMad answer = client.Ask(Method::kSet, SaAttribute::kMcMemberRecord,
                                        1U << 0 | 1U << 1 | 1U << 16, record);
        return SaStatus{std::uint16_t{answer.header.status}};
    }
    [[nodiscard]] SaStatus Offer(SaClient& client, std::uint16_t p_key) {
        ServiceRecord record;
        record.Set(ServiceRecord::kServiceId, std::uint64_t{7});
        record.SetGid({0xFE80000000000000, Raw(client.guid())});
        record.Set(ServiceRecord::kServicePKey, p_key);
        const SaMad answer = client.Ask(Method::kSet, SaAttribute::kServiceRecord,
                                        1U << 0 | 1U << 1 | 1U << 2, record);
        return SaStatus{std::uint16_t{answer.header.status}};
    }
};

TEST_F(PartitionClientsScenario, TheGroupsOfAPartitionExistForItsMembers) {
    PartitionFile file = File();
    Start(file);
    const GroupIndex at = groups().Find(kBroadcast);
    ASSERT_NE(at, kNoGroup);
    const GroupValues& values = groups().group(at).values;
    EXPECT_EQ(values.p_key, kPKey);
    EXPECT_EQ(values.mtu, Mtu::k4096);
    EXPECT_EQ(values.rate, Rate::k20Gb);
    EXPECT_EQ(values.sl, 0U) << "the file says 3, and qos is off";
    EXPECT_EQ(groups().Find(BroadcastMgid(2, kDefaultPKey)), kNoGroup) << "the file names none";
    SaClient member(world_, host(1));
    SaClient stranger(world_, host(3));
    EXPECT_EQ(Join(member), SaStatus::kOk);
    EXPECT_NE(Join(stranger), SaStatus::kOk);
    EXPECT_TRUE(IsMember(1));
    EXPECT_FALSE(IsMember(3));
}

TEST_F(PartitionClientsScenario, APortThatLeavesAPartitionLeavesItsGroups) {
    PartitionFile file = File();
    Start(file);
    SaClient one(world_, host(1));
    SaClient two(world_, host(2));
    ASSERT_EQ(Join(one), SaStatus::kOk);
    ASSERT_EQ(Join(two), SaStatus::kOk);
    PartitionFile next = File();
    next[1].erase(GuidOf(1));
    Reconfigure(next);
    EXPECT_FALSE(IsMember(1));
    EXPECT_TRUE(IsMember(2));
    EXPECT_EQ(world_.Heard(Note::kMembersGone), 1U) << world_.Notes();
    EXPECT_NE(Join(one), SaStatus::kOk);
}

TEST_F(PartitionClientsScenario, AGroupThatIsNamedNoLongerEndsWithItsMembers) {
    PartitionFile file = File();
    Start(file);
    SaClient one(world_, host(1));
    ASSERT_EQ(Join(one), SaStatus::kOk);
    PartitionFile next = File();
    next.groups.clear();
    Reconfigure(next);
    EXPECT_TRUE(IsMember(1)) << "it did not leave";
    PartitionFile last = File();
    last.groups.clear();
    last[1].erase(GuidOf(1));
    Reconfigure(last);
    EXPECT_EQ(groups().Find(kBroadcast), kNoGroup);
    PartitionFile again = File();
    Reconfigure(again);
    EXPECT_NE(groups().Find(kBroadcast), kNoGroup);
    settings_.manager_tables = {};
    Reconfigure();
    EXPECT_EQ(groups().Find(kBroadcast), kNoGroup);
    EXPECT_NE(groups().Find(BroadcastMgid(2, kDefaultPKey)), kNoGroup);
}

TEST_F(PartitionClientsScenario, AServiceEndsWhenItsPortLeavesThePartition) {
    PartitionFile file = File();
    Start(file);
    SaClient one(world_, host(1));
    SaClient two(world_, host(2));
    SaClient stranger(world_, host(3));
    ASSERT_EQ(Offer(one, kPKey), SaStatus::kOk);
    ASSERT_EQ(Offer(two, kPKey), SaStatus::kOk);
    EXPECT_NE(Offer(stranger, kPKey), SaStatus::kOk);
    PartitionFile next = File();
    next[1].erase(GuidOf(1));
    Reconfigure(next);
    EXPECT_EQ(world_.sm().records().services().count(), 1U);
}

class SubscribersOfPartitions : public PartitionClientsScenario {
protected:
    /// Host 2 is a full member of partition 1, in which the subnet manager's port is too.
    [[nodiscard]] PartitionFile WithManager() {
        PartitionFile file = File();
        file[1][GuidOf(0)] = kFull;
        return file;
    }
    /// The index of a P_Key in the table of a host.
    [[nodiscard]] std::uint16_t IndexAt(std::size_t at, std::uint16_t p_key) {
        const PKeys table = TableOf(at);
        const auto found = std::find(table.begin(), table.end(), p_key);
        EXPECT_NE(found, table.end());
        return static_cast<std::uint16_t>(found - table.begin());
    }
    [[nodiscard]] static SaStatus Subscribe(SaClient& client, const InformInfo& info) {
        const SaMad answer = client.Ask(Method::kSet, SaAttribute::kInformInfo, 0, info);
        return SaStatus{std::uint16_t{answer.header.status}};
    }
    [[nodiscard]] std::size_t Subscriptions() {
        return world_.sm().records().subscriptions().count();
    }
};

TEST_F(SubscribersOfPartitions, AReportComesByThePartitionOfTheSubscription) {
    PartitionFile file = WithManager();
    world_.sim().CheckPKeys();
    Start(file);
    SaClient one(world_, host(1));
    SaClient two(world_, host(2));
    one.neighbor = &two;
    two.neighbor = &one;
    one.p_key_index = IndexAt(1, kPKey);
    ASSERT_NE(one.p_key_index, 0);
    ASSERT_EQ(Subscribe(one, Subscription(TrapNumber::kMulticastCreated)), SaStatus::kOk);
    ASSERT_EQ(Subscribe(two, Subscription(TrapNumber::kMulticastCreated)), SaStatus::kOk);
    McMemberRecord group = FullMember(GuidOf(2));
    group.Set(McMemberRecord::kPKey, kPKey);
    ASSERT_EQ(two.Ask(Method::kSet, SaAttribute::kMcMemberRecord, kToJoin, group).header.status, 0);
    one.Listen(kSecond);
    EXPECT_EQ(one.report_indexes, std::vector{one.p_key_index});
    EXPECT_EQ(two.report_indexes, std::vector{std::uint16_t{0}});
}

/// The index of before the restart is not kept; the P_Key is.
TEST_F(SubscribersOfPartitions, AReportComesByItAfterARestartToo) {
    PartitionFile file = WithManager();
    world_.sim().CheckPKeys();
    Start(file);
    SaClient one(world_, host(1));
    SaClient two(world_, host(2));
    one.neighbor = &two;
    two.neighbor = &one;
    one.p_key_index = IndexAt(1, kPKey);
    ASSERT_EQ(Subscribe(one, Subscription(TrapNumber::kMulticastCreated)), SaStatus::kOk);
    world_.RunFor(kSecond);
    world_.Reconfigure(settings_);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    ASSERT_EQ(Subscriptions(), 1U);
    McMemberRecord group = FullMember(GuidOf(2));
    group.Set(McMemberRecord::kPKey, kPKey);
    ASSERT_EQ(two.Ask(Method::kSet, SaAttribute::kMcMemberRecord, kToJoin, group).header.status, 0);
    one.Listen(kSecond);
    EXPECT_EQ(one.report_indexes, std::vector{one.p_key_index});
}

TEST_F(SubscribersOfPartitions, ASubscriptionEndsWhenItsPortLeavesThePartition) {
    PartitionFile file = WithManager();
    world_.sim().CheckPKeys();
    Start(file);
    SaClient one(world_, host(1));
    SaClient two(world_, host(2));
    one.p_key_index = IndexAt(1, kPKey);
    ASSERT_EQ(Subscribe(one, Subscription(TrapNumber::kInService)), SaStatus::kOk);
    ASSERT_EQ(Subscribe(two, Subscription(TrapNumber::kInService)), SaStatus::kOk)
        << "by the default partition";
    PartitionFile next = WithManager();
    next[1].erase(GuidOf(1));
    next[1].erase(GuidOf(2));
    Reconfigure(next);
    EXPECT_EQ(Subscriptions(), 1U);
    EXPECT_EQ(world_.Heard(Note::kRegistrationsEnded), 1U) << world_.Notes();
}

TEST_F(SubscribersOfPartitions, ASubscriptionToAPortEndsWhenBothArePartedFromEachOther) {
    PartitionFile file = WithManager();
    Start(file);
    SaClient one(world_, host(1));
    InformInfo info = Subscription(TrapNumber::kOutOfService);
    info.Set(InformInfo::kGidHigh, std::uint64_t{0xFE80000000000000});
    info.Set(InformInfo::kGidLow, Raw(GuidOf(2)));
    ASSERT_EQ(Subscribe(one, info), SaStatus::kOk);
    PartitionFile next = WithManager();
    next[1].erase(GuidOf(2));
    Reconfigure(next);
    EXPECT_EQ(Subscriptions(), 0U);
    EXPECT_EQ(world_.Heard(Note::kRegistrationsEnded), 1U) << world_.Notes();
}

}  // namespace
}  // namespace ember::testing
