// SPDX-License-Identifier: Apache-2.0
// EmberSM: what multicast keeps of the subnet manager before, and what ends with ports, partitions
// and the role of master.

#include <array>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/multicast/multicast_upkeep.h"
#include "tests/support/multicast_harness.h"

namespace ember {
namespace {

using testing::MulticastHarness;
using Fate = MulticastHarness::Fate;
using Question = MulticastHarness::Question;
using Hosts = std::multiset<std::uint32_t>;

constexpr std::uint64_t kMs = 1000;
constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint32_t kFirstLeaf = 8;  // With hosts 0 and 1.
constexpr std::uint32_t kLastLeaf = 11;  // With hosts 6 and 7.
constexpr std::uint32_t kSpine = 12;
constexpr std::size_t kSwitches = 6;
constexpr std::size_t kBlocks = 2;  // Of 64 MLIDs.
constexpr std::uint16_t kPKey = 0x8010;
const Gid kGroup{0xFF12A01C00000000ULL, 1};
const Gid kOther{0xFF12A01C00000000ULL, 2};

/// Hosts 0 to 7 on leaf switches 8 to 11, spines 12 and 13.
class MulticastUpkeepOfOthers : public ::testing::Test {
protected:
    MulticastUpkeep& upkeep() { return *net_.upkeep; }
    /// The subnet manager before had a group of hosts 0 and 7 with this MLID.
    void LeaveTree(MlidIndex mlid) {
        net_.LetTablesBeUsed();
        net_.SetMask(net_.SwitchAt(kFirstLeaf), mlid, 1U << 1U | 1U << 3U);
        net_.SetMask(net_.SwitchAt(kSpine), mlid, 1U << 1U | 1U << 4U);
        net_.SetMask(net_.SwitchAt(kLastLeaf), mlid, 1U << 2U | 1U << 3U);
        ASSERT_EQ(net_.Hearers(0, mlid), Hosts{7});
        ASSERT_EQ(net_.Hearers(7, mlid), Hosts{0});
    }
    /// A new sweep, after which the subnet rests again.
    void Sweep() {
        upkeep().Pause();
        upkeep().Observe(false);
        net_.Resume();
    }
    MlidIndex Create(const Gid& mgid, MlidIndex wanted = kNoMlid) {
        const GroupValues values{.p_key = kDefaultPKey};
        EXPECT_TRUE(net_.groups().Create(mgid, values, {.wanted = wanted}).ok());
        return net_.MlidOf(mgid);
    }

    MulticastHarness net_{net::FatTree2(4)};
};

constexpr MlidIndex kHeld{3};

TEST_F(MulticastUpkeepOfOthers, MlidsThatSwitchesForwardAreHeldForASpan) {
    net_.settings.multicast_hold = 7;
    LeaveTree(kHeld);
    upkeep().HoldTables();
    EXPECT_FALSE(upkeep().status().is_settled) << "the tables are not read yet";
    net_.Bring(true);
    net_.Work();
    const std::uint64_t until_us = net_.now_us + 7 * kSecond;
    EXPECT_TRUE(upkeep().status().is_settled);
    EXPECT_EQ(upkeep().status().held, 1U);
    EXPECT_EQ(net_.log.CountOf(Note::kMulticastHeld), 1U);
    EXPECT_EQ(net_.LastNote(Note::kMulticastHeld).values[0], 1U);
    EXPECT_EQ(net_.LastNote(Note::kMulticastHeld).values[1], 7U);
    EXPECT_EQ(net_.Gets(), kSwitches * kBlocks);
    EXPECT_EQ(net_.Sets(), 0U) << "the tree of the ports that it leads to is the same";
    EXPECT_EQ(upkeep().NextDeadlineUs(), until_us);
    // Other groups get other MLIDs; MLID 0 is the broadcast group's.
    std::set<MlidIndex> given;
    for (std::uint64_t i = 10; i < 14; ++i) {
        given.insert(Create({kGroup.high, i}));
    }
    EXPECT_EQ(given, (std::set{MlidIndex{1}, MlidIndex{2}, MlidIndex{4}, MlidIndex{5}}));
    net_.AdvanceTo(until_us - 1);
    EXPECT_EQ(upkeep().status().held, 1U);
    EXPECT_EQ(net_.Hearers(0, kHeld), Hosts{7});
    net_.AdvanceTo(until_us);
    EXPECT_EQ(upkeep().status().held, 0U);
    EXPECT_EQ(net_.LastNote(Note::kMulticastHoldEnded).values[0], 1U);
    EXPECT_EQ(net_.LastNote(Note::kMulticastHoldEnded).values[1], 1U) << "no group has it";
    EXPECT_EQ(upkeep().NextDeadlineUs(), until_us + 20 * kMs);
    net_.Advance(20 * kMs);
    EXPECT_TRUE(net_.IsForwardedNowhere(kHeld));
    EXPECT_TRUE(upkeep().status().is_settled);
    EXPECT_EQ(upkeep().NextDeadlineUs(), kNever);
    EXPECT_EQ(Create(kGroup), kHeld);
}

TEST_F(MulticastUpkeepOfOthers, PortsOfAHeldMlidStayBesideThoseThatRegister) {
    LeaveTree(kHeld);
    net_.BringAndSettle(true);
    ASSERT_EQ(Create(kGroup, kHeld), kHeld) << "to who asks for it";
    net_.Join(kGroup, 0);
    net_.Join(kGroup, 5);
    net_.Advance(20 * kMs);
    EXPECT_EQ(net_.Hearers(0, kHeld), (Hosts{5, 7}));
    Sweep();
    net_.Work();
    EXPECT_EQ(net_.Hearers(0, kHeld), (Hosts{5, 7})) << "a sweep does not end it";
    net_.Advance(61 * kSecond);
    EXPECT_EQ(net_.LastNote(Note::kMulticastHoldEnded).values[1], 0U) << "a group has it";
    EXPECT_EQ(net_.Hearers(0, kHeld), Hosts{5});
    EXPECT_EQ(net_.Hearers(5, kHeld), Hosts{0});
}

TEST_F(MulticastUpkeepOfOthers, ASurveyThatASweepEndsIsMadeAgain) {
    LeaveTree(kHeld);
    net_.Bring(true);
    static_cast<void>(upkeep().Step(net_.now_us));
    ASSERT_FALSE(net_.port.sent.empty());
    upkeep().Pause();
    net_.port.sent.clear();
    EXPECT_EQ(upkeep().NextDeadlineUs(), kNever);
    Sweep();
    net_.Work();
    EXPECT_EQ(upkeep().status().held, 1U);
    EXPECT_EQ(net_.Hearers(0, kHeld), Hosts{7});
}

TEST_F(MulticastUpkeepOfOthers, PortsStayThoughTheirTableIsReadLate) {
    for (const bool is_late : {false, true}) {  // Within the first round; in the one after it.
        MulticastHarness net{net::FatTree2(4)};
        net.LetTablesBeUsed();
        net.SetMask(net.SwitchAt(kFirstLeaf), kHeld, 1U << 1U | 1U << 2U | 1U << 3U);
        net.SetMask(net.SwitchAt(kSpine), kHeld, 1U << 1U | 1U << 4U);
        net.SetMask(net.SwitchAt(kLastLeaf), kHeld, 1U << 2U | 1U << 3U);
        net.fate = [&](const Question& one) {
            const bool is_before = is_late || net.upkeep->status().held == 0;
            return one.at == net.SwitchAt(kLastLeaf) && is_before ? Fate::kLost : Fate::kTaken;
        };
        net.BringAndSettle(true);
        net.Advance(2 * kSecond);
        ASSERT_EQ(net.upkeep->status().held, 1U);
        EXPECT_EQ(net.Hearers(0, kHeld), is_late ? Hosts{1} : (Hosts{1, 7}));
        EXPECT_FALSE(net.upkeep->status().is_settled);
        net.fate = [](const Question&) { return Fate::kTaken; };
        net.Advance(10 * kSecond);
        EXPECT_TRUE(net.upkeep->status().is_settled);
        EXPECT_EQ(net.Hearers(0, kHeld), (Hosts{1, 7})) << is_late;
        EXPECT_EQ(net.Hearers(7, kHeld), (Hosts{0, 1})) << is_late;
    }
}

TEST_F(MulticastUpkeepOfOthers, AFreedEntryThatCouldNotBeRemovedIsTriedAgain) {
    const MlidIndex far{40};  // No other MLID of its block is in use.
    LeaveTree(kHeld);
    LeaveTree(far);
    net_.BringAndSettle(true);
    ASSERT_EQ(upkeep().status().held, 2U);
    net_.fate = [](const Question& one) {
        return one.method == Method::kSet ? Fate::kRefused : Fate::kTaken;
    };
    net_.Advance(61 * kSecond);
    EXPECT_FALSE(upkeep().status().is_settled);
    net_.fate = [](const Question&) { return Fate::kTaken; };
    ASSERT_TRUE(net_.Settle());
    EXPECT_TRUE(net_.IsForwardedNowhere(kHeld));
    EXPECT_TRUE(net_.IsForwardedNowhere(far));
}

TEST_F(MulticastUpkeepOfOthers, WithoutASpanNothingIsHeld) {
    net_.settings.multicast_hold = 0;
    LeaveTree(kHeld);
    net_.BringAndSettle(true);
    EXPECT_EQ(upkeep().status().held, 0U);
    EXPECT_EQ(net_.log.CountOf(Note::kMulticastHeld), 0U);
    EXPECT_EQ(net_.Gets(), kSwitches) << "the block of the broadcast group alone";
    EXPECT_TRUE(net_.IsForwardedNowhere(kHeld));
    EXPECT_EQ(upkeep().NextDeadlineUs(), kNever);
}

TEST_F(MulticastUpkeepOfOthers, WhileItIsDisabledNothingIsAsked) {
    net_.settings.disable_multicast = true;
    LeaveTree(kHeld);
    net_.BringAndSettle(true);
    net_.Join(kGroup, 0);
    net_.Join(kGroup, 5);
    EXPECT_EQ(upkeep().NextDeadlineUs(), kNever);
    net_.Advance(100 * kSecond);
    EXPECT_TRUE(net_.seen.empty());
    EXPECT_EQ(upkeep().status().rounds, 0U);
    EXPECT_EQ(upkeep().status().held, 0U);
    EXPECT_EQ(upkeep().status().members, 2U) << "clients are answered as ever";
    EXPECT_EQ(net_.Hearers(0, kHeld), Hosts{7});
    net_.settings.disable_multicast = false;
    ASSERT_TRUE(net_.Settle());
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), Hosts{5});
}

TEST_F(MulticastUpkeepOfOthers, AMemberWhosePortIsGoneHasLeft) {
    net_.BringAndSettle();
    for (const std::uint32_t host : {0U, 5U, 7U}) {
        net_.Join(kGroup, host);
    }
    net_.Join(kOther, 7);
    ASSERT_TRUE(net_.Settle());
    ASSERT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), (Hosts{5, 7}));
    net_.fabric().RemoveNode(net_.NodeAt(7));
    EXPECT_EQ(upkeep().status().members, 4U);
    Sweep();
    EXPECT_EQ(upkeep().status().members, 2U);
    EXPECT_EQ(net_.groups().Find(kOther), kNoGroup) << "it was the last one";
    EXPECT_EQ(net_.log.CountOf(Note::kMembersGone), 1U);
    EXPECT_EQ(net_.LastNote(Note::kMembersGone).values[0], 2U);
    net_.Work();
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), Hosts{5});
    EXPECT_EQ(net_.Hearers(5, net_.MlidOf(kGroup)), Hosts{0});
}

TEST_F(MulticastUpkeepOfOthers, AfterASweepAllTreesAreMadeAndWhatIsRightIsNotWritten) {
    net_.BringAndSettle();
    net_.Join(kGroup, 0);
    net_.Join(kOther, 5);
    ASSERT_TRUE(net_.Settle());
    net_.seen.clear();
    const std::uint64_t trees = upkeep().status().trees;
    Sweep();
    EXPECT_FALSE(upkeep().status().is_settled);
    EXPECT_EQ(upkeep().NextDeadlineUs(), net_.now_us);
    net_.Work();
    EXPECT_EQ(upkeep().status().trees, trees + 3) << "both, and the broadcast group's";
    EXPECT_TRUE(net_.seen.empty());
    EXPECT_TRUE(upkeep().status().is_settled);
    EXPECT_EQ(net_.log.CountOf(Note::kMembersGone), 0U);
}

TEST_F(MulticastUpkeepOfOthers, AMemberThatHasLeftThePartitionOfItsGroupGoes) {
    const std::vector<PartitionRow> rows{{.p_key = kPKey & kPKeyBase}, {.p_key = kPKeyBase}};
    const PartitionClass all{
        .p_key = kPKeyBase, .ports = PortClass::kAll, .membership = Membership::kFull};
    const auto member = [this](std::uint32_t host) {
        return PartitionMember{.port_guid = net_.GuidOf(host),
                               .p_key = kPKey & kPKeyBase,
                               .membership = Membership::kFull};
    };
    const std::array before{member(0), member(5), member(7)};  // By GUID, as hosts are.
    const std::array after{before[0], before[1]};
    const Gid own{0xFF12401B80100000ULL, 0xFFFFFFFF};
    const std::array groups{PartitionGroup{.mgid = own, .p_key = kPKey & kPKeyBase}};
    ManagerTables& tables = net_.settings.manager_tables;
    tables.partitions = rows;
    tables.partition_classes = {&all, 1};
    tables.partition_ports = before;
    tables.partition_groups = groups;
    net_.BringAndSettle();
    EXPECT_NE(net_.groups().Find(own), kNoGroup) << "it exists without members";
    for (const std::uint32_t host : {0U, 5U, 7U}) {
        net_.Join(kGroup, host, kPKey);
        net_.Join(kOther, host);
    }
    ASSERT_TRUE(net_.Settle());
    tables.partition_ports = after;
    tables.partition_groups = {};
    upkeep().FollowPartitions(net_.now_us);
    EXPECT_EQ(upkeep().status().members, 5U);
    EXPECT_EQ(net_.LastNote(Note::kMembersGone).values[0], 1U);
    EXPECT_EQ(net_.groups().Find(own), kNoGroup);
    const std::uint64_t changed_us = net_.now_us;
    net_.AdvanceTo(changed_us + 20 * kMs - 1);
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), (Hosts{5, 7}));
    net_.AdvanceTo(changed_us + 20 * kMs);
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kGroup)), Hosts{5});
    EXPECT_EQ(net_.Hearers(0, net_.MlidOf(kOther)), (Hosts{5, 7}));
}

TEST_F(MulticastUpkeepOfOthers, AGroupOfItsOwnWithoutRoomIsToldOnce) {
    const std::vector<PartitionRow> rows{{.p_key = kPKeyBase}};
    net_.settings.manager_tables.partitions = rows;  // With no group.
    net_.BringAndSettle();
    for (std::uint64_t i = 0; i < net_.limits().max_groups; ++i) {
        static_cast<void>(Create({kGroup.high, i}));
    }
    net_.settings.manager_tables.partitions = {};
    for (int i = 0; i < 3; ++i) {
        upkeep().FollowPartitions(net_.now_us);
        EXPECT_EQ(net_.log.CountOf(Note::kNoRoomForGroup), 1U);
    }
    EXPECT_EQ(upkeep().status().groups, net_.limits().max_groups);
}

TEST_F(MulticastUpkeepOfOthers, GroupsThatNoFullMemberKeepsAliveEndWithTheFirstSweep) {
    static_cast<void>(Create(kGroup));  // As a journal restores one without its members.
    static_cast<void>(Create(kOther));
    net_.Join(kOther, 5);
    net_.BringAndSettle();
    EXPECT_EQ(net_.groups().Find(kGroup), kNoGroup);
    EXPECT_NE(net_.groups().Find(kOther), kNoGroup);
    EXPECT_EQ(upkeep().status().groups, 2U) << "it, and the broadcast group";
}

TEST_F(MulticastUpkeepOfOthers, WithTheRoleOfMasterGroupsAndHoldsEnd) {
    LeaveTree(kHeld);
    net_.BringAndSettle(true);
    net_.Join(kGroup, 0);
    ASSERT_TRUE(net_.Settle());
    ASSERT_EQ(upkeep().status().held, 1U);
    net_.seen.clear();
    upkeep().Pause();
    upkeep().Forget();
    const MulticastStatus status = upkeep().status();
    EXPECT_EQ(status.groups + status.members + status.mlids + status.held, 0U);
    EXPECT_EQ(upkeep().NextDeadlineUs(), kNever);
    net_.Advance(100 * kSecond);
    EXPECT_TRUE(net_.seen.empty());
    EXPECT_EQ(net_.log.CountOf(Note::kMulticastHoldEnded), 0U);
    // A survey that was due is not made by the next round without HoldTables().
    upkeep().HoldTables();
    upkeep().Forget();
    net_.BringAndSettle();
    EXPECT_EQ(upkeep().status().held, 0U);
    EXPECT_EQ(net_.log.CountOf(Note::kMulticastHoldEnded), 0U);
}

TEST_F(MulticastUpkeepOfOthers, TheStatusCounts) {
    net_.BringAndSettle();
    EXPECT_EQ(upkeep().status().mlid_count, 64U);
    Node& lost = net_.fabric().node(net_.NodeAt(kLastLeaf));
    net_.fabric()
        .switch_row(lost.switch_index)
        .info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{0});
    Sweep();
    for (const std::uint32_t host : {0U, 5U, 6U, 7U}) {
        net_.Join(kGroup, host);
    }
    net_.Join(kOther, 0);
    ASSERT_TRUE(net_.Settle());
    const MulticastStatus status = upkeep().status();
    EXPECT_EQ(status.groups, 3U);
    EXPECT_EQ(status.members, 5U);
    EXPECT_EQ(status.mlids, 3U);
    EXPECT_EQ(status.lost_members, 2U);
    EXPECT_EQ(status.plain_trees, 0U);
    EXPECT_EQ(status.cuts, 0U);
    EXPECT_EQ(status.blocks_set, net_.Sets());
    EXPECT_EQ(net_.Sets(), 3U) << "two leaves and a spine";
    EXPECT_EQ(net_.log.CountOf(Note::kTreeImperfect), 1U);
    const LogRecord note = net_.LastNote(Note::kTreeImperfect);
    EXPECT_EQ(note.values[0], 0xC000U + Raw(net_.MlidOf(kGroup)));
    EXPECT_EQ(note.values[1], 4U);
    EXPECT_EQ(note.values[2], 2U);
    EXPECT_EQ(note.values[3], 0U) << "what there is of it is a tree";
    net_.Leave(kGroup, 6);
    net_.Leave(kGroup, 7);
    ASSERT_TRUE(net_.Settle());
    EXPECT_EQ(upkeep().status().lost_members, 0U);
}

}  // namespace
}  // namespace ember
