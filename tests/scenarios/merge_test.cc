// SPDX-License-Identifier: Apache-2.0
// EmberSM: two masters meet.
//
// Goal:   when a subnet that was cut in two heals, or a master that hung wakes up, one master is
//         left. What was registered with it holds, and only clients that the other has served are
//         asked to register again; LIDs that both have given are settled, with notes.
// Method: two managers on simulated hardware, each with clients. Requests to register again are
//         counted where they arrive.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

Settings Replicating(std::uint8_t priority) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.sminfo_polling_timeout = 300;
    settings.transaction_timeout = 50;
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    return settings;
}

constexpr Gid kLeftGroup{0xFF12A01C00000000ULL, 1};
constexpr Gid kRightGroup{0xFF12A01C00000000ULL, 2};
constexpr Gid kCommonGroup{0xFF12A01C00000000ULL, 3};

class Merge : public ::testing::Test {
protected:
    explicit Merge(const net::Netlist& netlist) : world_(netlist) {}

    Groups& groups(std::size_t seat) { return world_.sm(seat).multicast().groups(); }
    Guid GuidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).guid;
    }
    Lid LidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).info.Get(PortInfo::kLid);
    }
    void Join(std::size_t seat, const Gid& mgid, const std::vector<std::uint32_t>& hosts) {
        if (groups(seat).Find(mgid) == kNoGroup) {
            const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
            ASSERT_TRUE(groups(seat).Create(mgid, values, {}).ok());
        }
        for (const std::uint32_t host : hosts) {
            Member who;
            who.port_guid = GuidOf(host);
            who.join_state = join_state::kFull;
            ASSERT_TRUE(groups(seat).Join(groups(seat).Find(mgid), who, world_.now_us()).ok());
        }
        world_.Wake(seat);
    }
    std::vector<std::uint32_t> HostsIn(std::size_t seat, const Gid& mgid) {
        std::vector<std::uint32_t> hosts;
        const GroupIndex group = groups(seat).Find(mgid);
        for (std::uint32_t i = 0; group != kNoGroup && i < world_.world().node_count(); ++i) {
            if (world_.world().node(i).is_switch()) continue;
            if (groups(seat).FindMember(group, GuidOf(i)) != kNoMember) hosts.push_back(i);
        }
        return hosts;
    }
    std::uint64_t Asked() { return world_.sim().counters().reregistrations; }
    bool Settle(std::size_t seat) {
        return world_.RunUntil(
            [&] {
                const SubnetManager& sm = world_.sm(seat);
                return world_.masters() == 1 && sm.role().is_master() && sm.is_up() &&
                       !sm.role().is_first_sweep() && sm.stage() == Stage::kResting;
            },
            120 * kSecond);
    }

    SimWorld world_;
};

using Hosts = std::vector<std::uint32_t>;

/// Four hosts a side, 0 to 3 and 4 to 7, and one cable between the sides. The master on the left
/// ranks higher.
class Halves : public Merge {
protected:
    Halves() : Merge(net::ParallelLinks(1, 4)) {}

    void Begin() {
        left_ = net::ParallelLinks(1, 4).Find("S-0000000000200000");
        world_.Cut(left_, 5);
        world_.AddManager(0, 1, Replicating(9));
        world_.AddManager(5, 1, Replicating(3));
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
        ASSERT_EQ(world_.masters(), 2U);
        Join(0, kLeftGroup, {1, 2, 3});
        Join(0, kCommonGroup, {1, 2});
        Join(1, kRightGroup, {4, 6, 7});
        Join(1, kCommonGroup, {6, 7});
        world_.RunFor(2 * kSecond);
        world_.sim().ClearCounters();
    }
    void Heal() {
        world_.Join(left_, 5);
        ASSERT_TRUE(Settle(0)) << world_.Notes(0) << world_.Notes(1);
    }

    std::uint32_t left_ = 0;
};

TEST_F(Halves, WhatWasRegisteredWithTheHigherHoldsAndClientsOfTheLowerAreAsked) {
    Begin();
    const MlidIndex mlid = groups(0).group(groups(0).Find(kLeftGroup)).mlid;
    Heal();
    EXPECT_EQ(world_.Heard(Note::kRegistrationsMerged, 0), 1U) << world_.Notes(0);
    EXPECT_EQ(HostsIn(0, kLeftGroup), (Hosts{1, 2, 3})) << world_.Notes(0);
    EXPECT_EQ(HostsIn(0, kCommonGroup), (Hosts{1, 2}));
    EXPECT_EQ(groups(0).group(groups(0).Find(kLeftGroup)).mlid, mlid);
    EXPECT_EQ(Asked(), 4U) << "each host on the right once, none on the left\n" << world_.Notes(0);
    // As those do which were asked.
    Join(0, kRightGroup, {4, 6, 7});
    Join(0, kCommonGroup, {6, 7});
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(HostsIn(0, kRightGroup), (Hosts{4, 6, 7}));
    EXPECT_EQ(HostsIn(0, kCommonGroup), (Hosts{1, 2, 6, 7}));
    EXPECT_EQ(world_.Judge(0), "") << world_.Notes(0);
    EXPECT_EQ(world_.masters(), 1U);
}

TEST_F(Halves, LidsThatBothHaveGivenAreSettledAndTold) {
    Begin();
    std::vector<Lid> before;
    std::set<Lid> of_left;
    for (std::uint32_t host = 0; host < 8; ++host) {
        before.push_back(LidOf(host));
        if (host < 4) of_left.insert(LidOf(host));
    }
    const auto conflicts = static_cast<std::size_t>(std::count_if(
        before.begin() + 4, before.end(), [&](Lid lid) { return of_left.contains(lid); }));
    ASSERT_NE(conflicts, 0U) << "else there is nothing to settle";
    Heal();
    std::set<Lid> after;
    for (std::uint32_t host = 0; host < 8; ++host) {
        after.insert(LidOf(host));
        if (host >= 4) continue;
        EXPECT_EQ(LidOf(host), before[host]) << "the higher keeps what it gave";
    }
    EXPECT_EQ(after.size(), 8U);
    EXPECT_GE(world_.Heard(Note::kLidDuplicate, 0), conflicts) << world_.Notes(0);
    EXPECT_GE(world_.Heard(Note::kLidMoved, 0), conflicts) << world_.Notes(0);
    EXPECT_EQ(world_.Judge(0), "");
}

/// The subnet heals, is cut and heals: each time the same.
TEST_F(Halves, AgainAndAgain) {
    Begin();
    for (int round = 0; round < 4; ++round) {
        Heal();
        EXPECT_EQ(HostsIn(0, kLeftGroup), (Hosts{1, 2, 3})) << round;
        EXPECT_EQ(world_.Judge(0), "") << world_.Notes(0);
        world_.Cut(left_, 5);
        const auto is_cut = [&] { return world_.masters() == 2 && world_.sm(1).is_up(); };
        ASSERT_TRUE(world_.RunUntil(is_cut, 60 * kSecond)) << world_.Notes(1);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    }
}

/// The lower one ends as a standby that is fed.
TEST_F(Halves, TheLowerOneFollowsTheHigher) {
    Begin();
    Heal();
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(world_.sm(1).role().state(), SmState::kStandby);
    EXPECT_TRUE(world_.sm(1).replication().holds_replica()) << world_.Notes(1);
    EXPECT_EQ(HostsIn(1, kLeftGroup), (Hosts{1, 2, 3}));
}

class Sleeper : public Merge {
protected:
    Sleeper() : Merge(net::FatTree2(6)) {}

    /// A master with a group, and a standby that holds all of it.
    void SeatBoth() {
        world_.AddManager(0, 1, Replicating(9));
        ASSERT_TRUE(Settle(0));
        Join(0, kCommonGroup, {1, 2, 5});
        world_.AddManager(3, 1, Replicating(3));
        ASSERT_TRUE(world_.RunUntil([&] { return world_.Heard(Note::kReplicaWhole, 1) != 0; },
                                    60 * kSecond));
        world_.RunFor(2 * kSecond);
    }
};

/// The master hangs, its standby takes over, and it wakes up as a master that ranks higher.
TEST_F(Sleeper, AMasterThatWakesUpForgetsWhatItNoLongerKnows) {
    ASSERT_NO_FATAL_FAILURE(SeatBoth());
    world_.Hang(0);
    ASSERT_TRUE(world_.RunUntil(
        [&] { return world_.sm(1).role().is_master() && world_.sm(1).is_up(); }, 60 * kSecond))
        << world_.Notes(1);
    EXPECT_EQ(HostsIn(1, kCommonGroup), (Hosts{1, 2, 5}));
    const MemberIndex leaver = groups(1).FindMember(groups(1).Find(kCommonGroup), GuidOf(2));
    static_cast<void>(groups(1).Leave(leaver, join_state::kAll, world_.now_us()));
    Join(1, kRightGroup, {4});
    world_.Wake(1);
    world_.RunFor(5 * kSecond);
    world_.sim().ClearCounters();
    world_.WakeUp(0);
    ASSERT_TRUE(Settle(0)) << world_.Notes(0) << world_.Notes(1);
    EXPECT_TRUE(HostsIn(0, kCommonGroup).empty()) << "all ports are the other's by now";
    EXPECT_GE(Asked(), 17U) << "so every host is asked";
    EXPECT_EQ(world_.Heard(Note::kWasAbsent, 0), 1U);
    EXPECT_EQ(world_.Judge(0), "");
}

/// No standby has taken over in that time, so nothing was lost.
TEST_F(Sleeper, AMasterThatDidNotRunForAMomentSweepsAndAsksNobody) {
    ASSERT_NO_FATAL_FAILURE(SeatBoth());
    world_.sim().ClearCounters();
    world_.Hang(0);
    world_.RunFor(600 * kMs);
    world_.WakeUp(0);
    world_.RunFor(50 * kMs);
    ASSERT_TRUE(Settle(0)) << world_.Notes(0) << world_.Notes(1);
    EXPECT_EQ(world_.Heard(Note::kWasAbsent, 0), 1U) << world_.Notes(0);
    EXPECT_EQ(Asked(), 0U) << world_.Notes(0);
    EXPECT_EQ(HostsIn(0, kCommonGroup), (Hosts{1, 2, 5}));
    EXPECT_TRUE(world_.sm(0).administration().serves());
    EXPECT_EQ(world_.Judge(0), "");
}

/// A standby took over, gave our port another LID and ours to its own, and yields: all ports bear
/// the LID that we take for ours.
TEST_F(Sleeper, ClientsOfAMasterThatTookOurLidAreAsked) {
    world_.AddManager(0, 1, Replicating(9));
    ASSERT_TRUE(Settle(0));
    Join(0, kCommonGroup, {1, 2, 5});
    world_.RunFor(2 * kSecond);
    world_.Hang(0);
    world_.RunFor(6 * kSecond);
    PortInfo& own = world_.world().port(world_.sim().RowOf(0, 1)).info;
    PortInfo& other = world_.world().port(world_.sim().RowOf(3, 1)).info;
    const Lid was_ours = own.Get(PortInfo::kLid);
    own.Set(PortInfo::kLid, other.Get(PortInfo::kLid));
    other.Set(PortInfo::kLid, was_ours);
    world_.sim().ClearCounters();
    world_.WakeUp(0);
    world_.RunFor(50 * kMs);
    ASSERT_TRUE(Settle(0)) << world_.Notes(0);
    EXPECT_EQ(world_.Heard(Note::kWasAbsent, 0), 1U) << world_.Notes(0);
    EXPECT_EQ(world_.Heard(Note::kRegistrationsMerged, 0), 1U) << world_.Notes(0);
    EXPECT_GE(Asked(), 17U) << "every host\n" << world_.Notes(0);
    EXPECT_EQ(world_.Judge(0), "") << world_.Notes(0);
}

/// A standby took over with our LID, as it forgot the one that we gave it, and yields.
TEST_F(Sleeper, ClientsOfAMasterWithOurLidAreAskedWhenItYields) {
    world_.AddManager(0, 1, Replicating(9));
    ASSERT_TRUE(Settle(0));
    Join(0, kCommonGroup, {1, 2, 5});
    world_.AddManager(3, 1, Replicating(3));
    world_.RunFor(5 * kSecond);
    world_.Hang(0);
    world_.RunFor(6 * kSecond);
    ASSERT_TRUE(world_.sm(1).role().is_master());
    const Lid ours = LidOf(0);
    const Lid its = LidOf(3);
    sim::World& hardware = world_.world();
    for (std::uint32_t row = 0; row < hardware.row_count(); ++row) {
        PortInfo& info = hardware.port(row).info;
        if (info.Get(PortInfo::kMasterSmLid) == its) info.Set(PortInfo::kMasterSmLid, ours);
    }
    hardware.port(world_.sim().RowOf(3, 1)).info.Set(PortInfo::kLid, ours);
    world_.sim().ClearCounters();
    world_.WakeUp(0);
    world_.RunFor(50 * kMs);
    ASSERT_TRUE(Settle(0)) << world_.Notes(0);
    EXPECT_EQ(world_.Heard(Note::kRegistrationsMerged, 0), 1U) << world_.Notes(0);
    EXPECT_GE(Asked(), 17U) << "every host\n" << world_.Notes(0);
    EXPECT_EQ(world_.Judge(0), "") << world_.Notes(0);
}

/// Another master has written it, and was gone before a sweep met it.
TEST_F(Sleeper, TablesOfASwitchThatBearsAnotherMasterAreReadBeforeTheyAreKept) {
    world_.AddManager(0, 1, Replicating(9));
    ASSERT_TRUE(Settle(0));
    world_.RunFor(2 * kSecond);
    std::uint32_t spine = 0;
    while (!world_.world().node(spine).is_switch()) {
        ++spine;
    }
    SmpData block{};
    ASSERT_TRUE(world_.world().ReadLftBlock(spine, 0, block));
    const SmpData before = block;
    block.fill(0xFF);
    ASSERT_TRUE(world_.world().WriteLftBlock(spine, 0, block));
    world_.world()
        .port(world_.world().node(spine).first_row)
        .info.Set(PortInfo::kMasterSmLid, Lid{40});
    world_.sm(0).RequestSweep(SweepCue::kConfiguration);
    world_.Wake(0);
    world_.RunFor(20 * kMs);
    ASSERT_TRUE(Settle(0)) << world_.Notes(0);
    ASSERT_TRUE(world_.world().ReadLftBlock(spine, 0, block));
    EXPECT_EQ(block, before) << world_.Notes(0);
}

/// Two hosts, whose PortGUIDs are the same by a fault, each with a manager: neither may bring down
/// a third one.
TEST(Twins, DoNotKeepAThirdFromServing) {
    net::Netlist netlist = net::FatTree2(6);
    netlist.nodes[3].guid = netlist.nodes[0].guid;
    netlist.nodes[3].ports[1].guid = netlist.nodes[0].ports[1].guid;
    SimWorld world(netlist);
    world.AddManager(0, 1, Replicating(5));
    world.AddManager(3, 1, Replicating(5));
    world.AddManager(7, 1, Replicating(9));
    world.RunFor(60 * kSecond);
    EXPECT_TRUE(world.sm(2).role().is_master()) << world.Notes(2);
    EXPECT_TRUE(world.sm(2).is_up()) << world.Notes(2);
    world.RunFor(60 * kSecond);
    EXPECT_TRUE(world.sm(2).role().is_master()) << world.Notes(2);
    EXPECT_TRUE(world.sm(2).is_up()) << world.Notes(2);
    EXPECT_GE(world.Heard(Note::kDuplicateGuid, 2), 1U) << world.Notes(2);
}

/// The manager knows of no other, and the master of meanwhile bore the LID that was ours: no port
/// shows it but our own.
TEST(Merge, AMasterThatWakesUpWithAnotherLidReadsAllTables) {
    SimWorld world(net::FatTree2(6));
    Settings settings = BriskSettings();
    settings.scrub_interval = 0;
    settings.sm_priority = 9;
    world.AddManager(0, 1, settings);
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond));
    world.RunFor(3 * kSecond);
    world.Hang(0);
    settings.sm_priority = 3;
    settings.reassign_lids = true;
    world.AddManager(7, 1, settings);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).is_up(); }, 3 * kSecond)) << world.Notes(1);
    const auto lid_of = [&](std::size_t seat) {
        return world.world().port(world.attachment_row(seat)).info.Get(PortInfo::kLid);
    };
    ASSERT_EQ(lid_of(1), Lid{1}) << "that of the master before";
    ASSERT_NE(lid_of(0), Lid{1});
    world.Kill(1);
    world.WakeUp(0);
    world.RunFor(2 * kSecond);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    EXPECT_EQ(world.Heard(Note::kWasAbsent, 0), 0U) << "it was away for a moment only";
    EXPECT_EQ(world.Judge(0), "") << world.Notes(0);
}

}  // namespace
}  // namespace ember::testing
