// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of links that run slower than what is beside them, in routes and in what is told.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/plan/link_loads.h"
#include "config/emberc/plan/measure.h"
#include "config/emberc/plan/report.h"
#include "config/netlist/topologies.h"
#include "core/wire/port_info.h"
#include "tests/config/plan/plan_support.h"
#include "tests/engines/balance/measured.h"

namespace ember::plan {
namespace {

using testing::Measured;

/// Both ends of a cable.
void SetSpeed(net::Netlist& netlist, std::uint32_t node, std::uint8_t port, std::uint8_t speed) {
    net::NetPort& one = netlist.nodes[node].ports[port];
    ASSERT_NE(one.peer, net::kNoPeer);
    one.speed = netlist.nodes[one.peer].ports[one.peer_port].speed = speed;
}

std::vector<std::uint32_t> SwitchesOf(const net::Netlist& netlist) {
    std::vector<std::uint32_t> switches;
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        if (netlist.nodes[i].is_switch()) switches.push_back(i);
    }
    return switches;
}

/// The ports of a switch that lead to another.
std::vector<std::uint8_t> TrunksOf(const net::Netlist& netlist, std::uint32_t node) {
    std::vector<std::uint8_t> trunks;
    const auto& ports = netlist.nodes[node].ports;
    for (std::size_t i = 1; i < ports.size(); ++i) {
        if (ports[i].peer == net::kNoPeer || !netlist.nodes[ports[i].peer].is_switch()) continue;
        trunks.push_back(static_cast<std::uint8_t>(i));
    }
    return trunks;
}

/// Flows over each port of a switch, by the netlist's ports.
std::uint64_t LoadOf(Measured& measured, const AllToAll& loads, SwitchIndex at, std::uint8_t port) {
    return loads.load[measured.topology().switch_row(at).first_exit + port];
}

class SlowLinksTest : public ::testing::TestWithParam<std::string_view> {};

/// Twelve hosts on either side of four cables, one of DDR beside three of EDR.
TEST_P(SlowLinksTest, CarryLessThanThoseBesideThem) {
    net::Netlist netlist = net::ParallelLinks(4, 12);
    const std::vector<std::uint32_t> switches = SwitchesOf(netlist);
    const std::uint8_t slow = TrunksOf(netlist, switches[0]).front();
    SetSpeed(netlist, switches[0], slow, link_speed::kDdr);
    Measured measured(netlist, GetParam());
    const SwitchIndex at = measured.run().built().switch_index(switches[0]);
    const AllToAll loads =
        MeasureAllToAll(measured.topology(), measured.run().lfts(), {}, Rate::k100Gb);
    EXPECT_EQ(LoadOf(measured, loads, at, slow), 0U) << "a receiver more on a fast one is less";
    EXPECT_DOUBLE_EQ(loads.max, 48);
    EXPECT_DOUBLE_EQ(loads.saturation, 23.0 / 48);
    EXPECT_DOUBLE_EQ(loads.saturation_by_rate, 23.0 / 48);
}

/// A spine of HDR carries twice what one of EDR does.
TEST_P(SlowLinksTest, CarryTheirShareByTheirRate) {
    net::Netlist netlist = net::ParallelLinks(3, 24);
    const std::vector<std::uint32_t> switches = SwitchesOf(netlist);
    const std::uint8_t fast = TrunksOf(netlist, switches[0]).back();
    net::NetPort& one = netlist.nodes[switches[0]].ports[fast];
    for (net::NetPort* const end : {&one, &netlist.nodes[one.peer].ports[one.peer_port]}) {
        end->extended_speed = link_speed_ext::kHdr;
    }
    Measured measured(netlist, GetParam());
    const SwitchIndex at = measured.run().built().switch_index(switches[0]);
    const AllToAll loads =
        MeasureAllToAll(measured.topology(), measured.run().lfts(), {}, Rate::k100Gb);
    for (const std::uint8_t port : TrunksOf(netlist, switches[0])) {
        EXPECT_EQ(LoadOf(measured, loads, at, port), port == fast ? 288U : 144U) << unsigned{port};
    }
}

/// Levels of a tree that have rates of their own are balanced as one rate: the paths stay whole.
TEST_P(SlowLinksTest, AreNoneInATreeWhoseLevelsDiffer) {
    net::Netlist netlist = net::FatTree3(8);
    Measured before(netlist, GetParam());
    for (const std::uint32_t node : SwitchesOf(netlist)) {
        bool has_hosts = false;
        for (const net::NetPort& port : netlist.nodes[node].ports) {
            has_hosts |= port.peer != net::kNoPeer && !netlist.nodes[port.peer].is_switch();
        }
        if (!has_hosts) continue;
        for (const std::uint8_t port : TrunksOf(netlist, node)) {
            SetSpeed(netlist, node, port, link_speed::kQdr);
        }
    }
    Measured after(netlist, GetParam());
    EXPECT_TRUE(SlowLinks(after.topology()).empty());
    EXPECT_EQ(after.run().planned(), before.run().planned());
}

INSTANTIATE_TEST_SUITE_P(Engines, SlowLinksTest, ::testing::Values("minhop", "auto"));

/// The link that is the narrowest for what it carries need not be the busiest: the saturation by
/// rate counts by the one, bars of the histogram by the other.
TEST(SlowLinks, MayBeTheNarrowestThoughOthersAreBusier) {
    net::Netlist netlist;
    std::vector<std::uint32_t> row;
    for (const std::uint32_t hosts : {1U, 3U, 4U}) {
        const std::string name = "s" + std::to_string(row.size());
        row.push_back(netlist.Add(NodeType::kSwitch, 8, name, name));
        for (std::uint32_t i = 0; i < hosts; ++i) {
            const std::string host = name + "h" + std::to_string(i);
            ASSERT_TRUE(netlist.ConnectAny(netlist.Add(NodeType::kChannelAdapter, 1, host, host),
                                           row.back()));
        }
        if (row.size() > 1) ASSERT_TRUE(netlist.ConnectAny(row[row.size() - 2], row.back()));
    }
    netlist.AssignGuids();
    SetSpeed(netlist, row[0], TrunksOf(netlist, row[0]).front(), link_speed::kSdr);
    Measured measured(netlist, "updn");
    const Topology& topology = measured.topology();
    const AllToAll loads = MeasureAllToAll(topology, measured.run().lfts(), {}, Rate::k100Gb);
    EXPECT_DOUBLE_EQ(loads.max, 16) << "four hosts to four";
    EXPECT_DOUBLE_EQ(loads.saturation, 7.0 / 16);
    EXPECT_NE(loads.busiest, measured.run().built().switch_index(row[0]));
    // Seven flows over 8 Gb/s of data beside 100: more than sixteen over 100.
    EXPECT_DOUBLE_EQ(loads.saturation_by_rate, 0.08);
    EXPECT_TRUE(loads.narrowest == measured.run().built().switch_index(row[0]) ||
                loads.narrowest == measured.run().built().switch_index(row[1]));
    const LoadHistogram histogram = HistogramOf(topology, loads, 40);
    EXPECT_EQ(histogram.counts.size(), 16U);
    EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::size_t{0}),
              4U);
}

/// A cable that no route uses is named in the plan, as the manager names it.
TEST(OddCables, AreNamedInThePlanWithBothEnds) {
    std::string error;
    net::Netlist netlist = net::TopologyByName("ft2:8", error);
    ASSERT_EQ(error, "");
    const std::vector<std::uint32_t> switches = SwitchesOf(netlist);
    std::vector<std::uint32_t> leaves;
    for (const std::uint32_t at : switches) {
        const std::size_t cables = static_cast<std::size_t>(
            std::count_if(netlist.nodes[at].ports.begin(), netlist.nodes[at].ports.end(),
                          [](const net::NetPort& port) { return port.peer != net::kNoPeer; }));
        if (TrunksOf(netlist, at).size() != cables) leaves.push_back(at);
    }
    for (const std::uint32_t leaf : {leaves.front(), leaves.back()}) {
        netlist.nodes[leaf].ports.emplace_back();
    }
    netlist.Connect(leaves.front(), netlist.nodes[leaves.front()].port_count(), leaves.back(),
                    netlist.nodes[leaves.back()].port_count());
    netlist.AssignGuids();
    const auto plan = PlanOf(netlist, kDefaults);
    const Report report = Measure(*plan, {.bisections = 1, .is_quiet = true});
    const std::string said = fmt::format(
        "left out                    {} port {} to {} port {}",
        netlist.nodes[leaves.front()].description, netlist.nodes[leaves.front()].port_count(),
        netlist.nodes[leaves.back()].description, netlist.nodes[leaves.back()].port_count());
    EXPECT_NE(RenderText(*plan, report, 20).find(said), std::string::npos)
        << said << RenderText(*plan, report, 20);
    const nlohmann::json facts = RenderJson(*plan, report);
    EXPECT_EQ(facts["verdict"]["left_out_count"], 1U);
    EXPECT_EQ(facts["verdict"]["left_out"].size(), 1U);
}

TEST(SlowLinks, AreNamedOnceWithWhatIsBesideThem) {
    net::Netlist netlist = net::ParallelLinks(3, 2);
    const std::vector<std::uint32_t> switches = SwitchesOf(netlist);
    const std::vector<std::uint8_t> trunks = TrunksOf(netlist, switches[0]);
    SetSpeed(netlist, switches[0], trunks[1], link_speed::kDdr);
    SetSpeed(netlist, switches[0], trunks[2], link_speed::kSdr);
    const Measured measured(netlist, "minhop");
    const std::vector<SlowLink> links = SlowLinks(measured.topology());
    ASSERT_EQ(links.size(), 2U);
    EXPECT_EQ(links[0].rate, Rate::k10Gb) << "the slowest first";
    EXPECT_EQ(links[1].rate, Rate::k20Gb);
    for (const SlowLink& link : links) {
        EXPECT_EQ(link.beside, Rate::k100Gb);
        EXPECT_NE(link.one, link.other);
    }
}

}  // namespace
}  // namespace ember::plan
