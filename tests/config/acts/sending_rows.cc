// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of sweeping and sending.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"

namespace ember::acts {
namespace {

/// The sweeps of a quiet minute.
std::string SweepsOfAMinute(const Settings& settings) {
    const auto world = BringUp(settings);
    world->RunFor(15 * kSecond);  // The first timed sweep confirms the bring-up, and is heavy.
    const SubnetStatus before = world->sm().status();
    world->RunFor(60 * kSecond);
    const SubnetStatus now = world->sm().status();
    return fmt::format("{} light, {} heavy", now.light_sweeps - before.light_sweeps,
                       now.heavy_sweeps - before.heavy_sweeps);
}

/// Whether the trap of a switch that lost a cable was followed by a look at the fabric.
std::string AfterATrap(const Settings& settings) {
    const auto world = BringUp(settings);
    const Leaf leaf = FindLeaf(*world);
    const std::uint64_t before = world->sm().status().heavy_sweeps;
    world->Cut(leaf.node, leaf.to_switch);
    world->RunFor(5 * kSecond);
    return world->sm().status().heavy_sweeps > before ? "swept" : "not swept";
}

/// Whether a table that somebody erased was written again within ten seconds.
std::string ErasedTable(const Settings& settings) {
    const auto world = BringUp(settings);
    SmpData nothing{};
    nothing.fill(255);
    const std::uint32_t leaf = FindLeaf(*world).node;
    EXPECT_TRUE(world->world().WriteLftBlock(leaf, 0, nothing));
    world->world().NoteRouteChange();
    world->RunFor(10 * kSecond);
    return world->world().LftEntry(leaf, 1) == 255 ? "erased" : "written again";
}

/// Cables, where a port to a spine may be named as an edge.
std::string Cables(const Settings& settings) {
    return Text(BringUp(settings)->sm().status().links);
}

/// The most SMPs that were under way at a bring-up.
std::string PeakInFlight(const Settings& settings) {
    const auto world = BringUp(settings, net::FatTree2(8));
    return Text(world->sm().exchange().statistics().peak_in_flight);
}

/// The same, half a second after everything but our own switch has fallen silent.
std::string PeakInSilence(const Settings& settings) {
    SimWorld world(net::FatTree2(8));
    world.AddManager(settings);
    const std::uint32_t own = world.node_of_seat();
    const std::uint32_t leaf =
        world.world().port(world.world().Wired(world.sim().RowOf(own, 1))).node;
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (node != own && node != leaf) world.sim().Silence(node, 0);
    }
    world.RunFor(500 * kMs);
    return Text(world.sm().exchange().statistics().peak_in_flight);
}

/// A manager beside a host that does not answer.
std::unique_ptr<SimWorld> BesideASilentHost(const Settings& settings) {
    auto world = std::make_unique<SimWorld>(SmallTree());
    world->sim().Silence(5, 0);
    world->AddManager(settings);
    return world;
}

/// When the first try was given up, to 50 ms.
std::string FirstTimeout(const Settings& settings) {
    const auto world = BesideASilentHost(settings);
    while (world->sm().exchange().statistics().timeouts == 0 && world->now_us() < kSecond) {
        world->RunFor(10 * kMs);
    }
    return fmt::format("{} ms", world->now_us() / (50 * kMs) * 50);
}

std::string TriesOfASilentHost(const Settings& settings) {
    const auto world = BesideASilentHost(settings);
    const ExchangeStatistics& statistics = world->sm().exchange().statistics();
    EXPECT_TRUE(world->RunUntil([&] { return statistics.given_up != 0; }, 20 * kSecond));
    return Text(statistics.timeouts / std::max<std::uint64_t>(statistics.given_up, 1));
}

/// How often routes were balanced anew within a minute after a cable was lost.
std::string Balancings(const Settings& settings) {
    const auto world = BringUp(settings, net::FatTree2(8));
    const Leaf leaf = FindLeaf(*world);
    world->Cut(leaf.node, leaf.to_switch);
    world->RunFor(60 * kSecond);
    return Text(world->sm().progress().balancings);
}

}  // namespace

std::vector<Row> SendingRows() {
    // clang-format off
    return {
        {"sweep_interval", "2", &SweepsOfAMinute, "6 light, 0 heavy", "30 light, 0 heavy"},
        {"force_heavy_sweep", "TRUE", &SweepsOfAMinute, "6 light, 0 heavy", "0 light, 6 heavy"},
        {"sweep_on_trap", "FALSE", &AfterATrap, "swept", "not swept",
         "sweep_interval 0\nscrub_interval 0\n"},
        {"scrub_interval", "0", &ErasedTable, "written again", "erased"},
        {"edge_ports", "edges", &Cables, "16", "15", "", {{"edges", "0x200000 3\n"}}},
        {"max_wire_smps", "2", &PeakInFlight, "32", "2"},
        {"max_wire_smps2", "8", &PeakInSilence, "3", "7",
         "max_wire_smps 2\nmax_smps_timeout 50000\n"},
        {"max_smps_timeout", "50000", &PeakInSilence, "3", "7",
         "max_wire_smps 2\nmax_wire_smps2 8\n"},
        {"transaction_timeout", "50", &FirstTimeout, "200 ms", "50 ms"},
        {"transaction_retries", "5", &TriesOfASilentHost, "3", "5"},
        {"offsweep_balancing_enabled", "TRUE", &Balancings, "0", "1",
         "offsweep_balancing_window 20\n"},
        {"offsweep_balancing_window", "20", &Balancings, "0", "1",
         "offsweep_balancing_enabled TRUE\n"},
    };
    // clang-format on
}

}  // namespace ember::acts
