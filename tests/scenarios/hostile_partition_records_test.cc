// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a host of another partition may read, and by which P_Key it may ask.
//
// Goal:   no record tells of a port or group of a partition that the asker is no member of, and no
//         P_Key that it does not have helps.
// Method: as in hostile_partitions_test.cc.
#include <array>
#include <gtest/gtest.h>

#include "tests/scenarios/hostile_partitions_fixture.h"

namespace ember::testing {
namespace {

TEST_F(HostilePartitions, ReadNoRecordOfAPort) {
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    const auto ask = [&](SaClient& client, Lid lid) {
        return std::array{
            ByLid<NodeRecord>(client, SaAttribute::kNodeRecord, lid),
            ByLid<PortInfoRecord>(client, SaAttribute::kPortInfoRecord, lid),
            ByLid<GuidInfoRecord>(client, SaAttribute::kGuidInfoRecord, lid, 3),
            ByLid<SlToVlMappingTableRecord>(client, SaAttribute::kSlToVlMappingTableRecord, lid),
        };
    };
    for (const SaStatus status : ask(member, LidOf(2))) {
        EXPECT_EQ(status, kOk);
    }
    for (const SaStatus status : ask(evil, LidOf(2))) {
        EXPECT_EQ(status, kNothing);
    }
    EXPECT_EQ(ByLid<PKeyTableRecord>(evil, SaAttribute::kPKeyTableRecord, LidOf(3)),
              SaStatus::kRequestInvalid)
        << "P_Key tables are for the trusted";
}

TEST_F(HostilePartitions, SeeNoCableOfAPort) {
    const std::uint32_t leaf = world_.world().ManagementRow(GuardOf(1));
    file_[1][world_.world().port(leaf).guid] = kFull;
    Reconfigure(file_);
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    LinkRecord record;
    record.Set(LinkRecord::kFromLid, LidOf(1));
    EXPECT_EQ(member.StatusOf(Method::kGet, SaAttribute::kLinkRecord, 1, record), kOk);
    EXPECT_EQ(evil.StatusOf(Method::kGet, SaAttribute::kLinkRecord, 1, record), kNothing);
}

TEST_F(HostilePartitions, SeeNoSubscription) {
    SaClient member(world_, host(1));
    SaClient two(world_, host(2));
    SaClient evil(world_, host(3));
    ASSERT_EQ(Subscribe(member, All(TrapNumber::kInService)), kOk);
    InformInfoRecord record;
    record.Set(InformInfoRecord::kSubscriberGidHigh, kPrefix);
    record.Set(InformInfoRecord::kSubscriberGidLow, Raw(member.guid()));
    const auto ask = [&](SaClient& client) {
        return client.StatusOf(Method::kGet, SaAttribute::kInformInfoRecord, 1, record);
    };
    EXPECT_EQ(ask(two), kOk);
    EXPECT_EQ(ask(evil), kNothing);
}

/// Partition 3 has the subnet manager's port and host 1; host 3 has learned its P_Key.
TEST_F(HostilePartitions, AskWithNoForgedPKey) {
    file_[3] = {{GuidOf(0), kFull}, {GuidOf(1), kFull}};
    settings_.part_enforce = PartEnforce::kOff;  // Else the switch drops what it sends.
    Reconfigure(file_);
    SaClient evil(world_, host(3));
    EXPECT_TRUE(Answers(evil));
    evil.port().ForgePKey(0x8003);
    const std::uint64_t before = world_.sim().counters().p_key_violations;
    EXPECT_FALSE(Answers(evil));
    EXPECT_EQ(world_.sim().counters().p_key_violations, before) << "it has arrived";
    EXPECT_EQ(statistics().wrong_p_keys, 1U);
    EXPECT_EQ(world_.Heard(Note::kSaPKeyWrong), 1U) << world_.Notes();
    EXPECT_FALSE(Answers(evil, settings_.sa_key)) << "its adapter drops what comes back";
    EXPECT_EQ(world_.sim().counters().p_key_violations, before + 1);
    EXPECT_EQ(statistics().wrong_p_keys, 1U) << "a trusted question is not judged by its P_Key";
}

TEST_F(HostilePartitions, PassNoSwitchWithAForgedPKey) {
    file_[3] = {{GuidOf(0), kFull}, {GuidOf(1), kFull}};
    Reconfigure(file_);
    SaClient evil(world_, host(3));
    evil.port().ForgePKey(0x8003);
    const std::uint64_t before = world_.sim().counters().p_key_violations;
    EXPECT_FALSE(Answers(evil));
    EXPECT_EQ(world_.sim().counters().p_key_violations, before + 1);
    EXPECT_EQ(statistics().wrong_p_keys, 0U);
}

/// The hardware lets the full form pass at a limited member. Both ports are limited members.
TEST_F(HostilePartitions, AskAsNoFullMember) {
    file_[4] = {{GuidOf(0), kLimited}, {GuidOf(3), kLimited}, {GuidOf(1), kFull}};
    settings_.part_enforce = PartEnforce::kOff;
    Reconfigure(file_);
    SaClient member(world_, host(1));
    SaClient evil(world_, host(3));
    member.port().ForgePKey(0x8004);
    evil.port().ForgePKey(0x8004);
    EXPECT_TRUE(Answers(member));
    EXPECT_FALSE(Answers(evil));
    EXPECT_EQ(statistics().wrong_p_keys, 1U);
}

TEST_F(HostilePartitions, AskByNoEmptyPKeyIndex) {
    SaClient evil(world_, host(3));
    std::uint16_t index = 0;
    gate_->on_way_in = [&](Envelope& envelope) {
        if (envelope.queue_pair != 0) envelope.p_key_index = index;
    };
    EXPECT_TRUE(Answers(evil));
    for (const std::uint16_t empty : PKeys{1, 40, 130, 0xFFFF}) {
        index = empty;
        EXPECT_FALSE(Answers(evil)) << index;
    }
    EXPECT_EQ(statistics().wrong_p_keys, 4U);
}

}  // namespace
}  // namespace ember::testing
