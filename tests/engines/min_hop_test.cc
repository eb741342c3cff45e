// SPDX-License-Identifier: Apache-2.0
// EmberSM: min-hop's rules, one at a time. routing_property_test.cc compares whole results.

#include "engines/min_hop.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "config/netlist/topologies.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::SlowDestination;

/// How many hosts' LIDs leave switch `node` through each port.
std::map<std::uint8_t, int> HostLoads(const RoutingRun& run, std::uint32_t node) {
    std::map<std::uint8_t, int> loads;
    const auto planned = run.planned();
    for (const SlowDestination& destination : run.reference().destinations()) {
        if (destination.is_switch || destination.at == node) continue;
        for (std::uint32_t i = 0; i < destination.lid_count; ++i) {
            ++loads[planned.at(node)[destination.lid + i]];
        }
    }
    return loads;
}

TEST(MinHop, SpreadsHostsEvenlyOverParallelCables) {
    const net::Netlist netlist = net::ParallelLinks(4, 10);
    RoutingRun run(netlist);
    MinHop min_hop;
    ASSERT_TRUE(run.Route(min_hop).may_program());
    for (const std::uint32_t node : run.reference().switches()) {
        const auto loads = HostLoads(run, node);
        EXPECT_EQ(loads.size(), 4U);
        for (const auto& [port, load] : loads) {
            EXPECT_TRUE(load == 2 || load == 3) << "port " << int{port};  // 10 over 4.
        }
    }
}

TEST(MinHop, GivesEachUplinkOfAFatTreeTheSameLoad) {
    const net::Netlist netlist = net::FatTree3(8);
    RoutingRun run(netlist);
    MinHop min_hop;
    ASSERT_TRUE(run.Route(min_hop).may_program());
    for (const std::uint32_t node : run.reference().switches()) {
        const std::uint32_t first_peer = netlist.nodes[node].ports[1].peer;
        if (netlist.nodes[first_peer].is_switch()) continue;  // Not a leaf.
        const auto loads = HostLoads(run, node);
        EXPECT_EQ(loads.size(), 4U);
        for (const auto& [port, load] : loads) {
            EXPECT_EQ(load, (128 - 4) / 4) << "port " << int{port};
        }
    }
}

TEST(MinHop, CountsSwitchesOnlyWhenToldTo) {
    // Two cables to a switch with three more behind it: their LIDs all take the first cable, unless
    // each counts for the next.
    net::Netlist netlist;
    const auto root = netlist.Add(NodeType::kSwitch, 2, "root", "");
    const auto hub = netlist.Add(NodeType::kSwitch, 5, "hub", "");
    netlist.Connect(root, 1, hub, 1);
    netlist.Connect(root, 2, hub, 2);
    for (std::uint32_t i = 0; i < 3; ++i) {
        const auto leaf = netlist.Add(NodeType::kSwitch, 1, "leaf" + std::to_string(i), "");
        netlist.Connect(hub, 3 + i, leaf, 1);
    }
    netlist.AssignGuids();
    for (const bool counts : {false, true}) {
        RoutingRun run(netlist);
        Settings settings = testing::OpensmSettings();
        settings.port_profile_switch_nodes = counts;
        MinHop min_hop;
        ASSERT_TRUE(run.Route(min_hop, settings).may_program());
        const auto row = run.planned().at(root);
        EXPECT_EQ(std::count(row.begin(), row.end(), 1), counts ? 2 : 4);
        EXPECT_EQ(std::count(row.begin(), row.end(), 2), counts ? 2 : 0);
    }
}

TEST(MinHop, SendsTheLidsOfAPortThroughDifferentSwitches) {
    const net::Netlist netlist = net::FatTree2(8);  // 4 spines.
    testing::BuiltFabric::Options options;
    options.lmc = 2;
    RoutingRun run(netlist, options);
    MinHop min_hop;
    ASSERT_TRUE(run.Route(min_hop).may_program());
    const auto planned = run.planned();
    for (const std::uint32_t node : run.reference().switches()) {
        const std::uint32_t first_peer = netlist.nodes[node].ports[1].peer;
        if (netlist.nodes[first_peer].is_switch()) continue;
        for (const SlowDestination& destination : run.reference().destinations()) {
            if (destination.is_switch || destination.at == node) continue;
            std::set<std::uint32_t> spines;
            for (std::uint32_t i = 0; i < 4; ++i) {
                const std::uint8_t port = planned.at(node)[destination.lid + i];
                spines.insert(netlist.nodes[node].ports[port].peer);
            }
            EXPECT_EQ(spines.size(), 4U);
        }
    }
}

TEST(MinHop, RoutesSwitchesWithAllPortsThereCanBe) {
    for (const std::uint32_t ports : {62U, 63U, 64U, 65U, 128U, 253U, 254U}) {
        net::Netlist netlist;
        const auto left = netlist.Add(NodeType::kSwitch, ports, "left", "");
        const auto right = netlist.Add(NodeType::kSwitch, ports, "right", "");
        for (std::uint32_t port = 1; port + 2 <= ports; ++port) {
            netlist.Connect(left, port, right, port);
        }
        for (int i = 0; i < 2; ++i) {
            for (const std::uint32_t at : {left, right}) {
                const auto host = netlist.Add(NodeType::kChannelAdapter, 1,
                                              std::to_string(at) + "." + std::to_string(i), "");
                ASSERT_TRUE(netlist.ConnectAny(host, at));
            }
        }
        netlist.AssignGuids();
        testing::BuiltFabric::Options options;
        options.lmc = 7;  // 256 routes over all those cables.
        RoutingRun run(netlist, options);
        MinHop min_hop;
        ASSERT_TRUE(run.Route(min_hop).may_program());
        EXPECT_EQ(run.planned(), run.reference().MinHop({})) << ports << " ports";
    }
}

TEST(MinHop, PromisesShortestPathsOnly) {
    const MinHop min_hop;
    EXPECT_TRUE(min_hop.promise({}).shortest);
    EXPECT_FALSE(min_hop.promise({}).deadlock_free);
}

TEST(MinHop, DoesNotPromiseThemWhereCablesAreWeighed) {
    const std::array weights = {HopWeight{Guid{1}, PortNumber{1}, 2}};
    Settings settings = testing::OpensmSettings();
    settings.tables.hop_weights = weights;
    const MinHop min_hop;
    EXPECT_FALSE(min_hop.promise(settings).shortest);
}

}  // namespace
}  // namespace ember
