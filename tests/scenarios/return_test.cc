// SPDX-License-Identifier: Apache-2.0
// EmberSM: a master that died comes back, and is fed before it is handed the subnet again.
//
// Goal:   what clients registered during its absence holds after the handover, and none of them is
//         asked to register again; a subnet is handed over all the same when feeding does not come
//         to an end; many changes are no reason to copy everything anew.
// Method: two managers on simulated hardware that share a key, one of which is killed and starts
//         again while clients join.
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "config/netlist/topologies.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

Settings Keyed(std::uint8_t priority) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.transaction_timeout = 50;
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    return settings;
}

class Return : public ::testing::Test {
protected:
    void Begin() {
        world_.AddManager(0, 1, Keyed(9));
        ASSERT_TRUE(world_.RunUntilUp(60 * kSecond));
        world_.AddManager(3, 1, Keyed(3));
        world_.RunFor(10 * kSecond);
    }
    bool Serves(std::size_t seat) {
        return world_.RunUntil(
            [&] {
                const SubnetManager& sm = world_.sm(seat);
                return sm.role().is_master() && sm.is_up() && sm.administration().serves();
            },
            60 * kSecond);
    }
    Groups& groups(std::size_t seat) { return world_.sm(seat).multicast().groups(); }
    Guid GuidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).guid;
    }
    void Join(std::size_t seat, std::uint64_t number, std::uint32_t host) {
        const Gid mgid{0xFF12A01C00000000ULL, number};
        if (groups(seat).Find(mgid) == kNoGroup) {
            const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
            ASSERT_TRUE(groups(seat).Create(mgid, values, {}).ok());
        }
        Member who;
        who.port_guid = GuidOf(host);
        who.join_state = join_state::kFull;
        ASSERT_TRUE(groups(seat).Join(groups(seat).Find(mgid), who, world_.now_us()).ok());
        world_.Wake(seat);
    }
    bool IsMember(std::size_t seat, std::uint64_t number, std::uint32_t host) {
        const GroupIndex group = groups(seat).Find(Gid{0xFF12A01C00000000ULL, number});
        return group != kNoGroup && groups(seat).FindMember(group, GuidOf(host)) != kNoMember;
    }
    std::string AllNotes() { return world_.Notes(0) + world_.Notes(1); }

    SimWorld world_{net::FatTree2(6)};
};

TEST_F(Return, WhatWasRegisteredDuringTheAbsenceSurvivesTheHandover) {
    Begin();
    Join(0, 1, 5);
    world_.RunFor(kSecond);
    world_.Kill(0);
    ASSERT_TRUE(Serves(1)) << world_.Notes(1);
    Join(1, 2, 7);
    Join(1, 2, 8);
    world_.RunFor(5 * kSecond);
    world_.sim().ClearCounters();
    world_.Restart(0);
    ASSERT_TRUE(Serves(0)) << AllNotes();
    EXPECT_EQ(world_.sm(1).role().state(), SmState::kStandby);
    world_.RunFor(2 * kSecond);
    EXPECT_TRUE(IsMember(0, 1, 5)) << AllNotes();
    EXPECT_TRUE(IsMember(0, 2, 7)) << AllNotes();
    EXPECT_TRUE(IsMember(0, 2, 8)) << AllNotes();
    EXPECT_EQ(world_.Heard(Note::kReplicaUsed, 0), 1U) << AllNotes();
    EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << AllNotes();
    EXPECT_EQ(world_.Judge(0), "");
}

/// Joins go on until the offer is made: what is acknowledged then is told before it is, or
/// everybody is asked.
TEST_F(Return, JoinsUntilTheHandoverAreNotLost) {
    Begin();
    world_.Kill(0);
    ASSERT_TRUE(Serves(1));
    world_.RunFor(6 * kSecond);
    world_.sim().ClearCounters();
    world_.Restart(0);
    constexpr std::uint32_t kHosts = 10;
    std::uint32_t joined = 0;
    for (; joined < 150; ++joined) {
        world_.RunFor(kMs);
        if (!world_.sm(1).role().is_master()) break;
        Join(1, 1 + joined / kHosts, joined % kHosts + 4);
    }
    ASSERT_TRUE(Serves(0)) << AllNotes();
    world_.RunFor(2 * kSecond);
    std::uint32_t lost = 0;
    for (std::uint32_t i = 0; i < joined; ++i) {
        if (!IsMember(0, 1 + i / kHosts, i % kHosts + 4)) ++lost;
    }
    EXPECT_GT(joined, 5U);
    EXPECT_EQ(lost, 0U) << "of " << joined << "\n" << AllNotes();
    EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << AllNotes();
}

/// It has no key any more: of another kind, it is handed the subnet after a second.
TEST_F(Return, AManagerThatAnswersNoGreetingIsHandedTheSubnet) {
    Begin();
    world_.Kill(0);
    ASSERT_TRUE(Serves(1)) << world_.Notes(1);
    Settings keyless = Keyed(9);
    keyless.replication_key.clear();
    world_.Reconfigure(keyless, 0);
    world_.RunFor(5 * kSecond);
    world_.Restart(0);
    const std::uint64_t began_us = world_.now_us();
    ASSERT_TRUE(Serves(0)) << AllNotes();
    EXPECT_LE(world_.now_us() - began_us, 10 * kSecond) << AllNotes();
}

/// A log of standbys does not grow: changes of more than 64 KiB are sent, and nothing else.
TEST_F(Return, ManyChangesAreNoReasonToCopyEverythingAnew) {
    Begin();
    Join(0, 1, 5);
    world_.RunFor(6 * kSecond);
    const std::uint64_t generations = world_.sm(0).replication().journal().status().generations;
    for (int i = 0; i < 1500; ++i) {
        Join(0, 1, 6);
        static_cast<void>(groups(0).Leave(
            groups(0).FindMember(groups(0).Find(Gid{0xFF12A01C00000000ULL, 1}), GuidOf(6)),
            join_state::kAll, world_.now_us()));
        world_.Wake(0);
        world_.RunFor(kMs);
    }
    world_.RunFor(kSecond);
    EXPECT_EQ(world_.sm(0).replication().journal().status().generations, generations);
    EXPECT_TRUE(world_.sm(1).replication().holds_replica());
    EXPECT_FALSE(IsMember(1, 1, 6));
}

}  // namespace
}  // namespace ember::testing
