// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what LinearFDBCaps say about LIDs.

#include "core/lids/linear_caps.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

#include "core/manager/storage.h"

namespace ember {
namespace {

constexpr Limits kLimits{.max_nodes = 32,
                         .max_switches = 16,
                         .max_ports = 256,
                         .max_switch_ports = 16,
                         .max_lid = 200,
                         .max_smps = 16,
                         .max_other_sms = 2,
                         .journal_notes = 64,
                         .scratch_bytes = 1U << 20U};

/// A switch with the manager at its port 1.
class LinearCaps : public ::testing::Test {
protected:
    LinearCaps() {
        hub_ = Add(NodeType::kSwitch, 0x2000, 1000);
        const NodeIndex own = Add(NodeType::kChannelAdapter, 0x1, 0);
        fabric_.Connect(fabric_.PortOf(hub_, PortNumber{1}), fabric_.PortOf(own, PortNumber{1}));
        fabric_.SetOwnPort(fabric_.PortOf(own, PortNumber{1}));
        fabric_.node(hub_).entry = fabric_.own_port();
    }

    /// A switch of that LinearFDBCap behind a port of the first one.
    void Plug(std::uint8_t port, std::uint16_t cap, bool was_a_host) {
        const NodeIndex node = Add(NodeType::kSwitch, 0x3000U + port, cap);
        const PortIndex exit = fabric_.PortOf(hub_, PortNumber{port});
        fabric_.Connect(exit, fabric_.PortOf(node, PortNumber{1}));
        fabric_.node(node).entry = exit;
        fabric_.port(exit).had_end_node = was_a_host;
    }

    std::unique_ptr<Storage<kLimits>> storage_ = std::make_unique<Storage<kLimits>>();
    Fabric fabric_{storage_->memory().fabric, kLimits};
    NodeIndex hub_ = kNoNode;

private:
    NodeIndex Add(NodeType type, std::uint64_t guid, std::uint16_t cap) {
        NodeInfo info;
        info.Set(NodeInfo::kNodeType, type);
        info.Set(NodeInfo::kNodeGuid, Guid{guid});
        info.Set(NodeInfo::kNumPorts, static_cast<std::uint8_t>(cap == 0 ? 1 : 16));
        const NodeIndex node = fabric_.AddNode(info).value();
        if (cap == 0) return node;
        fabric_.switch_row(fabric_.node(node).switch_index)
            .info.Set(SwitchInfo::kLinearFdbCap, cap);
        return node;
    }
};

TEST_F(LinearCaps, HalfOfTheSwitchesHoldTheHighestLid) {
    EXPECT_EQ(TopLidForMost(fabric_), 200U) << "the limit of the board";
    Plug(2, 48, false);
    EXPECT_EQ(TopLidForMost(fabric_), 200U);
    Plug(3, 64, false);
    EXPECT_EQ(TopLidForMost(fabric_), 63U);
    Plug(4, 1, false);
    EXPECT_EQ(TopLidForMost(fabric_), 200U) << "a cap of 1 says nothing";
}

/// Their caps would leave all hosts without LIDs.
TEST_F(LinearCaps, HostsThatPoseAsSwitchesHaveNoVote) {
    for (std::uint8_t port = 2; port < 8; ++port) {
        Plug(port, 2, true);
        EXPECT_EQ(TopLidForMost(fabric_), 200U) << unsigned{port};
    }
}

TEST_F(LinearCaps, TheOwnSwitchIsTheOneThatTheManagerIsLinkedTo) {
    Plug(2, 48, false);
    EXPECT_EQ(OwnSwitchOf(fabric_), hub_);
    fabric_.SetOwnPort(fabric_.PortOf(hub_, kManagementPort));
    EXPECT_EQ(OwnSwitchOf(fabric_), hub_);
}

}  // namespace
}  // namespace ember
