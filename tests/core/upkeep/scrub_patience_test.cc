// SPDX-License-Identifier: Apache-2.0
// EmberSM: who says now this, now that, is listened to less and less.
#include "core/upkeep/scrub_patience.h"

#include <gtest/gtest.h>

namespace ember {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
constexpr Guid kLiar{7};
constexpr Guid kHonest{8};

/// How often something that differs at `who` every second is believed in so many of them.
unsigned GrantsIn(ScrubPatience& patience, Guid who, unsigned from, unsigned seconds) {
    unsigned granted = 0;
    for (unsigned i = from; i < from + seconds; ++i) {
        if (patience.Grants(who, false, i * kSecond)) ++granted;
    }
    return granted;
}

TEST(ScrubPatience, BelievesAtOnceAndThenHalfAsOftenEachTime) {
    ScrubPatience patience;
    EXPECT_EQ(GrantsIn(patience, kLiar, 0, 10), 1U);
    EXPECT_EQ(GrantsIn(patience, kLiar, 10, 20), 1U);
    EXPECT_EQ(GrantsIn(patience, kLiar, 30, 40), 1U);
    EXPECT_EQ(GrantsIn(patience, kLiar, 70, 80), 1U);
    // 10 s * 2^6 at most.
    EXPECT_LE(GrantsIn(patience, kLiar, 150, 6400), 10U + 3U);
    EXPECT_GE(GrantsIn(patience, kLiar, 6550, 6400), 9U);
}

TEST(ScrubPatience, LosesNothingForOthers) {
    ScrubPatience patience;
    GrantsIn(patience, kLiar, 0, 600);
    EXPECT_TRUE(patience.Grants(kHonest, false, 620 * kSecond));
    EXPECT_TRUE(patience.Grants(kHonest, true, 631 * kSecond));
}

TEST(ScrubPatience, OfHostsDoesNotPutOffSwitches) {
    ScrubPatience patience;
    EXPECT_TRUE(patience.Grants(kLiar, false, kSecond));
    EXPECT_FALSE(patience.Grants(kHonest, false, 2 * kSecond));
    EXPECT_TRUE(patience.Grants(Guid{9}, true, 2 * kSecond));
}

TEST(ScrubPatience, ComesBackAfterSixHundredAndFortySecondsOfHonesty) {
    ScrubPatience patience;
    GrantsIn(patience, kLiar, 0, 600);
    EXPECT_TRUE(patience.Grants(kLiar, false, 1240 * kSecond));
    EXPECT_TRUE(patience.Grants(kLiar, false, 1250 * kSecond));
    EXPECT_FALSE(patience.Grants(kLiar, false, 1260 * kSecond));
}

TEST(ScrubPatience, WithACrowdIsThatWithOne) {
    ScrubPatience patience;
    unsigned granted = 0;
    for (unsigned i = 0; i < 6400; ++i) {  // Each names itself anew.
        if (patience.Grants(Guid{1000 + i}, false, i * kSecond)) ++granted;
    }
    // One each for whom there is a row, as long as those before are remembered, and the crowd's.
    EXPECT_LE(granted, 6400U / 640U * 17U + 20U);
    EXPECT_TRUE(patience.Grants(kHonest, true, 6410 * kSecond));
}

}  // namespace
}  // namespace ember
