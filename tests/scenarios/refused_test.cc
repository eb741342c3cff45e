// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet that may not be routed.
//
// Goal:   a refusal leaves the subnet in peace: it is tried again, and no client is told twice.
// Method: a ring, whose shortest paths close a credit loop, under require_deadlock_free, and
//         no_fallback, without which the safe routing would take over.
#include <gtest/gtest.h>

#include "tests/support/min_hop_settings.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

TEST(Refused, ClientsAreAskedToRegisterOnceHoweverOftenRoutingIsRefused) {
    SimWorld world(net::Ring(6, 2));
    Settings settings = MinHopSettings();
    settings.require_deadlock_free = true;
    settings.no_fallback = true;
    world.AddManager(settings);
    world.RunFor(10 * kSecond);
    ASSERT_GE(world.Heard(Note::kRoutingRefused), 2U) << world.Notes();
    const std::uint64_t asked = world.sim().counters().reregistrations;
    const std::uint64_t sweeps = world.sm().progress().heavy_sweeps;
    world.RunFor(10 * kSecond);
    EXPECT_GT(world.sm().progress().heavy_sweeps, sweeps) << "it goes on trying";
    EXPECT_EQ(world.sim().counters().reregistrations, asked) << world.Notes();
}

}  // namespace
}  // namespace ember::testing
