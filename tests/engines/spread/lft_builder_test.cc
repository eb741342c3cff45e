// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the options of balanced tables, one at a time. spread_property_test.cc
// and tests/golden compare whole results.

#include "engines/spread/lft_builder.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "engines/dor.h"
#include "engines/min_hop.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;

/// Two switches, three cables between them on ports 1 to 3, six hosts behind the far one.
class TwoSwitches : public ::testing::Test {
protected:
    TwoSwitches() {
        near_ = netlist_.Add(NodeType::kSwitch, 4, "near", "");
        far_ = netlist_.Add(NodeType::kSwitch, 12, "far", "");
        for (std::uint32_t port = 1; port <= 3; ++port) {
            netlist_.Connect(near_, port, far_, port);
        }
        for (std::uint32_t i = 0; i < 6; ++i) {
            hosts_.push_back(
                netlist_.Add(NodeType::kChannelAdapter, 1, "h" + std::to_string(i), "host"));
            netlist_.Connect(hosts_[i], 1, far_, 4 + i);
        }
        netlist_.AssignGuids();
        near_guid_ = netlist_.nodes[near_].guid;
    }

    /// The ports by which the near switch reaches the hosts, in the order of the far one's ports.
    std::vector<int> Exits(const Settings& settings) {
        RoutingRun run(netlist_);
        MinHop min_hop;
        EXPECT_TRUE(run.Route(min_hop, settings).may_program());
        std::vector<int> exits;
        for (const std::uint32_t host : hosts_) {
            for (const auto& destination : run.reference().destinations()) {
                if (destination.node != host) continue;
                exits.push_back(run.planned().at(near_)[destination.lid]);
            }
        }
        return exits;
    }

    net::Netlist netlist_;
    std::uint32_t near_ = 0;
    std::uint32_t far_ = 0;
    std::vector<std::uint32_t> hosts_;
    Guid near_guid_ = kNoGuid;
};

using Ports = std::vector<int>;

TEST_F(TwoSwitches, GiveTheLeastLoadedPortAndTheLowestOfEquals) {
    EXPECT_EQ(Exits({}), (Ports{1, 2, 3, 1, 2, 3}));
}

TEST_F(TwoSwitches, LookFirstAtThePortsThatTheSearchOrderNames) {
    const std::array search = {PortOrder{.guid = near_guid_, .first = 1, .count = 2}};
    const std::array ports = {PortNumber{1}, PortNumber{3}, PortNumber{2}};
    Settings settings = testing::OpensmSettings();
    settings.tables.search = search;
    settings.tables.search_ports = ports;
    EXPECT_EQ(Exits(settings), (Ports{3, 2, 1, 3, 2, 1}));
}

TEST_F(TwoSwitches, LeaveOutASearchOrderWithAPortThatIsNotThere) {
    for (const PortNumber wrong : {PortNumber{0}, PortNumber{3}, PortNumber{5}, PortNumber{255}}) {
        const std::array search = {PortOrder{.guid = near_guid_, .first = 0, .count = 2}};
        const std::array ports = {PortNumber{3}, wrong};
        Settings settings = testing::OpensmSettings();
        settings.tables.search = search;
        settings.tables.search_ports = ports;
        EXPECT_EQ(Exits(settings), (Ports{1, 2, 3, 1, 2, 3})) << int{Raw(wrong)};
    }
}

TEST_F(TwoSwitches, TakeAnIgnoredPortForFree) {
    const std::array ignored = {SwitchPort{near_guid_, PortNumber{2}}};
    Settings settings = testing::OpensmSettings();
    settings.tables.ignored = ignored;
    EXPECT_EQ(Exits(settings), (Ports{1, 2, 2, 2, 2, 2}));
}

TEST_F(TwoSwitches, RouteFirstWhatTheRoutingOrderNames) {
    const Guid last = static_cast<Guid>(Raw(netlist_.nodes[hosts_[5]].guid) + 1);
    const std::array order = {Guid{0xEE}, last, last};
    Settings settings = testing::OpensmSettings();
    settings.tables.routing_order = order;
    EXPECT_EQ(Exits(settings), (Ports{2, 3, 1, 2, 3, 1}));
}

TEST_F(TwoSwitches, MoveTheFirstPortWithTheLoad) {
    Settings settings = testing::OpensmSettings();
    settings.port_shifting = true;
    // The scan begins at place (sum of loads / 3) modulo 3: 0 for the first three, then 1.
    EXPECT_EQ(Exits(settings), (Ports{1, 2, 3, 2, 3, 1}));
}

TEST_F(TwoSwitches, DrawAmongEqualsByTheSeed) {
    std::set<Ports> seen;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        Settings settings = testing::OpensmSettings();
        settings.scatter_ports = seed;
        const Ports exits = Exits(settings);
        EXPECT_EQ(exits, Exits(settings));
        seen.insert(exits);
        std::array<int, 4> loads{};
        for (const int exit : exits) {
            ++loads.at(static_cast<std::size_t>(exit));
        }
        EXPECT_EQ(loads, (std::array{0, 2, 2, 2}));
    }
    EXPECT_GT(seen.size(), 10U);
}

TEST_F(TwoSwitches, DoNotScatterNamedPortsWhenToldSo) {
    std::vector<Guid> order;
    for (const std::uint32_t host : hosts_) {
        order.push_back(static_cast<Guid>(Raw(netlist_.nodes[host].guid) + 1));
    }
    Settings settings = testing::OpensmSettings();
    settings.scatter_ports = 3;
    settings.tables.routing_order = order;
    EXPECT_NE(Exits(settings), (Ports{1, 2, 3, 1, 2, 3}));
    settings.guid_routing_order_no_scatter = true;
    EXPECT_EQ(Exits(settings), (Ports{1, 2, 3, 1, 2, 3}));
}

TEST_F(TwoSwitches, LeaveTheCableThatCountsMore) {
    const std::array weights = {HopWeight{near_guid_, PortNumber{1}, 2}};
    Settings settings = testing::OpensmSettings();
    settings.tables.hop_weights = weights;
    EXPECT_EQ(Exits(settings), (Ports{2, 3, 2, 3, 2, 3}));
}

TEST_F(TwoSwitches, AreNotLoopedByWeightsThatDifferByDirection) {
    std::vector<HopWeight> weights;
    for (std::uint8_t port = 1; port <= 3; ++port) {
        weights.push_back({near_guid_, PortNumber{port}, 200});
    }
    Settings settings = testing::OpensmSettings();
    settings.tables.hop_weights = weights;
    EXPECT_EQ(Exits(settings), (Ports{1, 2, 3, 1, 2, 3}));
}

TEST(LftBuilder, WorksInShortSlicesOneByOne) {
    const net::Netlist netlist = net::FatTree3(16);  // 1,344 LIDs at 320 switches.
    testing::BuiltFabric::Options options;
    options.lmc = 2;  // 4,416.
    RoutingRun run(netlist, options);
    Settings settings = testing::OpensmSettings();
    settings.lmc = 2;
    MinHop min_hop;
    ASSERT_TRUE(run.Route(min_hop, settings).may_program());
    const std::size_t in_runs = run.slices();
    settings.port_shifting = true;
    ASSERT_TRUE(run.Route(min_hop, settings).may_program());
    EXPECT_GE(run.slices(), in_runs);
    EXPECT_GE(run.slices(), std::size_t{2} * 320);
}

TEST(LftBuilder, ReadsLongOptionFilesInSlicesAndHeedsEachLine) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    std::vector<Guid> hosts;
    std::vector<SwitchPort> uplinks;
    for (const net::NetNode& node : netlist.nodes) {
        if (node.is_switch()) {
            uplinks.push_back({node.guid, PortNumber{1}});
        } else {
            hosts.insert(hosts.begin(), net::PortGuid(node, 1));
        }
    }
    Settings settings = testing::OpensmSettings();
    settings.tables.routing_order = hosts;
    settings.tables.ignored = uplinks;
    MinHop min_hop;
    ASSERT_TRUE(run.Route(min_hop, settings).may_program());
    const testing::SlowTables wanted = run.planned();
    const std::size_t short_slices = run.slices();

    // The same lines behind, or before, some thousand about GUIDs that are not there.
    constexpr std::size_t kOthers = 40000;
    std::vector<Guid> order(kOthers, Guid{0xDEAD});
    order.insert(order.end(), hosts.begin(), hosts.end());
    std::vector<SwitchPort> ignored(kOthers, {Guid{0xDEAD}, PortNumber{1}});
    ignored.insert(ignored.end(), uplinks.begin(), uplinks.end());
    settings.tables.routing_order = order;
    settings.tables.ignored = ignored;
    ASSERT_TRUE(run.Route(min_hop, settings).may_program());
    EXPECT_EQ(run.planned(), wanted);
    // The router checks both files, and the builder reads them.
    EXPECT_GE(run.slices(), short_slices + 4 * (kOthers / 4096));
}

TEST(LftBuilder, WorksInShortSlicesWhereManyCablesCarryManyLids) {
    const net::Netlist netlist = net::ParallelLinks(100, 20);
    testing::BuiltFabric::Options options;
    options.lmc = 7;
    RoutingRun run(netlist, options);
    Settings settings = testing::OpensmSettings();
    settings.lmc = 7;
    Dor dor;
    ASSERT_TRUE(run.Route(dor, settings).may_program());
    // On either of the two, for 20 hosts' 128 LIDs each, 100 cables, and 64 LIDs before on average.
    const std::size_t looks = std::size_t{2} * 20 * 128 * 100 * 64;
    EXPECT_GE(run.slices(), looks / (4096 * 64));
}

TEST(LftBuilder, StaysWithinItsAppetiteUnderAllOptions) {
    const net::Netlist netlist = net::FatTree2(8);
    testing::BuiltFabric::Options options;
    options.lmc = 3;
    testing::BuiltFabric built(netlist, options);
    const Guid guid = netlist.nodes.back().guid;
    const std::array search = {PortOrder{.guid = guid, .first = 0, .count = 1}};
    const std::array ports = {PortNumber{1}};
    const std::array ignored = {SwitchPort{guid, PortNumber{1}}};
    const std::array weights = {HopWeight{guid, PortNumber{1}, 2}};
    const std::array order = {guid};
    Settings settings = testing::OpensmSettings();
    settings.lmc = 3;
    settings.scatter_ports = 1;
    settings.tables.search = search;
    settings.tables.search_ports = ports;
    settings.tables.ignored = ignored;
    settings.tables.hop_weights = weights;
    settings.tables.routing_order = order;
    const auto run = [&](RoutingEngine& engine, std::size_t appetite) {
        testing::ArenaStorage storage(Router::ScratchBytes(built.limits(), {.making = appetite}));
        std::vector<std::uint8_t> hops(HopBytes(built.limits()));
        std::vector<std::uint8_t> planned(built.limits().max_switches * LidStride(built.limits()));
        Router router({.hops = hops}, built.limits());
        RoutingEngine* const engines[] = {&engine};
        const testing::EnginePlan plan(engines, settings);
        router.Begin(built.fabric(), plan.plan(), {planned, LftShape(built.limits())},
                     storage.arena());
        while (router.Advance() == Progress::kMore) {
        }
        EXPECT_TRUE(router.verdict().may_program());
    };
    MinHop min_hop;
    Dor dor;
    run(min_hop, MinHop::ScratchBytes(built.limits()));
    run(dor, Dor::ScratchBytes(built.limits()));
}

}  // namespace
}  // namespace ember
