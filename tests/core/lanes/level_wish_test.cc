// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the levels of service that the operator's files ask for.

#include "core/lanes/level_wish.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

namespace ember {
namespace {

TEST(LevelWish, IsOfThePolicyThePartitionsAndRouters) {
    Settings settings;
    settings.qos = true;
    settings.order = Order::kBalanced;
    EXPECT_EQ(LevelWishOf(settings), LevelWish{}) << "SL 0 alone is no level";
    const std::array levels{QosLevel{.sl = 2}, QosLevel{.sl = 15}};
    const std::array partitions{PartitionRow{.p_key = 1, .sl = 4}};
    settings.manager_tables.qos_levels = levels;
    settings.manager_tables.partitions = partitions;
    settings.rtr_pr_sl = 6;
    const unsigned asked = 1U | 1U << 2U | 1U << 15U | 1U << 4U | 1U << 6U;
    EXPECT_EQ(LevelWishOf(settings).asked, asked);
    EXPECT_EQ(LevelWishOf(settings).vls.Of(15), 7) << "the key's default";
    for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
        const auto vl = static_cast<std::uint8_t>(sl == 4 ? 15 : 1);
        ASSERT_EQ(settings.lanes[Raw(LanePorts::kSwitchExternal)].sl_to_vl.TryPush(vl),
                  Status::kOk);
    }
    EXPECT_EQ(LevelWishOf(settings).asked, asked & ~(1U << 4U)) << "dropped";
    settings.qos = false;
    EXPECT_EQ(LevelWishOf(settings), LevelWish{});
    settings.qos = true;
    settings.order = Order::kOpensm;
    EXPECT_EQ(LevelWishOf(settings), LevelWish{});
}

}  // namespace
}  // namespace ember
