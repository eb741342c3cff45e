// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how far switches are from the roots or from the leaves.

#include "engines/up_down/levels.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/engines/up_down/study.h"

namespace ember {
namespace {

using testing::Study;

TEST(Levels, FindTheTopOfAFatTree) {
    const net::Netlist netlist = net::FatTree3(8);
    Study study(netlist);
    Levels levels;
    study.Find(levels, UpDownRule::kFromRoots);
    EXPECT_EQ(levels.origin_count(), 16U);
    EXPECT_EQ(levels.top(), 2U);
    EXPECT_FALSE(levels.has_flat_link());
    EXPECT_TRUE(levels.reach_all());
    std::size_t leaves = 0;
    for (const SwitchIndex at : study.topology().switches_by_guid()) {
        const bool has_hosts = study.topology().switch_row(at).end_port_count != 0;
        EXPECT_EQ(levels.level(at) == 2, has_hosts);
        leaves += has_hosts ? 1U : 0U;
    }
    EXPECT_EQ(leaves, 32U);
}

TEST(Levels, TakeTheTopOfALargeTreeUnderTheirOwnOrder) {
    // 20 of 400 end ports are behind the own leaf: not more than a twentieth.
    net::Netlist netlist;
    constexpr std::uint32_t kLeaves = 20;
    for (std::uint32_t i = 0; i < kLeaves + 2; ++i) {
        netlist.Add(NodeType::kSwitch, 24, "S-" + std::to_string(i), "");
        netlist.nodes.back().guid = static_cast<Guid>(i + 1);
    }
    for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) {
        netlist.ConnectAny(leaf, kLeaves);
        netlist.ConnectAny(leaf, kLeaves + 1);
        for (std::uint32_t i = 0; i < 20; ++i) {
            const std::uint32_t name = leaf * 20 + i;
            const std::uint32_t host =
                netlist.Add(NodeType::kChannelAdapter, 1, "H-" + std::to_string(name), "");
            netlist.nodes.back().guid = static_cast<Guid>(0x1000 + name * 16);
            netlist.ConnectAny(host, leaf);
        }
    }
    testing::BuiltFabric::Options options;
    options.own_node = kLeaves + 2;
    Study study(netlist, options);
    Levels levels;
    study.Find(levels, UpDownRule::kFromRoots);
    EXPECT_EQ(levels.origin_count(), kLeaves + 2U);  // As in OpenSM.
    study.settings.order = Order::kBalanced;
    study.Find(levels, UpDownRule::kFromRoots);
    EXPECT_EQ(levels.origin_count(), 2U);
    EXPECT_EQ(levels.level(study.at(kLeaves)), 0U);
    EXPECT_EQ(levels.level(study.at(kLeaves + 1)), 0U);
    EXPECT_EQ(levels.level(study.at(0)), 1U);
}

TEST(Levels, CountFromTheLeavesForDnup) {
    const net::Netlist netlist = net::FatTree3(4);
    Study study(netlist);
    Levels levels;
    study.Find(levels, UpDownRule::kFromLeaves);
    EXPECT_EQ(levels.origin_count(), 8U);
    for (const SwitchIndex at : study.topology().switches_by_guid()) {
        const bool has_hosts = study.topology().switch_row(at).end_port_count != 0;
        EXPECT_EQ(levels.level(at) == 0, has_hosts);
    }
}

TEST(Levels, AscendInTheirOrder) {
    const net::Netlist netlist = net::RandomGraph(3, 40, 4, 1);
    Study study(netlist);
    const Guid root = study.topology().switch_row(SwitchIndex{7}).guid;
    study.settings.tables.roots = {&root, 1};
    study.settings.tables.has_roots = true;
    Levels levels;
    study.Find(levels, UpDownRule::kFromRoots);
    EXPECT_EQ(levels.origin_count(), 1U);
    std::uint16_t before = 0;
    for (const SwitchIndex at : levels.by_level()) {
        EXPECT_GE(levels.level(at), before);
        before = levels.level(at);
        std::uint16_t nearest = kNoLevel;
        for (const Trunk& trunk : study.topology().trunks(at)) {
            nearest = std::min(nearest, levels.level(trunk.peer));
        }
        EXPECT_EQ(levels.level(at), levels.level(at) == 0 ? 0 : nearest + 1);
    }
    EXPECT_EQ(before, levels.top());
}

/// Switches with GUIDs 1, 2, ...; hosts are added with HangHosts().
net::Netlist Switches(std::uint32_t count) {
    net::Netlist netlist;
    for (std::uint32_t i = 0; i < count; ++i) {
        netlist.Add(NodeType::kSwitch, 36, "S-" + std::to_string(i), "");
        netlist.nodes.back().guid = static_cast<Guid>(i + 1);
    }
    return netlist;
}

void HangHosts(net::Netlist& netlist, std::uint32_t at, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name = "H-" + std::to_string(at) + "-" + std::to_string(i);
        const std::uint32_t host = netlist.Add(NodeType::kChannelAdapter, 1, name, "");
        netlist.nodes.back().guid = static_cast<Guid>(0x1000 + host * 16);
        netlist.ConnectAny(host, at);
    }
}

/// `leaves` switches under the `spines` next ones.
void JoinAll(net::Netlist& netlist, std::uint32_t leaves, std::uint32_t spines) {
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
        for (std::uint32_t spine = leaves; spine < leaves + spines; ++spine) {
            netlist.ConnectAny(leaf, spine);
        }
    }
}

/// Updn's, under EmberSM's own order.
std::vector<std::uint32_t> OriginsOf(const net::Netlist& netlist, std::uint32_t own_node) {
    testing::BuiltFabric::Options options;
    options.own_node = own_node;
    Study study(netlist, options);
    study.settings.order = Order::kBalanced;
    Levels levels;
    study.Find(levels, UpDownRule::kFromRoots);
    std::vector<std::uint32_t> origins;
    for (std::uint32_t node = 0; node < own_node; ++node) {
        if (levels.level(study.at(node)) == 0) origins.push_back(node);
    }
    EXPECT_EQ(levels.origin_count(), origins.size());
    return origins;
}

TEST(Levels, TakeSpinesWithServiceHostsForRootsToo) {
    net::Netlist netlist = Switches(8);
    JoinAll(netlist, 6, 2);
    for (std::uint32_t leaf = 0; leaf < 6; ++leaf) {
        HangHosts(netlist, leaf, 8);
    }
    HangHosts(netlist, 6, 2);
    EXPECT_EQ(OriginsOf(netlist, 8), (std::vector<std::uint32_t>{6, 7}));
}

TEST(Levels, TakeTheMiddleOfATreeWithSwitchesBelowItsLeaves) {
    // A director of 6 line and 3 spine chips. Two edge switches hang on line chips without hosts,
    // which are thus joined to the spine chips at one distance from the hosts.
    net::Netlist netlist = Switches(11);
    JoinAll(netlist, 6, 3);
    for (const std::uint32_t edge : {9U, 10U}) {
        netlist.ConnectAny(edge, 4);
        netlist.ConnectAny(edge, 5);
        HangHosts(netlist, edge, 8);
    }
    for (std::uint32_t line = 0; line < 4; ++line) {
        HangHosts(netlist, line, 8);
    }
    EXPECT_EQ(OriginsOf(netlist, 11), (std::vector<std::uint32_t>{6, 7, 8}));
}

TEST(Levels, TakeAllSpinesForRootsThoughALeafSwitchLostItsCablesToSome) {
    // Of four spines only the last has a cable to the fifth leaf switch.
    net::Netlist netlist = Switches(9);
    for (std::uint32_t leaf = 0; leaf < 5; ++leaf) {
        for (std::uint32_t spine = 5; spine < 9; ++spine) {
            if (leaf != 4 || spine == 8) netlist.ConnectAny(leaf, spine);
        }
        HangHosts(netlist, leaf, 6);
    }
    EXPECT_EQ(OriginsOf(netlist, 9), (std::vector<std::uint32_t>{5, 6, 7, 8}));
}

TEST(Levels, CountFromOneSwitchWhereAllHaveHosts) {
    net::Netlist netlist = Switches(5);
    for (std::uint32_t i = 0; i < 5; ++i) {
        netlist.ConnectAny(i, (i + 1) % 5);
        HangHosts(netlist, i, 3);
    }
    netlist.ConnectAny(2, 4);
    EXPECT_EQ(OriginsOf(netlist, 5), (std::vector<std::uint32_t>{2}));
}

TEST(Levels, KeepNeighborsApartAmongTheOrigins) {
    // A square of switches without hosts between four leaf switches.
    net::Netlist netlist = Switches(8);
    for (std::uint32_t i = 0; i < 4; ++i) {
        netlist.ConnectAny(4 + i, 4 + (i + 1) % 4);
        netlist.ConnectAny(4 + i, i);
        HangHosts(netlist, i, 6);
    }
    EXPECT_EQ(OriginsOf(netlist, 8), (std::vector<std::uint32_t>{4, 6}));
}

}  // namespace
}  // namespace ember
