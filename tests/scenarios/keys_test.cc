// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet with an M_Key.
//
// Goal:   the subnet manager guards its ports, still manages them, and after a restart with the
// same
//         key too; without the key it touches nothing.
// Method: agents that check the M_Key as the IBA has it.
#include <gtest/gtest.h>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class Key : public ::testing::TestWithParam<int> {
protected:
    Key() : world_(net::FatTree2(4)) {}
    static Settings Guarded() {
        Settings settings = BriskSettings();
        settings.m_key = 0xC0FFEE;
        settings.m_key_protection_level = static_cast<std::uint8_t>(GetParam());
        settings.transaction_timeout = 20;
        return settings;
    }

    SimWorld world_;
};

TEST_P(Key, IsSetOnEveryPortAndOpensItAgain) {
    world_.AddManager(Guarded());
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "");
    const PortInfo& info = world_.world().port(world_.sim().RowOf(3, 1)).info;
    EXPECT_EQ(info.Get(PortInfo::kMKey), 0xC0FFEEU);
    EXPECT_EQ(info.Get(PortInfo::kMKeyProtectBits), GetParam());
    world_.Cut(9, 3);
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "");
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

TEST_P(Key, KeepsAStrangerOut) {
    const std::size_t owner = world_.AddManager(0, 1, Guarded());
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond));
    std::vector<PortInfo> before;
    for (const sim::SimPort& port : world_.world().ports()) {
        before.push_back(port.info);
        before.back().Set(PortInfo::kMKeyViolations, std::uint16_t{0});
    }
    world_.Kill(owner);
    Settings stranger = Guarded();
    stranger.m_key = 0xBAD;
    // At level 0 ports show their key to everybody: a stranger that uses what it reads gets in.
    stranger.m_key_lookup = GetParam() != 0;
    world_.AddManager(5, 1, stranger);
    world_.RunFor(20 * kSecond);
    for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
        PortInfo now = world_.world().port(row).info;
        now.Set(PortInfo::kMKeyViolations, std::uint16_t{0});
        EXPECT_EQ(now.Get(PortInfo::kLid), before[row].Get(PortInfo::kLid)) << row;
        EXPECT_EQ(now.Get(PortInfo::kMKey), before[row].Get(PortInfo::kMKey)) << row;
    }
}

INSTANTIATE_TEST_SUITE_P(AllProtectionLevels, Key, ::testing::Range(0, 4));

}  // namespace
}  // namespace ember::testing
