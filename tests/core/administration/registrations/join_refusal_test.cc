// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rule by which a join is refused, told without joining.
#include "core/administration/registrations/join_refusal.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/core/administration/registrations/mc_members_fixture.h"

namespace ember::testing {
namespace {

class JoinRefusals : public McMembers {
protected:
    McMemberRecords::JoinVerdict Judge(const Request& request, std::uint32_t from) {
        Query query = net_.Question(request.mask, request.record.octets());
        query.method = Method::kSet;
        query.requester = net_.at(from, 1);
        return records_.JudgeJoin(query);
    }
    /// The rule is `expected`, and a Set says no less; what is judged is not done.
    void Expect(JoinRefusal expected, const Request& request, std::uint32_t from) {
        const std::size_t groups_before = groups().group_count();
        const std::size_t members_before = groups().member_count();
        EXPECT_EQ(Judge(request, from).refusal, expected);
        EXPECT_EQ(groups().group_count(), groups_before);
        EXPECT_EQ(groups().member_count(), members_before);
        EXPECT_EQ(Set(request, from), StatusOf(expected));
        EXPECT_EQ(groups().member_count(),
                  members_before + (expected == JoinRefusal::kNone ? 1 : 0));
    }
};

TEST_F(JoinRefusals, NameTheRuleThatTheAnswerHasTheStatusOf) {
    Expect(JoinRefusal::kTooLittle, Join(kBroadcast, 0).Without(Record::kHasJoinState), 0);
    Request foreign = Join(kBroadcast, 0);
    foreign.record.Set(Record::kPortGidPrefix, std::uint64_t{0xFEC0000000000000});
    Expect(JoinRefusal::kForeignPrefix, foreign, 0);
    Request unknown = Join(kBroadcast, 0);
    unknown.record.Set(Record::kPortGidGuid, Guid{77});
    Expect(JoinRefusal::kUnknownPort, unknown, 0);
    Expect(JoinRefusal::kForAnother, Join(kBroadcast, 1), 0);
    Expect(JoinRefusal::kNoPartition,
           Join(kBroadcast, 0).With(Record::kHasPKey, Record::kPKey, std::uint16_t{0x8000}), 0);
    Expect(JoinRefusal::kNotKeptAlive, Create(kPlain, 0, join_state::kNon), 0);
    Expect(JoinRefusal::kNoGroupYet, Join(kPlain, 0), 0);
    Expect(JoinRefusal::kUnsoundMgid, Create(Gid{0xFE80000000000000, 1}, 0), 0);
    Expect(JoinRefusal::kUnlikeBroadcast, Create(Gid{0xFF12401BFFFF0000, 5}, 0), 0);
    Request fast = Create(kPlain, 0);
    fast.With(Record::kHasRateSelector, Record::kRateSelector, Selector::kExactly);
    fast.With(Record::kHasRate, Record::kRate, Rate::k100Gb);
    Expect(JoinRefusal::kUnreachable, fast, 0);
    Expect(JoinRefusal::kNoState, Join(kBroadcast, 0, 0), 0);
    Expect(JoinRefusal::kOtherValues,
           Join(kBroadcast, 0).With(Record::kHasQKey, Record::kQKey, std::uint32_t{7}), 0);
    Expect(JoinRefusal::kNone, Join(kBroadcast, 0), 0);
    Expect(JoinRefusal::kNone, Create(kPlain, 1), 1);
}

TEST_F(JoinRefusals, NamePartitionMtuAndRate) {
    Expect(JoinRefusal::kNotInPartition,
           Create(kPlain, 0).With(Record::kHasPKey, Record::kPKey, std::uint16_t{0x8005}), 0);
    net_.port(1, 1).info.Set(PortInfo::kMtuCap, Mtu::k1024);
    Expect(JoinRefusal::kMtuTooSmall, Join(kBroadcast, 1), 1);
    net_.port(2, 1).info.Set(PortInfo::kLinkWidthActive, link_width::k1x);
    Expect(JoinRefusal::kRateTooLow, Join(kBroadcast, 2), 2);
    net_.settings().mcgroup_join_validation = false;
    Expect(JoinRefusal::kNone, Join(kBroadcast, 1), 1);
}

TEST_F(JoinRefusals, NameWhoOwnsAMembership) {
    net_.settings().sa_allow_proxies = true;
    Expect(JoinRefusal::kNone, Join(kBroadcast, 0), 0);
    EXPECT_EQ(Judge(Join(kBroadcast, 0), 1).refusal, JoinRefusal::kMemberOfAnother);
    EXPECT_EQ(Set(Join(kBroadcast, 0), 1), SaStatus::kRequestInvalid);
}

TEST_F(JoinRefusals, TellTheGroupAndItsValues) {
    const McMemberRecords::JoinVerdict there = Judge(Join(kBroadcast, 0), 0);
    EXPECT_EQ(there.group, groups().Find(kBroadcast));
    EXPECT_EQ(there.values.q_key, 0x0B1BU);
    const McMemberRecords::JoinVerdict made = Judge(Create(kPlain, 0), 0);
    EXPECT_EQ(made.group, kNoGroup);
    EXPECT_EQ(made.values.q_key, 7U);
    EXPECT_EQ(made.values.mtu, Mtu::k2048);
}

TEST_F(JoinRefusals, NameTheShareThatIsUsedUp) {
    for (std::uint64_t i = 1; i <= 12; ++i) {
        const Gid mgid{kPlain.high, i};
        const JoinRefusal refusal = Judge(Create(mgid, 0), 0).refusal;
        ASSERT_EQ(Set(Create(mgid, 0), 0), StatusOf(refusal));
        if (refusal == JoinRefusal::kNone) continue;
        EXPECT_EQ(refusal, JoinRefusal::kNoRoomForGroup);
        EXPECT_GT(i, 1U);
        return;
    }
    FAIL() << "one port took every group";
}

}  // namespace
}  // namespace ember::testing
