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

/// One end of each link between switches.
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
    EXPECT_EQ(verdict.choice.scheme, RoutingScheme::kDimensionOrder) << which;
    EXPECT_TRUE(verdict.choice.is_damaged) << which;
    EXPECT_TRUE(measured.run().router().planned_lanes().is_one_lane()) << which;
    EXPECT_FALSE(verdict.findings.anything_may_deadlock) << which;
    EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U) << which;
    EXPECT_GE(measured.Loads().saturation, saturation) << which;
}

/// A link of the row beside the gap carries what two links did.
TEST(OddGrids, AMeshWithoutOneLinkLosesHalfAtMost) {
    for (const std::string_view shape : {"mesh:6x6:2", "mesh:2x7:2", "mesh:3x4x5:1"}) {
        const net::Netlist whole = Shape(shape);
        const double before = Measured(whole, "auto").Loads().saturation;
        const std::vector<End> links = LinksOf(whole);
        const std::size_t step = shape == "mesh:3x4x5:1" ? 7 : 1;
        for (std::size_t i = 0; i < links.size(); i += step) {
            net::Netlist netlist = whole;
            Cut(netlist, links[i]);
            ExpectMesh(netlist, 0.45 * before,
                       std::string(shape) + " without link " + std::to_string(i));
        }
    }
}

TEST(OddGrids, AMeshMayLackSeveralLinksOfOneDimension) {
    const net::Netlist whole = Shape("mesh:6x6:2");
    const std::vector<End> links = LinksOf(whole);
    const auto same = [&](const End& link) {
        const auto step = [&](const End& end) {
            return whole.nodes[end.first].ports[end.second].peer - end.first;
        };
        return step(link) == step(links.front());
    };
    std::vector<End> of_one;
    std::copy_if(links.begin(), links.end(), std::back_inserter(of_one), same);
    ASSERT_EQ(of_one.size(), 30U);
    for (std::size_t seed = 0; seed < 20; ++seed) {
        net::Netlist netlist = whole;
        Cut(netlist, of_one[seed]);
        Cut(netlist, of_one[(seed + 7) % of_one.size()]);
        Measured measured(netlist, "auto");
        const Verdict& verdict = measured.run().router().verdict();
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << seed;
        EXPECT_FALSE(verdict.findings.anything_may_deadlock) << seed;
        EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U) << seed;
    }
}

}  // namespace
}  // namespace ember
