// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the shares of groups, members and aliases, and of held MLIDs.
#include "core/fabric/shares.h"

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <vector>

#include "tests/support/multicast_store.h"

namespace ember {
namespace {

using testing::GroupStore;

constexpr Limits kRoom{.max_nodes = 1,
                       .max_switches = 1,
                       .max_ports = 1,
                       .max_switch_ports = 1,
                       .max_lid = 1,
                       .max_smps = 1,
                       .max_other_sms = 1,
                       .journal_notes = 16,
                       .scratch_bytes = 0,
                       .max_groups = 64,
                       .max_members = 128,
                       .max_mlids = 32,
                       .max_events = 16};

constexpr Gid Mgid(std::uint64_t number) {
    return {0xFF12A01C00000000ULL, number};
}
constexpr Guid Port(std::uint64_t number) {
    return Guid{0x1000 + number};
}

constexpr GroupValues WithQKey(std::uint64_t q_key) {
    return {.q_key = static_cast<std::uint32_t>(q_key)};
}

class SharesTest : public ::testing::Test {
protected:
    Groups& groups() { return store_.groups(); }
    GroupIndex Make(std::uint64_t number, std::uint64_t port, const GroupValues& values = {}) {
        const auto made =
            groups().Create(Mgid(number), values, {.requester = RequesterOf(Port(port))});
        if (!made.ok()) return kNoGroup;
        Join(made.value(), port);
        return made.value();
    }
    void Join(GroupIndex group, std::uint64_t port) {
        const Member member{.port_guid = Port(port), .join_state = join_state::kFull};
        ASSERT_TRUE(groups().Join(group, member, 0).ok());
    }

    GroupStore store_{kRoom};
};

TEST_F(SharesTest, TheOldestMemberPaysForItsGroup) {
    std::uint64_t made = 0;
    while (groups().MayMakeGroup(RequesterOf(Port(1))) && made < 100) {
        ASSERT_NE(Make(++made, 1), kNoGroup);
    }
    EXPECT_EQ(made, 32U);
    EXPECT_TRUE(groups().MayMakeGroup(RequesterOf(Port(2))));
    EXPECT_TRUE(groups().MayMakeGroup(kNoRequester)) << "no port is charged for our own groups";
    for (std::uint64_t i = 1; i <= 8; ++i) {
        Join(groups().Find(Mgid(i)), 2);
    }
    EXPECT_TRUE(groups().MayMakeGroup(RequesterOf(Port(2)))) << "a later member is not charged";
    for (std::uint64_t i = 1; i <= 8; ++i) {  // Now port 2 is the oldest member.
        const GroupIndex group = groups().Find(Mgid(i));
        groups().Leave(groups().FindMember(group, Port(1)), join_state::kAll, 0);
        ASSERT_NE(Make(100 + i, 3), kNoGroup);
    }
    EXPECT_FALSE(groups().MayMakeGroup(RequesterOf(Port(2))));
    EXPECT_FALSE(groups().MayMakeGroup(RequesterOf(Port(3))));
    EXPECT_TRUE(groups().MayMakeGroup(RequesterOf(Port(4))));
}

TEST_F(SharesTest, APortThatHasItsShareOfMlidsGetsOnlySharedOnes) {
    const GroupValues odd = WithQKey(0xBAD);
    std::uint64_t made = 0;
    while (made < 100 && Make(made + 1, 1, WithQKey(100 + made)) != kNoGroup) {
        ++made;
    }
    EXPECT_EQ(made, 16U) << "half of the MLIDs";
    EXPECT_EQ(Make(200, 1, odd), kNoGroup) << "nothing to share";
    const GroupIndex shared = Make(201, 1, WithQKey(100));
    ASSERT_NE(shared, kNoGroup);
    EXPECT_EQ(groups().group(shared).mlid, MlidIndex{0});
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_NE(Make(300 + i, 2, WithQKey(500 + i)), kNoGroup);
    }
    EXPECT_EQ(Make(310, 2, odd), kNoGroup) << "an eighth";
}

TEST_F(SharesTest, AHeldMlidIsGivenIfItIsWantedAndElseAsTheLastOne) {
    for (std::uint16_t i = 0; i < 31; ++i) {
        if (i != 3) groups().Hold(MlidIndex{i});
    }
    EXPECT_EQ(groups().held_count(), 30U);
    const auto mlid = [&](std::uint64_t number, MlidIndex wanted, std::uint32_t q_key) {
        const auto made = groups().Create(Mgid(number), {.q_key = q_key}, {.wanted = wanted});
        return made.ok() ? groups().group(made.value()).mlid : kNoMlid;
    };
    EXPECT_EQ(mlid(1, kNoMlid, 1), MlidIndex{3});
    EXPECT_EQ(mlid(2, MlidIndex{7}, 2), MlidIndex{7});
    EXPECT_EQ(mlid(3, kNoMlid, 3), MlidIndex{31});
    EXPECT_EQ(mlid(4, kNoMlid, 2), MlidIndex{7}) << "a shared one goes before a held one";
    EXPECT_EQ(mlid(5, kNoMlid, 5), MlidIndex{0});
    EXPECT_TRUE(groups().IsHeld(MlidIndex{0}));
    EXPECT_EQ(groups().EndHold(), 28U) << "0 and 7 have groups";
    EXPECT_EQ(groups().held_count(), 0U);
    EXPECT_EQ(mlid(6, kNoMlid, 6), MlidIndex{1});
}

/// After any joins and leaves each requester is charged for all its rows.
RC_GTEST_PROP(Shares, CountAllRowsOfARequester, ()) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> model;  // To the requester.
    std::vector<GroupIndex> made;
    for (std::uint64_t i = 0; i < 4; ++i) {
        const auto group = groups.Create(Mgid(i), {}, {});
        groups.SetWellKnown(group.value(), {});
        made.push_back(group.value());
    }
    const int steps = *rc::gen::inRange(1, 300);
    for (int i = 0; i < steps; ++i) {
        const auto group = *rc::gen::inRange<std::size_t>(0, 4);
        const auto port = *rc::gen::inRange<std::uint64_t>(0, 40);
        const auto requester = *rc::gen::inRange<std::uint64_t>(0, 4);
        const std::pair key{group, port};
        const MemberIndex at = groups.FindMember(made[group], Port(port));
        RC_ASSERT((at != kNoMember) == model.contains(key));
        if (*rc::gen::arbitrary<bool>()) {
            const Member who{.port_guid = Port(port),
                             .join_state = join_state::kNon,
                             .is_proxied = port != requester,
                             .requester = RequesterOf(Port(requester))};
            if (groups.Join(made[group], who, 0).ok()) model[key] = requester;
        } else if (at != kNoMember) {
            groups.Leave(at, join_state::kAll, 0);
            model.erase(key);
        }
        for (std::uint64_t one = 0; one < 4; ++one) {
            std::size_t has = 0;
            for (const auto& [member, pays] : model) {
                if (pays == one) ++has;
            }
            const bool is_crowded = model.size() >= kRoom.max_members / 2;
            const bool may = !is_crowded || has < kRoom.max_members / 8;
            RC_ASSERT(groups.MayAddMember(RequesterOf(Port(one))) == may);
        }
    }
}

}  // namespace
}  // namespace ember
