// SPDX-License-Identifier: Apache-2.0
// EmberSM: an M_Key that a device has lost is set again.
//
// Goal:   a key that a device has told once is not believed always: what has gone is set again, and
//         what is as it shall be is no news.
// Method: hardware whose keys are changed by hand. No trap is sent.
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/fabric/m_key.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// Six switches, each read in a second, and a round after the last.
constexpr std::uint64_t kScrubRound = 8 * kSecond;

struct LostKey {
    std::uint8_t level;
    bool of_switch;
    std::uint64_t key;  ///< Of the device, instead of ours.
};

class LostMKeys : public ::testing::TestWithParam<LostKey> {
protected:
    static constexpr std::uint64_t kSecret = 0x5EC2E7;
    static constexpr std::uint16_t kLeaseS = 20;

    LostMKeys() : world_(net::FatTree2(4)) {}

    void Start() {
        Settings settings = BriskSettings();
        settings.sweep_interval = 1;  // Light sweeps.
        settings.scrub_interval = 1;
        settings.m_key = kSecret;
        settings.m_key_protection_level = GetParam().level;
        settings.m_key_lease_period = kLeaseS;
        world_.AddManager(settings);
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
        const std::uint32_t end = GetParam().of_switch ? 8 + 2 : 7;  // A leaf, a host.
        ASSERT_EQ(world_.world().node(end).is_switch(), GetParam().of_switch);
        row_ =
            GetParam().of_switch ? world_.world().node(end).first_row : world_.sim().RowOf(end, 1);
        ASSERT_NE(row_, world_.attachment_row());
        ASSERT_EQ(KeyOf(), kSecret);
    }
    [[nodiscard]] std::uint64_t KeyOf() {
        return world_.world().port(row_).info.Get(PortInfo::kMKey);
    }

    SimWorld world_;
    std::uint32_t row_ = 0;
};

TEST_P(LostMKeys, AreSetAgain) {
    Start();
    world_.world().port(row_).info.Set(PortInfo::kMKey, GetParam().key);
    // A key that guards its port from us yields when its lease is over: a wrong key starts it.
    const bool is_locked = GetParam().key != 0 && GetParam().level != 0;
    const std::uint64_t lease = is_locked ? 10ULL * kLeaseS * kSecond : 0;
    EXPECT_TRUE(world_.RunUntil([&] { return KeyOf() == kSecret; }, kScrubRound + lease))
        << world_.Notes();
    const std::uint64_t told = world_.Heard(Note::kScrubOther) + world_.Heard(Note::kPeerSilent) +
                               world_.Heard(Note::kNeighborSilent);
    EXPECT_GE(told, 1U) << world_.Notes();
    ASSERT_TRUE(world_.RunUntilQuiet(200 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

TEST_P(LostMKeys, ThatAreAsTheyShallBeAreNoNews) {
    Start();
    world_.RunFor(2 * kScrubRound);
    EXPECT_EQ(world_.Heard(Note::kScrubOther), 0U) << world_.Notes();
    EXPECT_EQ(world_.sm().status().scrub.differences, 0U);
}

std::vector<LostKey> AllLostKeys() {
    std::vector<LostKey> all;
    for (std::uint8_t level = 0; level <= 2; ++level) {
        for (const bool of_switch : {false, true}) {
            for (const std::uint64_t key : {0ULL, 0xF0E1ULL}) {
                all.push_back({level, of_switch, key});
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Everywhere, LostMKeys, ::testing::ValuesIn(AllLostKeys()),
                         [](const auto& one) {
                             return std::string(one.param.of_switch ? "Switch" : "Host") +
                                    "AtLevel" + std::to_string(one.param.level) +
                                    (one.param.key == 0 ? "WithNone" : "WithAnother");
                         });

/// A host whose key we do not know hides it from us, visit by visit.
TEST(ForeignMKey, ThatIsHiddenIsNoNewsTwice) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.sweep_interval = 900;
    settings.scrub_interval = 1;
    settings.m_key = 0x5EC2E7;
    settings.m_key_protection_level = 1;
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    world.world().port(world.sim().RowOf(7, 1)).info.Set(PortInfo::kMKey, std::uint64_t{0xF0E1});
    world.RunFor(60 * kSecond);
    EXPECT_EQ(world.Heard(Note::kScrubOther), 1U) << world.Notes();
    EXPECT_GE(world.Heard(Note::kMKeyForeign), 1U) << world.Notes();
}

}  // namespace
}  // namespace ember::testing
