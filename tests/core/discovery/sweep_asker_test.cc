// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of which answers a sweep waits for.

#include "core/discovery/sweep_asker.h"

#include <gtest/gtest.h>

#include "tests/core/discovery/discovery_fixture.h"

namespace ember {
namespace {

TEST_F(DiscoveryTest, WaitsForALateHostFiftyMillisecondsUnlessHurried) {
    Sweep();
    is_silent = [&](Guid guid, AttributeId) { return guid == GuidOf(kHost); };
    settings_.transaction_timeout = 200;
    exchange_.Configure(settings_);
    discovery_.Begin(now_us_);
    ServeAll();
    EXPECT_FALSE(discovery_.done());
    const std::uint64_t soon_us = now_us_ + exchange_.linger_us();
    ASSERT_EQ(soon_us, now_us_ + 5000);
    EXPECT_FALSE(discovery_.MayEndEarly(soon_us - 1, true));
    EXPECT_TRUE(discovery_.MayEndEarly(soon_us, true));
    EXPECT_FALSE(discovery_.MayEndEarly(now_us_ + 49'999, false));
    EXPECT_TRUE(discovery_.MayEndEarly(now_us_ + 50'000, false));
    EXPECT_EQ(discovery_.NextDeadlineUs(now_us_), soon_us);
    EXPECT_EQ(discovery_.NextDeadlineUs(soon_us), now_us_ + 50'000);
    const Discovery::Outcome outcome = discovery_.Finish(now_us_ + 50'000, events_);
    EXPECT_EQ(outcome.late, 1U);
    EXPECT_EQ(outcome.silent, 0U);
    EXPECT_EQ(outcome.nodes_lost, 0U);
    EXPECT_EQ(PeerOf(kHost, 1), NameOf(GuidOf(kLeft), 3)) << "a late host stays as it was";
}

TEST_F(DiscoveryTest, TheFirstSweepAndALeisurelyOneWaitForAllHosts) {
    is_silent = [&](Guid guid, AttributeId attribute) {
        return guid == GuidOf(kHost) && attribute == AttributeId::kPortInfo;
    };
    settings_.transaction_timeout = 200;
    exchange_.Configure(settings_);
    for (const bool is_first : {true, false}) {
        discovery_.Begin(now_us_);
        if (!is_first) discovery_.TakeTime();
        ServeAll();
        EXPECT_FALSE(discovery_.done());
        EXPECT_FALSE(discovery_.MayEndEarly(now_us_ + 100'000, false)) << is_first;
        EXPECT_TRUE(discovery_.MayEndEarly(now_us_ + 100'000, true)) << is_first;
        RunToEnd();
    }
}

}  // namespace
}  // namespace ember
