// SPDX-License-Identifier: Apache-2.0
// EmberSM: asking for multicast groups and their members. That OpenSM tells the same is shown by
// tests/interop/multicast_cases.py.
#include "core/administration/registrations/mc_member_records.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "tests/core/administration/registrations/mc_members_fixture.h"

namespace ember {
namespace {

using testing::McMembers;

TEST_F(McMembers, OrdinaryRequestersSeeGroupsAndTrustedOnesMembers) {
    ASSERT_EQ(Set(Join(kBroadcast, 0), 0), SaStatus::kOk);
    ASSERT_EQ(Set(Join(kBroadcast, 1), 1), SaStatus::kOk);
    ASSERT_EQ(Set(Create(kPlain, 1), 1), SaStatus::kOk);
    std::vector<Record> told = Ask({});
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].mgid(), kBroadcast);
    EXPECT_EQ(told[0].Get(Record::kPortGidGuid), kNoGuid);
    EXPECT_EQ(told[0].Get(Record::kJoinState), 0U);
    Request by_port;
    by_port.With(Record::kHasPortGid, Record::kPortGidGuid, GuidOf(0));
    told = Ask(by_port);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].Get(Record::kPortGidGuid), kNoGuid);

    net_.trusted = true;
    EXPECT_EQ(Ask({}).size(), 3U);
    told = Ask(by_port);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].Get(Record::kPortGidGuid), GuidOf(0));
    EXPECT_EQ(told[0].Get(Record::kJoinState), join_state::kFull);
    Request by_state;
    by_state.With(Record::kHasJoinState, Record::kJoinState, join_state::kNon);
    EXPECT_TRUE(Ask(by_state).empty());
}

TEST_F(McMembers, QuestionsAreMatchedFieldByField) {
    ASSERT_EQ(Set(Create(kPlain, 1), 1), SaStatus::kOk);
    const auto found = [&](auto component, auto field, auto value) {
        Request request;
        return Ask(request.With(component, field, value)).size();
    };
    EXPECT_EQ(found(Record::kHasMlid, Record::kMlid, Lid{0xC001}), 1U);
    EXPECT_EQ(found(Record::kHasMlid, Record::kMlid, Lid{0xC009}), 0U);
    EXPECT_EQ(found(Record::kHasScope, Record::kScope, std::uint8_t{2}), 1U);
    EXPECT_EQ(found(Record::kHasQKey, Record::kQKey, 7U), 1U);
    EXPECT_EQ(found(Record::kHasPKey, Record::kPKey, std::uint16_t{0x7FFF}), 2U);
    EXPECT_EQ(found(Record::kHasPKey, Record::kPKey, std::uint16_t{0x8001}), 0U);
    Request by_mgid;
    by_mgid.record.SetMgid(kPlain);
    by_mgid.mask = 1U << Record::kHasMgid;
    ASSERT_EQ(Ask(by_mgid).size(), 1U);
    by_mgid.record.SetMgid({kPlain.high, 77});
    EXPECT_TRUE(Ask(by_mgid).empty());
}

TEST_F(McMembers, ARequestThatCameWithoutItsEndHasZerosThere) {
    EXPECT_EQ(Set(Create(kPlain, 0), 0), SaStatus::kOk);
    const Request whole = Join(kPlain, 2);
    for (const std::size_t octets : {0U, 16U, 31U}) {
        Query query = net_.Question(whole.mask, whole.record.octets());
        query.record = query.record.first(octets);
        std::array<std::uint8_t, sizeof(Record)> answer{};
        for (const Method method : {Method::kSet, Method::kDelete}) {
            query.method = method;
            EXPECT_NE(records_.Change(query, 5, answer), SaStatus::kOk);
        }
        query.method = Method::kGetTable;
        for (const bool is_trusted : {false, true}) {
            query.is_trusted = is_trusted;
            query.component_mask = 0;
            Cursor cursor;
            std::uint32_t budget = 100;
            EXPECT_EQ(records_.Next(query, cursor, budget, answer), Found::kRecord);
        }
    }
}

}  // namespace
}  // namespace ember
