// SPDX-License-Identifier: Apache-2.0
// EmberSM: NodeRecords: which there are, and how they are found.
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

#include "core/administration/records/subnet_records.h"
#include "core/wire/node_description.h"
#include "tests/core/administration/records/told_records.h"

namespace ember {
namespace {

using testing::As;
using testing::FindsByEachComponent;
using testing::kLid;
using testing::LidsOf;
using testing::Naming;
using testing::Octets;
using testing::RecordNet;
using testing::Told;

TEST(NodeRecords, ThereIsOneForEachPortThatHasALid) {
    RecordNet net;
    NodeRecords source(net.view());
    const Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 8U);  // Six ports of hosts, two switches.
    std::size_t of_d = 0;
    for (const Octets& octets : told.records) {
        const auto record = As<NodeRecord>(octets);
        const auto info = Take<NodeInfo>(record, NodeRecord::kNodeInfo);
        const PortIndex at = net.fabric().FindPort(info.Get(NodeInfo::kPortGuid));
        ASSERT_NE(at, kNoPortIndex);
        const Port& port = net.fabric().port(at);
        const Node& node = net.fabric().node(port.node);
        EXPECT_EQ(record.Get(NodeRecord::kLid), port.lid);
        EXPECT_EQ(info.Get(NodeInfo::kLocalPortNum), port.number);
        EXPECT_EQ(info.Get(NodeInfo::kNodeGuid), node.guid);
        EXPECT_EQ(info.Get(NodeInfo::kSystemImageGuid), node.system_image_guid);
        EXPECT_EQ(info.Get(NodeInfo::kNodeType), node.type);
        EXPECT_EQ(info.Get(NodeInfo::kNumPorts), node.port_count);
        EXPECT_EQ(info.Get(NodeInfo::kPartitionCap), 64);
        EXPECT_EQ(info.Get(NodeInfo::kBaseVersion), 1);
        EXPECT_EQ(info.Get(NodeInfo::kClassVersion), 1);
        EXPECT_EQ(info.Get(NodeInfo::kDeviceId), node.device_id);
        EXPECT_EQ(info.Get(NodeInfo::kRevision), node.revision);
        EXPECT_EQ(info.Get(NodeInfo::kVendorId), node.vendor_id);
        if (node.guid == net.fabric().node(net.built().node(4)).guid) ++of_d;
    }
    EXPECT_EQ(of_d, 2U);
}

TEST(NodeRecords, AreFoundByEachComponent) {
    RecordNet net;
    NodeRecords source(net.view());
    FindsByEachComponent(net, source, NodeRecord::kComponents, {kLid, 14});
}

TEST(NodeRecords, AreFoundByAnyLidOfTheirs) {
    RecordNet net(2);
    NodeRecords source(net.view());
    const Lid base = net.port(2, 1).lid;
    for (unsigned i = 0; i < 4; ++i) {
        const Told told = net.Ask(source, 1U << kLid, Naming(static_cast<Lid>(Raw(base) + i)));
        EXPECT_EQ(LidsOf(told), std::vector<Lid>{base});
    }
}

TEST(NodeRecords, AreFoundByGuidWithoutASearch) {
    RecordNet net;
    NodeRecords source(net.view());
    NodeInfo info;
    info.Set(NodeInfo::kPortGuid, net.port(4, 2).guid);
    info.Set(NodeInfo::kNodeGuid, net.fabric().node(net.built().node(4)).guid);
    NodeRecord asked;
    Put(asked, NodeRecord::kNodeInfo, info);
    const Told by_port = net.Ask(source, 1U << 8U, asked.octets());
    EXPECT_EQ(LidsOf(by_port), std::vector<Lid>{net.port(4, 2).lid});
    EXPECT_LE(by_port.looked_at, 4U);
    const Told by_node = net.Ask(source, 1U << 7U, asked.octets());
    EXPECT_EQ(by_node.records.size(), 2U);
    EXPECT_LE(by_node.looked_at, 4U);
    // A LID and a GUID of different ports are no port.
    asked.Set(NodeRecord::kLid, net.port(0, 1).lid);
    EXPECT_TRUE(net.Ask(source, 1U << kLid | 1U << 8U, asked.octets()).records.empty());
}

TEST(NodeRecords, DescriptionsAreComparedUpToTheirFirstZero) {
    RecordNet net;
    NodeRecords source(net.view());
    Node& node = net.fabric().node(net.built().node(6));
    node.description = {'e', '1', 0, 'x'};
    net.fabric().node(net.built().node(3)).description = {'e', '1', '2'};
    NodeRecord asked;
    NodeDescription name;
    name.SetText("e1");
    name.octets()[40] = 7;  // Whatever follows the zero.
    Put(asked, NodeRecord::kNodeDescription, name);
    const Told told = net.Ask(source, 1U << 14U, asked.octets());
    EXPECT_EQ(LidsOf(told), std::vector<Lid>{net.port(6, 1).lid});
    EXPECT_EQ(told.records[0][44 + 3], 'x');  // The description is as the device sent it.
}

}  // namespace
}  // namespace ember
