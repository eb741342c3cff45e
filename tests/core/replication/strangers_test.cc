// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the shares of strangers.
#include "core/replication/strangers.h"

#include <gtest/gtest.h>
#include <vector>

namespace ember {
namespace {

constexpr std::uint64_t kNowUs = 7'000'000;

std::size_t TakenOf(StrangerBudget& budget, Lid from, std::size_t tries, std::uint64_t now_us) {
    std::size_t taken = 0;
    for (std::size_t i = 0; i < tries; ++i) {
        taken += budget.Takes(from, now_us) ? 1U : 0U;
    }
    return taken;
}

TEST(StrangerBudget, GivesAPlaceThatWasMetAShareOfItsOwn) {
    StrangerBudget budget;
    const std::vector<Lid> met = {Lid{5}, Lid{6}};
    budget.SetMet(met, 0);
    for (std::uint16_t lid = 100; lid < 2000; ++lid) {
        static_cast<void>(TakenOf(budget, Lid{lid}, 10, kNowUs));
    }
    EXPECT_EQ(TakenOf(budget, Lid{5}, 100, kNowUs), StrangerBudget::kMostOfMet);
    EXPECT_EQ(TakenOf(budget, Lid{6}, 100, kNowUs), StrangerBudget::kMostOfMet);
    EXPECT_EQ(TakenOf(budget, Lid{7}, 100, kNowUs), 0U) << "the others have used up all";
    EXPECT_EQ(TakenOf(budget, Lid{7}, 100, kNowUs + StrangerBudget::kWindowUs),
              StrangerBudget::kMostOfShare);
    budget.SetMet(met, 0);
    EXPECT_EQ(TakenOf(budget, Lid{7}, 1, kNowUs + StrangerBudget::kWindowUs), 0U) << "told again";
}

TEST(StrangerBudget, ThatSharesWithAFloodDoesSoForOneWindow) {
    StrangerBudget budget;
    std::size_t starved = 0;
    for (std::uint64_t window = 0; window < 1000; ++window) {
        const std::uint64_t now_us = kNowUs + window * StrangerBudget::kWindowUs;
        static_cast<void>(TakenOf(budget, Lid{9}, 1000, now_us));
        starved += TakenOf(budget, Lid{10}, 2, now_us) == 0 ? 1U : 0U;
    }
    EXPECT_GE(starved, 10U);
    EXPECT_LE(starved, 60U) << "one in 32";
}

TEST(StrangerBudget, CountsAllLidsOfAPortAsOne) {
    StrangerBudget budget;
    const std::vector<Lid> met = {Lid{16}};
    budget.SetMet(met, 3);
    std::size_t taken = 0;
    for (std::uint16_t lid = 16; lid < 24; ++lid) {
        taken += TakenOf(budget, Lid{lid}, 10, kNowUs);
    }
    EXPECT_EQ(taken, StrangerBudget::kMostOfMet);
    taken = 0;
    for (std::uint16_t lid = 32; lid < 40; ++lid) {
        taken += TakenOf(budget, Lid{lid}, 10, kNowUs);
    }
    EXPECT_EQ(taken, StrangerBudget::kMostOfShare);
}

TEST(StrangerBudget, IsBoundedForAllTogether) {
    StrangerBudget budget;
    std::vector<Lid> met;
    for (std::uint16_t lid = 1; lid <= 40; ++lid) {
        met.push_back(Lid{lid});
    }
    budget.SetMet(met, 0);
    std::size_t taken = 0;
    for (std::uint16_t lid = 1; lid < 0xC000; ++lid) {
        taken += TakenOf(budget, Lid{lid}, 10, kNowUs);
    }
    EXPECT_EQ(taken, StrangerBudget::kMost);
}

}  // namespace
}  // namespace ember
