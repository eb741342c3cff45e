// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the numbers that rates of links have.

#include "core/graph/link_speeds.h"

#include <array>
#include <gtest/gtest.h>

namespace ember {
namespace {

TEST(LinkSpeeds, KeepANumberForEachRate) {
    LinkSpeeds speeds;
    EXPECT_FALSE(speeds.differ());
    EXPECT_EQ(speeds.fastest(), Rate::kNone);
    EXPECT_EQ(speeds.Number(Rate::kNone), 0U);
    EXPECT_EQ(speeds.Number(static_cast<Rate>(1)), 0U) << "reserved";
    const LinkSpeed edr = speeds.Number(Rate::k100Gb);
    EXPECT_NE(edr, 0U);
    EXPECT_FALSE(speeds.differ());
    const LinkSpeed ddr = speeds.Number(Rate::k20Gb);
    EXPECT_NE(ddr, edr);
    EXPECT_EQ(speeds.Number(Rate::k100Gb), edr);
    EXPECT_TRUE(speeds.differ());
    EXPECT_EQ(speeds.rate(edr), Rate::k100Gb);
    EXPECT_EQ(speeds.rate(ddr), Rate::k20Gb);
    EXPECT_EQ(speeds.rate(0), Rate::kNone);
    EXPECT_EQ(speeds.rate(7), Rate::kNone) << "nobody has it";
    EXPECT_EQ(speeds.fastest(), Rate::k100Gb);
}

/// 112 Gb/s has a higher code than 120 and lower than 100: ranks count, not codes.
TEST(LinkSpeeds, GiveAnEighthRateTheNumberOfTheNextSlower) {
    LinkSpeeds speeds;
    for (const Rate rate : {Rate::k20Gb, Rate::k40Gb, Rate::k56Gb, Rate::k100Gb, Rate::k200Gb,
                            Rate::k400Gb, Rate::k800Gb}) {
        EXPECT_EQ(speeds.rate(speeds.Number(rate)), rate);
    }
    EXPECT_EQ(speeds.rate(speeds.Number(Rate::k300Gb)), Rate::k200Gb);
    EXPECT_EQ(speeds.rate(speeds.Number(Rate::k1600Gb)), Rate::k800Gb);
    EXPECT_EQ(speeds.rate(speeds.Number(Rate::k112Gb)), Rate::k100Gb);
    EXPECT_EQ(speeds.rate(speeds.Number(Rate::k2Gb5)), Rate::k20Gb) << "none is slower";
}

TEST(LinkSpeeds, CountDataByRank) {
    std::uint32_t before = 0;
    for (const Rate rate : kRatesBySpeed) {
        EXPECT_GT(DataMegabits(rate), before) << unsigned{Raw(rate)};
        before = DataMegabits(rate);
    }
    EXPECT_EQ(DataMegabits(Rate::kNone), 0U);
    EXPECT_EQ(DataMegabits(static_cast<Rate>(63)), 0U);
}

}  // namespace
}  // namespace ember
