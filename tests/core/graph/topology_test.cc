// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the subnet as routing sees it.

#include "core/graph/topology.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/fabric/guid_order.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

constexpr std::size_t kRoom = 1U << 20;

TEST(SortKey, ReadsGuidsBackwardsInOpensmsOrder) {
    EXPECT_EQ(SortKey(Guid{0x0102030405060708}, Order::kOpensm), 0x0807060504030201U);
    EXPECT_EQ(SortKey(Guid{0x0102030405060708}, Order::kGuid), 0x0102030405060708U);
}

TEST(SortByKey, KeepsEqualsInTheirOrder) {
    ArenaStorage storage(kRoom);
    std::vector<std::uint64_t> keys = {3, 1ULL << 60, 3, 0, 1ULL << 60, 3};
    std::vector<SwitchIndex> rows;
    for (std::uint16_t i = 0; i < keys.size(); ++i) {
        rows.push_back(static_cast<SwitchIndex>(i));
    }
    SortByKey<SwitchIndex>(keys, rows, storage.arena());
    const std::vector<SwitchIndex> wanted = {SwitchIndex{3}, SwitchIndex{0}, SwitchIndex{2},
                                             SwitchIndex{5}, SwitchIndex{1}, SwitchIndex{4}};
    EXPECT_EQ(rows, wanted);
}

TEST(SortByKey, SortsNothingAndOneRow) {
    ArenaStorage storage(kRoom);
    std::vector<std::uint64_t> keys;
    std::vector<SwitchIndex> rows;
    SortByKey<SwitchIndex>(keys, rows, storage.arena());
    keys = {7};
    rows = {SwitchIndex{9}};
    SortByKey<SwitchIndex>(keys, rows, storage.arena());
    EXPECT_EQ(rows.front(), SwitchIndex{9});
    EXPECT_EQ(storage.arena().used_bytes(), 0U);
}

/// Two switches with two cables between them, three hosts on the first, one on the second.
class SmallTopology : public ::testing::Test {
protected:
    SmallTopology() {
        left_ = netlist_.Add(NodeType::kSwitch, 8, "left", "");
        right_ = netlist_.Add(NodeType::kSwitch, 6, "right", "");
        netlist_.Connect(left_, 7, right_, 1);
        netlist_.Connect(left_, 8, right_, 2);
        for (const std::uint32_t port : {3U, 1U, 2U}) {
            const auto host =
                netlist_.Add(NodeType::kChannelAdapter, 2, "host" + std::to_string(port), "");
            netlist_.Connect(host, 1, left_, port);
        }
        const auto lonely = netlist_.Add(NodeType::kChannelAdapter, 1, "right host", "");
        netlist_.Connect(lonely, 1, right_, 6);
        netlist_.AssignGuids();
    }

    void Build(BuiltFabric& built, Order order = Order::kGuid) {
        topology_.Build(built.fabric(), order, storage_.arena());
    }

    net::Netlist netlist_;
    std::uint32_t left_ = 0;
    std::uint32_t right_ = 0;
    ArenaStorage storage_{kRoom};
    Topology topology_;
};

TEST_F(SmallTopology, TakesSwitchesCablesAndEndPortsFromTheFabric) {
    BuiltFabric built(netlist_);
    Build(built);
    const SwitchIndex left = built.switch_index(left_);
    const SwitchIndex right = built.switch_index(right_);

    EXPECT_EQ(topology_.switch_count(), 2U);
    EXPECT_EQ(topology_.switch_row(left).guid, netlist_.nodes[left_].guid);
    EXPECT_EQ(topology_.switch_row(left).end_port_count, 3);
    EXPECT_EQ(topology_.exits(left).size(), 9U);
    EXPECT_EQ(topology_.destinations().size(), 6U);  // 4 hosts, 2 switches; idle ports have no LID.
    ASSERT_EQ(topology_.trunks(left).size(), 2U);
    EXPECT_EQ(topology_.trunks(left)[1].port, PortNumber{8});
    EXPECT_EQ(topology_.trunks(left)[1].peer, right);
    EXPECT_EQ(topology_.trunks(left)[1].peer_port, PortNumber{2});
    EXPECT_EQ(topology_.exit(right, PortNumber{1}).peer, left);
    const DestinationIndex host = topology_.exit(right, PortNumber{6}).destination;
    ASSERT_NE(host, kNoDestination);
    EXPECT_EQ(topology_.destination(host).at, right);
    EXPECT_FALSE(topology_.destination(host).is_switch());
    EXPECT_EQ(topology_.top_lid(), built.fabric().top_lid());
}

TEST_F(SmallTopology, LeavesOutCablesWithAnEndBelowInit) {
    BuiltFabric built(netlist_);
    Fabric& fabric = built.fabric();
    const PortIndex down = fabric.PortOf(built.node(right_), PortNumber{2});
    fabric.port(down).info.Set(PortInfo::kPortState, PortState::kDown);
    const PortIndex host_side = fabric.port(fabric.PortOf(built.node(left_), PortNumber{1})).peer;
    fabric.port(host_side).info.Set(PortInfo::kPortState, PortState::kDown);
    Build(built);

    const SwitchIndex left = built.switch_index(left_);
    EXPECT_EQ(topology_.trunks(left).size(), 1U);
    EXPECT_EQ(topology_.exit(left, PortNumber{8}).peer, kNoSwitch);
    EXPECT_EQ(topology_.exit(left, PortNumber{1}).destination, kNoDestination);
    EXPECT_EQ(topology_.switch_row(left).end_port_count, 2);
}

TEST_F(SmallTopology, KnowsHowManyLanesAndWhichRateALinkHas) {
    BuiltFabric built(netlist_);
    Fabric& fabric = built.fabric();
    const auto info = [&](std::uint32_t node, std::uint8_t port) -> PortInfo& {
        return fabric.port(fabric.PortOf(built.node(node), PortNumber{port})).info;
    };
    const auto set = [&](PortInfo& port, VlCap vls, std::uint8_t width, std::uint8_t speed) {
        port.Set(PortInfo::kVlCap, vls);
        port.Set(PortInfo::kLinkWidthActive, width);
        port.Set(PortInfo::kLinkSpeedActive, speed);
    };
    set(info(left_, 7), VlCap::kVl0To14, link_width::k4x, 4);
    set(info(right_, 1), VlCap::kVl0To3, link_width::k4x, 4);
    set(info(left_, 8), VlCap::kVl0To7, link_width::k1x, 1);
    set(info(right_, 2), VlCap::kVl0To14, link_width::k1x, 1);
    set(info(right_, 6), VlCap::kVl0To7, link_width::k4x, 1);
    Port& host = fabric.port(fabric.port(fabric.PortOf(built.node(right_), PortNumber{6})).peer);
    set(host.info, VlCap::kVl0To1, link_width::k4x, 1);
    Build(built);

    const SwitchIndex left = built.switch_index(left_);
    const SwitchIndex right = built.switch_index(right_);
    const auto expect = [&](SwitchIndex at, std::uint8_t port, unsigned lanes, bool has_link) {
        const Exit& exit = topology_.exit(at, PortNumber{port});
        EXPECT_EQ(exit.lanes(), lanes) << Raw(at) << ' ' << unsigned{port};
        EXPECT_EQ(exit.has_link, has_link) << Raw(at) << ' ' << unsigned{port};
    };
    expect(left, 7, 4, true);
    expect(right, 1, 4, true);
    expect(left, 8, 8, true);
    expect(right, 2, 8, true);
    expect(right, 6, 2, true);
    expect(right, 5, 1, false);  // No cable.
    expect(right, 0, 1, false);

    storage_.arena().Reset();
    topology_.Build(fabric, Order::kGuid, storage_.arena(), VlCap::kVl0To1);  // max_op_vls.
    for (const std::uint8_t port : {std::uint8_t{7}, std::uint8_t{8}}) {
        EXPECT_EQ(topology_.exit(left, PortNumber{port}).lanes(), 2U);
    }
}

TEST_F(SmallTopology, GivesEachLinkOfASwitchWithoutMapsOneLane) {
    BuiltFabric built(netlist_);
    const SwitchIndex left = built.switch_index(left_);
    const SwitchIndex right = built.switch_index(right_);
    Build(built);
    ASSERT_EQ(topology_.exit(right, PortNumber{1}).lanes(), 8U);
    EXPECT_EQ(topology_.OneLaneAt(right, PortNumber{1}), kNoSwitch);

    built.fabric().switch_row(left).has_one_lane = true;
    storage_.arena().Reset();
    Build(built);
    EXPECT_TRUE(topology_.switch_row(left).has_one_lane);
    for (const std::uint8_t port : {std::uint8_t{1}, std::uint8_t{7}, std::uint8_t{8}}) {
        EXPECT_EQ(topology_.exit(left, PortNumber{port}).lanes(), 1U) << unsigned{port};
        EXPECT_EQ(topology_.OneLaneAt(left, PortNumber{port}), left);
    }
    EXPECT_EQ(topology_.exit(right, PortNumber{1}).lanes(), 1U) << "the other end of the link";
    EXPECT_EQ(topology_.OneLaneAt(right, PortNumber{1}), left);
    EXPECT_EQ(topology_.exit(right, PortNumber{6}).lanes(), 8U) << "another switch's own";
    EXPECT_EQ(topology_.OneLaneAt(right, PortNumber{6}), kNoSwitch);
}

TEST_F(SmallTopology, KnowsWhichLinksRunBelowWhatBothEndsHaveEnabled) {
    BuiltFabric built(netlist_);
    const auto set = [&](std::uint32_t node, std::uint8_t port, std::uint8_t width) {
        Port& row = built.fabric().port(built.fabric().PortOf(built.node(node), PortNumber{port}));
        row.info.Set(PortInfo::kLinkWidthEnabled, std::uint8_t{link_width::k1x | link_width::k4x});
        row.info.Set(PortInfo::kLinkWidthActive, width);
    };
    set(left_, 7, link_width::k4x);  // A slow far end is enough.
    set(right_, 1, link_width::k1x);
    set(left_, 8, link_width::k4x);
    set(right_, 2, link_width::k4x);
    const auto expect = [&](bool first, bool second) {
        for (const auto& [node, port] :
             {std::pair{left_, std::size_t{7}}, std::pair{right_, std::size_t{1}}}) {
            const auto exits = topology_.exits(built.switch_index(node)).subspan(port);
            EXPECT_EQ(exits[0].is_throttled, first);
            EXPECT_EQ(exits[1].is_throttled, second);
        }
    };
    Build(built);
    expect(false, false);  // Not asked for.
    storage_.arena().Reset();
    topology_.BeginBuild(built.fabric(), storage_.arena(), VlCap::kVl0To14, true);
    while (topology_.BuildNext(built.fabric(), Order::kGuid, storage_.arena()))
        continue;
    expect(true, false);
}

TEST_F(SmallTopology, RemembersThatTheManagerLivesOnASwitch) {
    BuiltFabric::Options options;
    options.own_node = right_;
    BuiltFabric built(netlist_, options);
    Build(built);
    EXPECT_TRUE(topology_.switch_row(built.switch_index(right_)).is_home);
    EXPECT_FALSE(topology_.switch_row(built.switch_index(left_)).is_home);
}

TEST_F(SmallTopology, OrdersByCrowdThenPortThenGuid) {
    BuiltFabric built(netlist_);
    Build(built);
    std::vector<std::pair<SwitchIndex, std::uint8_t>> order;
    for (const DestinationIndex at : topology_.destinations_by_crowd()) {
        const Destination& row = topology_.destination(at);
        order.emplace_back(row.at, Raw(row.port));
    }
    const SwitchIndex left = built.switch_index(left_);
    const SwitchIndex right = built.switch_index(right_);
    const std::vector<std::pair<SwitchIndex, std::uint8_t>> wanted = {
        {left, 1}, {left, 2}, {left, 3}, {right, 6}, {left, 0}, {right, 0}};
    EXPECT_EQ(order, wanted);
}

TEST_F(SmallTopology, OrdersGuidsAsTheSettingSays) {
    netlist_.nodes[left_].guid = Guid{0x0200};
    netlist_.nodes[right_].guid = Guid{0x0101};
    for (const auto& [order, first] :
         {std::pair{Order::kGuid, right_}, std::pair{Order::kOpensm, left_}}) {
        BuiltFabric built(netlist_);
        storage_.arena().Reset();
        Build(built, order);
        EXPECT_EQ(topology_.switches_by_guid().front(), built.switch_index(first));
    }
}

TEST_F(SmallTopology, FindsSwitchesAndDestinationsByGuidInEveryOrder) {
    netlist_.nodes[left_].guid = Guid{0x0200};
    netlist_.nodes[right_].guid = Guid{0x0101};
    for (const Order order : {Order::kGuid, Order::kOpensm, Order::kBalanced}) {
        BuiltFabric built(netlist_);
        storage_.arena().Reset();
        Build(built, order);
        EXPECT_EQ(topology_.FindSwitch(Guid{0x0200}), built.switch_index(left_));
        EXPECT_EQ(topology_.FindSwitch(Guid{0x0101}), built.switch_index(right_));
        for (std::size_t i = 0; i < topology_.destinations().size(); ++i) {
            EXPECT_EQ(topology_.FindDestination(topology_.destinations()[i].port_guid),
                      static_cast<DestinationIndex>(i));
        }
        for (const Guid nobody : {kNoGuid, Guid{0x0102}, Guid{~0ULL}}) {
            EXPECT_EQ(topology_.FindSwitch(nobody), kNoSwitch);
            EXPECT_EQ(topology_.FindDestination(nobody), kNoDestination);
        }
    }
}

TEST_F(SmallTopology, LeavesHolesWhereSwitchesAreGone) {
    BuiltFabric built(netlist_);
    const SwitchIndex left = built.switch_index(left_);
    const SwitchIndex right = built.switch_index(right_);
    built.fabric().RemoveNode(built.node(left_));
    Build(built);
    EXPECT_FALSE(topology_.Has(left));
    EXPECT_TRUE(topology_.Has(right));
    EXPECT_EQ(topology_.switch_count(), 1U);
    EXPECT_TRUE(topology_.trunks(right).empty());
}

TEST_F(SmallTopology, KnowsTheTopLidOfARange) {
    BuiltFabric::Options options;
    options.lmc = 2;
    BuiltFabric built(netlist_, options);
    Build(built);
    EXPECT_EQ(topology_.top_lid(), built.fabric().top_lid());
    EXPECT_EQ(topology_.top_lmc(), 2);
}

TEST(Topology, HoldsAHostWithoutASwitchAsADestinationOfNoSwitch) {
    net::Netlist netlist;
    const auto one = netlist.Add(NodeType::kChannelAdapter, 1, "one", "");
    const auto other = netlist.Add(NodeType::kChannelAdapter, 1, "other", "");
    netlist.Connect(one, 1, other, 1);
    netlist.AssignGuids();
    BuiltFabric built(netlist);
    ArenaStorage storage(kRoom);
    Topology topology;
    topology.Build(built.fabric(), Order::kOpensm, storage.arena());
    EXPECT_EQ(topology.switch_count(), 0U);
    ASSERT_EQ(topology.destinations().size(), 2U);
    EXPECT_EQ(topology.destinations()[0].at, kNoSwitch);
}

TEST(Topology, TellsTheNodeOfADestinationAndWhetherItIsARouter) {
    net::Netlist netlist;
    const auto hub = netlist.Add(NodeType::kSwitch, 4, "hub", "");
    const auto router = netlist.Add(NodeType::kRouter, 1, "router", "");
    const auto host = netlist.Add(NodeType::kChannelAdapter, 2, "host", "");
    const auto friend_of_host = netlist.Add(NodeType::kChannelAdapter, 1, "friend", "");
    netlist.Connect(router, 1, hub, 1);
    netlist.Connect(host, 1, hub, 2);
    netlist.Connect(host, 2, friend_of_host, 1);
    netlist.AssignGuids();
    BuiltFabric built(netlist);
    ArenaStorage storage(kRoom);
    Topology topology;
    topology.Build(built.fabric(), Order::kGuid, storage.arena());

    ASSERT_EQ(topology.destinations().size(), 5U);
    for (const Destination& row : topology.destinations()) {
        EXPECT_EQ(row.is_router, row.node_guid == netlist.nodes[router].guid);
        const bool faces = row.node_guid == netlist.nodes[friend_of_host].guid ||
                           (row.node_guid == netlist.nodes[host].guid && row.at == kNoSwitch);
        EXPECT_EQ(row.faces_end_port, faces);
    }
}

TEST(Topology, StaysWithinTheAppetiteItStates) {
    for (const std::uint32_t k : {4U, 8U, 12U}) {
        const net::Netlist netlist = net::FatTree3(k);
        BuiltFabric built(netlist);
        ArenaStorage storage(Topology::ScratchBytes(built.limits()));
        Topology topology;
        topology.Build(built.fabric(), Order::kOpensm, storage.arena());
        EXPECT_LE(storage.arena().peak_bytes(), Topology::ScratchBytes(built.limits()));
    }
}

}  // namespace
}  // namespace ember
