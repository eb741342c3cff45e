// SPDX-License-Identifier: Apache-2.0
// EmberSM: properties of the tables of the subnet, checked against plain maps.

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <rapidcheck/gtest.h>
#include <utility>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/manager/storage.h"

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

/// Goal:   after any nodes were added and removed, the indexes and rows agree with a plain map.
/// Method: random additions and removals; after each, every live node is looked up.
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

/// A node in the plain map.
struct PlainNode {
    std::uint32_t rows = 0;
    std::map<unsigned, std::pair<std::uint64_t, unsigned>> peers;  ///< By port: node and port.
    std::map<unsigned, unsigned> lids;                             ///< By port.
};

/// A Fabric, and the same subnet in plain maps.
class Twin {
public:
    explicit Twin(std::uint32_t max_ports) {
        Limits limits = kLimits;
        limits.max_ports = max_ports;
        fabric_ = std::make_unique<Fabric>(storage_->memory().fabric, limits);
        max_ports_ = max_ports;
    }

    void ComeOrGo(std::uint64_t guid, std::uint8_t ports) {
        if (nodes_.count(guid) != 0) return Leave(guid);
        const bool is_switch = guid % 2 == 0;
        const NodeType type = is_switch ? NodeType::kSwitch : NodeType::kChannelAdapter;
        const std::uint32_t rows = ports + (is_switch ? 1U : 0U);
        Result<NodeIndex> added = fabric_->AddNode(Describe(type, guid, ports));
        const bool has_room = used_ + rows <= max_ports_;
        if (!added.ok() && has_room) {
            RC_ASSERT(fabric_->shortage().is_scattered);
            fabric_->GatherPorts();
            fabric_->ClearShortage();
            added = fabric_->AddNode(Describe(type, guid, ports));
        }
        RC_ASSERT(added.ok() == has_room);
        if (!has_room) return;
        used_ += rows;
        nodes_[guid].rows = rows;
        for (Port& port : fabric_->PortsOf(added.value())) {
            RC_ASSERT(fabric_->NamePort(fabric_->IndexOf(port), Name(guid, Raw(port.number))));
        }
    }

    void Cable(std::uint64_t one, unsigned port, std::uint64_t other, unsigned other_port) {
        const PortIndex here = Row(one, port);
        const PortIndex there = Row(other, other_port);
        if (here == kNoPortIndex || there == kNoPortIndex || here == there) return;
        Unplug(one, port);
        Unplug(other, other_port);
        fabric_->Connect(here, there);
        nodes_[one].peers[port] = {other, other_port};
        nodes_[other].peers[other_port] = {one, port};
    }

    void GiveLid(std::uint64_t guid, unsigned port, unsigned lid) {
        const PortIndex row = Row(guid, port);
        if (row == kNoPortIndex || lids_.count(lid) != 0) return;
        if (nodes_[guid].lids.count(port) != 0) lids_.erase(nodes_[guid].lids[port]);
        fabric_->GiveLids(row, static_cast<Lid>(lid), 0);
        nodes_[guid].lids[port] = lid;
        lids_[lid] = {guid, port};
    }

    void Compare() const {
        RC_ASSERT(fabric_->node_count() == nodes_.size());
        for (const auto& [guid, node] : nodes_) {
            const NodeIndex at = fabric_->FindNode(Guid{guid});
            RC_ASSERT(at != kNoNode);
            RC_ASSERT(fabric_->PortsOf(at).size() == node.rows);
            for (const Port& port : fabric_->PortsOf(at)) {
                ComparePort(guid, node, port);
            }
        }
        for (unsigned lid = 1; lid <= kLimits.max_lid; ++lid) {
            const auto owner = lids_.find(lid);
            const PortIndex wanted = owner == lids_.end()
                                         ? kNoPortIndex
                                         : Row(owner->second.first, owner->second.second);
            RC_ASSERT(fabric_->PortByLid(static_cast<Lid>(lid)) == wanted);
        }
    }

private:
    static Guid Name(std::uint64_t guid, unsigned port) { return Guid{guid * 1000 + port + 1}; }
    [[nodiscard]] PortIndex Row(std::uint64_t guid, unsigned port) const {
        const NodeIndex at = fabric_->FindNode(Guid{guid});
        return at == kNoNode ? kNoPortIndex : fabric_->PortOf(at, static_cast<PortNumber>(port));
    }
    void ComparePort(std::uint64_t guid, const PlainNode& node, const Port& port) const {
        const unsigned number = Raw(port.number);
        RC_ASSERT(fabric_->node(port.node).guid == Guid{guid});
        RC_ASSERT(fabric_->FindPort(Name(guid, number)) == fabric_->IndexOf(port));
        const auto peer = node.peers.find(number);
        RC_ASSERT(port.peer == (peer == node.peers.end()
                                    ? kNoPortIndex
                                    : Row(peer->second.first, peer->second.second)));
    }
    void Leave(std::uint64_t guid) {
        fabric_->RemoveNode(fabric_->FindNode(Guid{guid}));
        while (!nodes_[guid].peers.empty()) {
            Unplug(guid, nodes_[guid].peers.begin()->first);
        }
        for (const auto& [port, lid] : nodes_[guid].lids) {
            lids_.erase(lid);
        }
        used_ -= nodes_[guid].rows;
        nodes_.erase(guid);
    }
    void Unplug(std::uint64_t guid, unsigned port) {
        const auto found = nodes_[guid].peers.find(port);
        if (found == nodes_[guid].peers.end()) return;
        const auto other = found->second;
        nodes_[guid].peers.erase(port);
        nodes_[other.first].peers.erase(other.second);
    }

    std::unique_ptr<Storage<kLimits>> storage_ = std::make_unique<Storage<kLimits>>();
    std::unique_ptr<Fabric> fabric_;
    std::uint32_t max_ports_ = 0;
    std::uint32_t used_ = 0;
    std::map<std::uint64_t, PlainNode> nodes_;
    std::map<unsigned, std::pair<std::uint64_t, unsigned>> lids_;
};

/// Goal:   a node is refused only if the port table has fewer free rows than the node has ports,
///         and links, GUIDs and LIDs survive that rows are moved.
/// Method: nodes with varying numbers of ports are added, linked, given LIDs and removed, in a port
///         table that is often full.
RC_GTEST_PROP(FabricProperty, LosesNoPortRowHoweverNumbersOfPortsVary, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
    Twin twin(30 + below(40));
    for (int i = 0; i < 150; ++i) {
        const std::uint64_t guid = 1 + below(24);
        if (below(2) == 0) twin.ComeOrGo(guid, static_cast<std::uint8_t>(1 + below(8)));
        twin.Cable(guid, below(9), 1 + below(24), below(9));
        twin.GiveLid(guid, below(3), 1 + below(60));
        if (i % 10 == 0) twin.Compare();
    }
    twin.Compare();
}

}  // namespace
}  // namespace ember
