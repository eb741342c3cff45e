// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts that send traps without end.
//
// Goal:   what one host sends keeps the subnet manager neither sweeping nor from what switches tell
//         it, and takes nothing from those who subscribed to events.
// Method: a host of the simulated fabric that sends traps, each of them different.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/support/hostile_host.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// Hosts come first in the netlist, then leaves.
std::uint32_t FirstSwitch(SimWorld& world) {
    std::uint32_t node = 0;
    while (!world.world().node(node).is_switch())
        ++node;
    return node;
}

class HostileTraps : public ::testing::Test {
protected:
    void SetUp() override {
        Settings settings = BriskSettings();
        settings.sweep_interval = 10;
        world.AddManager(settings);
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
        world.RunFor(15 * kSecond);  // Another sweep confirms what the first one cleared.
        host.emplace(world, 5);
    }
    /// `burst` traps every `every_us`.
    void Flood(TrapNumber number, std::uint64_t time_us, std::uint64_t every_us, int burst) {
        host->Rage(time_us, every_us, [&] {
            for (int i = 0; i < burst; ++i)
                host->Trap(number);
        });
    }

    SimWorld world{net::FatTree2(8)};
    std::optional<HostileHost> host;
};

TEST_F(HostileTraps, AHostThatSaysAPortChangedStartsNoSweep) {
    const SubnetStatus before = world.sm().status();
    Flood(TrapNumber::kLinkStateChange, 20 * kSecond, 10 * kMs, 1);
    const SubnetStatus after = world.sm().status();
    EXPECT_EQ(after.heavy_sweeps, before.heavy_sweeps);
    EXPECT_LE(after.light_sweeps - before.light_sweeps, 3U) << "those of the timer";
    EXPECT_GT(after.traps_refused, 1900U);
    EXPECT_GT(world.Heard(Note::kTrapRefused), 0U);
    EXPECT_TRUE(world.sm().is_up());
}

TEST_F(HostileTraps, ComplaintsOfAHostAreHeardAtItsPaceHoweverManyTheyAre) {
    const SubnetStatus before = world.sm().status();
    const std::uint64_t sent = world.sm().exchange().statistics().sent;
    Flood(TrapNumber::kBadPKey, 20 * kSecond, kMs, 20);
    const SubnetStatus after = world.sm().status();
    EXPECT_LE(after.light_sweeps - before.light_sweeps, 2U + 8U);
    EXPECT_EQ(after.heavy_sweeps, before.heavy_sweeps);
    EXPECT_LT(world.sm().exchange().statistics().sent - sent, 1000U);
    EXPECT_TRUE(world.sm().is_up());
}

TEST_F(HostileTraps, LocalChangesOfAHostCostASwitchAFewQuestions) {
    const SubnetStatus before = world.sm().status();
    Flood(TrapNumber::kLocalChanges, 20 * kSecond, kMs, 1);
    const SubnetStatus after = world.sm().status();
    const std::uint64_t sweeps = after.heavy_sweeps - before.heavy_sweeps;
    EXPECT_LE(sweeps, 12U);
    EXPECT_LE(sweeps - (after.targeted_sweeps - before.targeted_sweeps), 2U)
        << "the timer confirms what was targeted";
}

TEST_F(HostileTraps, ARealRerouteIsNotDelayedByTwentyThousandTrapsASecond) {
    const std::uint32_t leaf = FirstSwitch(world) + 1;
    std::uint64_t worst_us = 0;
    for (const TrapNumber number : {TrapNumber::kLinkStateChange, TrapNumber::kLocalChanges,
                                    TrapNumber::kLocalLinkIntegrity, TrapNumber::kBadQKey}) {
        for (const std::uint32_t port : {5U, 6U}) {
            Flood(number, 3 * kSecond, kMs, 20);
            const std::uint64_t cut_us = world.now_us();
            world.Cut(leaf, port);
            bool is_healed = false;
            while (!is_healed && world.now_us() < cut_us + 5 * kSecond) {
                Flood(number, kMs, kMs, 20);
                is_healed = world.Judge().empty();
            }
            worst_us = std::max(worst_us, world.now_us() - cut_us);
            world.Join(leaf, port);
            Flood(number, 3 * kSecond, kMs, 20);
        }
    }
    EXPECT_LT(worst_us, 50 * kMs);
}

TEST_F(HostileTraps, ForgedNoticesNeitherFlushEventsNorFloodASubscriber) {
    SaClient subscriber(world, 3);
    ASSERT_EQ(subscriber
                  .Ask(Method::kSet, SaAttribute::kInformInfo, 0,
                       Subscription(static_cast<TrapNumber>(InformInfo::kAnyNumber)))
                  .header.status,
              0);
    const std::uint32_t gone = 7;
    const Guid guid = world.world().port(world.sim().RowOf(gone, 1)).guid;
    world.Cut(gone, 1);
    host->Rage(
        10 * kSecond, 5 * kMs,
        [&] {
            for (int i = 0; i < 300; ++i)
                host->Trap(TrapNumber::kBadPKey);
        },
        [&] { subscriber.Hear(); });
    const auto is_told = [&](const Notice& notice) {
        return notice.Get(Notice::kTrapNumber) == TrapNumber::kOutOfService &&
               std::bit_cast<GidNotice>(notice).Get(GidNotice::kGidGuid) == Raw(guid);
    };
    EXPECT_TRUE(std::any_of(subscriber.reports.begin(), subscriber.reports.end(), is_told));
    EXPECT_LE(subscriber.reports.size(), 20U);
    EXPECT_EQ(world.sm().reports().statistics().missed, 0U);
}

}  // namespace
}  // namespace ember::testing
