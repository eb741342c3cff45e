// SPDX-License-Identifier: Apache-2.0
// EmberSM: targeted sweeps that things happen to: traps that come late or never, cables that move
// faster than they are asked about, and changes that never end.

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "board/linux_bench/profile.h"
#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;

/// No timed sweep comes to the rescue.
Settings WithoutRescue() {
    Settings settings = BriskSettings();
    settings.sweep_interval = 1000;
    return settings;
}

/// The first end of every cable between two switches, or between a switch and a host that is not
/// the manager's.
std::vector<std::uint32_t> Cables(SimWorld& world, bool to_hosts) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < world.world().row_count(); ++row) {
        const std::uint32_t far = world.world().Beyond(row);
        if (far == sim::kNoRow || !world.world().node_of(row).is_switch()) continue;
        const bool host = !world.world().node_of(far).is_switch();
        if (host != to_hosts || (!host && far < row)) continue;
        if (host && world.world().port(far).node == world.node_of_seat()) continue;
        rows.push_back(row);
    }
    return rows;
}

TEST(TargetedRaces, ATrapThatComesWhileItsSwitchIsAskedIsNotForgotten) {
    for (std::uint32_t seed = 0; seed < 36; ++seed) {
        SimWorld::Options options;
        options.timing.training_ns = 20'000'000;
        options.timing.trap_resend_ns = 10'000 + std::uint64_t{seed} * 2500;
        options.faults.seed = seed + 1;
        SimWorld world(net::FatTree3(4), options);
        world.AddManager<kLinuxBench>(WithoutRescue());
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        const std::vector<std::uint32_t> trunks = Cables(world, false);
        const std::uint32_t row = trunks[seed * 7 % trunks.size()];
        world.sim().Do(Action::kCut, row);
        world.RunFor(5 * kSecond);
        world.sim().Do(Action::kJoin, row);
        world.RunFor(19'999);
        world.sim().faults().loss = 500'000;  // A switch may have to repeat its trap.
        world.RunFor(2);
        world.sim().faults().loss = 0;
        world.RunFor(60 * kSecond);
        EXPECT_EQ(world.Judge(), "") << "seed " << seed << "\n" << world.Notes();
    }
}

TEST(TargetedRaces, HostsThatChangePlacesBeforeAnybodyLooksStay) {
    for (const std::uint64_t training_ns : {1000U, 10'000U, 30'000U, 1'000'000U}) {
        SimWorld::Options options;
        options.timing.training_ns = training_ns;
        SimWorld world(net::FatTree3(4), options);
        world.AddManager<kLinuxBench>(WithoutRescue());
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        const std::size_t nodes = world.sm().status().nodes;
        const std::vector<std::uint32_t> hosts = Cables(world, true);
        for (const std::size_t step : {1U, 4U}) {
            world.sim().SwapLinks(hosts[1], hosts[1 + step]);
            world.RunFor(60 * kSecond);
            EXPECT_EQ(world.sm().status().nodes, nodes) << training_ns << " ns, " << step;
            EXPECT_EQ(world.Judge(), "") << training_ns << " ns, " << step;
        }
    }
}

TEST(TargetedRaces, ChangesWithoutEndDoNotPutOffTheSweepThatConfirms) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.sweep_interval = 10;
    world.AddManager<kLinuxBench>(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    const std::uint32_t row = Cables(world, true)[1];
    const auto whole = [&] {
        const SubnetStatus& status = world.sm().progress();
        return status.heavy_sweeps - status.targeted_sweeps;
    };
    const std::uint64_t before = whole();
    for (int i = 0; i < 20; ++i) {
        world.sim().Do(i % 2 == 0 ? Action::kCut : Action::kJoin, row);
        world.RunFor(6 * kSecond);
    }
    EXPECT_GE(whole() - before, 5U) << world.Notes();
    EXPECT_GE(world.sm().progress().targeted_sweeps, 5U);
}

}  // namespace
}  // namespace ember::testing
