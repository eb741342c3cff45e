// SPDX-License-Identifier: Apache-2.0
// EmberSM: devices that are silent for a while, and guard themselves by M_Keys.
//
// Goal:   what answers again is found again, whatever its M_Key is, though no link went down and no
//         trap tells of it.
// Method: agents of switches and hosts that answer nothing for some seconds, while m_key changes,
//         or the subnet manager is started again.
#include <gtest/gtest.h>
#include <optional>

#include "tests/support/hostile_host.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kSecret = 0x5EC2E7;
/// Within which the subnet is whole again.
constexpr std::uint64_t kPatience = 30 * kSecond;

struct Silence {
    bool of_switch = false;
    bool per_port = true;
    std::uint8_t level = 2;
    int changes = 0;  ///< Of m_key meanwhile.
    std::uint64_t seconds = 10;
};

class AfterSilence : public ::testing::TestWithParam<Silence> {
protected:
    AfterSilence() : world_(net::FatTree2(4)) {
        settings_ = BriskSettings();
        settings_.m_key = kSecret;
        settings_.m_key_per_port = GetParam().per_port;
        settings_.m_key_protection_level = GetParam().level;
    }
    void SetUp() override {
        world_.AddManager(settings_);
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
        ASSERT_EQ(world_.Judge(), "");
    }
    /// The last host, or the switch that it hangs on.
    [[nodiscard]] std::uint32_t Victim() {
        std::uint32_t host = 0;
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            if (!world_.world().node(node).is_switch()) host = node;
        }
        const std::uint32_t beyond = world_.world().Beyond(world_.sim().RowOf(host, 1));
        return GetParam().of_switch ? world_.world().port(beyond).node : host;
    }
    void ChangeMKey() {
        settings_.m_key += 0x1000;
        world_.sm().Configure(settings_);
        world_.Reconfigure(settings_);
        world_.Wake();
    }
    /// The victim answers nothing for a while, and is lost.
    void Silence(std::uint32_t victim) {
        world_.sim().Silence(victim, 0);
        world_.sm().RequestSweep(SweepCue::kHeavyRequest);
        world_.Wake();
        world_.RunFor(GetParam().seconds * kSecond);
        EXPECT_LT(world_.sm().status().nodes, world_.world().node_count());
    }
    [[nodiscard]] bool IsWhole() {
        return world_.sm().status().nodes == world_.world().node_count() && world_.sm().is_up() &&
               world_.Judge().empty();
    }
    void ExpectWholeAndQuiet() {
        EXPECT_TRUE(world_.RunUntil([&] { return IsWhole(); }, kPatience))
            << world_.sm().status().nodes << " nodes\n"
            << world_.Judge() << '\n'
            << world_.Notes();
        EXPECT_TRUE(world_.RunUntilQuiet(kPatience)) << world_.Notes();
    }

    SimWorld world_;
    Settings settings_;
};

TEST_P(AfterSilence, WhatAnswersAgainIsFoundAgain) {
    const std::uint32_t victim = Victim();
    Silence(victim);
    world_.sim().EndSilence(victim);
    ExpectWholeAndQuiet();
}

/// Nothing is remembered of it then but what the file of M_Keys says.
TEST_P(AfterSilence, WhatWasSilentOverARestartIsFoundAgain) {
    const std::uint32_t victim = Victim();
    Silence(victim);
    world_.Restart();
    world_.RunFor(5 * kSecond);
    EXPECT_LT(world_.sm().status().nodes, world_.world().node_count());
    world_.sim().EndSilence(victim);
    ExpectWholeAndQuiet();
}

INSTANTIATE_TEST_SUITE_P(Kinds, AfterSilence,
                         ::testing::Values(Silence{.of_switch = true}, Silence{.of_switch = false},
                                           Silence{.of_switch = true, .per_port = false},
                                           Silence{.of_switch = true, .level = 1},
                                           Silence{.of_switch = true, .seconds = 3}));

class AfterSilenceAndChange : public AfterSilence {};

TEST_P(AfterSilenceAndChange, WhatAnswersAgainIsFoundAgain) {
    const std::uint32_t victim = Victim();
    Silence(victim);
    for (int i = 0; i < GetParam().changes; ++i) {
        ChangeMKey();
        world_.RunFor(5 * kSecond);
    }
    world_.sim().EndSilence(victim);
    ExpectWholeAndQuiet();
}

INSTANTIATE_TEST_SUITE_P(Kinds, AfterSilenceAndChange,
                         ::testing::Values(Silence{.of_switch = true, .changes = 1},
                                           Silence{.of_switch = true, .changes = 2},
                                           Silence{.of_switch = true, .changes = 4},
                                           Silence{
                                               .of_switch = true, .per_port = false, .changes = 4},
                                           Silence{.of_switch = false, .changes = 1},
                                           Silence{.of_switch = false, .changes = 2},
                                           Silence{.of_switch = false, .changes = 4}));

/// A device that never answers behind a link that is up is looked for again and again, and rarely.
TEST(EternalSilence, IsLookedForRarely) {
    SimWorld world(net::FatTree2(4));
    world.AddManager(BriskSettings());
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    world.sim().Silence(1, 0);
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    world.Wake();
    world.RunFor(30 * kSecond);
    EXPECT_EQ(world.sm().status().nodes + 1, world.world().node_count()) << world.Notes();
    const std::uint64_t before = world.sm().status().heavy_sweeps;
    world.RunFor(2000 * kSecond);
    const std::uint64_t looks = world.sm().status().heavy_sweeps - before;
    EXPECT_GE(looks, 4U) << "every 640 seconds at least";
    EXPECT_LE(looks, 9U) << world.Notes();
    EXPECT_TRUE(world.sm().is_up());
}

/// A host whose SMA is silent, and which was lost for it. Light sweeps are far apart.
class TrapOfALostHost : public ::testing::Test {
protected:
    static constexpr std::uint32_t kHost = 5;

    TrapOfALostHost() : world_(net::FatTree2(4)) {
        Settings settings = BriskSettings();
        settings.sweep_interval = 10;
        world_.AddManager(settings);
    }
    void SetUp() override {
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
        host_.emplace(world_, kHost);
        world_.sim().Silence(kHost, 0);
        world_.sm().RequestSweep(SweepCue::kHeavyRequest);
        world_.Wake();
        world_.RunFor(15 * kSecond);
        ASSERT_EQ(world_.sm().status().nodes + 1, world_.world().node_count()) << world_.Notes();
        // Until a light sweep has just ended: the next one is some seconds away.
        const std::uint64_t light = world_.sm().status().light_sweeps;
        ASSERT_TRUE(world_.RunUntil(
            [&] {
                return world_.sm().status().light_sweeps > light &&
                       world_.sm().stage() == Stage::kResting && !world_.sm().plan().wants_heavy();
            },
            30 * kSecond));
    }
    void Trap(TrapNumber number, std::uint64_t time_us, std::uint64_t every_us) {
        host_->Rage(time_us, every_us, [&] { host_->Trap(number); });
    }
    [[nodiscard]] bool IsThere() {
        return world_.sm().status().nodes == world_.world().node_count();
    }

    SimWorld world_;
    std::optional<HostileHost> host_;
};

TEST_F(TrapOfALostHost, AboutAnMKeyIsAHint) {
    world_.sim().EndSilence(kHost);
    Trap(TrapNumber::kBadPKey, kSecond, 100 * kMs);
    EXPECT_FALSE(IsThere()) << "any other trap is none";
    EXPECT_GE(world_.Heard(Note::kTrapUnusable), 1U);
    Trap(TrapNumber::kBadMKey, kSecond, 100 * kMs);
    EXPECT_TRUE(IsThere()) << world_.Notes();
}

TEST_F(TrapOfALostHost, IsHeardAsSeldomAsAHosts) {
    const std::uint64_t light = world_.sm().status().light_sweeps;
    Trap(TrapNumber::kBadMKey, 30 * kSecond, kMs);
    EXPECT_LE(world_.sm().status().light_sweeps - light, 3U + 3U + 8U);
    EXPECT_TRUE(world_.sm().is_up());
}

}  // namespace
}  // namespace ember::testing
