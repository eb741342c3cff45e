// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet manager takes over, and the groups of the one before go on.
//
// Goal:   what switches forward for groups that the new master does not know stays, heals, and is
//         given up after multicast_hold seconds; no packet runs in a circle at any moment.
// Method: two managers on simulated hardware, the higher one dies; packets are followed over the
//         hardware's tables after every block that is written.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/multicast/own_groups.h"
#include "tests/support/air.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr Gid kSome{0xFF12A01C00000000ULL, 1};
constexpr Gid kPair{0xFF12A01C00000000ULL, 2};
const Gid kBroadcast = BroadcastMgid(2, 0xFFFF);

class Takeover : public ::testing::Test {
protected:
    Takeover() : netlist_(net::FatTree2(6)), world_(netlist_), air_(world_) {}

    void Begin(Settings settings = BriskSettings()) {
        settings.sminfo_polling_timeout = 500;
        settings.sm_priority = 9;
        world_.AddManager(0, 1, settings);
        settings.sm_priority = 3;
        world_.AddManager(1, 1, settings);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
        ASSERT_EQ(world_.master(), 0U);
        Join(0, kBroadcast, {2, 3, 7, 11});
        Join(0, kSome, {2, 5, 8, 11, 14, 17});
        Join(0, kPair, {4, 16});
        ASSERT_TRUE(Settle(0)) << world_.Notes();
        for (const Gid& mgid : {kBroadcast, kSome, kPair}) {
            mlids_.push_back(MlidOf(0, mgid));
        }
    }
    Groups& groups(std::size_t seat) { return world_.sm(seat).multicast().groups(); }
    std::uint32_t MlidOf(std::size_t seat, const Gid& mgid) {
        return Raw(groups(seat).group(groups(seat).Find(mgid)).mlid);
    }
    void Join(std::size_t seat, const Gid& mgid, const std::vector<std::uint32_t>& hosts,
              MlidIndex wanted = kNoMlid) {
        if (groups(seat).Find(mgid) == kNoGroup) {
            const GroupValues values{.p_key = 0xFFFF};
            ASSERT_TRUE(groups(seat).Create(mgid, values, {.wanted = wanted}).ok());
        }
        for (const std::uint32_t host : hosts) {
            Member who;
            who.port_guid = world_.world().port(world_.sim().RowOf(host, 1)).guid;
            who.join_state = join_state::kFull;
            ASSERT_TRUE(groups(seat).Join(groups(seat).Find(mgid), who, world_.now_us()).ok());
        }
        world_.Wake(seat);
    }
    bool Settle(std::size_t seat) {
        return world_.RunUntil(
            [&] {
                return world_.sm(seat).stage() == Stage::kResting && world_.sm(seat).is_up() &&
                       world_.sm(seat).multicast().status().is_settled;
            },
            60 * kSecond);
    }
    /// The higher manager is killed, and the other has taken over.
    void TakeOver() {
        world_.Kill(0);
        ASSERT_TRUE(world_.RunUntil(
            [&] { return world_.sm(1).role().is_master() && world_.sm(1).is_up(); }, 200 * kSecond))
            << world_.Notes(1);
        ASSERT_TRUE(Settle(1)) << world_.Notes(1);
    }
    /// Whether each of `hosts` hears each of them once, and no other node does.
    bool IsHeard(const std::vector<std::uint32_t>& hosts, std::uint32_t mlid) {
        std::multiset<std::uint32_t> rows;
        for (const std::uint32_t host : hosts) {
            rows.insert(world_.sim().RowOf(host, 1));
        }
        return std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
            const std::uint32_t beyond = world_.world().Beyond(row);
            return air_.Flood(world_.world().port(beyond).node, mlid) == rows;
        });
    }
    bool AllAreHeard() {
        return IsHeard({2, 3, 7, 11}, mlids_[0]) && IsHeard({2, 5, 8, 11, 14, 17}, mlids_[1]) &&
               IsHeard({4, 16}, mlids_[2]);
    }
    std::uint64_t MftSets() {
        return world_.sim().counters().Sets(AttributeId::kMulticastForwardingTable);
    }
    /// A leaf that `host` hangs on, and the port of a cable up from it that `mlid` goes by.
    std::pair<std::uint32_t, std::uint32_t> TrunkOf(std::uint32_t host, std::uint32_t mlid) {
        const std::uint32_t beyond = world_.world().Beyond(world_.sim().RowOf(host, 1));
        const std::uint32_t leaf = world_.world().port(beyond).node;
        for (std::uint32_t port = 1; port <= world_.world().node(leaf).port_count; ++port) {
            const std::uint32_t far =
                world_.world().Beyond(world_.world().node(leaf).first_row + port);
            const bool is_trunk = far != sim::kNoRow && world_.world().node_of(far).is_switch();
            if (is_trunk && (air_.Mask(leaf, mlid, 0) >> port & 1U) != 0) return {leaf, port};
        }
        return {0, 0};
    }

    net::Netlist netlist_;
    SimWorld world_;
    Air air_;
    std::vector<std::uint32_t> mlids_;
};

TEST_F(Takeover, LeavesTheTablesOfGroupsThatItDoesNotKnow) {
    Begin();
    ASSERT_TRUE(AllAreHeard());
    const std::uint64_t before = MftSets();
    TakeOver();
    EXPECT_EQ(groups(1).Find(kSome), kNoGroup) << "it does not know them";
    EXPECT_EQ(groups(1).member_count(), 0U);
    EXPECT_TRUE(AllAreHeard());
    EXPECT_EQ(MftSets(), before) << "what is right is not written";
    EXPECT_EQ(world_.sm(1).multicast().status().held, 3U);
    EXPECT_EQ(world_.Heard(Note::kMulticastHeld, 1), 1U) << world_.Notes(1);
    world_.RunFor(50 * kSecond);
    EXPECT_TRUE(AllAreHeard());
    EXPECT_FALSE(air_.circle());
}

TEST_F(Takeover, GivesThemUpInTheEnd) {
    Begin();
    TakeOver();
    world_.RunFor(61 * kSecond);
    ASSERT_TRUE(Settle(1));
    for (const std::uint32_t mlid : mlids_) {
        EXPECT_TRUE(
            air_.Flood(world_.world().port(world_.world().Beyond(world_.sim().RowOf(2, 1))).node,
                       mlid)
                .empty());
    }
    EXPECT_EQ(world_.sm(1).multicast().status().held, 0U);
    EXPECT_EQ(world_.Heard(Note::kMulticastHoldEnded, 1), 1U) << world_.Notes(1);
    EXPECT_FALSE(air_.circle());
}

TEST_F(Takeover, WithoutAHoldEmptiesThem) {
    Settings settings = BriskSettings();
    settings.multicast_hold = 0;
    Begin(settings);
    TakeOver();
    world_.RunFor(5 * kSecond);
    EXPECT_FALSE(IsHeard({2, 5, 8, 11, 14, 17}, mlids_[1]));
    EXPECT_EQ(world_.Heard(Note::kMulticastHeld, 1), 0U);
}

TEST_F(Takeover, GivesNoGroupTheMlidOfAnother) {
    Begin();
    TakeOver();
    const Gid other{0xFF12A01C00000000ULL, 77};
    Join(1, other, {6, 9});
    ASSERT_TRUE(Settle(1));
    const std::uint32_t mlid = MlidOf(1, other);
    EXPECT_EQ(std::count(mlids_.begin(), mlids_.end(), mlid), 0);
    EXPECT_TRUE(IsHeard({6, 9}, mlid));
    EXPECT_TRUE(AllAreHeard());
    // A host that is in its group again is in the group's tree, beside those that are not yet.
    Join(1, kSome, {2, 6}, static_cast<MlidIndex>(mlids_[1]));
    Join(1, kBroadcast, {3, 9});
    ASSERT_TRUE(Settle(1));
    EXPECT_EQ(MlidOf(1, kSome), mlids_[1]);
    EXPECT_TRUE(IsHeard({2, 5, 6, 8, 11, 14, 17}, mlids_[1]));
    EXPECT_TRUE(IsHeard({2, 3, 7, 9, 11}, mlids_[0]));
    world_.RunFor(61 * kSecond);
    ASSERT_TRUE(Settle(1));
    EXPECT_TRUE(IsHeard({2, 6}, mlids_[1])) << "those are left who have registered";
    EXPECT_TRUE(IsHeard({3, 9}, mlids_[0]));
    EXPECT_FALSE(air_.circle());
}

TEST_F(Takeover, HeldTreesGoAroundACableThatIsLost) {
    Begin();
    TakeOver();
    const auto [leaf, port] = TrunkOf(14, mlids_[1]);
    ASSERT_NE(port, 0U);
    world_.Cut(leaf, port);
    world_.RunFor(5 * kSecond);
    ASSERT_TRUE(Settle(1)) << world_.Notes(1);
    EXPECT_TRUE(AllAreHeard());
    EXPECT_FALSE(air_.circle());
}

TEST_F(Takeover, MastershipThatComesBackLeavesThemToo) {
    Begin();
    TakeOver();
    Join(1, kSome, {2, 5, 8, 11, 14, 17}, static_cast<MlidIndex>(mlids_[1]));
    ASSERT_TRUE(Settle(1));
    world_.Restart(0);
    ASSERT_TRUE(world_.RunUntil(
        [&] { return world_.sm(0).role().is_master() && world_.sm(0).is_up(); }, 60 * kSecond))
        << world_.Notes(0);
    ASSERT_TRUE(Settle(0)) << world_.Notes(0);
    EXPECT_TRUE(AllAreHeard());
    EXPECT_FALSE(air_.circle());
}

}  // namespace
}  // namespace ember::testing
