// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of ways round rings and of their lanes.

#include "core/graph/ring_rule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace ember {
namespace {

TEST(RingRule, ServesEveryPairOfEveryRing) {
    for (unsigned radix = 1; radix <= 255; ++radix) {
        EXPECT_TRUE(ServesAll(MakeRingRule(static_cast<std::uint8_t>(radix)))) << radix;
    }
    RingRule spoilt = MakeRingRule(8);
    spoilt.plus[1] = 1;  // Nothing is open for a pair of even places but 0 and 4.
    EXPECT_FALSE(ServesAll(spoilt));
}

TEST(RingRule, TakesTheShorterWay) {
    for (const unsigned radix : {5U, 8U, 12U}) {
        const RingRule rule = MakeRingRule(static_cast<std::uint8_t>(radix));
        for (unsigned from = 0; from < radix; ++from) {
            for (unsigned to = 0; to < radix; ++to) {
                const RingWay way = WayRound(rule, from, to);
                EXPECT_LE(2U * way.steps, radix);
                const unsigned end = way.is_up ? from + way.steps : from + radix - way.steps;
                EXPECT_EQ(end % radix, to);
            }
        }
    }
}

TEST(RingRule, DividesTiesByPlacesWhereTwoLanesAllowIt) {
    const RingRule eight = MakeRingRule(8);
    EXPECT_TRUE(WayRound(eight, 2, 6).is_up);
    EXPECT_TRUE(WayRound(eight, 6, 2).is_up);
    EXPECT_FALSE(WayRound(eight, 3, 7).is_up);
    const RingRule twelve = MakeRingRule(12);
    EXPECT_TRUE(WayRound(twelve, 2, 8).is_up);
    EXPECT_FALSE(WayRound(twelve, 8, 2).is_up);
}

/// Follows every path and the path back: on no lane and in no direction all links of the ring wait
/// for the next one.
TEST(RingRule, LeavesEachLaneOpenInBothDirections) {
    for (unsigned radix = 3; radix <= 40; ++radix) {
        const RingRule rule = MakeRingRule(static_cast<std::uint8_t>(radix));
        std::array<std::array<std::vector<bool>, 2>, 2> straight;  // By lane, direction, place.
        for (auto& lane : straight) {
            for (auto& direction : lane) {
                direction.assign(radix, false);
            }
        }
        for (unsigned from = 0; from < radix; ++from) {
            for (unsigned to = 0; to < radix; ++to) {
                if (from == to) continue;
                const std::uint8_t lane = LaneRound(rule, from, to);
                ASSERT_LT(lane, 2);
                ASSERT_EQ(lane, LaneRound(rule, to, from));
                const RingWay way = WayRound(rule, from, to);
                for (unsigned step = 1; step < way.steps; ++step) {
                    const unsigned at = (from + (way.is_up ? step : radix - step)) % radix;
                    straight[lane][way.is_up ? 1 : 0][at] = true;
                }
            }
        }
        for (const auto& lane : straight) {
            for (const auto& direction : lane) {
                EXPECT_NE(std::count(direction.begin(), direction.end(), false), 0) << radix;
            }
        }
    }
}

}  // namespace
}  // namespace ember
