// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of levels of service on a routing of several lanes.

#include "core/graph/lane_levels.h"

#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace ember {
namespace {

LevelWish Wish(std::uint16_t asked, LaneRow vls = LaneRow::Identity()) {
    return {.asked = asked, .vls = vls};
}

TEST(LaneLevels, OfASlAreThatSlWhereTheRoutingGivesPathsSlZero) {
    const LaneLevels levels =
        LaneLevels::Make(Wish(0b1010'0001), {.sls = 1, .lanes = 2, .link_vls = 8});
    EXPECT_EQ(levels.count, 3);
    EXPECT_EQ(levels.stride, 2);
    EXPECT_EQ(levels.sls(), 0b1010'0001);
    for (const std::uint8_t sl : std::array<std::uint8_t, 3>{0, 5, 7}) {
        EXPECT_EQ(levels.SlOf(0, sl), sl);
    }
    EXPECT_EQ(levels.SlOf(0, 1), kNoSl) << "nobody asks for it";
    LaneRow routed;
    routed.Set(0, 1);
    const LaneRow row = levels.RowOf(routed);
    EXPECT_EQ(row.Of(0), 1);
    EXPECT_EQ(row.Of(5), 3);
    EXPECT_EQ(row.Of(7), 5);
}

TEST(LaneLevels, OfOneVlAreOne) {
    LaneRow vls = LaneRow::Identity();
    vls.Set(5, 0);
    vls.Set(7, 8);  // Which a link of eight does not have: it is VL 0 there.
    const LaneLevels levels =
        LaneLevels::Make(Wish(0b1010'0011, vls), {.sls = 1, .lanes = 4, .link_vls = 8});
    EXPECT_EQ(levels.count, 2);
    EXPECT_EQ(levels.stride, 4);
    EXPECT_TRUE(levels.IsOneLevel(0, 5));
    EXPECT_TRUE(levels.IsOneLevel(0, 7));
    EXPECT_FALSE(levels.IsOneLevel(0, 1));
    EXPECT_FALSE(levels.IsOneLevel(2, 2)) << "of none";
}

TEST(LaneLevels, SayWhichOfTwoThingsTheyLack) {
    const LaneLevels vls = LaneLevels::Make(Wish(0b111), {.sls = 1, .lanes = 3, .link_vls = 8});
    EXPECT_FALSE(vls.in_force());
    EXPECT_EQ(vls.lack, LaneLevels::Lack::kVls);
    EXPECT_EQ(vls.needs, 9);
    const LaneLevels sls =
        LaneLevels::Make(Wish(0b1111'1111), {.sls = 0b11, .lanes = 2, .link_vls = 15});
    EXPECT_EQ(sls.lack, LaneLevels::Lack::kVls);
    const LaneLevels both = LaneLevels::Make(Wish(0b111), {.sls = 0xFF, .lanes = 2, .link_vls = 8});
    EXPECT_FALSE(both.in_force());
    EXPECT_EQ(both.lack, LaneLevels::Lack::kSls);
    EXPECT_EQ(both.needs, 3 + 3 * 7);
}

TEST(LaneLevels, AreNoneOfARoutingOfOneLaneOrWhereNoneIsAsked) {
    EXPECT_EQ(LaneLevels::Make(Wish(0b11), {.sls = 1, .lanes = 1, .link_vls = 8}), LaneLevels{});
    EXPECT_EQ(LaneLevels::Make({}, {.sls = 1, .lanes = 2, .link_vls = 8}), LaneLevels{});
}

/// Goal: the levels are as many copies of the routing, and no packet of one meets those of another.
/// Method: drawn wishes and routings; each (level, SL of a path) has an SL of its own, and each
/// lane a VL.
TEST(LaneLevels, ShareNothing) {
    std::mt19937 random(1);  // NOLINT: the same each time.
    int in_force = 0;
    for (int run = 0; run < 20'000; ++run) {
        LaneRow vls;
        for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
            vls.Set(sl, static_cast<std::uint8_t>(random() % 15));
        }
        const LevelWish wish =
            Wish(static_cast<std::uint16_t>(1U | (random() & random() & random() & 0xFFFFU)), vls);
        const LaneLevels::Routing routing{
            .sls = static_cast<std::uint16_t>(1U | (random() & random() & 0xFFU)),
            .lanes = static_cast<std::uint8_t>(2 + random() % 4),
            .link_vls = std::array<std::uint8_t, 3>{4, 8, 15}[random() % 3]};
        const LaneLevels levels = LaneLevels::Make(wish, routing);
        if (!levels.in_force()) continue;
        ++in_force;
        EXPECT_LE(levels.count * routing.lanes, routing.link_vls);
        std::set<unsigned> of_other_paths;
        LaneRow routed;
        for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
            routed.Set(sl, static_cast<std::uint8_t>(random() % routing.lanes));
        }
        const LaneRow row = levels.RowOf(routed);
        for (std::uint8_t asked = 0; asked < kServiceLevels; ++asked) {
            if ((wish.asked >> asked & 1U) == 0) continue;
            EXPECT_EQ(levels.SlOf(0, asked), asked);
            for (std::uint8_t path_sl = 0; path_sl < kServiceLevels; ++path_sl) {
                if ((routing.sls >> path_sl & 1U) == 0) continue;
                const std::uint8_t sl = levels.SlOf(path_sl, asked);
                ASSERT_LT(sl, kServiceLevels);
                EXPECT_TRUE(levels.IsOneLevel(sl, asked));
                EXPECT_EQ(levels.path_sl_of.Of(sl), path_sl);
                EXPECT_EQ(row.Of(sl) / levels.stride, levels.level_of.Of(asked));
                EXPECT_EQ(row.Of(sl) % levels.stride, routed.Of(path_sl));
            }
        }
    }
    EXPECT_GT(in_force, 1'000);
}

}  // namespace
}  // namespace ember
