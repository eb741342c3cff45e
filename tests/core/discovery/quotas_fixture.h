// SPDX-License-Identifier: Apache-2.0
// EmberSM: PortQuotas over a fabric that the test makes node by node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "core/discovery/port_quotas.h"
#include "core/fabric/fabric.h"
#include "tests/support/fabric_builder.h"

namespace ember {

/// Tables of which an eighth is more than any test takes.
inline constexpr Limits kSpaciousBoard{.max_nodes = 4000,
                                       .max_switches = 2000,
                                       .max_ports = 20000,
                                       .max_switch_ports = 254,
                                       .max_lid = 255,
                                       .max_smps = 16,
                                       .max_other_sms = 2,
                                       .journal_notes = 64,
                                       .scratch_bytes = 65536};

/// A board, its fabric with the manager's host, and the quotas of one sweep.
class QuotasBoard {
public:
    /// Makes the fabric, of `limits_`. The host of the manager is its only node.
    void Build() {
        fabric_.emplace(memory_.fabric(), limits_);
        own_port_ = fabric_->node(AddNode(NodeType::kChannelAdapter, 1)).first_port;
        fabric_->SetOwnPort(own_port_);
        quotas_.emplace(*fabric_);
        quotas_->Begin(scratch_.arena());
        quotas_->Restart(false);
    }
    /// Makes the fabric, and adds so many nodes without a link that each exit has a share only.
    void FillAnEighth() {
        limits_.max_nodes = 800;
        Build();
        AddStrangers(100);
    }

    [[nodiscard]] Fabric& fabric() { return *fabric_; }
    [[nodiscard]] PortIndex At(NodeIndex node, unsigned number) const {
        return fabric_->PortOf(node, static_cast<PortNumber>(number));
    }
    NodeIndex AddNode(NodeType type, std::uint8_t ports) {
        NodeInfo info;
        info.Set(NodeInfo::kNodeType, type);
        info.Set(NodeInfo::kNodeGuid, static_cast<Guid>(next_guid_++));
        info.Set(NodeInfo::kNumPorts, ports);
        const Result<NodeIndex> added = fabric_->AddNode(info);
        EXPECT_TRUE(added.ok());
        return added.ok() ? added.value() : kNoNode;
    }
    void AddStrangers(int hosts) {
        for (int i = 0; i < hosts; ++i)
            AddNode(NodeType::kChannelAdapter, 1);
    }
    /// A switch is met behind `exit`, and entered by its port 1.
    NodeIndex MeetSwitch(PortIndex exit, std::uint8_t ports) {
        const NodeIndex met = AddNode(NodeType::kSwitch, ports);
        fabric_->node(met).entry = exit;
        fabric_->Connect(exit, At(met, 1));
        quotas_->Count(exit, fabric_->node(met));
        return met;
    }
    /// Counts a node at `exit` that takes no row of the tables.
    void CountNode(PortIndex exit, NodeType type, std::uint8_t ports) {
        Node node;
        node.type = type;
        node.port_count = ports;
        quotas_->Count(exit, node);
    }
    /// The same for hosts with `rows` ports in all.
    void Count(PortIndex exit, std::size_t rows) {
        for (std::size_t left = rows; left > 0;) {
            const std::size_t now = std::min<std::size_t>(left, 254);
            CountNode(exit, NodeType::kChannelAdapter, static_cast<std::uint8_t>(now));
            left -= now;
        }
    }
    /// An end node was behind this port.
    void Former(PortIndex exit) { fabric_->port(exit).had_end_node = true; }

protected:
    Limits limits_ = kSpaciousBoard;
    PortIndex own_port_ = kNoPortIndex;
    std::optional<PortQuotas> quotas_;

private:
    struct Memory {
        std::vector<Node> nodes = std::vector<Node>(kSpaciousBoard.max_nodes);
        std::vector<Switch> switches = std::vector<Switch>(kSpaciousBoard.max_switches);
        std::vector<Port> ports = std::vector<Port>(kSpaciousBoard.max_ports);
        std::vector<NodeIndex> node_slots =
            std::vector<NodeIndex>(RowIndex<NodeIndex>::SlotsFor(kSpaciousBoard.max_nodes));
        std::vector<PortIndex> port_slots =
            std::vector<PortIndex>(RowIndex<PortIndex>::SparseSlotsFor(kSpaciousBoard.max_ports));
        std::vector<PortIndex> lids = std::vector<PortIndex>(kSpaciousBoard.max_lid + 1);
        [[nodiscard]] Fabric::Memory fabric() {
            return {nodes, switches, ports, node_slots, port_slots, lids};
        }
    };

    Memory memory_;
    testing::ArenaStorage scratch_{PortQuotas::ScratchBytes(kSpaciousBoard)};
    std::optional<Fabric> fabric_;
    std::uint64_t next_guid_ = 1;
};

class QuotasTest : public ::testing::Test, public QuotasBoard {};

}  // namespace ember
