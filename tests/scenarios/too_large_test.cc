// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric larger than the board.
//
// Goal:   what fits is managed, what does not is left alone and reported once with the limit's name
//         and the size it would need; nothing crashes, and a subnet that fits again is whole again.
// Method: a board smaller than the fabric in each of its limits.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

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
void Crowd(std::uint32_t Fabric::Shortage::*needed, std::uint32_t at_least, Note note) {
    SimWorld world(net::FatTree2(8));
    world.AddManager<kLimits>();
    world.RunFor(10 * kSecond);
    const Fabric::Shortage& shortage = world.sm().fabric().shortage();
    EXPECT_TRUE(shortage.any());
    EXPECT_GE(shortage.*needed, at_least) << world.Notes();
    EXPECT_LE(world.sm().status().nodes, kLimits.max_nodes);
    EXPECT_GE(world.Heard(note), 1U) << world.Notes();
}

TEST(TooLarge, NodesBeyondTheBoardAreLeftAlone) {
    Crowd<With(&Limits::max_nodes, 20)>(&Fabric::Shortage::needed_nodes, 21, Note::kTooManyNodes);
}

TEST(TooLarge, SwitchesBeyondTheBoardAreLeftAlone) {
    Crowd<With(&Limits::max_switches, 5)>(&Fabric::Shortage::needed_switches, 6,
                                          Note::kTooManySwitches);
}

TEST(TooLarge, PortsBeyondTheBoardAreLeftAlone) {
    constexpr Limits kFew = [] {
        Limits limits = kSimSmall;
        limits.max_nodes = 60;
        limits.max_ports = 60;
        limits.max_switches = 20;
        return limits;
    }();
    Crowd<kFew>(&Fabric::Shortage::needed_ports, 61, Note::kTooManyPorts);
}

TEST(TooLarge, SwitchesWiderThanTheBoardAreLeftAlone) {
    Crowd<With(&Limits::max_switch_ports, 6)>(&Fabric::Shortage::needed_switch_ports, 8,
                                              Note::kTooWideSwitch);
}

TEST(TooLarge, LidsBeyondTheBoardAreNotGivenOut) {
    Crowd<With(&Limits::max_lid, 30)>(&Fabric::Shortage::needed_lids, 31, Note::kLidsExhausted);
}

/// The master before had a larger board. A LID that a port still holds may be another port's now.
TEST(TooLarge, AHostForWhichNoLidIsLeftStaysInInit) {
    SimWorld world(net::FatTree2(8));
    const std::size_t large = world.AddManager(BriskSettings());
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    world.Kill(large);
    std::uint32_t host = world.node_of_seat(large) + 1;
    while (world.world().node(host).is_switch())
        ++host;
    const std::size_t small =
        world.AddManager<With(&Limits::max_lid, 30)>(host, 1, BriskSettings());
    world.RunFor(30 * kSecond);
    const Fabric& fabric = world.sm(small).fabric();
    std::set<Lid> active;
    std::size_t waiting = 0;
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (world.world().node(node).is_switch()) continue;
        const PortInfo& info = world.world().port(world.sim().RowOf(node, 1)).info;
        const bool has_lid = fabric.PortByLid(info.Get(PortInfo::kLid)) != kNoPortIndex;
        if (info.Get(PortInfo::kPortState) == PortState::kActive) {
            EXPECT_TRUE(active.insert(info.Get(PortInfo::kLid)).second) << "node " << node;
            EXPECT_TRUE(has_lid) << "node " << node;
        } else {
            EXPECT_EQ(info.Get(PortInfo::kPortState), PortState::kInitialize) << "node " << node;
            ++waiting;
        }
    }
    EXPECT_EQ(waiting, 14U) << world.Notes(small);
    EXPECT_EQ(active.size(), 18U);
}

TEST(TooLarge, RoomForANodeThatLiesInPiecesIsGathered) {
    // A hub with 12 hosts fills the board's rows for ports. A switch of 4 ports, which has no power
    // at first, comes when every second host has gone.
    net::Netlist netlist;
    const std::uint32_t hub = netlist.Add(NodeType::kSwitch, 14, "hub", "");
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t i = 0; i < 12; ++i) {
        hosts.push_back(netlist.Add(NodeType::kChannelAdapter, 1, "h" + std::to_string(i), ""));
        netlist.Connect(hosts[i], 1, hub, 1 + i);
    }
    const std::uint32_t late = netlist.Add(NodeType::kSwitch, 4, "late", "");
    netlist.Connect(late, 1, hub, 14);
    netlist.AssignGuids();
    constexpr Limits kFew = [] {
        Limits limits = kSimSmall;
        limits.max_nodes = 14;
        limits.max_switches = 2;
        limits.max_ports = 15 + 12;
        return limits;
    }();
    SimWorld world(netlist);
    world.sim().Do(sim::FabricSim::Action::kPowerOff, late);
    world.AddManager<kFew>(hosts[0], 1, BriskSettings());
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    ASSERT_EQ(world.sm().status().nodes, 13U);
    for (std::size_t i = 1; i < hosts.size(); i += 2) {
        world.sim().Do(sim::FabricSim::Action::kPowerOff, hosts[i]);
    }
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    world.sim().Do(sim::FabricSim::Action::kPowerOn, late);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.sm().status().switches, 2U);
    EXPECT_FALSE(world.sm().fabric().shortage().any());
    EXPECT_EQ(world.Judge(), "") << world.Notes();
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
