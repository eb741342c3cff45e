// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Fabric from a netlist, as it is after discovery and LID assignment.

#include "config/netlist/fabric_builder.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/lids/filed_lids.h"
#include "core/lids/lid_map.h"
#include "core/lids/lids.h"
#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/switch_info.h"

namespace ember::net {
namespace {

constexpr std::size_t kMostNodes = 0xFFFE;  // NodeIndex is 16 bits wide, one value means none.

NodeInfo InfoOf(const NetNode& node) {
    NodeInfo info;
    info.Set(NodeInfo::kBaseVersion, std::uint8_t{1});
    info.Set(NodeInfo::kClassVersion, std::uint8_t{1});
    info.Set(NodeInfo::kNodeType, node.type);
    info.Set(NodeInfo::kNumPorts, static_cast<std::uint8_t>(node.port_count()));
    info.Set(NodeInfo::kNodeGuid, node.guid);
    info.Set(NodeInfo::kSystemImageGuid,
             node.system_image_guid == kNoGuid ? node.guid : node.system_image_guid);
    info.Set(NodeInfo::kPortGuid, PortGuid(node, node.is_switch() ? 0 : 1));
    info.Set(NodeInfo::kVendorId, node.vendor_id);
    info.Set(NodeInfo::kDeviceId, node.device_id);
    return info;
}

// A netlist does not tell these; as most hardware has, and as the simulated fabric does.
constexpr VlCap kVls = VlCap::kVl0To7;
constexpr Mtu kMtu = Mtu::k4096;
constexpr std::uint8_t kSpeed = link_speed_ext::kEdr;

void SetState(Port& port, PortState state) {
    port.info.Set(PortInfo::kPortState, state);
    port.info.Set(PortInfo::kVlCap, kVls);
}

/// Width and speed as the netlist tells them.
void SetLink(Port& port, const NetPort& given) {
    port.info.Set(PortInfo::kMtuCap, kMtu);
    if (given.peer == kNoPeer) return;
    const bool has_speed = given.speed != 0 || given.extended_speed != 0;
    const std::uint8_t fast = has_speed ? given.extended_speed : kSpeed;
    port.info.Set(PortInfo::kLinkWidthActive, given.width);
    port.info.Set(PortInfo::kLinkSpeedActive, fast != 0 ? link_speed::kExtended : given.speed);
    port.info.Set(PortInfo::kLinkSpeedExtActive, fast == kXdr ? link_speed_ext::kNone : fast);
    port.info.Set(PortInfo::kLinkSpeedExtActive2,
                  fast == kXdr ? link_speed_ext2::kXdr : link_speed_ext2::kNone);
}

/// The last LID of a port that keeps its first one.
std::uint32_t TopLid(const NetPort& port, const BuiltFabric::Options& options) {
    return Raw(port.lid) + (1U << std::max(port.lmc, options.lmc)) - 1;
}

bool KeepsLid(const NetPort& port, const BuiltFabric::Options& options) {
    return options.keep_lids && TopLid(port, options) <= options.max_kept_lid;
}

}  // namespace

Guid PortGuid(const NetNode& node, std::size_t number) {
    if (node.is_switch()) return node.guid;
    if (node.ports[number].guid != kNoGuid) return node.ports[number].guid;
    return static_cast<Guid>(Raw(node.guid) + number);
}

Limits LimitsFor(const Netlist& netlist, std::uint8_t lmc) {
    Limits limits{};
    std::uint32_t lids = 1U << lmc;  // The first aligned range begins here.
    for (const NetNode& node : netlist.nodes) {
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
    void* place = bytes_.values().data();
    std::size_t space = bytes_.values().size();
    const std::size_t bytes = space - Arena::kGrain;
    std::align(Arena::kGrain, bytes, place, space);
    return {static_cast<std::byte*>(place), bytes};
}

BuiltFabric::BuiltFabric(const Netlist& netlist, const Options& options)
    : limits_(LimitsFor(netlist, options.lmc)) {
    limits_.max_lanes = options.max_lanes;
    limits_.max_routing_steps = options.max_steps;
    limits_.max_step_switches = options.max_step_switches;
    for (const auto& [guid, lid] : options.lids) {
        limits_.max_lid =
            std::max<std::uint32_t>(limits_.max_lid, Raw(lid) + (1U << options.lmc) - 1);
    }
    for (const NetNode& row : netlist.nodes) {
        for (const NetPort& port : row.ports) {
            if (!KeepsLid(port, options)) continue;
            limits_.max_lid =
                std::clamp<std::uint32_t>(TopLid(port, options), limits_.max_lid, 0xBFFF);
        }
    }
    if (netlist.nodes.size() > kMostNodes) {
        throw std::runtime_error("there are more than " + std::to_string(kMostNodes) + " nodes");
    }
    node_rows_.resize(limits_.max_nodes);
    switch_rows_.resize(limits_.max_switches);
    port_rows_.resize(limits_.max_ports);
    node_slots_.resize(RowIndex<NodeIndex>::SlotsFor(limits_.max_nodes));
    port_slots_.resize(RowIndex<PortIndex>::SparseSlotsFor(limits_.max_ports));
    lid_rows_.resize(limits_.max_lid + std::size_t{1});
    fabric_ = std::make_unique<Fabric>(Fabric::Memory{.nodes = node_rows_,
                                                      .switches = switch_rows_,
                                                      .ports = port_rows_,
                                                      .node_slots = node_slots_,
                                                      .port_slots = port_slots_,
                                                      .lids = lid_rows_},
                                       limits_);
    AddNodes(netlist, options);
    ConnectAll(netlist);
    const NodeIndex own = node(options.own_node);
    const bool on_switch = fabric_->node(own).type == NodeType::kSwitch;
    fabric_->SetOwnPort(
        fabric_->PortOf(own, static_cast<PortNumber>(on_switch ? 0 : options.own_port)));
    GiveLids(options);
}

void BuiltFabric::AddNodes(const Netlist& netlist, const Options& options) {
    for (const NetNode& row : netlist.nodes) {
        if (row.guid == kNoGuid || fabric_->FindNode(row.guid) != kNoNode) {
            throw std::runtime_error("the GUID of \"" + row.id + "\" is 0 or occurs twice");
        }
        const Result<NodeIndex> added = fabric_->AddNode(InfoOf(row));
        if (!added.ok()) throw std::runtime_error("cannot take in \"" + row.id + "\"");
        nodes_.push_back(added.value());
        Node& node = fabric_->node(added.value());
        const std::size_t octets = std::min(row.description.size(), node.description.size());
        std::copy_n(row.description.begin(), octets, node.description.begin());
        node.has_description = true;
        if (row.is_switch()) {
            SwitchInfo& info = fabric_->switch_row(fabric_->node(added.value()).switch_index).info;
            info.Set(SwitchInfo::kEnhancedPort0, static_cast<std::uint8_t>(row.enhanced_port0));
        }
        for (Port& port : fabric_->PortsOf(added.value())) {
            SetState(port, PortState::kDown);
            port.has_info = true;  // A port that has not answered gets no LID.
            if (options.has_links) SetLink(port, row.ports[Raw(port.number)]);
            const bool is_end_port = !row.is_switch() || port.number == kManagementPort;
            if (!is_end_port) continue;
            if (options.has_links) {  // Where a switch tells of its external ports too.
                port.info.Set(PortInfo::kCapabilityMask,
                              capability_mask::kIsExtendedSpeedsSupported |
                                  capability_mask::kIsCapabilityMask2Supported);
                port.info.Set(PortInfo::kCapabilityMask2, CapabilitiesOf(row, Raw(port.number)));
            }
            if (row.is_switch()) SetState(port, PortState::kActive);
            if (!fabric_->NamePort(fabric_->IndexOf(port), PortGuid(row, Raw(port.number)))) {
                throw std::runtime_error("a port GUID of \"" + row.id + "\" occurs twice");
            }
            const NetPort& given = row.ports[Raw(port.number)];
            if (!KeepsLid(given, options)) continue;
            port.info.Set(PortInfo::kLid, given.lid);
            port.info.Set(PortInfo::kLmc, given.lmc);
        }
    }
}

void BuiltFabric::ConnectAll(const Netlist& netlist) {
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        const NetNode& row = netlist.nodes[i];
        for (std::size_t number = 1; number < row.ports.size(); ++number) {
            const NetPort& end = row.ports[number];
            if (end.peer == kNoPeer) continue;
            const PortIndex here = fabric_->PortOf(nodes_[i], static_cast<PortNumber>(number));
            const PortIndex there =
                fabric_->PortOf(nodes_[end.peer], static_cast<PortNumber>(end.peer_port));
            fabric_->Connect(here, there);
            SetState(fabric_->port(here), PortState::kInitialize);
        }
    }
}

void BuiltFabric::GiveLids(const Options& options) {
    if (!options.lids.empty()) return GiveTheseLids(options);
    Settings settings;
    settings.lmc = options.lmc;
    settings.lmc_esp0 = options.lmc_esp0;
    settings.order = options.order;
    settings.manager_tables.port_lids = options.filed_lids;
    const std::size_t rows = limits_.max_lid + std::size_t{1};
    std::vector<KeptLids> kept(rows);
    std::vector<LidMap::Row> slots(RowIndex<LidMap::Row>::SlotsFor(rows));
    std::vector<std::uint64_t> words(BitSet::WordsFor(0xC000));
    LidMap map({.rows = kept, .slots = slots, .kept_words = words}, limits_.max_lid);
    ArenaStorage scratch(AssignLidsScratchBytes(limits_));
    KeepFiledLids(*fabric_, map, settings, scratch.arena());
    const LidOutcome outcome = AssignLids(*fabric_, map, settings, true, scratch.arena());
    if (outcome.without != 0) {
        throw std::runtime_error("there are not enough LIDs: " + std::to_string(outcome.without) +
                                 " end ports would have none");
    }
}

void BuiltFabric::GiveTheseLids(const Options& options) {
    ForEachEndPort(*fabric_, [&](PortIndex at, const Port& port) {
        const Node& owner = fabric_->node(port.node);
        const bool is_switch = owner.type == NodeType::kSwitch;
        if (!is_switch && port.peer == kNoPortIndex) return;
        const auto found = options.lids.find(port.guid);
        if (found == options.lids.end()) return;
        const bool has_range = !is_switch || (options.lmc_esp0 && IsEnhanced(owner.switch_index));
        fabric_->GiveLids(at, found->second, has_range ? options.lmc : std::uint8_t{0});
    });
}

bool BuiltFabric::IsEnhanced(SwitchIndex at) const {
    return fabric_->switch_row(at).info.Get(SwitchInfo::kEnhancedPort0) != 0;
}

}  // namespace ember::net
