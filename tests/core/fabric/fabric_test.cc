// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the tables of the subnet.

#include "core/fabric/fabric.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "core/manager/storage.h"
#include "tests/support/row_check.h"

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

TEST_F(FabricTest, NoNodeIsEnteredByARowThatIsGone) {
    const NodeIndex near = Add(NodeType::kSwitch, 1, 4);
    const NodeIndex behind = Add(NodeType::kSwitch, 2, 4);
    const NodeIndex other = Add(NodeType::kSwitch, 3, 4);
    fabric_.node(behind).entry = PortAt(near, 1);
    fabric_.node(other).entry = PortAt(behind, 2);
    fabric_.RemoveNode(near);
    EXPECT_EQ(fabric_.node(behind).entry, kNoPortIndex);
    EXPECT_EQ(fabric_.node(other).entry, PortAt(behind, 2)) << "it is there";
    EXPECT_EQ(testing::LostRowOf(fabric_), "");
    // All at once: the rows of a node that is asked about are there still.
    std::size_t asked = 0;
    fabric_.RemoveNodes([&](NodeIndex at, const Node& node) {
        ++asked;
        EXPECT_EQ(fabric_.FindNode(node.guid), at);
        return at == behind;
    });
    EXPECT_EQ(asked, 2U);
    EXPECT_EQ(fabric_.node_count(), 1U);
    EXPECT_EQ(fabric_.node(other).entry, kNoPortIndex);
    Add(NodeType::kSwitch, 4, 4);
    EXPECT_EQ(testing::LostRowOf(fabric_), "");
}

TEST_F(FabricTest, AChangeThatAPortPlanDependsOnTouchesBothEndsOfALink) {
    const NodeIndex one = Add(NodeType::kSwitch, 1, 4);
    const NodeIndex other = Add(NodeType::kSwitch, 2, 4);
    const PortIndex near = PortAt(one, 1);
    const PortIndex far = PortAt(other, 2);
    EXPECT_TRUE(fabric_.port(near).touched) << "new";
    const auto expect_touched = [&](bool touched_near, bool touched_far) {
        EXPECT_EQ(fabric_.port(near).touched, touched_near);
        EXPECT_EQ(fabric_.port(far).touched, touched_far);
        fabric_.port(near).touched = false;
        fabric_.port(far).touched = false;
    };
    expect_touched(true, true);
    fabric_.Connect(near, far);
    expect_touched(true, true);
    fabric_.Connect(near, far);
    expect_touched(false, false);
    fabric_.Touch(far);
    expect_touched(true, true);
    fabric_.Disconnect(far);
    expect_touched(true, true);
    fabric_.Touch(far);
    expect_touched(false, true);
    fabric_.GiveLids(near, Lid{4}, 0);
    expect_touched(true, false);
    fabric_.GiveLids(near, Lid{4}, 0);
    expect_touched(false, false);
}

TEST_F(FabricTest, AChangeThatLidsDependOnIsEndPortNews) {
    const auto expect_news = [&](bool news) {
        EXPECT_EQ(fabric_.has_end_port_news(), news);
        fabric_.ForgetEndPortNews();
    };
    expect_news(true);
    const NodeIndex a_switch = Add(NodeType::kSwitch, 1, 4);
    const NodeIndex other = Add(NodeType::kSwitch, 2, 4);
    const NodeIndex host = Add(NodeType::kChannelAdapter, 3, 1);
    expect_news(true);
    fabric_.Connect(PortAt(a_switch, 1), PortAt(other, 1));
    fabric_.Disconnect(PortAt(a_switch, 1));
    expect_news(false);
    fabric_.Connect(PortAt(a_switch, 1), PortAt(host, 1));
    expect_news(true);
    fabric_.Disconnect(PortAt(a_switch, 1));
    expect_news(true);
    EXPECT_TRUE(fabric_.NamePort(PortAt(host, 1), Guid{7}));
    expect_news(true);
    EXPECT_TRUE(fabric_.NamePort(PortAt(host, 1), Guid{7}));
    expect_news(false);
    fabric_.SetOwnPort(PortAt(host, 1));
    expect_news(true);
    fabric_.RemoveNode(other);
    expect_news(true);
}

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

TEST_F(FabricTest, AnImpossibleNodeInfoIsMalformed) {
    for (const NodeInfo& info :
         {Describe(NodeType::kSwitch, 0, 4), Describe(NodeType::kSwitch, 1, 0),
          Describe(NodeType::kSwitch, 1, 255), Describe(static_cast<NodeType>(9), 1, 1)}) {
        EXPECT_EQ(fabric_.AddNode(info).status(), Status::kMalformed);
    }
    EXPECT_EQ(fabric_.node_count(), 0U);
    EXPECT_FALSE(fabric_.shortage().any());
}

TEST_F(FabricTest, ASwitchBeyondMaxSwitchesIsRefusedAndTheNeedIsCounted) {
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

TEST_F(FabricTest, ASwitchWithTooManyPortsIsRefused) {
    EXPECT_EQ(fabric_.AddNode(Describe(NodeType::kSwitch, 1, 9)).status(), Status::kFull);
    EXPECT_EQ(fabric_.shortage().needed_switch_ports, 9U);
    EXPECT_EQ(fabric_.shortage().needed_switches, 0U);
}

TEST_F(FabricTest, RowsOfARemovedNodeAreUsedAgain) {
    // Fill the port table, then remove one node: only its rows are free.
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

TEST_F(FabricTest, RowsOfRemovedNodesSideBySideMakeOneRun) {
    // Fill the port table with hosts of 1 port; when all are removed, a switch has room there.
    Limits limits = kLimits;
    limits.max_ports = 72;
    Fabric fabric(storage_->memory().fabric, limits);
    for (std::uint64_t guid = 1; guid <= 72; ++guid) {
        ASSERT_TRUE(fabric.AddNode(Describe(NodeType::kChannelAdapter, guid, 1)).ok());
    }
    for (std::uint64_t guid = 30; guid < 39; ++guid) {
        EXPECT_FALSE(fabric.AddNode(Describe(NodeType::kSwitch, 100, 8)).ok());
        EXPECT_EQ(fabric.shortage().needed_ports, 72 + 30 - guid + 9);
        fabric.ClearShortage();
        fabric.RemoveNode(fabric.FindNode(Guid{guid}));
    }
    EXPECT_TRUE(fabric.AddNode(Describe(NodeType::kSwitch, 100, 8)).ok());
    EXPECT_FALSE(fabric.shortage().any());
}

TEST_F(FabricTest, ScatteredFreeRowsAreGathered) {
    Limits limits = kLimits;
    limits.max_ports = 40;
    Fabric fabric(storage_->memory().fabric, limits);
    for (std::uint64_t guid = 1; guid <= 20; ++guid) {
        ASSERT_TRUE(fabric.AddNode(Describe(NodeType::kChannelAdapter, guid, 2)).ok());
    }
    for (std::uint64_t guid = 1; guid <= 20; guid += 2) {
        fabric.RemoveNode(fabric.FindNode(Guid{guid}));
    }
    // 20 rows are free, and no 3 of them together.
    const NodeInfo wide = Describe(NodeType::kSwitch, 100, 8);
    EXPECT_EQ(fabric.AddNode(wide).status(), Status::kFull);
    EXPECT_TRUE(fabric.shortage().is_scattered);
    EXPECT_TRUE(fabric.shortage().any());
    EXPECT_EQ(fabric.shortage().needed_ports, 0U);  // A larger max_ports is not needed.
    EXPECT_EQ(fabric.shortage().refused_nodes, 0U);
    fabric.GatherPorts();
    fabric.ClearShortage();
    EXPECT_TRUE(fabric.AddNode(wide).ok());
    EXPECT_FALSE(fabric.shortage().any());
}

TEST_F(FabricTest, PathsAreTheSameAfterPortsWereGathered) {
    const NodeIndex early = Add(NodeType::kChannelAdapter, 9, 5);
    const NodeIndex own = Add(NodeType::kChannelAdapter, 1, 1);
    const NodeIndex hub = Add(NodeType::kSwitch, 2, 4);
    const NodeIndex far = Add(NodeType::kChannelAdapter, 3, 2);
    const NodeIndex cut = Add(NodeType::kChannelAdapter, 4, 1);
    fabric_.SetOwnPort(PortAt(own, 1));
    fabric_.Connect(PortAt(own, 1), PortAt(hub, 3));
    fabric_.Connect(PortAt(hub, 4), PortAt(far, 2));
    fabric_.Connect(PortAt(hub, 1), PortAt(hub, 2));  // A link from a switch to itself.
    fabric_.node(hub).entry = PortAt(own, 1);
    fabric_.node(far).entry = PortAt(hub, 4);
    fabric_.node(cut).entry = PortAt(hub, 1);  // Its cable leads elsewhere by now.
    fabric_.RemoveNode(early);
    fabric_.GatherPorts();

    EXPECT_EQ(Raw(fabric_.node(own).first_port), 0U);
    EXPECT_EQ(fabric_.own_port(), PortAt(own, 1));
    EXPECT_EQ(fabric_.port(PortAt(hub, 1)).peer, PortAt(hub, 2));
    EXPECT_EQ(fabric_.port(PortAt(hub, 2)).peer, PortAt(hub, 1));
    DirectedPath path;
    ASSERT_EQ(fabric_.PathTo(PortAt(far, 2), path), Status::kOk);
    ASSERT_EQ(path.hops, 2);
    EXPECT_EQ(path.ports[0], 1);
    EXPECT_EQ(path.ports[1], 4);
    EXPECT_EQ(fabric_.node(cut).entry, kNoPortIndex);
}

TEST_F(FabricTest, ANewLinkEndsTheOldLinksOfBothPorts) {
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

TEST_F(FabricTest, APathIsTheChainOfEntriesBackToTheSm) {
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

TEST_F(FabricTest, APathHasAtMostSixtyThreeHops) {
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

}  // namespace
}  // namespace ember
