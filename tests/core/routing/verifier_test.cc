// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the proof that a routing may be programmed.

#include "core/routing/verifier.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "engines/min_hop.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::SlowDestination;
using testing::SlowTables;

using Fault = Findings::Fault;

/// The first host behind `node`, a switch.
const SlowDestination& HostBehind(const RoutingRun& run, std::uint32_t node) {
    for (const SlowDestination& destination : run.reference().destinations()) {
        if (!destination.is_switch && destination.at == node) return destination;
    }
    throw std::runtime_error("no host there");
}

std::uint32_t FindId(const net::Netlist& netlist, std::uint32_t nth_switch) {
    std::uint32_t seen = 0;
    for (std::uint32_t node = 0; node < netlist.nodes.size(); ++node) {
        if (netlist.nodes[node].is_switch() && seen++ == nth_switch) return node;
    }
    throw std::runtime_error("no such switch");
}

/// Four switches in a ring, two hosts each, routed by least hops.
class VerifiedRing : public ::testing::Test {
protected:
    VerifiedRing() : netlist_(net::Ring(4, 2)), run_(netlist_) {
        tables_ = run_.reference().MinHop({});
        for (std::uint32_t i = 0; i < 4; ++i) {
            switch_[i] = FindId(netlist_, i);
        }
    }

    /// The port of switch `from` to its neighbor `to`.
    std::uint8_t PortTo(std::uint32_t from, std::uint32_t to) {
        const auto& ports = netlist_.nodes[switch_[from]].ports;
        for (std::size_t port = 1; port < ports.size(); ++port) {
            if (ports[port].peer == switch_[to]) return static_cast<std::uint8_t>(port);
        }
        return 255;
    }

    net::Netlist netlist_;
    RoutingRun run_;
    SlowTables tables_;
    std::array<std::uint32_t, 4> switch_{};
};

TEST_F(VerifiedRing, PassesTablesThatReachEverybody) {
    const Findings findings = run_.Verify(tables_);
    EXPECT_EQ(findings.fault, Fault::kNone);
    EXPECT_EQ(findings.lids, 12U);
    EXPECT_EQ(findings.routes, 48U);
    EXPECT_EQ(findings.longer_routes, 0U);
    EXPECT_EQ(findings.islands, 1U);
    EXPECT_EQ(findings.max_hops, 2U);
    // 8 hosts to 7 others: 1 on the same switch, 2 + 2 one cable away, 2 two cables away.
    EXPECT_EQ(findings.end_port_paths, 56U);
    EXPECT_EQ(findings.end_port_hops, 8U * (4 * 1 + 2 * 2));
    EXPECT_EQ(findings.average_hops_milli(), 1143U);
}

TEST_F(VerifiedRing, NamesAPairThatIsDropped) {
    const SlowDestination& host = HostBehind(run_, switch_[2]);
    tables_[switch_[0]][host.lid] = 255;
    const Findings findings = run_.Verify(tables_);
    EXPECT_EQ(findings.fault, Fault::kLost);
    EXPECT_EQ(findings.at, netlist_.nodes[switch_[0]].guid);
    EXPECT_EQ(findings.lid, static_cast<Lid>(host.lid));
    EXPECT_EQ(Raw(findings.port_guid), host.guid);
}

TEST_F(VerifiedRing, NoticesDeliveryToTheWrongHost) {
    const SlowDestination& host = HostBehind(run_, switch_[1]);
    tables_[switch_[1]][host.lid] = host.at_port == 1 ? 2 : 1;
    const Findings findings = run_.Verify(tables_);
    EXPECT_EQ(findings.fault, Fault::kLost);
    EXPECT_EQ(findings.at, netlist_.nodes[switch_[1]].guid);
}

TEST_F(VerifiedRing, NoticesDeliveryToAHostOnTheWay) {
    const SlowDestination& host = HostBehind(run_, switch_[1]);
    const SlowDestination& other = HostBehind(run_, switch_[3]);
    tables_[switch_[3]][host.lid] = other.at_port;
    EXPECT_EQ(run_.Verify(tables_).fault, Fault::kLost);
}

TEST_F(VerifiedRing, NoticesPortsThatDoNotExist) {
    const SlowDestination& host = HostBehind(run_, switch_[1]);
    for (const std::uint8_t port : {std::uint8_t{0}, std::uint8_t{200}, std::uint8_t{254}}) {
        SlowTables wrong = tables_;
        wrong[switch_[3]][host.lid] = port;
        EXPECT_EQ(run_.Verify(wrong).fault, Fault::kLost) << int{port};
    }
}

TEST_F(VerifiedRing, NoticesASwitchThatIsNotReached) {
    std::uint32_t lid = 0;
    for (const SlowDestination& destination : run_.reference().destinations()) {
        if (destination.is_switch && destination.node == switch_[3]) lid = destination.lid;
    }
    tables_[switch_[3]][lid] = 1;
    const Findings findings = run_.Verify(tables_);
    EXPECT_EQ(findings.fault, Fault::kLost);
    EXPECT_EQ(findings.port_guid, netlist_.nodes[switch_[3]].guid);
}

TEST_F(VerifiedRing, CountsDropsOnTheWayToAMereSwitch) {
    std::uint32_t lid = 0;
    for (const SlowDestination& destination : run_.reference().destinations()) {
        if (destination.is_switch && destination.node == switch_[3]) lid = destination.lid;
    }
    tables_[switch_[1]][lid] = PortTo(1, 0);
    tables_[switch_[0]][lid] = 255;  // Two lose their way: by the own table, and by that one.
    const Findings findings = run_.Verify(tables_);
    EXPECT_EQ(findings.fault, Fault::kNone);
    EXPECT_EQ(findings.switch_pairs_apart, 2U);
    EXPECT_EQ(findings.routes, 46U);
    EXPECT_EQ(findings.apart_at, netlist_.nodes[switch_[0]].guid);
    EXPECT_EQ(findings.apart_lid, static_cast<Lid>(lid));
    EXPECT_EQ(findings.apart_port_guid, netlist_.nodes[switch_[3]].guid);
}

TEST_F(VerifiedRing, NamesTheMembersOfALoop) {
    const SlowDestination& host = HostBehind(run_, switch_[0]);
    tables_[switch_[2]][host.lid] = PortTo(2, 3);
    tables_[switch_[3]][host.lid] = PortTo(3, 2);
    const Findings findings = run_.Verify(tables_);
    ASSERT_EQ(findings.fault, Fault::kLoop);
    EXPECT_EQ(findings.lid, static_cast<Lid>(host.lid));
    ASSERT_EQ(findings.loop.length, 2U);
    ASSERT_EQ(findings.loop.channels.size(), 2U);
    for (const Channel& channel : findings.loop.channels) {
        const bool is_two = channel.switch_guid == netlist_.nodes[switch_[2]].guid;
        const bool is_three = channel.switch_guid == netlist_.nodes[switch_[3]].guid;
        EXPECT_TRUE(is_two || is_three);
        EXPECT_EQ(Raw(channel.port), is_two ? PortTo(2, 3) : PortTo(3, 2));
    }
}

TEST_F(VerifiedRing, CountsDetours) {
    const SlowDestination& host = HostBehind(run_, switch_[0]);
    tables_[switch_[1]][host.lid] = PortTo(1, 2);
    tables_[switch_[2]][host.lid] = PortTo(2, 3);
    tables_[switch_[3]][host.lid] = PortTo(3, 0);
    const Findings findings = run_.Verify(tables_);
    EXPECT_EQ(findings.fault, Fault::kNone);
    EXPECT_EQ(findings.longer_routes, 1U);
    EXPECT_EQ(findings.max_hops, 3U);
}

/// Four leaves with two hosts each under two spines, routed by least hops.
struct VerifiedTree {
    explicit VerifiedTree(bool home_on_spine)
        : netlist(net::FatTree2(4)), run(netlist, OptionsFor(netlist, home_on_spine)) {
        tables = run.reference().MinHop({});
        for (std::uint32_t node = 0; node < netlist.nodes.size(); ++node) {
            if (!netlist.nodes[node].is_switch()) continue;
            bool has_host = false;
            for (const net::NetPort& port : netlist.nodes[node].ports) {
                has_host = has_host ||
                           (port.peer != net::kNoPeer && !netlist.nodes[port.peer].is_switch());
            }
            (has_host ? leaf : spine).push_back(node);
        }
    }
    static testing::BuiltFabric::Options OptionsFor(const net::Netlist& netlist, bool on_spine) {
        testing::BuiltFabric::Options options;
        for (std::uint32_t node = 0; node < netlist.nodes.size() && on_spine; ++node) {
            const auto& ports = netlist.nodes[node].ports;
            const bool is_spine =
                netlist.nodes[node].is_switch() &&
                std::all_of(ports.begin() + 1, ports.end(), [&](const net::NetPort& port) {
                    return port.peer == net::kNoPeer || netlist.nodes[port.peer].is_switch();
                });
            if (is_spine) options.own_node = node;
        }
        return options;
    }

    net::Netlist netlist;
    RoutingRun run;
    SlowTables tables;
    std::vector<std::uint32_t> leaf;
    std::vector<std::uint32_t> spine;
};

TEST(Verifier, CountsWhatASwitchWithoutEndPortsDrops) {
    VerifiedTree tree(false);
    tree.tables[tree.spine[0]][HostBehind(tree.run, tree.leaf[0]).lid] = 255;
    Findings findings = tree.run.Verify(tree.tables);
    // Leaves that would use this spine lose the host: that is a fault, and not the spine's.
    if (findings.fault == Fault::kLost) {
        EXPECT_NE(findings.at, tree.netlist.nodes[tree.spine[0]].guid);
    }
    for (const std::uint32_t leaf : tree.leaf) {  // All by the other spine: then it is none.
        if (leaf == tree.leaf[0]) continue;
        const auto& ports = tree.netlist.nodes[leaf].ports;
        for (std::size_t port = 1; port < ports.size(); ++port) {
            if (ports[port].peer != tree.spine[1]) continue;
            tree.tables[leaf][HostBehind(tree.run, tree.leaf[0]).lid] =
                static_cast<std::uint8_t>(port);
        }
    }
    findings = tree.run.Verify(tree.tables);
    EXPECT_EQ(findings.fault, Fault::kNone);
    EXPECT_EQ(findings.switch_pairs_apart, 1U);
    EXPECT_EQ(findings.apart_at, tree.netlist.nodes[tree.spine[0]].guid);
}

TEST(Verifier, LetsNothingBeDroppedWhereTheManagerLives) {
    VerifiedTree tree(true);
    const auto& destinations = tree.run.reference().destinations();
    for (const std::uint32_t spine : tree.spine) {
        for (const SlowDestination& destination : destinations) {
            if (!destination.is_switch || destination.node != spine) continue;
            SlowTables wrong = tree.tables;
            wrong[tree.leaf[0]][destination.lid] = 255;
            const bool is_home = tree.run.reference().own_node() == spine;
            EXPECT_EQ(tree.run.Verify(wrong).fault, is_home ? Fault::kLost : Fault::kNone);
            wrong = tree.tables;
            wrong[spine][HostBehind(tree.run, tree.leaf[0]).lid] = 255;
            if (!is_home) continue;
            EXPECT_EQ(tree.run.Verify(wrong).fault, Fault::kLost);
        }
    }
}

TEST(Verifier, RemembersTheFirstMembersOfALongLoop) {
    // A ring of 40 and one more switch beside it with a host: the ring turns for ever to the right.
    net::Netlist netlist = net::Ring(40, 0);
    const auto beside = netlist.Add(NodeType::kSwitch, 4, "beside", "");
    const auto host = netlist.Add(NodeType::kChannelAdapter, 1, "host", "");
    netlist.nodes[beside].guid = Guid{0x900000};
    netlist.nodes[host].guid = Guid{0x910000};
    const std::uint32_t gate = FindId(netlist, 0);
    netlist.nodes[gate].ports.resize(netlist.nodes[gate].ports.size() + 1);
    ASSERT_TRUE(netlist.ConnectAny(beside, gate));
    ASSERT_TRUE(netlist.ConnectAny(host, beside));
    testing::BuiltFabric::Options options;
    options.own_node = host;
    RoutingRun run(netlist, options);
    SlowTables tables = run.reference().MinHop({});
    const std::uint32_t lid = HostBehind(run, beside).lid;
    for (std::uint32_t i = 0; i < 40; ++i) {
        const auto& ports = netlist.nodes[FindId(netlist, i)].ports;
        for (std::size_t port = 1; port < ports.size(); ++port) {
            if (ports[port].peer != FindId(netlist, (i + 1) % 40)) continue;
            tables[FindId(netlist, i)][lid] = static_cast<std::uint8_t>(port);
        }
    }

    const Findings findings = run.Verify(tables);

    EXPECT_EQ(findings.fault, Fault::kLoop);
    EXPECT_EQ(findings.loop.length, 40U);
    EXPECT_EQ(findings.loop.channels.size(), ChannelList::kMax);
}

TEST(Verifier, FindsTheCycleOfARingAndNamesAllOfIt) {
    for (const std::uint32_t switches : {5U, 8U, 31U, 40U}) {
        const net::Netlist netlist = net::Ring(switches, 1);
        RoutingRun run(netlist);
        const Findings findings = run.Verify(run.reference().MinHop({}));
        EXPECT_EQ(findings.fault, Fault::kNone);
        EXPECT_TRUE(findings.end_ports_may_deadlock);
        EXPECT_TRUE(findings.anything_may_deadlock);
        EXPECT_EQ(findings.cycle.length, switches);  // Once around; there is no shorter one.
        EXPECT_EQ(findings.cycle.channels.size(),
                  std::min<std::size_t>(switches, ChannelList::kMax));
    }
}

TEST(Verifier, FindsNoCycleInAFatTreesTraffic) {
    for (const std::uint32_t k : {4U, 8U}) {
        const net::Netlist netlist = net::FatTree3(k);
        RoutingRun run(netlist);
        const Findings findings = run.Verify(run.reference().MinHop({}));
        EXPECT_EQ(findings.fault, Fault::kNone);
        EXPECT_FALSE(findings.end_ports_may_deadlock);
        EXPECT_EQ(findings.max_hops, 4U);
    }
}

TEST(Verifier, TellsACycleThatOnlySwitchesClose) {
    // Two hosts on one switch of a ring: nothing between them crosses a cable, but the switches
    // speak to each other all the way around.
    net::Netlist netlist = net::Ring(5, 0);
    const std::uint32_t first = FindId(netlist, 0);
    netlist.nodes[first].ports.resize(netlist.nodes[first].ports.size() + 2);
    for (int i = 0; i < 2; ++i) {
        const auto host = netlist.Add(NodeType::kChannelAdapter, 1, "host" + std::to_string(i), "");
        ASSERT_TRUE(netlist.ConnectAny(host, first));
        netlist.nodes[host].guid = static_cast<Guid>(0x900000U + static_cast<unsigned>(i) * 2);
    }
    testing::BuiltFabric::Options options;
    options.own_node = static_cast<std::uint32_t>(netlist.nodes.size() - 1);
    RoutingRun run(netlist, options);
    const Findings findings = run.Verify(run.reference().MinHop({}));
    EXPECT_EQ(findings.fault, Fault::kNone);
    EXPECT_FALSE(findings.end_ports_may_deadlock);
    EXPECT_TRUE(findings.anything_may_deadlock);
    EXPECT_EQ(findings.cycle.length, 5U);
}

TEST(Verifier, StaysWithinTheAppetiteItStates) {
    for (const std::uint32_t ports : {36U, 254U}) {
        const net::Netlist netlist = testing::WildNetlist(
            {.seed = 3, .switches = 12, .extra_cables = 30, .hosts = 30, .ports = ports});
        RoutingRun run(netlist);  // Its scratch is as large as the formulas say: it would panic.
        EXPECT_EQ(run.Verify(run.reference().MinHop({})).fault, Fault::kNone);
    }
}

}  // namespace
}  // namespace ember
