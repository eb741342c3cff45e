// SPDX-License-Identifier: Apache-2.0
// EmberSM: what torus-2QoS does with keys and seeds that do not suit it is told while it runs.
//
// Goal:   the journal says once which keys of virtual lanes count for nothing or share unequally,
//         and which seeds do not fit the fabric, as OpenSM's log does; and again after a change.
// Method: a torus of 3 x 3 routed by torus-2QoS, swept again and again, and configured anew.
#include <array>
#include <gtest/gtest.h>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// Switch x, y has the NodeGUID 0x200000 + x + 3 y.
constexpr Guid At(std::uint64_t x, std::uint64_t y) {
    return Guid{0x200000 + x + 3 * y};
}
constexpr std::array kShape = {TorusShape{.radix = {3, 3, 1}, .open = 4}};
constexpr TorusSeed kSeed{.from = At(0, 0), .to = {kNoGuid, At(1, 0), kNoGuid, At(0, 1)}};
constexpr TorusSeed kSpare{
    .from = At(1, 1), .to = {kNoGuid, At(2, 1), kNoGuid, At(1, 2)}, .place = {1, 1, 0}};

class TorusNotes : public ::testing::Test {
protected:
    TorusNotes() {
        settings_.qos = true;
        static_cast<void>(settings_.routing_engine.TryPush(EngineKind::kTorus2Qos));
        settings_.tables.torus = kShape;
        seeds_ = {kSeed, kSpare};
        settings_.tables.torus_seeds = seeds_;
    }
    void BringUp() {
        world_.AddManager(settings_);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
        ASSERT_EQ(world_.sm().router().verdict().engine, "torus-2QoS") << world_.Notes();
        SweepAgain();
    }
    void SweepAgain() {
        for (int i = 0; i < 3; ++i) {
            world_.sm().RequestSweep(SweepCue::kHeavyRequest);
            world_.Wake();
            ASSERT_TRUE(world_.RunUntilUp(30 * kSecond)) << world_.Notes();
        }
    }
    void Configure() {
        world_.sm().Configure(settings_);
        world_.Wake();
        ASSERT_TRUE(world_.RunUntilUp(30 * kSecond)) << world_.Notes();
        SweepAgain();
    }
    [[nodiscard]] bool Says(const std::string& text) {
        return world_.Notes().find(text) != std::string::npos;
    }
    LaneSettings& Of(LanePorts kind) { return settings_.lanes[Raw(kind)]; }

    SimWorld world_{net::Torus(std::array{3U, 3U}, 1)};
    Settings settings_ = BriskSettings();
    std::array<TorusSeed, 2> seeds_;
};

TEST_F(TorusNotes, UnequalSharesOfTheDefaultsAreToldOnce) {
    BringUp();
    EXPECT_EQ(world_.Heard(Note::kLanesUnfair), 2U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLanesOfNoLink), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLaneMapsIgnored), 0U);
    EXPECT_EQ(world_.Heard(Note::kSpareOptionUnfit), 0U);
    EXPECT_EQ(world_.Heard(Note::kOptionGuidsUnknown), 0U);
    EXPECT_TRUE(Says("qos_vlarb_high shares links between switches unequally: torus-2QoS spreads"));
    EXPECT_TRUE(Says("qos_vlarb_low gives weight to VLs 2 to 7 on links of end ports"));
}

TEST_F(TorusNotes, KeysThatAreSetRightDrawNoWord) {
    for (std::uint8_t vl = 0; vl < 8; ++vl) {
        static_cast<void>(Of(LanePorts::kSwitchExternal).high.TryPush({vl, 4}));
        static_cast<void>(Of(LanePorts::kSwitchExternal).low.TryPush({vl, 4}));
    }
    static_cast<void>(Of(LanePorts::kAny).low.TryPush({0, 1}));
    static_cast<void>(Of(LanePorts::kAny).low.TryPush({1, 1}));
    BringUp();
    EXPECT_EQ(world_.Heard(Note::kLanesUnfair), 0U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLanesOfNoLink), 0U) << world_.Notes();
}

TEST_F(TorusNotes, MapsThatItOverridesAreToldOnceAndAfterAChange) {
    BringUp();
    for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
        static_cast<void>(Of(LanePorts::kCa).sl_to_vl.TryPush(sl));
    }
    Configure();
    EXPECT_EQ(world_.Heard(Note::kLaneMapsIgnored), 1U) << world_.Notes();
    EXPECT_TRUE(Says("qos_ca_sl2vl counts for no port while torus-2QoS routes"));
    Of(LanePorts::kAny).sl_to_vl = Of(LanePorts::kCa).sl_to_vl;
    Configure();
    EXPECT_EQ(world_.Heard(Note::kLaneMapsIgnored), 3U) << "both keys, anew";
}

TEST_F(TorusNotes, AnEngineThatTakesTheKeysDrawsNoWord) {
    settings_.routing_engine.clear();
    static_cast<void>(settings_.routing_engine.TryPush(EngineKind::kMinHop));
    for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
        static_cast<void>(Of(LanePorts::kAny).sl_to_vl.TryPush(sl));
    }
    world_.AddManager(settings_);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLaneMapsIgnored) + world_.Heard(Note::kLanesUnfair), 0U);
}

TEST_F(TorusNotes, ASpareSeedThatDoesNotFitIsToldOnce) {
    seeds_[1].place = {0, 1, 0};
    BringUp();
    EXPECT_EQ(world_.Heard(Note::kSpareOptionUnfit), 1U) << world_.Notes();
    EXPECT_TRUE(
        Says("torus-2QoS routes this fabric, but a spare seed of torus_config puts the "
             "switch elsewhere"));
    EXPECT_TRUE(Says("0x0000000000200004"));
}

TEST_F(TorusNotes, ASeedWhoseSwitchIsAwayIsToldOnce) {
    seeds_[1].to[1] = Guid{0xDEAD};
    BringUp();
    EXPECT_EQ(world_.Heard(Note::kOptionGuidsUnknown), 1U) << world_.Notes();
    EXPECT_TRUE(
        Says("torus_config: 1 GUIDs are not in the subnet, the first is "
             "0x000000000000dead"));
}

}  // namespace
}  // namespace ember::testing
