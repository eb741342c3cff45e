// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of auto on meshes in which a link is missing.
//
// Goal:   such a fabric stays a grid on one lane: no more is lost than the row of the gap carries.
// Method: each link of a mesh in turn, and several of one dimension; all pairs are followed.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/engines/balance/measured.h"

namespace ember {
namespace {

using testing::Measured;

/// A node and a port of it.
using End = std::pair<std::uint32_t, std::uint32_t>;

/// An end of each link between switches.
std::vector<End> LinksOf(const net::Netlist& netlist) {
    std::vector<End> links;
    for (std::uint32_t at = 0; at < netlist.nodes.size(); ++at) {
        const net::NetNode& node = netlist.nodes[at];
        for (std::uint32_t port = 1; node.is_switch() && port <= node.port_count(); ++port) {
            const std::uint32_t peer = node.ports[port].peer;
            const bool is_link = peer != net::kNoPeer && netlist.nodes[peer].is_switch();
            if (is_link && at < peer) links.emplace_back(at, port);
        }
    }
    return links;
}

void Cut(net::Netlist& netlist, End end) {
    net::NetPort& here = netlist.nodes[end.first].ports[end.second];
    netlist.nodes[here.peer].ports[here.peer_port].peer = net::kNoPeer;
    here.peer = net::kNoPeer;
}

net::Netlist Shape(std::string_view shape) {
    std::string error;
    net::Netlist netlist = net::TopologyByName(shape, error);
    EXPECT_EQ(error, "");
    netlist.AssignGuids();
    return netlist;
}

/// A mesh on one lane, that carries so much.
void ExpectMesh(const net::Netlist& netlist, double saturation, const std::string& which) {
    Measured measured(netlist, "auto");
    const Verdict& verdict = measured.run().router().verdict();
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << which;
    EXPECT_EQ(verdict.choice.scheme, RoutingScheme::kDimensionOrder)
        << which << ": " << kShapeMismatchWords[Raw(verdict.choice.not_grid)];
    EXPECT_TRUE(verdict.choice.is_damaged) << which;
    EXPECT_TRUE(measured.run().router().planned_lanes().is_one_lane()) << which;
    EXPECT_FALSE(verdict.findings.anything_may_deadlock) << which;
    EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U) << which;
    EXPECT_GE(measured.Loads().saturation, saturation) << which;
}

/// A link of the row beside the gap carries what two links did.
TEST(OddGrids, AMeshWithoutOneLinkLosesHalfAtMost) {
    for (const std::string_view shape :
         {"mesh:6x6:2", "mesh:9x5:1", "mesh:12x2:3", "mesh:3x4x5:1", "mesh:2x3x6:2"}) {
        const net::Netlist whole = Shape(shape);
        const double before = Measured(whole, "auto").Loads().saturation;
        const std::vector<End> links = LinksOf(whole);
        for (std::size_t i = 0; i < links.size(); ++i) {
            net::Netlist netlist = whole;
            Cut(netlist, links[i]);
            ExpectMesh(netlist, 0.45 * before,
                       std::string(shape) + " without link " + std::to_string(i));
        }
    }
}

/// Links of the dimension of the first link.
TEST(OddGrids, AMeshMayLackSeveralLinksOfOneDimension) {
    const net::Netlist whole = Shape("mesh:4x4x4:1");
    const std::vector<End> links = LinksOf(whole);
    const auto step = [&](const End& end) {
        return whole.nodes[end.first].ports[end.second].peer - end.first;
    };
    std::vector<End> of_one;
    std::copy_if(links.begin(), links.end(), std::back_inserter(of_one),
                 [&](const End& link) { return step(link) == step(links.front()); });
    ASSERT_EQ(of_one.size(), 48U);
    for (std::size_t i = 0; i < of_one.size(); i += 5) {
        net::Netlist netlist = whole;
        Cut(netlist, of_one[i]);
        Cut(netlist, of_one[(i + 11) % of_one.size()]);
        Measured measured(netlist, "auto");
        const Verdict& verdict = measured.run().router().verdict();
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << i;
        EXPECT_FALSE(verdict.findings.anything_may_deadlock) << i;
        EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U) << i;
    }
}

}  // namespace
}  // namespace ember
