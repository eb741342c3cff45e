// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Fabric from a netlist, as it is after discovery and LID assignment.

#include "tests/support/fabric_builder.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/wire/node_info.h"
#include "core/wire/port_info.h"

namespace ember::testing {

namespace {

Guid PortGuid(const net::NetNode& node, std::size_t number) {
    if (node.is_switch()) return node.guid;
    if (node.ports[number].guid != kNoGuid) return node.ports[number].guid;
    return static_cast<Guid>(Raw(node.guid) + number);
}

NodeInfo InfoOf(const net::NetNode& node) {
    NodeInfo info;
    info.Set(NodeInfo::kBaseVersion, std::uint8_t{1});
    info.Set(NodeInfo::kClassVersion, std::uint8_t{1});
    info.Set(NodeInfo::kNodeType, node.type);
    info.Set(NodeInfo::kNumPorts, static_cast<std::uint8_t>(node.port_count()));
    info.Set(NodeInfo::kNodeGuid, node.guid);
    info.Set(NodeInfo::kSystemImageGuid,
             node.system_image_guid == kNoGuid ? node.guid : node.system_image_guid);
    info.Set(NodeInfo::kPortGuid, PortGuid(node, node.is_switch() ? 0 : 1));
    return info;
}

void SetState(Port& port, PortState state) {
    port.info.Set(PortInfo::kPortState, state);
}

}  // namespace

Limits LimitsFor(const net::Netlist& netlist, std::uint8_t lmc) {
    Limits limits{};
    std::uint32_t lids = 1U << lmc;  // The first aligned range begins here.
    for (const net::NetNode& node : netlist.nodes) {
        ++limits.max_nodes;
        limits.max_ports += node.port_count() + (node.is_switch() ? 1 : 0);
        if (node.is_switch()) {
            ++limits.max_switches;
            limits.max_switch_ports = std::max(limits.max_switch_ports, node.port_count());
            ++lids;
        } else {
            lids += node.port_count() << lmc;
        }
    }
    limits.max_switches = std::max(limits.max_switches, 1U);
    limits.max_switch_ports = std::max(limits.max_switch_ports, 1U);
    // Ranges are aligned: a switch's LID between two of them may waste most of one.
    limits.max_lid = std::min<std::uint32_t>(0xBFFF, lids + (limits.max_switches << lmc));
    limits.max_smps = 64;
    limits.max_other_sms = 4;
    limits.journal_notes = 64;
    return limits;
}

std::span<std::byte> ArenaStorage::Aligned() {
    void* place = bytes_.data();
    std::size_t space = bytes_.size();
    std::align(Arena::kGrain, bytes_.size() - Arena::kGrain, place, space);
    return {static_cast<std::byte*>(place), bytes_.size() - Arena::kGrain};
}

BuiltFabric::BuiltFabric(const net::Netlist& netlist, const Options& options)
    : limits_(LimitsFor(netlist, options.lmc)) {
    for (const auto& [guid, lid] : options.lids) {
        limits_.max_lid =
            std::max<std::uint32_t>(limits_.max_lid, Raw(lid) + (1U << options.lmc) - 1);
    }
    node_rows_.resize(limits_.max_nodes);
    switch_rows_.resize(limits_.max_switches);
    port_rows_.resize(limits_.max_ports);
    node_slots_.resize(HashIndex<NodeIndex>::SlotsFor(limits_.max_nodes));
    port_slots_.resize(HashIndex<PortIndex>::SlotsFor(limits_.max_ports));
    lid_rows_.resize(limits_.max_lid + std::size_t{1});
    fabric_ = std::make_unique<Fabric>(Fabric::Memory{.nodes = node_rows_,
                                                      .switches = switch_rows_,
                                                      .ports = port_rows_,
                                                      .node_slots = node_slots_,
                                                      .port_slots = port_slots_,
                                                      .lids = lid_rows_},
                                       limits_);
    AddNodes(netlist);
    ConnectAll(netlist);
    const NodeIndex own = node(options.own_node);
    const bool on_switch = fabric_->node(own).type == NodeType::kSwitch;
    fabric_->SetOwnPort(fabric_->PortOf(own, static_cast<PortNumber>(on_switch ? 0 : 1)));
    GiveLids(options);
}

void BuiltFabric::AddNodes(const net::Netlist& netlist) {
    for (const net::NetNode& row : netlist.nodes) {
        const Result<NodeIndex> added = fabric_->AddNode(InfoOf(row));
        if (!added.ok()) throw std::runtime_error("netlist does not fit: " + row.id);
        nodes_.push_back(added.value());
        for (Port& port : fabric_->PortsOf(added.value())) {
            SetState(port, PortState::kDown);
            const bool is_end_port = !row.is_switch() || port.number == kManagementPort;
            if (!is_end_port) continue;
            if (row.is_switch()) SetState(port, PortState::kActive);
            if (!fabric_->NamePort(fabric_->IndexOf(port), PortGuid(row, Raw(port.number)))) {
                throw std::runtime_error("port GUID occurs twice: " + row.id);
            }
        }
    }
}

void BuiltFabric::ConnectAll(const net::Netlist& netlist) {
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        const net::NetNode& row = netlist.nodes[i];
        for (std::size_t number = 1; number < row.ports.size(); ++number) {
            const net::NetPort& end = row.ports[number];
            if (end.peer == net::kNoPeer) continue;
            const PortIndex here = fabric_->PortOf(nodes_[i], static_cast<PortNumber>(number));
            const PortIndex there =
                fabric_->PortOf(nodes_[end.peer], static_cast<PortNumber>(end.peer_port));
            fabric_->Connect(here, there);
            SetState(fabric_->port(here), PortState::kInitialize);
        }
    }
}

void BuiltFabric::GiveLids(const Options& options) {
    std::vector<PortIndex> order;
    ForEachPort(*fabric_, [&](PortIndex at, const Port& port) {
        const bool is_cabled = port.peer != kNoPortIndex || port.number == kManagementPort;
        if (IsEndPort(*fabric_, port) && is_cabled) order.push_back(at);
    });
    const auto key = [&](PortIndex at) {
        const std::uint64_t guid = Raw(fabric_->port(at).guid);
        // Our own port comes first; no GUID is all zeros.
        if (at == fabric_->own_port()) return std::uint64_t{0};
        return options.order == Order::kGuid ? guid : __builtin_bswap64(guid);
    };
    std::sort(order.begin(), order.end(),
              [&](PortIndex a, PortIndex b) { return key(a) < key(b); });

    std::uint32_t next = 1;
    for (const PortIndex at : order) {
        const Port& port = fabric_->port(at);
        const bool is_switch = fabric_->node(port.node).type == NodeType::kSwitch;
        const std::uint8_t lmc = is_switch ? std::uint8_t{0} : options.lmc;
        if (!options.lids.empty()) {
            const auto found = options.lids.find(port.guid);
            if (found != options.lids.end()) fabric_->GiveLids(at, found->second, lmc);
            continue;
        }
        next = (next + (1U << lmc) - 1) >> lmc << lmc;
        fabric_->GiveLids(at, static_cast<Lid>(next), lmc);
        next += 1U << lmc;
    }
}

}  // namespace ember::testing
