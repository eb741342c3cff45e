// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys about cables that flap, and about ports that complain without end.
#include <gtest/gtest.h>

#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"
#include "tests/support/whisperer.h"

namespace ember::acts {
namespace {

/// A subnet of which one cable between two switches is down and up again, `times` times a second
/// with `pause_us` between them.
std::unique_ptr<SimWorld> Flapped(const Settings& settings, int times, std::uint64_t pause_us = 0) {
    auto world = BringUp(settings, net::FatTree2(8));
    const Leaf leaf = FindLeaf(*world);
    for (int i = 0; i < times; ++i) {
        world->Cut(leaf.node, leaf.to_switch);
        world->RunFor(500 * kMs);
        world->Join(leaf.node, leaf.to_switch);
        world->RunFor(500 * kMs + pause_us);
    }
    return world;
}

std::string Verdict(SimWorld& world) {
    const FlappingLinks& flapping = world.sm().flapping();
    if (flapping.CountOf(LinkVerdict::kQuarantined) != 0) return "left out";
    return flapping.CountOf(LinkVerdict::kDamped) != 0 ? "damped" : "in use";
}

std::string AfterFiveFlaps(const Settings& settings) {
    return Verdict(*Flapped(settings, 5));
}

std::string AfterThreeFlaps(const Settings& settings) {
    return Verdict(*Flapped(settings, 3));
}

/// Five within 50 s.
std::string AfterSlowFlaps(const Settings& settings) {
    return Verdict(*Flapped(settings, 5, 10 * kSecond));
}

/// Half a minute after it was left out.
std::string HalfAMinuteLater(const Settings& settings) {
    const auto world = Flapped(settings, 5);
    EXPECT_EQ(Verdict(*world), "left out");
    world->RunFor(30 * kSecond);
    return Verdict(*world);
}

/// A host complains of its own link until its share of traps is used up.
std::string AfterBabble(const Settings& settings) {
    SimWorld world(SmallTree());
    world.AddManager(settings);
    testing::Whisperer port(world.attachment());
    world.Interpose(port);
    world.Restart();
    EXPECT_TRUE(world.RunUntilQuiet(60 * kSecond));
    port.from = port.about = LidOf(world, 5);
    port.port = PortNumber{1};
    for (port.waiting = 250; port.waiting != 0;) {
        world.Wake();
        world.RunFor(kMs);
    }
    world.RunFor(5 * kSecond);
    const std::uint32_t near_end = world.world().Wired(world.sim().RowOf(5, 1));
    return world.world().port(near_end).disabled ? "disabled" : "enabled";
}

}  // namespace

std::vector<Row> FlappingRows() {
    // clang-format off
    return {
        {"flapping_link_policy", "damp", &AfterFiveFlaps, "left out", "damped"},
        {"flapping_link_count", "3", &AfterThreeFlaps, "in use", "left out"},
        {"flapping_link_window", "20", &AfterSlowFlaps, "left out", "in use"},
        {"flapping_link_hold", "10", &HalfAMinuteLater, "left out", "in use"},
        {"babbling_port_policy", "TRUE", &AfterBabble, "enabled", "disabled"},
    };
    // clang-format on
}

}  // namespace ember::acts
