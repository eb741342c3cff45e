// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of balanced routes to the LIDs that an LMC adds, and to switches.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "config/netlist/topologies.h"
#include "core/fabric/aggregation_nodes.h"
#include "core/graph/topology.h"
#include "tests/engines/balance/balance_nets.h"
#include "tests/engines/balance/measured.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::Measured;
using testing::Net;
using testing::RoutingRun;

TEST(Balance, SendsTheLidsOfAPortOnDistinctWays) {
    for (const char* const shape : {"ft2:8", "ft3:8", "parallel:4:4"}) {
        Measured measured(Net{.shape = shape}.Build(), "minhop", 2);
        const Topology& topology = measured.topology();
        for (const SwitchIndex from : topology.switches_by_guid()) {
            if (topology.switch_row(from).end_port_count == 0) continue;
            for (const Destination& to : topology.destinations()) {
                if (to.is_switch() || to.at == from) continue;
                std::set<std::uint8_t> exits;
                for (std::size_t i = 0; i < 4; ++i) {
                    exits.insert(measured.ExitAt(from, Raw(to.lid) + i));
                }
                EXPECT_EQ(exits.size(), 4U) << shape;
            }
        }
        EXPECT_GE(measured.Loads().saturation, 0.99) << shape;
    }
}

TEST(Balance, SendsTheLidsOfAPortOverAsManySwitchesAsThereAre) {
    // Two switches in the middle, three cables to each: two LIDs never share one of them.
    net::Netlist netlist;
    const auto left = netlist.Add(NodeType::kSwitch, 8, "left", "");
    const auto right = netlist.Add(NodeType::kSwitch, 8, "right", "");
    for (const char* const name : {"one", "other"}) {
        const auto middle = netlist.Add(NodeType::kSwitch, 6, name, "");
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(netlist.ConnectAny(left, middle));
            ASSERT_TRUE(netlist.ConnectAny(middle, right));
        }
    }
    for (const auto at : {left, left, right, right}) {
        const auto host = netlist.Add(NodeType::kChannelAdapter, 1,
                                      "host" + std::to_string(netlist.nodes.size()), "");
        ASSERT_TRUE(netlist.ConnectAny(host, at));
    }
    netlist.AssignGuids();
    Measured measured(netlist, "minhop", 1);
    const Topology& topology = measured.topology();
    for (const std::uint32_t node : {left, right}) {
        const SwitchIndex from = measured.run().built().switch_index(node);
        for (const Destination& to : topology.destinations()) {
            if (to.is_switch() || to.at == from) continue;
            const auto peer = [&](std::size_t lid) {
                return topology.exits(from)[measured.ExitAt(from, lid)].peer;
            };
            EXPECT_NE(peer(Raw(to.lid)), peer(Raw(to.lid) + std::size_t{1}));
        }
    }
}

TEST(Balance, SpreadsTheLidsOfSwitchesToo) {
    // From a leaf, 15 other leaves over 8 uplinks.
    Measured measured(net::FatTree2(16), "minhop");
    const Topology& topology = measured.topology();
    for (const SwitchIndex from : topology.switches_by_guid()) {
        if (topology.switch_row(from).end_port_count == 0) continue;
        std::map<std::uint8_t, int> counts;
        for (const Destination& to : topology.destinations()) {
            const bool is_leaf = topology.switch_row(to.at).end_port_count > 0;
            if (to.is_switch() && is_leaf && to.at != from) {
                ++counts[measured.ExitAt(from, Raw(to.lid))];
            }
        }
        EXPECT_GE(counts.size(), 6U);
        for (const auto& [port, count] : counts) {
            EXPECT_LE(count, 3) << "port " << int{port};
        }
    }
}

/// LIDs are short: a switch has none, and the aggregation node behind it has those of its port.
TEST(Balance, ReachesAnAggregationNodeOfASwitchWithoutALid) {
    net::Netlist netlist = Net{.shape = "ft2:8"}.Build();
    const auto is_spine = [&](const net::NetNode& node) {
        return node.is_switch() &&
               std::all_of(node.ports.begin(), node.ports.end(), [&](const net::NetPort& port) {
                   return port.peer == net::kNoPeer || netlist.nodes[port.peer].is_switch();
               });
    };
    const auto spine = static_cast<std::uint32_t>(
        std::find_if(netlist.nodes.begin(), netlist.nodes.end(), is_spine) - netlist.nodes.begin());
    netlist.nodes[spine].ports.emplace_back();
    const std::uint32_t node = netlist.Add(NodeType::kChannelAdapter, 1, "aggregation", "");
    netlist.nodes[node].device_id = kAggregationDevices[0];
    netlist.nodes[node].guid = Guid{0x900000U};
    netlist.Connect(spine, netlist.nodes[spine].port_count(), node, 1);
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
        for (const char* const name : {"minhop", "updn", "ftree", "auto"}) {
            SCOPED_TRACE(std::string(name) + ", lmc " + std::to_string(lmc));
            BuiltFabric::Options options;
            options.lmc = lmc;
            options.has_links = true;
            RoutingRun run(netlist, options);
            Fabric& fabric = run.built().fabric();
            fabric.port(fabric.ManagementPortOf(run.built().switch_index(spine))).lid = kNoLid;
            Engines engines;
            const Verdict& verdict = run.Route(*engines.Find(name), testing::Balanced());
            EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
        }
    }
}

}  // namespace
}  // namespace ember
