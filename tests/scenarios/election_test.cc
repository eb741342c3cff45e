// SPDX-License-Identifier: Apache-2.0
// EmberSM: several subnet managers on one subnet.
//
// Goal:   exactly one is master: the highest priority, then the lowest PortGUID; when it goes, the
//         next one takes over, and no LID changes.
// Method: up to five managers on simulated hardware, started together or one after the other.
#include <gtest/gtest.h>

#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

Settings Candidate(std::uint8_t priority) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.sminfo_polling_timeout = 500;
    return settings;
}

std::vector<Lid> LidsOf(const sim::World& world) {
    std::vector<Lid> lids;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        lids.push_back(world.port(row).info.Get(PortInfo::kLid));
    }
    return lids;
}

TEST(Election, OneOfFiveBecomesMasterHoweverTheyAreSeated) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        SimWorld world(net::FatTree2(6), {.faults = {.seed = seed, .jitter_ns = 300'000}});
        for (std::uint32_t i = 0; i < 5; ++i) {
            world.AddManager(i * 3, 1,
                             Candidate(static_cast<std::uint8_t>((seed * 7 + i * 5) % 4)));
        }
        ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond));
        ASSERT_EQ(world.masters(), 1U);
        const std::size_t master = world.master();
        for (std::size_t i = 0; i < 5; ++i) {
            if (i == master) continue;
            EXPECT_EQ(world.sm(i).role().state(), SmState::kStandby) << i;
            const std::uint8_t mine = world.sm(master).settings().sm_priority;
            const std::uint8_t other = world.sm(i).settings().sm_priority;
            EXPECT_TRUE(mine > other || (mine == other && master <= i)) << i;
        }
        EXPECT_EQ(world.Judge(master), "") << world.Notes(master);
    }
}

TEST(Election, ALaterAndHigherOneIsHandedTheSubnet) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, Candidate(3));
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    const std::vector<Lid> lids = LidsOf(world.world());
    world.AddManager(7, 1, Candidate(9));
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).role().is_master(); }, 60 * kSecond))
        << world.Notes(0) << world.Notes(1);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world.Heard(Note::kHandoverSent, 0), 1U) << world.Notes(0);
    EXPECT_EQ(world.Heard(Note::kHandoverReceived, 1), 1U) << world.Notes(1);
    EXPECT_GE(world.Heard(Note::kMasterFollowed, 0), 1U) << world.Notes(0);
    EXPECT_EQ(world.masters(), 1U);
    EXPECT_EQ(world.master(), 1U);
    EXPECT_EQ(world.Judge(1), "") << world.Notes(1);
    EXPECT_EQ(LidsOf(world.world()), lids);
}

/// The later SM need not wait for a heavy sweep: its host tells that an SM is there.
TEST(Election, ALaterOneIsMetWhenItsHostTellsOfIt) {
    SimWorld world(net::FatTree2(6));
    Settings settings = Candidate(3);
    settings.sweep_interval = 1000;
    settings.scrub_interval = 0;
    world.AddManager(0, 1, settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    settings.sm_priority = 1;
    world.AddManager(7, 1, settings);
    world.RunFor(kSecond);
    const std::uint32_t row = world.sim().RowOf(7, 1);
    world.sim().ChangeCapabilities(row,
                                   world.world().port(row).info.Get(PortInfo::kCapabilityMask));
    world.RunFor(kSecond);
    EXPECT_EQ(world.Heard(Note::kOtherSmFound, 0), 1U) << world.Notes(0);
    EXPECT_EQ(world.Heard(Note::kOtherSmLost, 0), 0U) << world.Notes(0);
    EXPECT_EQ(world.sm(0).role().others().size(), 1U);
}

/// A manager that hangs is waited for, longer than a second, and a cable is lost meanwhile. No trap
/// goes to a manager that is not master yet.
TEST(Election, AfterALongOneTheSubnetIsSweptAgainBeforeItIsProgrammed) {
    SimWorld world(net::FatTree2(6));
    Settings settings = Candidate(3);
    settings.transaction_timeout = 600;
    world.AddManager(7, 1, settings);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(0).stage() != Stage::kResting; }, kSecond));
    world.Hang(0);
    settings.sm_priority = 9;
    world.AddManager(0, 1, settings);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).stage() == Stage::kElecting; }, kSecond));
    const std::uint64_t began_us = world.now_us();
    std::uint32_t leaf = 0;
    while (!world.world().node(leaf).is_switch()) {
        ++leaf;
    }
    world.Cut(leaf, world.world().node(leaf).port_count);
    const std::uint64_t links = world.sm(1).fabric().CountLinks();
    ASSERT_TRUE(
        world.RunUntil([&] { return world.sm(1).status().heavy_sweeps == 2; }, 20 * kSecond))
        << world.Notes(1);
    const std::uint64_t again_us = world.now_us();
    EXPECT_GE(again_us - began_us, kSecond);
    EXPECT_TRUE(world.sm(1).role().is_master());
    ASSERT_TRUE(
        world.RunUntil([&] { return world.sm(1).stage() == Stage::kPreparing; }, 20 * kSecond))
        << world.Notes(1);
    EXPECT_LE(world.now_us() - again_us, 100 * kMs) << "it does not elect again";
    EXPECT_EQ(world.sm(1).fabric().CountLinks(), links - 1);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).is_up(); }, 20 * kSecond))
        << world.Notes(1);
    EXPECT_EQ(world.Judge(1), "") << world.Notes(1);
}

TEST(Election, ALaterAndLowerOneStaysInStandby) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, Candidate(3));
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    const std::uint64_t sets = world.sets_received();
    world.AddManager(7, 1, Candidate(1));
    world.RunFor(20 * kSecond);
    EXPECT_EQ(world.masters(), 1U);
    EXPECT_EQ(world.master(), 0U);
    EXPECT_EQ(world.sm(1).role().state(), SmState::kStandby);
    EXPECT_EQ(world.sets_received(), sets) << world.Notes(0);
}

TEST(Election, AStandbyThatIsAskedForSweepsRestsAllTheSame) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, Candidate(3));
    world.AddManager(7, 1, Candidate(1));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    SubnetManager& standby = world.sm(1);
    ASSERT_EQ(standby.role().state(), SmState::kStandby);
    const std::uint64_t sweeps = standby.progress().heavy_sweeps;
    const std::uint64_t sets = world.sets_received();
    standby.RequestSweep(SweepCue::kHeavyRequest);
    standby.RequestSweep(SweepCue::kLightRequest);
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(standby.Step());
    }
    // Awake again for its polls only: a wish that it cannot fulfil must not keep it busy.
    EXPECT_GT(standby.Step(), world.now_us());
    world.RunFor(5 * kSecond);
    EXPECT_EQ(standby.role().state(), SmState::kStandby);
    EXPECT_EQ(standby.progress().heavy_sweeps, sweeps);
    EXPECT_EQ(world.sets_received(), sets);
    // With its settings it is another matter: they are in force at the next step.
    Settings settings = Candidate(1);
    settings.sweep_interval = 77;
    standby.Configure(settings);
    static_cast<void>(standby.Step());
    EXPECT_EQ(standby.settings().sweep_interval, 77U);
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(standby.Step());
    }
    EXPECT_GT(standby.Step(), world.now_us());
}

TEST(Election, TheStandbyTakesOverFromAMasterThatDied) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, Candidate(3));
    world.AddManager(7, 1, Candidate(1));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    ASSERT_EQ(world.master(), 0U);
    const std::vector<Lid> lids = LidsOf(world.world());
    world.Kill(0);
    ASSERT_TRUE(world.RunUntil([&] { return world.masters() == 1; }, 60 * kSecond))
        << world.Notes(1);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world.Judge(1), "") << world.Notes(1);
    EXPECT_EQ(LidsOf(world.world()), lids);
    // The first manager comes back, ranks higher, and is handed the subnet.
    world.Restart(0);
    ASSERT_TRUE(world.RunUntil(
        [&] { return world.masters() == 1 && world.sm(0).role().is_master(); }, 120 * kSecond))
        << world.Notes(0) << world.Notes(1);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(LidsOf(world.world()), lids);
}

TEST(Election, AHigherMasterServesBesideALowerOneThatNeverHandsOver) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, Candidate(9));
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    Settings stubborn = Candidate(1);
    stubborn.ignore_other_sm = true;
    world.AddManager(7, 1, stubborn);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).is_up(); }, 60 * kSecond))
        << world.Notes(1);
    world.sm(0).RequestSweep(SweepCue::kHeavyRequest);
    world.Wake(0);
    ASSERT_TRUE(world.RunUntil([&] { return !world.sm(0).is_up(); }, 10 * kSecond));
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(0).is_up(); }, 10 * kSecond))
        << world.Notes(0);
    EXPECT_EQ(world.Heard(Note::kHandoverAwaited, 0), 1U);
    EXPECT_EQ(world.Heard(Note::kHandoverOverdue, 0), 1U);
    EXPECT_EQ(world.sm(0).role().watched(), world.sm(0).role().others()[0].guid);
    world.Kill(1);
    ASSERT_TRUE(
        world.RunUntil([&] { return world.sm(0).role().watched() == kNoGuid; }, 60 * kSecond));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world.Judge(0), "") << world.Notes(0);
}

TEST(Election, TablesThatAnotherMasterMayHaveWrittenAreReadAndMended) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, Candidate(3));
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    world.AddManager(7, 1, Candidate(9));
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).role().is_master(); }, 60 * kSecond));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    // The other one routes as it likes, and leaves LinearFDBTop as it was.
    world.Kill(1);
    for (std::uint32_t i = 0; i < world.world().node_count(); ++i) {
        if (!world.world().node(i).is_switch()) continue;
        SmpData block{};
        ASSERT_TRUE(world.world().ReadLftBlock(i, 0, block));
        std::swap(block[1], block[2]);
        ASSERT_TRUE(world.world().WriteLftBlock(i, 0, block));
    }
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(0).role().is_master(); }, 60 * kSecond));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world.Judge(0), "") << world.Notes(0);
}

TEST(Election, AStandbyWhosePriorityIsRaisedBecomesMaster) {
    SimWorld world(net::FatTree2(4));
    world.AddManager(0, 1, Candidate(3));
    world.AddManager(4, 1, Candidate(1));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    ASSERT_EQ(world.master(), 0U);
    world.sm(1).Configure(Candidate(9));
    EXPECT_TRUE(world.RunUntil(
        [&] { return world.masters() == 1 && world.sm(1).role().is_master(); }, 60 * kSecond))
        << world.Notes(1);
}

TEST(Election, TwoMastersOfTwoHalvesBecomeOneWhenTheHalvesAreJoined) {
    const net::Netlist net = net::ParallelLinks(1, 4);
    SimWorld world(net);
    const std::uint32_t left = net.Find("S-0000000000200000");
    world.Cut(left, 5);
    world.AddManager(0, 1, Candidate(3));
    world.AddManager(5, 1, Candidate(5));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    ASSERT_EQ(world.masters(), 2U);
    world.Join(left, 5);
    ASSERT_TRUE(world.RunUntil([&] { return world.masters() == 1; }, 120 * kSecond))
        << world.Notes(0) << world.Notes(1);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world.master(), 1U);
    EXPECT_EQ(world.Judge(1), "") << world.Notes(1);
}

TEST(Election, ManagersWithAnotherSmKeyAreNotHeard) {
    SimWorld world(net::FatTree2(4));
    Settings stranger = Candidate(9);
    stranger.sm_key = 0x5EC2E7;
    world.AddManager(0, 1, Candidate(3));
    world.AddManager(4, 1, stranger);
    world.RunFor(20 * kSecond);
    EXPECT_GE(world.Heard(Note::kOtherSmKeyWrong, 0), 1U) << world.Notes(0);
}

TEST(Election, HoldsWhileOneInTwentyDatagramsIsLost) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        SimWorld world(net::FatTree2(4),
                       {.faults = {.seed = seed, .loss = 5 * sim::kPercent, .jitter_ns = 500'000}});
        for (std::uint32_t i = 0; i < 3; ++i) {
            world.AddManager(i * 2, 1, Candidate(static_cast<std::uint8_t>(i)));
        }
        world.RunFor(60 * kSecond);
        world.sim().faults() = {};
        ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond));
        ASSERT_EQ(world.masters(), 1U);
        EXPECT_EQ(world.Judge(world.master()), "");
    }
}

}  // namespace
}  // namespace ember::testing
