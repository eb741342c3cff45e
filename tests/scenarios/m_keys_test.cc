// SPDX-License-Identifier: Apache-2.0
// EmberSM: M_Keys of which each port has its own, their change, and ports that have another.
//
// Goal:   no port is open while its link is ACTIVE, and none is locked out by a restart, a lost
//         answer, half a change, a moved cable or a master that dies.
// Method: agents that check every request by the M_Key as the IBA has it.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "tests/scenarios/m_keys_fixture.h"

namespace ember::testing {
namespace {

TEST_F(MKeys, EachPortHasItsOwn) {
    Start();
    ExpectKeysOf(kSecret);
    std::set<std::uint64_t> keys;
    for (const std::uint32_t row : EndPorts()) {
        keys.insert(KeyAt(row));
        EXPECT_NE(KeyAt(row), kSecret);
        EXPECT_EQ(world_.world().port(row).info.Get(PortInfo::kMKeyProtectBits), 2);
    }
    EXPECT_EQ(keys.size(), EndPorts().size());
    EXPECT_EQ(Violations(), 0U);
}

TEST_F(MKeys, NoLinkIsActiveWhoseEndsAreOpen) {
    world_.AddManager(Guarded());
    std::size_t open = 0;
    std::size_t active = 0;
    const auto look = [&] {
        for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
            const PortInfo& info = world_.world().port(row).info;
            if (world_.world().port(row).number == 0) continue;  // Port 0 has no link.
            if (info.Get(PortInfo::kPortState) != PortState::kActive) continue;
            ++active;
            const std::uint32_t guard = world_.world().ManagementRow(row);
            if (KeyAt(guard) == 0) ++open;
        }
        return world_.sm().is_up();
    };
    ASSERT_TRUE(world_.RunUntil(look, 30 * kSecond)) << world_.Notes();
    EXPECT_GT(active, 0U);
    EXPECT_EQ(open, 0U);
}

TEST_F(MKeys, ARestartFindsGuardedPorts) {
    Start();
    for (int i = 0; i < 2; ++i) {
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
        ExpectKeysOf(kSecret);
    }
    EXPECT_EQ(Violations(), 0U) << "every question bore the right key";
}

TEST_F(MKeys, WithoutItsStoreTheSubnetIsReachedWhenTheLeaseIsOver) {
    Settings settings = Guarded();
    settings.m_key_lease_period = 3;
    Start(settings);
    world_.Kill();
    world_.store().Forget(StoreSlot::kMKeys);
    world_.Restart();
    world_.RunFor(kSecond);
    EXPECT_FALSE(world_.sm().is_up());
    const auto has_all = [&] {
        return world_.sm().fabric().node_count() == world_.world().node_count();
    };
    ASSERT_TRUE(world_.RunUntil(has_all, 120 * kSecond)) << world_.Notes();
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
}

TEST_F(MKeys, ADamagedStoreIsToldAndOneKeyForAllNeedsNone) {
    Start(Guarded(kSecret, false));
    ExpectKeysOf(kSecret, false);
    world_.Kill();
    world_.store().Damage(StoreSlot::kMKeys);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret, false);
    EXPECT_EQ(world_.Heard(Note::kStoreMalformed), 1U);
}

TEST_F(MKeys, APortIsNotGivenAKeyBeforeTheStoreHasItsSecret) {
    world_.AddManager(Guarded());
    world_.store().SetBusy(200);
    std::size_t early = 0;
    const auto look = [&] {
        const bool is_saved = !world_.store().octets(StoreSlot::kMKeys).empty();
        if (!is_saved) early = std::max(early, CountKeysOf(kSecret));
        return world_.sm().is_up();
    };
    ASSERT_TRUE(world_.RunUntil(look, 30 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.store().busy(), 0U);
    EXPECT_EQ(early, 0U);
}

TEST_F(MKeys, PortsAreGuardedThoughTheStoreIsBroken) {
    world_.AddManager(Guarded());
    world_.store().SetBroken(true);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
    EXPECT_GE(world_.Heard(Note::kStoreFailed), 1U);
}

TEST_F(MKeys, AChangeTouchesNoLinkAndMeetsNoPortWithTheWrongKey) {
    Start();
    const std::uint64_t epoch = world_.world().link_epoch();
    Reload(Guarded(kNextSecret));
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kNextSecret);
    EXPECT_EQ(world_.world().link_epoch(), epoch);
    EXPECT_EQ(Violations(), 0U);
    EXPECT_EQ(world_.Heard(Note::kMKeysChanged), 1U);
    EXPECT_EQ(world_.Heard(Note::kMKeyTakenOver), 0U);
    // From one key for all, and back.
    Reload(Guarded(kNextSecret, false));
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kNextSecret, false);
    Reload(Guarded());
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
    EXPECT_EQ(Violations(), 0U);
}

TEST_F(MKeys, KeysAreTakenAwayAgain) {
    Start();
    Settings open = Guarded(0, false);
    open.m_key_protection_level = 0;
    Reload(open);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(0, false);
}

TEST_F(MKeys, AChangeSurvivesLostAnswers) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SimWorld::Options options;
        options.faults.seed = seed;
        SimWorld world(net::FatTree2(4), options);
        world.AddManager(Guarded());
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        world.sim().faults().loss = 15 * sim::kPercent;
        world.sm().Configure(Guarded(kNextSecret));
        world.Wake();
        world.RunFor(20 * kSecond);
        world.sim().faults().loss = 0;
        ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond)) << seed << "\n" << world.Notes();
        EXPECT_EQ(world.Judge(), "") << seed;
        for (std::uint32_t row = 0; row < world.world().row_count(); ++row) {
            const PortInfo& info = world.world().port(row).info;
            if (info.Get(PortInfo::kLid) == kNoLid) continue;
            EXPECT_EQ(info.Get(PortInfo::kMKey),
                      MKeyFrom({kNextSecret, true}, world.world().port(row).guid))
                << seed << " row " << row;
        }
    }
}

/// Stops a change in its middle, and starts again with one of the two secrets.
class HalfAChange : public MKeys, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(HalfAChange, IsEndedByTheNextStart) {
    Start();
    Settings slow = Guarded(kNextSecret);
    slow.max_wire_smps = 1;
    Reload(slow);
    const auto is_half_done = [&] { return CountKeysOf(kNextSecret) >= EndPorts().size() / 2; };
    ASSERT_TRUE(world_.RunUntil(is_half_done, 30 * kSecond)) << world_.Notes();
    EXPECT_LT(CountKeysOf(kNextSecret), EndPorts().size()) << "it is not over yet";
    world_.Kill();
    world_.Reconfigure(Guarded(GetParam()));
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(GetParam());
}
INSTANTIATE_TEST_SUITE_P(BothWays, HalfAChange, ::testing::Values(kSecret, kNextSecret));

TEST_F(MKeys, ThoseBeforeAreRememberedOverARestart) {
    Start(Guarded(1));
    for (const std::uint64_t secret : {std::uint64_t{2}, std::uint64_t{3}}) {
        world_.Kill();
        world_.Reconfigure(Guarded(secret));
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
        ExpectKeysOf(secret);
    }
    const std::uint32_t host = Hosts().front();
    Lock(host, MKeyFrom({1, true}, world_.world().port(host).guid), 2);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(3);
}

TEST_F(MKeys, AHostThatMissedAChangeIsTakenIn) {
    Start();
    const std::uint32_t host = Hosts().back();
    const std::uint32_t node = world_.world().port(host).node;
    world_.Cut(node, world_.world().port(host).number);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    Reload(Guarded(kNextSecret));
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(KeyAt(host), MKeyFrom({kSecret, true}, world_.world().port(host).guid));
    world_.Join(node, world_.world().port(host).number);
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(kNextSecret);
}

TEST_F(MKeys, AHostIsKnownAgainWhereItIsPluggedInNext) {
    Start();
    const std::vector<std::uint32_t> hosts = Hosts();
    // The exits change places, so that each host stands where the other one was.
    world_.sim().SwapLinks(world_.world().Wired(hosts.front()), world_.world().Wired(hosts.back()));
    world_.RunFor(5 * kSecond);
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
}

/// The hosts stay, as their other ports have links: none of the keys is that of a host that left.
TEST(MKeysOfTwoPorts, AreKnownAgainWhereOnePortIsPluggedInNext) {
    SimWorld world(net::DualRail(4, 1));
    world.AddManager(Guarded());
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    world.sim().SwapLinks(world.world().Wired(world.sim().RowOf(2, 1)),
                          world.world().Wired(world.sim().RowOf(3, 1)));
    world.RunFor(5 * kSecond);
    ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST_F(MKeys, AHostWithoutPowerComesBackWithoutAKeyAndGetsItAgain) {
    Start();
    const std::uint32_t host = Hosts().front();
    world_.sim().Reboot(world_.world().port(host).node, 100 * kMs);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
}

}  // namespace
}  // namespace ember::testing
