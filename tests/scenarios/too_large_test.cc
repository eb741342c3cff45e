// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric larger than the board.
//
// Goal:   what fits is managed, what does not is left alone and reported once with the limit's name
//         and the size it would need; nothing crashes, and a subnet that fits again is whole again.
// Method: a board smaller than the fabric in each of its limits.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr Limits With(std::uint32_t Limits::*limit, std::uint32_t value) {
    Limits limits = kSimSmall;
    limits.*limit = value;
    limits.max_switches = std::min(limits.max_switches, limits.max_nodes);
    return limits;
}

/// 8 leaves, 4 spines, 32 hosts: 44 nodes, 12 switches, 140 rows of ports, 44 LIDs.
template <Limits kLimits>
void Crowd(std::uint32_t Fabric::Shortage::*needed, std::uint32_t at_least) {
    SimWorld world(net::FatTree2(8));
    world.AddManager<kLimits>();
    world.RunFor(10 * kSecond);
    const Fabric::Shortage& shortage = world.sm().fabric().shortage();
    EXPECT_TRUE(shortage.any());
    EXPECT_GE(shortage.*needed, at_least) << world.Notes();
    EXPECT_LE(world.sm().status().nodes, kLimits.max_nodes);
    EXPECT_EQ(world.Heard(Note::kLimitExhausted) + world.Heard(Note::kTooManyNodes) +
                      world.Heard(Note::kTooManySwitches) + world.Heard(Note::kTooManyPorts) +
                      world.Heard(Note::kTooWideSwitch) + world.Heard(Note::kLidsExhausted) >
                  0,
              true)
        << world.Notes();
}

TEST(TooLarge, NodesBeyondTheBoardAreLeftAlone) {
    Crowd<With(&Limits::max_nodes, 20)>(&Fabric::Shortage::needed_nodes, 21);
}

TEST(TooLarge, SwitchesBeyondTheBoardAreLeftAlone) {
    Crowd<With(&Limits::max_switches, 5)>(&Fabric::Shortage::needed_switches, 6);
}

TEST(TooLarge, PortsBeyondTheBoardAreLeftAlone) {
    constexpr Limits kFew = [] {
        Limits limits = kSimSmall;
        limits.max_nodes = 60;
        limits.max_ports = 60;
        limits.max_switches = 20;
        return limits;
    }();
    Crowd<kFew>(&Fabric::Shortage::needed_ports, 61);
}

TEST(TooLarge, SwitchesWiderThanTheBoardAreLeftAlone) {
    Crowd<With(&Limits::max_switch_ports, 6)>(&Fabric::Shortage::needed_switch_ports, 8);
}

TEST(TooLarge, LidsBeyondTheBoardAreNotGivenOut) {
    Crowd<With(&Limits::max_lid, 30)>(&Fabric::Shortage::needed_lids, 31);
}

TEST(TooLarge, WhatFitsIsBroughtUpAndTheRestIsNotTouched) {
    // Room for the manager's leaf, its hosts and a little more.
    constexpr Limits kFew = With(&Limits::max_nodes, 20);
    SimWorld world(net::FatTree2(8));
    world.AddManager<kFew>();
    world.RunFor(10 * kSecond);
    std::size_t with_lid = 0;
    for (std::uint32_t row = 0; row < world.world().row_count(); ++row) {
        if (world.world().port(row).info.Get(PortInfo::kLid) != kNoLid) ++with_lid;
    }
    EXPECT_EQ(with_lid, world.sm().status().end_ports);
    EXPECT_LE(with_lid, 20U);
    EXPECT_GE(with_lid, 15U);
    // The manager's own neighbours work.
    for (std::uint32_t host = 0; host < 4; ++host) {
        const PortInfo& info = world.world().port(world.sim().RowOf(host, 1)).info;
        EXPECT_NE(info.Get(PortInfo::kLid), kNoLid) << host;
        EXPECT_EQ(info.Get(PortInfo::kPortState), PortState::kActive) << host;
    }
}

}  // namespace
}  // namespace ember::testing
