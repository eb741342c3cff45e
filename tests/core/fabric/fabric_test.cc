// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of the subnet.

#include "core/fabric/fabric.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <rapidcheck/gtest.h>
#include <vector>

#include "core/storage.h"

namespace ember {
namespace {

constexpr Limits kLimits{.max_nodes = 80,
                         .max_switches = 72,
                         .max_ports = 400,
                         .max_switch_ports = 8,
                         .max_lid = 255,
                         .max_smps = 16,
                         .max_other_sms = 2,
                         .journal_notes = 64,
                         .scratch_bytes = 65536};

NodeInfo Describe(NodeType type, std::uint64_t guid, std::uint8_t ports) {
    NodeInfo info;
    info.Set(NodeInfo::kNodeType, type);
    info.Set(NodeInfo::kNodeGuid, Guid{guid});
    info.Set(NodeInfo::kPortGuid, Guid{guid});
    info.Set(NodeInfo::kNumPorts, ports);
    return info;
}

class FabricTest : public ::testing::Test {
protected:
    NodeIndex Add(NodeType type, std::uint64_t guid, std::uint8_t ports) {
        const auto added = fabric_.AddNode(Describe(type, guid, ports));
        EXPECT_TRUE(added.ok());
        return added.ok() ? added.value() : kNoNode;
    }
    [[nodiscard]] PortIndex PortAt(NodeIndex node, unsigned number) const {
        return fabric_.PortOf(node, static_cast<PortNumber>(number));
    }

    std::unique_ptr<Storage<kLimits>> storage_ = std::make_unique<Storage<kLimits>>();
    Fabric fabric_{storage_->memory().fabric, kLimits};
};

TEST_F(FabricTest, ASwitchHasPortZeroAndAHostHasNot) {
    const NodeIndex a_switch = Add(NodeType::kSwitch, 1, 4);
    const NodeIndex host = Add(NodeType::kChannelAdapter, 2, 2);

    EXPECT_EQ(fabric_.PortsOf(a_switch).size(), 5U);
    EXPECT_EQ(fabric_.port(PortAt(a_switch, 0)).number, kManagementPort);
    EXPECT_EQ(PortAt(a_switch, 5), kNoPortIndex);
    EXPECT_EQ(fabric_.PortsOf(host).size(), 2U);
    EXPECT_EQ(PortAt(host, 0), kNoPortIndex);
    EXPECT_EQ(fabric_.port(PortAt(host, 2)).number, PortNumber{2});
    EXPECT_EQ(fabric_.node(host).switch_index, kNoSwitch);
}

TEST_F(FabricTest, WhatMakesNoSenseIsMalformed) {
    for (const NodeInfo& info :
         {Describe(NodeType::kSwitch, 0, 4), Describe(NodeType::kSwitch, 1, 0),
          Describe(NodeType::kSwitch, 1, 255), Describe(static_cast<NodeType>(9), 1, 1)}) {
        EXPECT_EQ(fabric_.AddNode(info).status(), Status::kMalformed);
    }
    EXPECT_EQ(fabric_.node_count(), 0U);
    EXPECT_FALSE(fabric_.shortage().any());
}

TEST_F(FabricTest, TheFirstSwitchTooManyIsRefusedAndTheNeedIsNamed) {
    for (std::uint64_t i = 1; i <= kLimits.max_switches; ++i) {
        Add(NodeType::kSwitch, i, 1);
    }
    EXPECT_EQ(fabric_.AddNode(Describe(NodeType::kSwitch, 500, 1)).status(), Status::kFull);
    EXPECT_EQ(fabric_.AddNode(Describe(NodeType::kSwitch, 501, 1)).status(), Status::kFull);
    EXPECT_EQ(fabric_.AddNode(Describe(NodeType::kSwitch, 500, 1)).status(), Status::kFull);

    EXPECT_EQ(fabric_.shortage().needed_switches, kLimits.max_switches + 2);
    EXPECT_EQ(fabric_.shortage().needed_nodes, 0U);
    EXPECT_EQ(fabric_.FindNode(Guid{500}), kNoNode);
    Add(NodeType::kChannelAdapter, 600, 1);  // A host still fits.
}

TEST_F(FabricTest, ASwitchTooWideIsRefusedByItsWidth) {
    EXPECT_EQ(fabric_.AddNode(Describe(NodeType::kSwitch, 1, 9)).status(), Status::kFull);
    EXPECT_EQ(fabric_.shortage().needed_switch_ports, 9U);
    EXPECT_EQ(fabric_.shortage().needed_switches, 0U);
}

TEST_F(FabricTest, RowsOfANodeThatLeftAreTakenAgain) {
    // Fill the port table, then let one leave: only its rows are free.
    std::uint64_t guid = 1;
    while (fabric_.port_bound() + 9 <= kLimits.max_ports) {
        Add(NodeType::kSwitch, guid++, 8);
    }
    ASSERT_EQ(fabric_.AddNode(Describe(NodeType::kSwitch, guid, 8)).status(), Status::kFull);
    const NodeIndex gone = fabric_.FindNode(Guid{3});
    const PortIndex rows = fabric_.node(gone).first_port;
    fabric_.RemoveNode(gone);
    const NodeIndex next = Add(NodeType::kSwitch, guid, 8);

    EXPECT_EQ(fabric_.node(next).first_port, rows);
    EXPECT_EQ(fabric_.FindNode(Guid{3}), kNoNode);
}

TEST_F(FabricTest, ANewCableCutsTheOldOnesOfBothEnds) {
    const NodeIndex one = Add(NodeType::kSwitch, 1, 2);
    const NodeIndex two = Add(NodeType::kSwitch, 2, 2);
    fabric_.Connect(PortAt(one, 1), PortAt(two, 1));
    fabric_.Connect(PortAt(one, 2), PortAt(two, 2));

    fabric_.Connect(PortAt(one, 1), PortAt(two, 2));

    EXPECT_EQ(fabric_.port(PortAt(one, 1)).peer, PortAt(two, 2));
    EXPECT_EQ(fabric_.port(PortAt(one, 2)).peer, kNoPortIndex);
    EXPECT_EQ(fabric_.port(PortAt(two, 1)).peer, kNoPortIndex);
    EXPECT_EQ(fabric_.CountLinks(), 1U);
}

TEST_F(FabricTest, AWayIsTheChainOfDoorsBackToUs) {
    const NodeIndex host = Add(NodeType::kChannelAdapter, 1, 2);
    const NodeIndex near_switch = Add(NodeType::kSwitch, 2, 4);
    const NodeIndex far_switch = Add(NodeType::kSwitch, 3, 4);
    const NodeIndex far_host = Add(NodeType::kChannelAdapter, 4, 1);
    fabric_.SetOwnPort(PortAt(host, 2));
    fabric_.Connect(PortAt(host, 2), PortAt(near_switch, 4));
    fabric_.node(near_switch).entry = PortAt(host, 2);
    fabric_.Connect(PortAt(near_switch, 3), PortAt(far_switch, 1));
    fabric_.node(far_switch).entry = PortAt(near_switch, 3);
    fabric_.Connect(PortAt(far_switch, 2), PortAt(far_host, 1));

    DirectedPath path;
    ASSERT_EQ(fabric_.PathTo(PortAt(far_host, 1), path), Status::kOk);
    EXPECT_EQ(std::vector<std::uint8_t>(path.used().begin(), path.used().end()),
              (std::vector<std::uint8_t>{2, 3, 2}));
    ASSERT_EQ(fabric_.PathBeyond(PortAt(far_switch, 4), path), Status::kOk);
    EXPECT_EQ(std::vector<std::uint8_t>(path.used().begin(), path.used().end()),
              (std::vector<std::uint8_t>{2, 3, 4}));
    ASSERT_EQ(fabric_.PathTo(PortAt(host, 2), path), Status::kOk);
    EXPECT_EQ(path.hops, 0);

    fabric_.RemoveNode(near_switch);
    EXPECT_EQ(fabric_.PathTo(PortAt(far_host, 1), path), Status::kUnreachable);
}

TEST_F(FabricTest, SixtyThreeHopsAreAWayAndSixtyFourAreNot) {
    NodeIndex before = Add(NodeType::kSwitch, 1, 2);
    fabric_.SetOwnPort(PortAt(before, 0));
    DirectedPath path;
    for (std::uint64_t hops = 1; hops <= 64; ++hops) {
        const NodeIndex next = Add(NodeType::kSwitch, 1 + hops, 2);
        fabric_.Connect(PortAt(before, 2), PortAt(next, 1));
        fabric_.node(next).entry = PortAt(before, 2);
        EXPECT_EQ(fabric_.PathTo(PortAt(next, 0), path),
                  hops <= 63 ? Status::kOk : Status::kUnreachable);
        before = next;
    }
}

TEST_F(FabricTest, AllLidsOfARangeLeadToItsPort) {
    const NodeIndex host = Add(NodeType::kChannelAdapter, 1, 1);
    fabric_.GiveLids(PortAt(host, 1), Lid{8}, 2);
    EXPECT_EQ(fabric_.PortByLid(Lid{7}), kNoPortIndex);
    EXPECT_EQ(fabric_.PortByLid(Lid{11}), PortAt(host, 1));
    EXPECT_EQ(fabric_.top_lid(), Lid{11});

    fabric_.GiveLids(PortAt(host, 1), Lid{4}, 0);
    EXPECT_EQ(fabric_.PortByLid(Lid{11}), kNoPortIndex);
    EXPECT_EQ(fabric_.top_lid(), Lid{4});
    EXPECT_EQ(fabric_.PortByLid(Lid{0xFFFF}), kNoPortIndex);

    fabric_.RemoveNode(host);
    EXPECT_EQ(fabric_.top_lid(), kNoLid);
}

TEST_F(FabricTest, APortGuidBelongsToOnePort) {
    const NodeIndex one = Add(NodeType::kChannelAdapter, 1, 1);
    const NodeIndex two = Add(NodeType::kChannelAdapter, 2, 1);
    EXPECT_TRUE(fabric_.NamePort(PortAt(one, 1), Guid{10}));
    EXPECT_TRUE(fabric_.NamePort(PortAt(one, 1), Guid{10}));
    EXPECT_FALSE(fabric_.NamePort(PortAt(two, 1), Guid{10}));
    EXPECT_FALSE(fabric_.NamePort(PortAt(two, 1), kNoGuid));
    EXPECT_TRUE(fabric_.NamePort(PortAt(one, 1), Guid{11}));
    EXPECT_EQ(fabric_.FindPort(Guid{10}), kNoPortIndex);
    EXPECT_EQ(fabric_.FindPort(Guid{11}), PortAt(one, 1));
}

/// Goal:   whatever nodes come and go, the indexes and rows agree with a plain map.
/// Method: random arrivals and departures; after each, every live node is looked up.
RC_GTEST_PROP(FabricProperty, AgreesWithAPlainMap, ()) {
    const auto storage = std::make_unique<Storage<kLimits>>();
    Fabric fabric(storage->memory().fabric, kLimits);
    std::map<std::uint64_t, std::uint8_t> model;
    const auto moves = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint8_t>>>(
        rc::gen::pair(rc::gen::inRange<std::uint8_t>(1, 60), rc::gen::inRange<std::uint8_t>(1, 9)));
    for (const auto& [guid, ports] : moves) {
        if (model.count(guid) != 0) {
            fabric.RemoveNode(fabric.FindNode(Guid{guid}));
            model.erase(guid);
            continue;
        }
        const NodeType type = guid % 3 == 0 ? NodeType::kChannelAdapter : NodeType::kSwitch;
        const auto added = fabric.AddNode(Describe(type, guid, ports));
        if (added.ok()) model[guid] = ports;
        RC_ASSERT(added.ok() || added.status() == Status::kFull);
    }
    RC_ASSERT(fabric.node_count() == model.size());
    std::vector<bool> taken(fabric.port_bound(), false);
    for (const auto& [guid, ports] : model) {
        const NodeIndex at = fabric.FindNode(Guid{guid});
        RC_ASSERT(at != kNoNode);
        RC_ASSERT(fabric.node(at).port_count == ports);
        for (const Port& port : fabric.PortsOf(at)) {
            RC_ASSERT(port.node == at);
            RC_ASSERT(!taken[Raw(fabric.IndexOf(port))]);
            taken[Raw(fabric.IndexOf(port))] = true;
        }
    }
}

}  // namespace
}  // namespace ember
