// SPDX-License-Identifier: Apache-2.0
// EmberSM: a master that died comes back, and is fed before it is handed the subnet again.
//
// Goal:   what clients registered during its absence holds after the handover, and none of them is
//         asked to register again; a subnet is handed over all the same when feeding does not come
//         to an end; many changes are no reason to copy everything anew.
// Method: two managers on simulated hardware that share a key, one of which is killed and starts
//         again while clients join.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "config/netlist/topologies.h"
#include "tests/support/sim_groups.h"
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

/// True when `sm` is up, and some standby has all of the record at hand.
bool FeedsAll(const SubnetManager& sm) {
    const auto rows = sm.replication().peers().rows();
    return sm.is_up() && std::any_of(rows.begin(), rows.end(), [](const ReplicationPeer& row) {
               return row.guid != kNoGuid && row.is_fed;
           });
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
    SimGroups groups(std::size_t seat) { return {world_, seat}; }
    std::string AllNotes() { return world_.Notes(0) + world_.Notes(1); }

    SimWorld world_{net::FatTree2(6)};
};

TEST_F(Return, WhatWasRegisteredDuringTheAbsenceSurvivesTheHandover) {
    Begin();
    groups(0).Join(1, 5);
    world_.RunFor(kSecond);
    world_.Kill(0);
    ASSERT_TRUE(Serves(1)) << world_.Notes(1);
    groups(1).Join(2, 7);
    groups(1).Join(2, 8);
    world_.RunFor(5 * kSecond);
    world_.sim().ClearCounters();
    world_.Restart(0);
    ASSERT_TRUE(Serves(0)) << AllNotes();
    EXPECT_EQ(world_.sm(1).role().state(), SmState::kStandby);
    world_.RunFor(2 * kSecond);
    EXPECT_TRUE(groups(0).Has(1, 5)) << AllNotes();
    EXPECT_TRUE(groups(0).Has(2, 7)) << AllNotes();
    EXPECT_TRUE(groups(0).Has(2, 8)) << AllNotes();
    EXPECT_EQ(world_.Heard(Note::kReplicaUsed, 0), 1U) << AllNotes();
    EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << AllNotes();
    EXPECT_EQ(world_.Judge(0), "");
}

/// Its host's trap has the master hold an election, which may meet it before it has been fed.
TEST_F(Return, AnElectionThatMeetsItFirstHandsNothingOver) {
    Begin();
    groups(0).Join(1, 5);
    world_.RunFor(kSecond);
    for (std::uint64_t delay_us = 0; delay_us < 40 * kMs; delay_us += 2 * kMs) {
        world_.Kill(0);
        ASSERT_TRUE(Serves(1)) << world_.Notes(1);
        world_.RunFor(5 * kSecond);
        world_.sim().ClearCounters();
        world_.Restart(0);
        world_.RunFor(delay_us);
        const std::uint32_t row = world_.sim().RowOf(0, 1);
        const std::uint32_t is_sm = world_.world().port(row).info.Get(PortInfo::kCapabilityMask);
        world_.sim().ChangeCapabilities(row, is_sm);
        const std::uint64_t began_us = world_.now_us();
        ASSERT_TRUE(Serves(0)) << AllNotes();
        EXPECT_LE(world_.now_us() - began_us, 2 * kSecond) << AllNotes();
        world_.RunFor(2 * kSecond);
        EXPECT_EQ(world_.Heard(Note::kHandoverSent, 1), delay_us / (2 * kMs) + 1);
        EXPECT_TRUE(groups(0).Has(1, 5)) << delay_us << " us\n" << AllNotes();
        EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << delay_us << " us\n" << AllNotes();
    }
}

/// No sweep is made for traps, and the master did not know that an SM is at that port: it hears of
/// it from its questions, between sweeps, and knows its LID all the same.
TEST_F(Return, AManagerThatComesBetweenSweepsIsHandedTheSubnetToo) {
    Settings deaf = Keyed(3);
    deaf.sweep_on_trap = false;
    deaf.sweep_interval = 1000;
    deaf.scrub_interval = 0;
    world_.AddManager(3, 1, deaf);
    ASSERT_TRUE(world_.RunUntilUp(60 * kSecond));
    groups(0).Join(1, 5);
    world_.RunFor(5 * kSecond);
    world_.sim().ClearCounters();
    world_.AddManager(0, 1, Keyed(9));
    ASSERT_TRUE(Serves(1)) << AllNotes();
    world_.RunFor(2 * kSecond);
    EXPECT_TRUE(groups(1).Has(1, 5)) << AllNotes();
    EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << AllNotes();
}

/// The operator asks for it in the moment after a join was answered: the standby is told first.
TEST_F(Return, AJoinBeforeAHandoverByHandIsNotLost) {
    Begin();
    groups(0).Join(1, 5);
    world_.RunFor(5 * kSecond);
    world_.sim().ClearCounters();
    groups(0).Join(1, 6);
    ASSERT_EQ(world_.sm(0).OfferTo(world_.world().port(world_.attachment_row(1)).guid),
              Role::Offer::kMade);
    world_.Wake(0);
    ASSERT_TRUE(Serves(1)) << AllNotes();
    world_.RunFor(2 * kSecond);
    EXPECT_TRUE(groups(1).Has(1, 5)) << AllNotes();
    EXPECT_TRUE(groups(1).Has(1, 6)) << AllNotes();
    EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << AllNotes();
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
        groups(1).Join(1 + joined / kHosts, joined % kHosts + 4);
    }
    ASSERT_TRUE(Serves(0)) << AllNotes();
    world_.RunFor(2 * kSecond);
    std::uint32_t lost = 0;
    for (std::uint32_t i = 0; i < joined; ++i) {
        if (!groups(0).Has(1 + i / kHosts, i % kHosts + 4)) ++lost;
    }
    EXPECT_GT(joined, 5U);
    EXPECT_EQ(lost, 0U) << "of " << joined << "\n" << AllNotes();
    EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << AllNotes();
}

/// The clients that a master has asked a moment ago have not all answered when it dies. A standby
/// has what it had by then, and asks them again; three seconds later it asks none.
TEST_F(Return, ClientsThatWereAskedAMomentAgoAreAskedByTheHeirToo) {
    for (const bool is_early : {true, false}) {
        SimWorld world(net::FatTree2(6));
        world.AddManager(3, 1, Keyed(9));
        world.RunFor(kSecond / 10);
        world.AddManager(0, 1, Keyed(3));
        ASSERT_TRUE(world.RunUntil([&] { return FeedsAll(world.sm(0)); }, 60 * kSecond));
        world.RunFor(is_early ? kSecond / 5 : 4 * kSecond);
        world.sim().ClearCounters();
        world.Kill(0);
        ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).is_up(); }, 60 * kSecond));
        EXPECT_EQ(world.Heard(Note::kReplicaUsed, 1), is_early ? 0U : 1U) << world.Notes(1);
        EXPECT_EQ(world.sim().counters().reregistrations > 0, is_early) << world.Notes(1);
    }
}

/// A master that has taken over with all that was registered has asked no client: its own death a
/// moment later is no reason to ask either.
TEST_F(Return, AnHeirThatAskedNoClientHasAnHeirAtOnce) {
    Begin();
    world_.AddManager(7, 1, Keyed(1));
    world_.RunFor(10 * kSecond);
    world_.sim().ClearCounters();
    world_.Kill(0);
    ASSERT_TRUE(Serves(1)) << world_.Notes(1);
    ASSERT_TRUE(world_.RunUntil([&] { return FeedsAll(world_.sm(1)); }, 10 * kSecond));
    world_.RunFor(kSecond / 5);
    world_.Kill(1);
    ASSERT_TRUE(Serves(2)) << world_.Notes(2);
    EXPECT_EQ(world_.Heard(Note::kReplicaUsed, 2), 1U) << world_.Notes(2);
    EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << world_.Notes(2);
}

/// The manager has no key any more: of another kind, it is handed the subnet after a second.
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
    EXPECT_EQ(world_.Heard(Note::kHandoverWaits, 1), 1U) << AllNotes();
}

/// A log of standbys does not grow: changes of more than 64 KiB are sent, and nothing else.
TEST_F(Return, ManyChangesAreNoReasonToCopyEverythingAnew) {
    Begin();
    groups(0).Join(1, 5);
    world_.RunFor(6 * kSecond);
    const std::uint64_t generations = world_.sm(0).replication().journal().status().generations;
    for (int i = 0; i < 1500; ++i) {
        groups(0).Join(1, 6);
        groups(0).Leave(1, 6);
        world_.RunFor(kMs);
    }
    world_.RunFor(kSecond);
    EXPECT_EQ(world_.sm(0).replication().journal().status().generations, generations);
    EXPECT_TRUE(world_.sm(1).replication().holds_replica());
    EXPECT_FALSE(groups(1).Has(1, 6));
}

}  // namespace
}  // namespace ember::testing
