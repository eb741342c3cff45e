// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes do not depend on the order in which nodes were found.
//
// Goal:   a manager that starts anew, or finds the fabric from another place, makes the same
// routes,
//         and those of the plan on paper: by every engine, entries and service levels both.
// Method: a net and copies of it whose nodes are added in an order by chance; LIDs are given in the
//         order of GUIDs, so that they are the same ones.

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/support/lane_run.h"

namespace ember {
namespace {

using testing::PlannedSl;
using testing::RoutingRun;

constexpr std::uint8_t kLanes = 8;

/// The same fabric with node order[i] at place i.
net::Netlist InOrder(const net::Netlist& netlist, const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> places(order.size());
    net::Netlist moved;
    for (std::uint32_t place = 0; place < order.size(); ++place) {
        places[order[place]] = place;
        moved.nodes.push_back(netlist.nodes[order[place]]);
    }
    for (net::NetNode& node : moved.nodes) {
        for (net::NetPort& port : node.ports) {
            if (port.peer != net::kNoPeer) port.peer = places[port.peer];
        }
    }
    return moved;
}

struct Routed {
    RoutingOutcome outcome{};
    std::map<Guid, std::vector<std::uint8_t>> tables;  ///< By NodeGUID of the switch.
    std::vector<std::uint8_t> levels;                  ///< Of pairs of end ports by GUID.
};

Routed RouteBy(const std::string& engine, const net::Netlist& netlist, Guid own, Order order) {
    net::BuiltFabric::Options options = testing::WithLanes(kLanes);
    for (std::uint32_t node = 0; node < netlist.nodes.size(); ++node) {
        if (netlist.nodes[node].guid == own) options.own_node = node;
    }
    RoutingRun run(netlist, options);
    Engines engines;
    Routed routed;
    routed.outcome = run.Route(*engines.Find(engine), testing::WithQos(order)).outcome;
    if (routed.outcome != RoutingOutcome::kVerified) return routed;
    for (const auto& [node, entries] : run.planned()) {
        routed.tables[netlist.nodes[node].guid] = entries;
    }
    const testing::SlRule sl_of = PlannedSl(run);
    auto ends = run.reference().destinations();
    std::sort(ends.begin(), ends.end(),
              [](const auto& one, const auto& other) { return one.guid < other.guid; });
    for (const auto& from : ends) {
        for (const auto& to : ends) {
            if (from.is_switch || to.is_switch) continue;
            routed.levels.push_back(static_cast<std::uint8_t>(sl_of(from.at, to.lid)));
        }
    }
    return routed;
}

class NodeOrder : public ::testing::TestWithParam<Order> {};

TEST_P(NodeOrder, IsNothingToAnyEngine) {
    const std::vector<net::Netlist> nets = {
        net::FatTree3(4), net::Torus(std::array{4U, 4U, 4U}, 1), net::Torus(std::array{6U, 5U}, 2),
        net::Hypercube(4, 1),
        testing::WildNetlist(
            {.seed = 5, .switches = 14, .extra_cables = 16, .hosts = 30, .ports = 16})};
    std::size_t routed_nets = 0;
    std::mt19937 chance(7);
    for (std::size_t net = 0; net < nets.size(); ++net) {
        const net::Netlist& netlist = nets[net];
        const auto host = std::find_if(netlist.nodes.begin(), netlist.nodes.end(),
                                       [](const net::NetNode& node) { return !node.is_switch(); });
        std::vector<std::uint32_t> order(netlist.nodes.size());
        std::iota(order.begin(), order.end(), 0U);
        for (const EngineEntry& entry : kEngineCatalogue) {
            const std::string engine(EngineName(entry.kind));
            SCOPED_TRACE(engine + " on net " + std::to_string(net));
            const Routed first = RouteBy(engine, netlist, host->guid, GetParam());
            routed_nets += first.outcome == RoutingOutcome::kVerified ? 1U : 0U;
            for (unsigned times = 0; times < 3; ++times) {
                std::shuffle(order.begin(), order.end(), chance);
                const Routed other =
                    RouteBy(engine, InOrder(netlist, order), host->guid, GetParam());
                EXPECT_EQ(other.outcome, first.outcome);
                EXPECT_EQ(other.levels, first.levels);
                EXPECT_TRUE(other.tables == first.tables);
            }
        }
    }
    EXPECT_GT(routed_nets, 30U);
}

INSTANTIATE_TEST_SUITE_P(Orders, NodeOrder, ::testing::Values(Order::kBalanced, Order::kGuid));

}  // namespace
}  // namespace ember
