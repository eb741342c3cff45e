// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts that try to be master, or to leave the subnet without one.
//
// Goal:   no host can stop a subnet manager, take its standby away or learn its key by saying so;
//         one that passes for a manager costs no client its registrations.
// Method: hosts of the simulated fabric that send SMInfo, and managers that end in good order.
#include <gtest/gtest.h>

#include "core/wire/node_info.h"
#include "tests/support/hostile_host.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kSecret = 0x5EC2E7;

Settings Candidate(std::uint8_t priority, std::uint64_t sm_key = 1) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.sm_key = sm_key;
    settings.sminfo_polling_timeout = 500;
    return settings;
}

Guid GuidAt(SimWorld& world, std::uint32_t node) {
    return world.world().port(world.sim().RowOf(node, 1)).guid;
}
Lid LidAt(SimWorld& world, std::uint32_t node) {
    return world.world().port(world.sim().RowOf(node, 1)).info.Get(PortInfo::kLid);
}

TEST(HostileRoles, AHostIsNotToldTheSmKey) {
    SimWorld world(net::FatTree2(4));
    world.AddManager(Candidate(0, kSecret));
    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond));
    HostileHost host(world, 5);
    const std::optional<SmInfo> told = host.AskSmInfo();
    ASSERT_TRUE(told.has_value()) << "a tool may ask who is master";
    EXPECT_EQ(told->Get(SmInfo::kSmState), SmState::kMaster);
    EXPECT_EQ(told->Get(SmInfo::kSmKey), 0U);
}

TEST(HostileRoles, ManagersWithASecretKeyFindEachOtherWheneverTheyAreStarted) {
    for (std::uint64_t pause_us : {std::uint64_t{0}, 3 * kMs, 200 * kMs, 20 * kSecond}) {
        SimWorld world(net::FatTree2(6));
        world.AddManager(0, 1, Candidate(3, kSecret));
        world.RunFor(pause_us);
        world.AddManager(7, 1, Candidate(9, kSecret));
        world.RunFor(5 * kSecond);
        world.AddManager(11, 1, Candidate(5, kSecret));
        ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond)) << pause_us;
        world.RunFor(10 * kSecond);
        ASSERT_EQ(world.masters(), 1U) << pause_us;
        EXPECT_EQ(world.master(), 1U) << pause_us;
        EXPECT_EQ(world.Judge(1), "") << world.Notes(1);
        EXPECT_EQ(world.Heard(Note::kOtherSmKeyWrong, 0), 0U);
        EXPECT_EQ(world.Heard(Note::kOtherSmKeyWrong, 1), 0U);
    }
}

/// A host's command to a master that serves changes nothing: neither its role nor its sweeps nor
/// what clients are answered.
void ExpectDeaf(SmControl control, std::uint64_t every_us, std::uint64_t sm_key) {
    SCOPED_TRACE(::testing::Message() << "every " << every_us << " us");
    SimWorld world(net::FatTree2(8));
    world.AddManager(Candidate(0, sm_key));
    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond));
    HostileHost host(world, 5);
    SaClient client(world, 7);
    const Lid master = host.master();
    const std::uint64_t sweeps = world.sm().status().heavy_sweeps;
    NodeRecord by_lid;
    by_lid.Set(NodeRecord::kLid, client.lid());
    int answered = 0;
    for (int i = 0; i < 20; ++i) {
        host.Rage(50 * kMs, every_us, [&] { host.Command(control, master, sm_key); });
        if (client.AskOnce(client.Question(Method::kGet, SaAttribute::kNodeRecord, 1, by_lid),
                           5 * kMs)) {
            ++answered;
        }
        EXPECT_TRUE(world.sm().role().is_master());
    }
    EXPECT_EQ(answered, 20);
    EXPECT_EQ(world.sm().status().heavy_sweeps, sweeps);
    EXPECT_TRUE(world.sm().is_up());
    EXPECT_GT(world.Heard(Note::kSmInfoSetRefused), 0U);
}

TEST(HostileRoles, HandoversOfAHostDoNotMakeAMasterSweep) {
    ExpectDeaf(SmControl::kHandover, 2 * kMs, kSecret);
    ExpectDeaf(SmControl::kHandover, 50 * kMs, 1);
}

TEST(HostileRoles, NoHostSendsAMasterToDiscover) {
    ExpectDeaf(SmControl::kDiscover, 2 * kMs, 1);
    ExpectDeaf(SmControl::kDiscover, 50 * kMs, kSecret);
}

TEST(HostileRoles, NoHostTakesAStandbyAway) {
    SimWorld world(net::FatTree2(4));
    world.AddManager(0, 1, Candidate(5));
    world.AddManager(3, 1, Candidate(3));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    ASSERT_EQ(world.sm(1).role().state(), SmState::kStandby);
    HostileHost host(world, 5);
    for (const SmControl control :
         {SmControl::kDisable, SmControl::kDiscover, SmControl::kStandby, SmControl::kHandover}) {
        host.Rage(3 * kSecond, 100 * kMs, [&] { host.Command(control, LidAt(world, 3), 1); });
        EXPECT_EQ(world.sm(1).role().state(), SmState::kStandby);
        EXPECT_EQ(world.masters(), 1U);
    }
    world.Kill(0);
    const auto took_over = [&] {
        host.Hear();
        return world.sm(1).role().is_master() && world.sm(1).is_up();
    };
    EXPECT_TRUE(world.RunUntil(took_over, 30 * kSecond)) << world.Notes(1);
}

TEST(HostileRoles, AManagerThatIsNotListedIsHandedNothing) {
    SimWorld world(net::FatTree2(4));
    Settings settings = Candidate(0, kSecret);
    ASSERT_EQ(settings.sm_peers.TryPush(GuidAt(world, 0)), Status::kOk);
    ASSERT_EQ(settings.sm_peers.TryPush(GuidAt(world, 3)), Status::kOk);
    world.AddManager(0, 1, settings);
    settings.sm_priority = 1;
    world.AddManager(3, 1, settings);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    ASSERT_EQ(world.masters(), 1U);
    ASSERT_EQ(world.master(), 1U) << "those who are listed are heard";
    Usurper usurper(world, 7, kSecret);
    const auto hear = [&] {
        usurper.Hear();
        return world.Heard(Note::kOtherSmUnlisted, 1) != 0;
    };
    world.sm(1).RequestSweep(SweepCue::kHeavyRequest);
    world.Wake(1);
    EXPECT_TRUE(world.RunUntil(hear, 60 * kSecond));
    world.RunUntil(
        [&] {
            usurper.Hear();
            return false;
        },
        30 * kSecond);
    EXPECT_EQ(usurper.handovers, 0);
    EXPECT_EQ(world.masters(), 1U);
    EXPECT_EQ(world.master(), 1U);
    EXPECT_TRUE(world.sm(1).is_up());
}

/// A subnet with a group that host 3 has joined, whose master hands it to a usurper.
class Usurped : public ::testing::Test {
protected:
    void SetUp() override {
        world.AddManager(0, 1, Candidate(0));
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
        SaClient member(world, 3);
        ASSERT_EQ(
            member
                .Ask(Method::kSet, SaAttribute::kMcMemberRecord, kToJoin, FullMember(member.guid()))
                .header.status,
            0);
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
        members = world.sm().status().multicast.members;
        ASSERT_GT(members, 0U);
        usurper.emplace(world, 7, 1);
        world.sm().RequestSweep(SweepCue::kHeavyRequest);
        world.Wake();
        ASSERT_TRUE(Until([&] { return usurper->handovers != 0 && !IsMaster(); }, 60 * kSecond));
    }
    bool Until(const std::function<bool()>& done, std::uint64_t limit_us) {
        return world.RunUntil(
            [&] {
                usurper->Hear();
                return done();
            },
            limit_us);
    }
    [[nodiscard]] bool IsMaster() { return world.sm().role().is_master() && world.sm().is_up(); }

    SimWorld world{net::FatTree2(4)};
    std::size_t members = 0;
    std::optional<Usurper> usurper;
};

TEST_F(Usurped, WhatWasRegisteredOutlivesAMasterThatDoesNotServe) {
    Until([] { return false; }, 60 * kSecond);
    usurper->is_silent = true;
    ASSERT_TRUE(Until([&] { return IsMaster(); }, 60 * kSecond)) << world.Notes();
    EXPECT_EQ(world.sm().status().multicast.members, members);
}

TEST_F(Usurped, AndARestartUnderSuchAMaster) {
    Until([] { return false; }, 60 * kSecond);
    world.Kill();
    Until([] { return false; }, kSecond);
    world.Restart();
    Until([] { return false; }, 60 * kSecond);
    ASSERT_FALSE(world.sm().role().is_master());
    usurper->is_silent = true;
    ASSERT_TRUE(Until([&] { return IsMaster(); }, 60 * kSecond)) << world.Notes();
    EXPECT_EQ(world.sm().status().multicast.members, members);
}

TEST(Succession, AMasterThatServesMakesTheOneBeforeItForget) {
    SimWorld world(net::FatTree2(4));
    world.AddManager(0, 1, Candidate(3));
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    world.AddManager(4, 1, Candidate(9));
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).role().is_master(); }, 60 * kSecond));
    EXPECT_TRUE(world.RunUntil([&] { return world.sm(0).role().is_succeeded(); }, 5 * kSecond))
        << world.Notes(0);
}

TEST(Succession, AMasterThatEndsHandsTheSubnetToItsStandby) {
    SimWorld world(net::FatTree2(8));
    world.AddManager(0, 1, Candidate(9));
    world.AddManager(7, 1, Candidate(1));
    world.AddManager(11, 1, Candidate(3));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    ASSERT_EQ(world.master(), 0U);
    const std::uint64_t began_us = world.now_us();
    EXPECT_LT(world.End(0), 200 * kMs);
    const auto serves = [&] {
        return world.masters() == 1 && world.sm(2).role().is_master() && world.sm(2).is_up();
    };
    EXPECT_TRUE(world.RunUntil(serves, 60 * kSecond)) << world.Notes(2);
    EXPECT_LT(world.now_us() - began_us, 500 * kMs) << "and not after its patience";
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world.masters(), 1U);
    EXPECT_EQ(world.Judge(2), "") << world.Notes(2);
}

TEST(Succession, WithoutAStandbyAMasterEndsAtOnce) {
    SimWorld world(net::FatTree2(4));
    world.AddManager(0, 1, Candidate(9));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    const std::uint64_t requests = world.sim().counters().requests;
    EXPECT_LT(world.End(0), 100 * kMs);
    EXPECT_EQ(world.sim().counters().requests, requests);
}

TEST(Succession, AStandbyThatEndsDisturbsNobody) {
    SimWorld world(net::FatTree2(4));
    world.AddManager(0, 1, Candidate(9));
    world.AddManager(3, 1, Candidate(1));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    const std::uint64_t sets = world.sets_received();
    EXPECT_LT(world.End(1), 100 * kMs);
    EXPECT_TRUE(world.sm(0).role().is_master());
    EXPECT_EQ(world.sets_received(), sets);
}

}  // namespace
}  // namespace ember::testing
