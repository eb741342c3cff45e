// SPDX-License-Identifier: Apache-2.0
// EmberSM: when a standby that follows a master takes over, and what it then does.
//
// Goal:   a dead master is replaced within a second, once, by what is known of it and nothing else.
// Method: managers that die, hang and come back on simulated hardware, also under loss.
#include <gtest/gtest.h>

#include "tests/scenarios/replication_fixture.h"

namespace ember::testing {
namespace {

/// Holds a three-level fat tree of switches with eight ports.
constexpr Limits kEight = [] {
    Limits limits = kSimSmall;
    limits.max_switches = 96;
    return limits;
}();

/// With the defaults of opensm.conf.
TEST_F(Replication, ADeadMasterIsReplacedWithinASecond) {
    for (const bool hangs : {false, true}) {
        SimWorld world(net::FatTree3(8));
        Settings settings = Replicating(9);
        settings.sminfo_polling_timeout = Settings{}.sminfo_polling_timeout;
        settings.transaction_timeout = Settings{}.transaction_timeout;
        world.AddManager<kEight>(0, 1, settings);
        settings.sm_priority = 3;
        world.AddManager<kEight>(5, 1, settings);
        ASSERT_TRUE(
            world.RunUntil([&] { return world.Heard(Note::kReplicaWhole, 1) != 0; }, 60 * kSecond))
            << world.Notes(1);
        world.RunFor(5 * kSecond);
        if (hangs) {
            world.Hang(0);
        } else {
            world.Kill(0);
        }
        const std::uint64_t died_us = world.now_us();
        const auto is_noticed = [&] { return world.sm(1).role().state() != SmState::kStandby; };
        ASSERT_TRUE(world.RunUntil(is_noticed, 20 * kSecond));
        EXPECT_LE(world.now_us() - died_us, 700 * kMs);
        const auto serves = [&] { return world.sm(1).administration().serves(); };
        ASSERT_TRUE(world.RunUntil(serves, 20 * kSecond));
        EXPECT_LE(world.now_us() - died_us, kSecond) << world.Notes(1);
        ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).is_up(); }, 20 * kSecond));
        EXPECT_LE(world.now_us() - died_us, 2 * kSecond) << world.Notes(1);
    }
}

/// A takeover without a change writes what names the master to each end port, and nothing else.
TEST_F(Replication, ATakeoverSetsTheMasterOfEachPortAndNothingElse) {
    SimWorld world(net::FatTree3(8));
    world.AddManager<kEight>(0, 1, Replicating(9));
    ASSERT_TRUE(world.RunUntilUp(60 * kSecond));
    world.AddManager<kEight>(5, 1, Replicating(3));
    ASSERT_TRUE(
        world.RunUntil([&] { return world.Heard(Note::kReplicaWhole, 1) != 0; }, 60 * kSecond));
    world.RunFor(5 * kSecond);
    world.sim().ClearCounters();
    world.Kill(0);
    ASSERT_TRUE(world.RunUntil(
        [&] { return world.sm(1).role().is_master() && world.sm(1).is_up(); }, 60 * kSecond));
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    const sim::Counters& sent = world.sim().counters();
    std::uint64_t sets = 0;
    for (const std::uint64_t of_one_kind : sent.sets) {
        sets += of_one_kind;
    }
    EXPECT_EQ(sent.Sets(AttributeId::kPortInfo), 128U + 80U);
    EXPECT_EQ(sets, 128U + 80U) << "hosts, and the ports 0 of switches\n" << world.Notes(1);
    EXPECT_EQ(sent.reregistrations, 0U) << world.Notes(1);
}

TEST_F(Replication, APollingTimeoutThatIsSetCounts) {
    Add(0, 9);  // 300 ms, five polls in vain.
    Add(3, 3);
    ASSERT_TRUE(WaitForReplica(1));
    world_.RunFor(5 * kSecond);
    const std::uint64_t died_us = world_.now_us();
    world_.Kill(0);
    ASSERT_TRUE(world_.RunUntil([&] { return world_.sm(1).role().state() != SmState::kStandby; },
                                20 * kSecond));
    EXPECT_GE(world_.now_us() - died_us, 1'200 * kMs);
}

/// The standby may have been cut off from a master that served on.
TEST_F(Replication, AStandbyThatNoticesTheSilenceLateAsksEveryHost) {
    Add(0, 9);
    Settings slow = Replicating(3);
    slow.sminfo_polling_timeout = 900;
    world_.AddManager(3, 1, slow);
    ASSERT_TRUE(WaitForReplica(1));
    world_.RunFor(5 * kSecond);
    world_.sim().ClearCounters();
    world_.Kill(0);
    ASSERT_TRUE(TakesOver(1)) << AllNotes();
    EXPECT_EQ(world_.Heard(Note::kReplicaLate, 1), 1U) << AllNotes();
    EXPECT_GE(world_.sim().counters().reregistrations, 17U);
}

TEST_F(Replication, AWireThatLosesATenthMakesNoSecondMaster) {
    SimWorld world(net::FatTree2(6), {.faults = {.seed = 3, .loss = 100'000}});
    Settings settings = Replicating(9);
    settings.sminfo_polling_timeout = Settings{}.sminfo_polling_timeout;
    settings.transaction_timeout = Settings{}.transaction_timeout;
    world.AddManager(0, 1, settings);
    settings.sm_priority = 3;
    world.AddManager(3, 1, settings);
    ASSERT_TRUE(
        world.RunUntil([&] { return world.Heard(Note::kReplicaWhole, 1) != 0; }, 120 * kSecond));
    world.RunFor(600 * kSecond);
    EXPECT_EQ(world.Heard(Note::kMasterSilent, 1), 0U) << world.Notes(1);
}

/// The replica of a master that another one has followed since is worth nothing.
TEST_F(Replication, AReplicaEndsWithTheMasterThatItIsOf) {
    Add(0, 9);
    Add(3, 2);
    Settings plain = Replicating(5);
    plain.replication_key.clear();
    world_.AddManager(6, 1, plain);
    ASSERT_TRUE(Settle(0));
    Join(0, 1, {1, 5});
    ASSERT_TRUE(WaitForReplica(1)) << AllNotes();
    world_.Kill(0);
    ASSERT_TRUE(TakesOver(2));
    world_.RunFor(20 * kSecond);
    world_.sim().ClearCounters();
    world_.Kill(2);
    ASSERT_TRUE(TakesOver(1)) << world_.Notes(1);
    EXPECT_EQ(world_.Heard(Note::kReplicaUsed, 1), 0U) << world_.Notes(1);
    EXPECT_TRUE(Table(1).empty());
}

/// A standby that the master has met by then, if it was a moment ago, is its heir.
TEST_F(Replication, AMasterThatEndsWhileItMeetsItsStandbyHandsOver) {
    constexpr std::uint64_t kStepUs = 29 * kMs;
    std::size_t offered = 0;
    for (std::uint64_t after_us = 0; after_us < 900 * kMs; after_us += kStepUs) {
        SimWorld world(net::FatTree2(4));
        world.AddManager(0, 1, Replicating(9));
        ASSERT_TRUE(world.RunUntilUp(60 * kSecond));
        world.RunFor(5 * kSecond);
        world.AddManager(3, 1, Replicating(3));
        world.RunFor(after_us);
        const bool is_met = world.Heard(Note::kOtherSmFound, 0) != 0;
        const bool is_standby = world.sm(1).role().state() == SmState::kStandby;
        EXPECT_LE(world.End(0), 1'200 * kMs);
        if (!is_met || !is_standby) continue;
        ++offered;
        EXPECT_EQ(world.Heard(Note::kHandoverReceived, 1), 1U) << "after " << after_us << " us\n"
                                                               << world.Notes(1);
    }
    EXPECT_GT(offered, 10U);
}

/// A master that began without its clients' registrations has asked them, and does not hand on less
/// than they answer: the next master asks no client again.
TEST_F(Replication, AMasterThatHasAskedItsClientsHandsOverWhenTheyHaveAnswered) {
    Add(0, 3);
    ASSERT_TRUE(world_.RunUntil([&] { return world_.sm(0).is_up(); }, 60 * kSecond));
    EXPECT_FALSE(world_.sm(0).replication().IsComplete(world_.now_us()));
    Add(3, 9);
    ASSERT_TRUE(TakesOver(1)) << AllNotes();
    EXPECT_TRUE(world_.Heard(Note::kReplicaUsed, 1) == 1 &&
                world_.Heard(Note::kReplicaLate, 1) == 0)
        << AllNotes();
    EXPECT_LT(world_.now_us(), 15 * kSecond);
}

/// Hosts behind a leaf that was silent, with its links up, have lost what they had registered and
/// do not know it. The sweep that finds them again ends in a handover.
TEST_F(Replication, HostsThatWereSilentAreAskedBeforeOrAfterAHandover) {
    constexpr std::uint32_t kLeaf = 22;
    constexpr std::uint32_t kHost = 13;  // Of three behind it.
    Add(0, 3);
    ASSERT_TRUE(Settle(0));
    Add(3, 1);
    ASSERT_TRUE(
        world_.RunUntil([&] { return world_.Heard(Note::kReplicaWhole, 1) != 0; }, 60 * kSecond));
    const auto sweep = [&] {
        world_.sm(0).RequestSweep(SweepCue::kHeavyRequest);
        world_.Wake(0);
    };
    const auto is_met = [&] {
        return world_.sm(0).fabric().FindPort(GuidOf(kHost)) != kNoPortIndex;
    };
    world_.sim().Silence(kLeaf, 0);
    sweep();
    ASSERT_TRUE(world_.RunUntil([&] { return !is_met(); }, 20 * kSecond)) << AllNotes();
    ASSERT_TRUE(Settle(0));
    world_.sim().EndSilence(kLeaf);
    world_.sim().ClearCounters();
    world_.sm(1).SetPriority(9);
    sweep();
    ASSERT_TRUE(TakesOver(1)) << AllNotes();
    world_.RunFor(5 * kSecond);
    EXPECT_GE(world_.sim().counters().reregistrations, 3U) << AllNotes();
}

TEST_F(Replication, HandOverThereAndBackEndsWithOneMaster) {
    Add(0, 3);
    ASSERT_TRUE(Settle(0));
    Join(0, 1, {1, 5, 9});
    world_.RunFor(2 * kSecond);
    Add(3, 9);  // Ranks higher: it is handed the subnet.
    ASSERT_TRUE(TakesOver(1)) << AllNotes();
    world_.RunFor(10 * kSecond);
    ASSERT_TRUE(world_.sm(0).replication().holds_replica()) << AllNotes();
    world_.Kill(1);
    ASSERT_TRUE(TakesOver(0)) << AllNotes();
    EXPECT_EQ(world_.masters(), 1U);
    EXPECT_EQ(world_.Judge(0), "");
}

}  // namespace
}  // namespace ember::testing
