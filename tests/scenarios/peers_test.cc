// SPDX-License-Identifier: Apache-2.0
// EmberSM: several subnet managers of this kind find out about each other.
//
// Goal:   those with one replication_key prove each other in band, beside managers without it, and
//         say what differs; nothing else about elections changes.
// Method: up to five managers on simulated hardware, with loss, repetition, death and restart.
#include <gtest/gtest.h>
#include <string_view>

#include "config/netlist/topologies.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::string_view kKey = "drawn by chance, or nearly so";

Settings Keyed(std::uint8_t priority, std::string_view key = kKey) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.sminfo_polling_timeout = 500;
    settings.replication_key.clear();
    for (const char octet : key) {
        EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    return settings;
}

/// The trust of the manager at `from` in the one at `of`.
PeerTrust Trust(SimWorld& world, std::size_t from, std::size_t of) {
    const Guid guid = world.world().port(world.attachment_row(of)).guid;
    const ReplicationPeer* const peer = world.sm(from).peers().Find(guid);
    return peer == nullptr ? PeerTrust::kForeign : peer->trust;
}

bool ProveEachOther(SimWorld& world, std::size_t one, std::size_t other) {
    return Trust(world, one, other) == PeerTrust::kProved &&
           Trust(world, other, one) == PeerTrust::kProved;
}

TEST(Peers, TheMasterAndEachStandbyProveEachOther) {
    SimWorld world(net::FatTree2(6));
    for (std::uint32_t i = 0; i < 5; ++i) {
        world.AddManager(i * 3, 1, Keyed(static_cast<std::uint8_t>(9 - i)));
    }
    ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond));
    ASSERT_EQ(world.master(), 0U);
    for (std::size_t i = 1; i < 5; ++i) {
        EXPECT_TRUE(ProveEachOther(world, 0, i)) << i << '\n' << world.Notes(i);
        EXPECT_EQ(world.Heard(Note::kPeerProved, i), 1U);
    }
    EXPECT_EQ(world.Heard(Note::kPeerProved, 0), 4U);
    EXPECT_EQ(Trust(world, 1, 2), PeerTrust::kForeign) << "two standbys have nothing to say";
}

TEST(Peers, AManagerWithoutTheKeyIsForeignAndTakesPartInElections) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, Keyed(9));
    world.AddManager(3, 1, Keyed(5, ""));
    world.AddManager(6, 1, Keyed(3, "another key than theirs"));
    ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond));
    ASSERT_EQ(world.master(), 0U);
    world.RunFor(10 * kSecond);
    EXPECT_EQ(Trust(world, 0, 1), PeerTrust::kForeign);
    EXPECT_EQ(Trust(world, 0, 2), PeerTrust::kForeign);
    EXPECT_GE(world.Heard(Note::kPeerKeyWrong, 2), 1U);
    EXPECT_EQ(world.sm(1).peers().statistics().sent, 0U);
    world.Kill(0);
    ASSERT_TRUE(world.RunUntil([&] { return world.masters() == 1; }, 60 * kSecond));
    EXPECT_EQ(world.master(), 1U) << "by its rank";
}

TEST(Peers, DeathIsNoticedAndAReturnIsProvedAnew) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, Keyed(9));
    world.AddManager(3, 1, Keyed(5));
    ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond));
    ASSERT_TRUE(ProveEachOther(world, 0, 1));
    world.Kill(1);
    world.RunFor(3 * kSecond);
    EXPECT_EQ(Trust(world, 0, 1), PeerTrust::kForeign);
    EXPECT_EQ(world.Heard(Note::kPeerLost, 0), 1U);
    world.Restart(1);
    EXPECT_TRUE(world.RunUntil([&] { return ProveEachOther(world, 0, 1); }, 30 * kSecond))
        << world.Notes(0);
}

TEST(Peers, LossAndRepetitionEndNoSession) {
    SimWorld world(
        net::FatTree2(6),
        {.faults = {.seed = 7, .loss = 100'000, .duplication = 100'000, .jitter_ns = 300'000}});
    world.AddManager(0, 1, Keyed(9));
    world.AddManager(3, 1, Keyed(5));
    ASSERT_TRUE(world.RunUntil([&] { return world.masters() == 1 && ProveEachOther(world, 0, 1); },
                               120 * kSecond));
    const std::uint64_t lost = world.Heard(Note::kPeerLost, 0);
    world.RunFor(30 * kSecond);
    EXPECT_LE(world.Heard(Note::kPeerLost, 0), lost + 1);
    EXPECT_EQ(world.sm(0).peers().statistics().forged, 0U);
    EXPECT_GE(world.sm(0).peers().statistics().stale, 1U) << "what was doubled counts once";
}

TEST(Peers, AnotherConfigurationIsToldWhileBothRun) {
    SimWorld world(net::FatTree2(6));
    Settings settings = Keyed(9);
    settings.configuration = {.counter = 4, .digest = {1}};
    world.AddManager(0, 1, settings);
    Settings other = Keyed(5);
    other.configuration = {.counter = 3, .digest = {2}};
    world.AddManager(3, 1, other);
    ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond));
    EXPECT_EQ(world.Heard(Note::kPeerConfiguredOtherwise, 0), 1U);
    EXPECT_EQ(world.Heard(Note::kPeerConfiguredOtherwise, 1), 1U);
    EXPECT_EQ(world.masters(), 1U);
}

}  // namespace
}  // namespace ember::testing
