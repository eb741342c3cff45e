// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests that a node with changing answers causes fewer and fewer sweeps.
#include "core/manager/scrub_patience.h"

#include <gtest/gtest.h>

namespace ember {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
constexpr Guid kLiar{7};
constexpr Guid kHonest{8};

/// How many sweeps may follow if `node` differs in each of so many seconds.
unsigned GrantsIn(ScrubPatience& patience, Guid node, unsigned from, unsigned seconds) {
    unsigned granted = 0;
    for (unsigned i = from; i < from + seconds; ++i) {
        if (patience.Grants(node, false, i * kSecond)) ++granted;
    }
    return granted;
}

TEST(ScrubPatience, GrantsANodeASweepAtOnceAndThenHalfAsOftenEachTime) {
    ScrubPatience patience;
    EXPECT_EQ(GrantsIn(patience, kLiar, 0, 10), 1U);
    EXPECT_EQ(GrantsIn(patience, kLiar, 10, 20), 1U);
    EXPECT_EQ(GrantsIn(patience, kLiar, 30, 40), 1U);
    EXPECT_EQ(GrantsIn(patience, kLiar, 70, 80), 1U);
    // 10 s * 2^6 at most.
    EXPECT_LE(GrantsIn(patience, kLiar, 150, 6400), 10U + 3U);
    EXPECT_GE(GrantsIn(patience, kLiar, 6550, 6400), 9U);
}

TEST(ScrubPatience, ANodeThatDiffersAllTheTimeDoesNotPutOffOthers) {
    ScrubPatience patience;
    GrantsIn(patience, kLiar, 0, 600);
    EXPECT_TRUE(patience.Grants(kHonest, false, 620 * kSecond));
    EXPECT_TRUE(patience.Grants(kHonest, true, 631 * kSecond));
}

TEST(ScrubPatience, HostsDoNotPutOffSwitches) {
    ScrubPatience patience;
    EXPECT_TRUE(patience.Grants(kLiar, false, kSecond));
    EXPECT_FALSE(patience.Grants(kHonest, false, 2 * kSecond));
    EXPECT_TRUE(patience.Grants(Guid{9}, true, 2 * kSecond));
}

TEST(ScrubPatience, ANodeStartsAgainAfter640SecondsWithoutADifference) {
    ScrubPatience patience;
    GrantsIn(patience, kLiar, 0, 600);
    EXPECT_TRUE(patience.Grants(kLiar, false, 1240 * kSecond));
    EXPECT_TRUE(patience.Grants(kLiar, false, 1250 * kSecond));
    EXPECT_FALSE(patience.Grants(kLiar, false, 1260 * kSecond));
}

TEST(ScrubPatience, NodesWithoutARowHaveOneRowTogether) {
    ScrubPatience patience;
    unsigned granted = 0;
    for (unsigned i = 0; i < 6400; ++i) {  // Each time another GUID.
        if (patience.Grants(Guid{1000 + i}, false, i * kSecond)) ++granted;
    }
    // Nodes with a row get one each, until their rows are free again; all others share a row.
    EXPECT_LE(granted, 6400U / 640U * 17U + 20U);
    EXPECT_TRUE(patience.Grants(kHonest, true, 6410 * kSecond));
}

}  // namespace
}  // namespace ember
