// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams are lost, doubled, overtaken and changed, and the subnet comes up.
//
// Goal:   no fault of the wire keeps a subnet down for good or brings the subnet manager down.
// Method: many seeds; after the faults have ended the judges must be content.
#include <gtest/gtest.h>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kSeeds = 25;

net::Netlist FabricOf(std::uint64_t seed) {
    return net::RandomGraph(seed, static_cast<std::uint32_t>(3 + seed % 8), 3, 2);
}

/// Brings up a random fabric under these faults, twice; ends them, and lets one more sweep look.
void BringUpUnder(sim::Faults faults, std::uint64_t seed) {
    SCOPED_TRACE("replay with seed " + std::to_string(seed));
    faults.seed = seed;
    SimWorld world(FabricOf(seed), {.faults = faults});
    Settings settings = BriskSettings();
    settings.transaction_timeout = 20;
    world.AddManager(settings);
    world.RunUntilUp(30 * kSecond);

    world.sim().faults() = {};
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST(FaultyFabric, ComesUpWhenOneInTenDatagramsIsLost) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        SimWorld world(FabricOf(seed), {.faults = {.seed = seed, .loss = 10 * sim::kPercent}});
        Settings settings = BriskSettings();
        settings.transaction_retries = 5;
        world.AddManager(settings);
        // While datagrams are being lost: no mercy here.
        ASSERT_TRUE(world.RunUntilUp(60 * kSecond)) << world.Notes();
        ASSERT_TRUE(world.RunUntil([&] { return world.Judge().empty(); }, 60 * kSecond))
            << world.Judge() << '\n'
            << world.Notes();
        EXPECT_GT(world.sim().counters().lost, 0U);
    }
}

TEST(FaultyFabric, ComesUpWhenDatagramsAreDoubledAndOvertakeEachOther) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        SimWorld world(
            FabricOf(seed),
            {.faults = {.seed = seed, .duplication = 20 * sim::kPercent, .jitter_ns = 2'000'000}});
        world.AddManager();
        ASSERT_TRUE(world.RunUntilUp(10 * kSecond)) << world.Notes();
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
        EXPECT_GT(world.sim().counters().duplicated, 0U);
    }
}

TEST(FaultyFabric, OutlivesDatagramsThatWereChangedOnTheWay) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        BringUpUnder({.loss = 2 * sim::kPercent, .corruption = 5 * sim::kPercent}, seed);
    }
}

TEST(FaultyFabric, OutlivesEverythingAtOnce) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        BringUpUnder({.loss = 10 * sim::kPercent,
                      .duplication = 10 * sim::kPercent,
                      .corruption = 10 * sim::kPercent,
                      .jitter_ns = 30'000'000,  // Longer than a time-out: late answers.
                      .busy = 10 * sim::kPercent},
                     seed);
    }
}

std::uint64_t StoryOf(std::uint64_t seed) {
    SimWorld world(net::FatTree2(6), {.faults = {.seed = seed,
                                                 .loss = 5 * sim::kPercent,
                                                 .duplication = 5 * sim::kPercent,
                                                 .corruption = sim::kPercent,
                                                 .jitter_ns = 100'000}});
    world.AddManager();
    world.sim().FlapRandomly(500 * kMs, 100 * kMs);
    world.RunFor(10 * kSecond);
    return world.trace();
}

TEST(FaultyFabric, TheSameSeedTellsTheSameStory) {
    EXPECT_EQ(StoryOf(7), StoryOf(7));
    EXPECT_NE(StoryOf(7), StoryOf(8));
}

}  // namespace
}  // namespace ember::testing
