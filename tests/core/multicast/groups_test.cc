// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of groups and members against a slow model, and of each rule of MLIDs and events.
#include "core/multicast/groups.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "core/multicast/own_groups.h"
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
                       .max_groups = 40,
                       .max_members = 60,
                       .max_mlids = 32,
                       .max_events = 16};

constexpr Gid MgidOf(std::uint64_t number) {
    return {0xFF12A01C00000000ULL, number};
}
constexpr GroupValues kPlain{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};

Member Who(std::uint64_t guid, std::uint8_t state) {
    Member member;
    member.port_guid = Guid{guid};
    member.join_state = state;
    return member;
}

GroupIndex MustCreate(Groups& groups, std::uint64_t number, const GroupValues& values = kPlain) {
    const Result<GroupIndex> made = groups.Create(MgidOf(number), values, {});
    EXPECT_TRUE(made.ok());
    return made.value();
}

TEST(Groups, TheLowestFreeMlidIsTaken) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    const GroupIndex first = MustCreate(groups, 1);
    const GroupIndex second = MustCreate(groups, 2);
    EXPECT_EQ(LidOf(groups.group(first).mlid), Lid{0xC000});
    EXPECT_EQ(LidOf(groups.group(second).mlid), Lid{0xC001});
    groups.Withdraw(first);
    EXPECT_EQ(groups.group(MustCreate(groups, 3)).mlid, MlidIndex{0});
}

TEST(Groups, AMlidThatIsWantedAndFreeIsGiven) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    const auto wish = [&](std::uint64_t number, MlidIndex wanted) {
        const auto made = groups.Create(MgidOf(number), kPlain, {.wanted = wanted});
        return groups.group(made.value()).mlid;
    };
    EXPECT_EQ(wish(1, MlidIndex{7}), MlidIndex{7});
    EXPECT_EQ(wish(2, MlidIndex{7}), MlidIndex{0});
    EXPECT_EQ(wish(3, MlidIndex{32}), MlidIndex{1});  // Beyond the table.
    groups.SetMlidCount(8);
    EXPECT_EQ(wish(4, MlidIndex{9}), MlidIndex{2});
}

TEST(Groups, WhenMlidsRunOutGroupsOfTheSameValuesShareTheLeastUsed) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    groups.SetMlidCount(3);
    GroupValues fast = kPlain;
    fast.rate = Rate::k40Gb;
    MustCreate(groups, 1);
    MustCreate(groups, 2);
    MustCreate(groups, 3, fast);
    EXPECT_EQ(groups.group(MustCreate(groups, 4)).mlid, MlidIndex{0});
    EXPECT_EQ(groups.group(MustCreate(groups, 5)).mlid, MlidIndex{1});
    EXPECT_EQ(groups.group(MustCreate(groups, 6, fast)).mlid, MlidIndex{2});
    EXPECT_EQ(groups.mlids_in_use(), 3U);
    GroupValues other = kPlain;
    other.sl = 1;
    EXPECT_EQ(groups.Create(MgidOf(7), other, {}).status(), Status::kFull);
}

TEST(Groups, SolicitedNodeGroupsShareOnlyWhenTheyMay) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    const auto mlid_of = [&](std::uint64_t high, std::uint64_t low, bool may) {
        const auto made = groups.Create({high, low}, kPlain, {.may_share_snm = may});
        return groups.group(made.value()).mlid;
    };
    constexpr std::uint64_t kHigh = 0xFF12601BFFFF0000ULL;
    constexpr std::uint64_t kLow = 0x00000001FF000000ULL;
    EXPECT_EQ(mlid_of(kHigh, kLow | 1, true), MlidIndex{0});
    EXPECT_EQ(mlid_of(kHigh, kLow | 2, true), MlidIndex{0});
    EXPECT_EQ(mlid_of(kHigh, kLow | 0xFFFFFF, true), MlidIndex{0});
    EXPECT_EQ(mlid_of(kHigh, kLow | 3, false), MlidIndex{1});
    EXPECT_EQ(mlid_of(0xFF15601BFFFF0000ULL, kLow | 4, true), MlidIndex{2});  // Another scope.
    EXPECT_EQ(mlid_of(0xFF12601B80010000ULL, kLow | 4, true), MlidIndex{3});  // Another partition.
    EXPECT_EQ(mlid_of(kHigh, 0x00000001FE000001ULL, true), MlidIndex{4});     // Another kind.
}

TEST(Groups, BitsOfJoinStateAddUpAndAreRemovedOneByOne) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    const GroupIndex at = MustCreate(groups, 1);
    static_cast<void>(groups.Join(at, Who(5, join_state::kFull), 1));
    const auto again = groups.Join(at, Who(5, join_state::kSendOnlyNon), 2);
    EXPECT_EQ(groups.member(again.value()).join_state, 5U);
    EXPECT_EQ(groups.group(at).members, 1U);
    static_cast<void>(groups.Join(at, Who(6, join_state::kFull), 3));
    EXPECT_EQ(groups.Leave(again.value(), join_state::kFull, 4), join_state::kSendOnlyNon);
    EXPECT_EQ(groups.group(at).full_members, 1U);
    EXPECT_EQ(groups.FindMember(at, Guid{5}), again.value());
}

TEST(Groups, AGroupEndsWithItsLastFullMember) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    const GroupIndex at = MustCreate(groups, 1);
    const auto full = groups.Join(at, Who(5, join_state::kSendOnlyFull), 1);
    static_cast<void>(groups.Join(at, Who(6, join_state::kNon), 2));
    EXPECT_EQ(groups.Leave(full.value(), join_state::kAll, 3), 0U);
    EXPECT_EQ(groups.Find(MgidOf(1)), kNoGroup);
    EXPECT_EQ(groups.member_count(), 0U);
    EXPECT_EQ(groups.mlids_in_use(), 0U);
}

TEST(Groups, AWellKnownGroupStaysEmpty) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    ASSERT_EQ(MakeOwnGroups(groups, Settings{}), Status::kOk);
    ASSERT_EQ(MakeOwnGroups(groups, Settings{}), Status::kOk);  // The group exists already.
    const GroupIndex at = groups.Find({0xFF12401BFFFF0000ULL, 0xFFFFFFFFULL});
    ASSERT_NE(at, kNoGroup);
    EXPECT_EQ(groups.group(at).values.q_key, 0x0B1BU);
    const auto full = groups.Join(at, Who(5, join_state::kFull), 1);
    static_cast<void>(groups.Join(at, Who(6, join_state::kNon), 2));
    static_cast<void>(groups.Leave(full.value(), join_state::kFull, 3));
    EXPECT_NE(groups.Find({0xFF12401BFFFF0000ULL, 0xFFFFFFFFULL}), kNoGroup);
    EXPECT_EQ(groups.group(at).members, 0U);
}

/// Option qos: without it ports have no SL to VL maps of ours, and paths have SL 0.
TEST(Groups, AGroupOfThePartitionsFileHasItsLevelWhileQosIsOn) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    PartitionRow partition;
    partition.p_key = 0x7FFF;
    const Gid mgid{0xFF12401BFFFF0000ULL, 0xFFFFFFFFULL};
    const PartitionGroup row{.mgid = mgid, .p_key = partition.p_key, .mtu = 4, .rate = 3, .sl = 5};
    Settings settings;
    settings.manager_tables.partitions = {&partition, 1};
    settings.manager_tables.partition_groups = {&row, 1};
    for (const bool qos : {false, true, false}) {
        settings.qos = qos;
        ASSERT_EQ(MakeOwnGroups(groups, settings), Status::kOk);
        ASSERT_NE(groups.Find(mgid), kNoGroup);
        EXPECT_EQ(groups.group(groups.Find(mgid)).values.sl, qos ? 5 : 0);
    }
}

TEST(Groups, TheFirstFullMemberAndTheLastLeaveAreEvents) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    const GroupIndex at = MustCreate(groups, 1);
    EXPECT_EQ(store.events().own().next(), 0U);
    const auto one = groups.Join(at, Who(5, join_state::kFull), 10);
    static_cast<void>(groups.Join(at, Who(6, join_state::kFull), 11));
    ASSERT_EQ(store.events().own().next(), 1U);
    EXPECT_EQ(store.events().own().At(0).trap, TrapNumber::kMulticastCreated);
    EXPECT_EQ(store.events().own().At(0).gid, MgidOf(1));
    EXPECT_EQ(store.events().own().At(0).at_us, 10U);
    static_cast<void>(groups.Leave(one.value(), join_state::kFull, 12));
    EXPECT_EQ(store.events().own().next(), 1U);
    EXPECT_EQ(groups.Drop([](const Member& member) { return member.owner == Guid{6}; }, 13), 1U);
    ASSERT_EQ(store.events().own().next(), 2U);
    EXPECT_EQ(store.events().own().At(1).trap, TrapNumber::kMulticastDeleted);
}

TEST(SubnetEvents, TheOldestEventIsOverwritten) {
    GroupStore store(kRoom);
    for (std::uint64_t i = 0; i < 20; ++i) {
        store.events().Write({.trap = TrapNumber::kInService, .gid = MgidOf(i), .at_us = i});
    }
    EXPECT_EQ(store.events().own().oldest(), 4U);
    EXPECT_EQ(store.events().own().At(4).at_us, 4U);
    EXPECT_EQ(store.events().own().At(19).at_us, 19U);
}

TEST(Groups, OnlyMlidsWhosePortsChangeAreMarked) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    const GroupIndex at = MustCreate(groups, 1);
    const GroupIndex other = MustCreate(groups, 2);
    static_cast<void>(groups.Join(other, Who(5, join_state::kFull), 1));
    EXPECT_EQ(groups.TakeMarked(MlidIndex{0}), MlidIndex{1});
    EXPECT_FALSE(groups.has_marked());
    static_cast<void>(groups.Join(other, Who(5, join_state::kNon), 2));  // Already a member.
    EXPECT_FALSE(groups.has_marked());
    groups.MarkAll();
    EXPECT_EQ(groups.TakeMarked(MlidIndex{0}), groups.group(at).mlid);
    EXPECT_EQ(groups.TakeMarked(MlidIndex{0}), groups.group(other).mlid);
    EXPECT_EQ(groups.TakeMarked(MlidIndex{0}), kNoMlid);
}

/// The groups in plain maps.
struct Model {
    struct Entry {
        std::map<std::uint64_t, std::uint8_t> members;
    };
    std::map<std::uint64_t, Entry> groups;

    std::size_t members() const {
        std::size_t sum = 0;
        for (const auto& [number, entry] : groups) {
            sum += entry.members.size();
        }
        return sum;
    }
    void Leave(std::uint64_t number, std::uint64_t guid, std::uint8_t state) {
        Entry& entry = groups[number];
        std::uint8_t& had = entry.members[guid];
        const bool was_full = (had & 9) != 0;
        had = static_cast<std::uint8_t>(had & ~state);
        const bool is_full = (had & 9) != 0;
        if (had == 0) entry.members.erase(guid);
        if (!was_full || is_full) return;
        for (const auto& [other, other_state] : entry.members) {
            if ((other_state & 9) != 0) return;
        }
        groups.erase(number);
    }
};

/// Goal: after any joins and leaves the tables agree with a model of maps, and every index finds
/// its rows. Method: draw steps, apply them to both, compare everything.
RC_GTEST_PROP(Groups, AnyJoinsAndLeavesAreAsInASlowModel, ()) {
    GroupStore store(kRoom);
    Groups& groups = store.groups();
    Model model;
    const auto steps = *rc::gen::inRange(1, 300);
    for (int step = 0; step < steps; ++step) {
        const auto number = *rc::gen::inRange<std::uint64_t>(1, 45);
        const auto guid = *rc::gen::inRange<std::uint64_t>(1, 12);
        const auto state = *rc::gen::inRange<std::uint8_t>(1, 16);
        GroupIndex at = groups.Find(MgidOf(number));
        RC_ASSERT((at != kNoGroup) == (model.groups.count(number) == 1));
        if (*rc::gen::inRange(0, 3) != 0) {  // Join.
            if (at == kNoGroup) {
                if ((state & join_state::kKeepsAlive) == 0) continue;
                const auto made = groups.Create(MgidOf(number), kPlain, {});
                RC_ASSERT(made.ok() == (model.groups.size() < kRoom.max_groups));
                if (!made.ok()) continue;
                at = made.value();
            }
            const auto joined = groups.Join(at, Who(guid, state), 1);
            const bool is_new = model.groups[number].members.count(guid) == 0;
            if (model.groups[number].members.empty()) model.groups.erase(number);
            RC_ASSERT(joined.ok() == (!is_new || model.members() < kRoom.max_members));
            if (!joined.ok()) {
                if (groups.group(at).members == 0) groups.Withdraw(at);
                continue;
            }
            model.groups[number].members[guid] |= state;
        } else if (at != kNoGroup) {
            const MemberIndex member = groups.FindMember(at, Guid{guid});
            RC_ASSERT((member != kNoMember) == (model.groups[number].members.count(guid) == 1));
            if (member == kNoMember) continue;
            static_cast<void>(groups.Leave(member, state, 2));
            model.Leave(number, guid, state);
        }
    }
    RC_ASSERT(groups.group_count() == model.groups.size());
    RC_ASSERT(groups.member_count() == model.members());
    for (const auto& [number, entry] : model.groups) {
        const GroupIndex at = groups.Find(MgidOf(number));
        RC_ASSERT(at != kNoGroup);
        RC_ASSERT(groups.group(at).members == entry.members.size());
        std::set<std::uint64_t> chained;
        for (MemberIndex i = groups.group(at).first; i != kNoMember; i = groups.member(i).next) {
            chained.insert(Raw(groups.member(i).port_guid));
        }
        for (const auto& [guid, state] : entry.members) {
            const MemberIndex member = groups.FindMember(at, Guid{guid});
            RC_ASSERT(member != kNoMember);
            RC_ASSERT(groups.member(member).join_state == state);
            RC_ASSERT(chained.count(guid) == 1);
        }
        RC_ASSERT(chained.size() == entry.members.size());
    }
    std::size_t chained = 0;
    for (std::size_t i = 0; i < groups.mlid_bound(); ++i) {
        const auto& row = groups.mlid(static_cast<MlidIndex>(i));
        std::uint16_t length = 0;
        for (GroupIndex g = row.first; g != kNoGroup; g = groups.group(g).next) {
            ++length;
        }
        RC_ASSERT(length == row.groups);
        chained += length;
    }
    RC_ASSERT(chained == model.groups.size());
}

}  // namespace
}  // namespace ember
