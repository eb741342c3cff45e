// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet as the sweeps found it.

#include "core/fabric/fabric.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/node_news.h"

namespace ember {
namespace {

[[nodiscard]] std::uint32_t RowsFor(const NodeInfo& info) {
    const std::uint32_t ports = info.Get(NodeInfo::kNumPorts);
    return info.Get(NodeInfo::kNodeType) == NodeType::kSwitch ? ports + 1U : ports;
}

[[nodiscard]] bool MakesSense(const NodeInfo& info) {
    const NodeType type = info.Get(NodeInfo::kNodeType);
    const bool known =
        type == NodeType::kChannelAdapter || type == NodeType::kSwitch || type == NodeType::kRouter;
    const std::uint32_t ports = info.Get(NodeInfo::kNumPorts);
    return known && ports >= 1 && ports <= 254 && info.Get(NodeInfo::kNodeGuid) != kNoGuid;
}

/// Keeps the larger of two needs.
void Need(std::uint32_t& needed, std::size_t now) {
    needed = std::max(needed, static_cast<std::uint32_t>(now));
}

}  // namespace

Fabric::Fabric(const Memory& memory, const Limits& limits)
    : limits_(limits),
      nodes_(memory.nodes),
      switches_(memory.switches),
      ports_(memory.ports),
      by_node_guid_(memory.node_slots),
      by_port_guid_(memory.port_slots),
      by_lid_(memory.lids) {
    EMBER_ASSERT(nodes_.size() >= limits.max_nodes);
    EMBER_ASSERT(switches_.size() >= limits.max_switches);
    EMBER_ASSERT(ports_.size() >= limits.max_ports);
    EMBER_ASSERT(memory.node_slots.size() >= RowIndex<NodeIndex>::SlotsFor(limits.max_nodes));
    EMBER_ASSERT(memory.port_slots.size() >= RowIndex<PortIndex>::SparseSlotsFor(limits.max_ports));
    EMBER_ASSERT(by_lid_.size() > limits.max_lid);
    by_lid_.fill(kNoPortIndex);
}

void Fabric::Clear() {
    for (std::size_t i = 0; i < node_bound_; ++i) {
        nodes_[static_cast<NodeIndex>(i)] = Node{};
    }
    for (std::size_t i = 0; i < switch_bound_; ++i) {
        switches_[static_cast<SwitchIndex>(i)] = Switch{};
    }
    by_node_guid_.clear();
    by_port_guid_.clear();
    by_lid_.fill(kNoPortIndex);
    port_hints_.fill(0);
    node_bound_ = switch_bound_ = port_bound_ = 0;
    node_hint_ = switch_hint_ = 0;
    node_count_ = switch_count_ = ports_in_use_ = 0;
    own_port_ = kNoPortIndex;
    departed_.clear();
    ClearShortage();
}

PortIndex Fabric::PortByLid(Lid lid) const {
    return Raw(lid) < by_lid_.size() ? by_lid_[lid] : kNoPortIndex;
}

PortIndex Fabric::PortOf(NodeIndex at, PortNumber number) const {
    const Node& owner = nodes_[at];
    const std::uint32_t lowest = owner.type == NodeType::kSwitch ? 0 : 1;
    if (Raw(number) < lowest || Raw(number) > owner.port_count) return kNoPortIndex;
    return static_cast<PortIndex>(Raw(owner.first_port) + Raw(number) - lowest);
}

std::span<Port> Fabric::PortsOf(NodeIndex at) const {
    const Node& owner = nodes_[at];
    EMBER_ASSERT(owner.guid != kNoGuid);
    const std::size_t rows = owner.port_count + (owner.type == NodeType::kSwitch ? 1U : 0U);
    return ports_.values().subspan(Raw(owner.first_port), rows);
}

PortIndex Fabric::IndexOf(const Port& port) const {
    const auto row = static_cast<std::size_t>(&port - ports_.values().data());
    EMBER_ASSERT(row < ports_.size());
    return static_cast<PortIndex>(row);
}

bool Fabric::HasRoomFor(const NodeInfo& info) const {
    EMBER_ASSERT(node_count_ <= limits_.max_nodes);
    EMBER_ASSERT(ports_in_use_ <= limits_.max_ports);
    const bool is_switch = info.Get(NodeInfo::kNodeType) == NodeType::kSwitch;
    const std::uint32_t rows = RowsFor(info);
    return node_count_ < limits_.max_nodes &&
           (!is_switch || switch_count_ < limits_.max_switches) &&
           (!is_switch || rows - 1 <= limits_.max_switch_ports) &&
           ports_in_use_ + rows <= limits_.max_ports;
}

Status Fabric::CheckRoom(const NodeInfo& info, std::uint32_t rows) {
    EMBER_ASSERT(rows > 0);
    const bool fits = HasRoomFor(info);
    if (fits && FindPortRows(rows) != kNoPortIndex) return Status::kOk;
    if (fits) {
        shortage_.is_scattered = true;
    } else {
        Refuse(info, rows);
    }
    return Status::kFull;
}

void Fabric::Refuse(const NodeInfo& info, std::uint32_t rows) {
    EMBER_ASSERT(rows > 0);
    EMBER_ASSERT(info.Get(NodeInfo::kNodeGuid) != kNoGuid);
    const Guid guid = info.Get(NodeInfo::kNodeGuid);
    if (std::find(refused_.begin(), refused_.end(), guid) != refused_.end()) return;
    if (refused_.TryPush(guid) != Status::kOk) return;  // 64 nodes are told apart.
    const bool is_switch = info.Get(NodeInfo::kNodeType) == NodeType::kSwitch;
    ++shortage_.refused_nodes;
    if (is_switch) ++shortage_.refused_switches;
    if (node_count_ + shortage_.refused_nodes > limits_.max_nodes) {
        Need(shortage_.needed_nodes, node_count_ + shortage_.refused_nodes);
    }
    if (is_switch && switch_count_ + shortage_.refused_switches > limits_.max_switches) {
        Need(shortage_.needed_switches, switch_count_ + shortage_.refused_switches);
    }
    if (is_switch && rows - 1 > limits_.max_switch_ports) {
        Need(shortage_.needed_switch_ports, rows - 1);
    }
    if (ports_in_use_ + rows > limits_.max_ports) {
        Need(shortage_.needed_ports,
             std::max<std::size_t>(ports_in_use_, shortage_.needed_ports) + rows);
    }
}

Result<NodeIndex> Fabric::AddNode(const NodeInfo& info) {
    if (!MakesSense(info)) return Status::kMalformed;
    const Guid guid = info.Get(NodeInfo::kNodeGuid);
    EMBER_ASSERT(FindNode(guid) == kNoNode);
    const std::uint32_t rows = RowsFor(info);
    EMBER_TRY(CheckRoom(info, rows));

    // The lowest free row keeps the tables dense. Ends: CheckRoom() has found a free row.
    std::size_t row = node_hint_;
    while (row < node_bound_ && IsLive(static_cast<NodeIndex>(row))) {
        ++row;
    }
    EMBER_ASSERT(row < limits_.max_nodes);
    node_hint_ = row + 1;
    node_bound_ = std::max(node_bound_, row + 1);
    ++node_count_;
    const auto at = static_cast<NodeIndex>(row);

    Node& fresh = nodes_[at];
    fresh = Node{};
    fresh.guid = guid;
    fresh.type = info.Get(NodeInfo::kNodeType);
    fresh.port_count = info.Get(NodeInfo::kNumPorts);
    TakeNodeInfo(fresh, info);
    fresh.first_port = TakePortRows(rows);
    EMBER_ASSERT(fresh.first_port != kNoPortIndex);
    ports_in_use_ += rows;
    for (std::uint32_t i = 0; i < rows; ++i) {
        Port& port = ports_[static_cast<PortIndex>(Raw(fresh.first_port) + i)];
        port = Port{};
        port.node = at;
        port.number = static_cast<PortNumber>(fresh.type == NodeType::kSwitch ? i : i + 1);
    }
    if (fresh.type == NodeType::kSwitch) {
        std::size_t s = switch_hint_;
        while (s < switch_bound_ && IsLive(static_cast<SwitchIndex>(s))) {
            ++s;
        }
        EMBER_ASSERT(s < limits_.max_switches);
        switch_hint_ = s + 1;
        switch_bound_ = std::max(switch_bound_, s + 1);
        ++switch_count_;
        fresh.switch_index = static_cast<SwitchIndex>(s);
        switches_[fresh.switch_index] = Switch{.node = at, .info = {}, .seen = 0};
    }
    EMBER_ASSERT(node_count_ <= node_bound_);
    EMBER_ASSERT(switch_count_ <= switch_bound_);
    EMBER_ASSERT(ports_in_use_ <= port_bound_);
    by_node_guid_.Insert(by_node_guid_.HashOf(guid), at);
    has_end_port_news_ = true;
    return at;
}

/// Node::entry of other nodes may name the rows until ForgetLostEntries().
void Fabric::FreeRowsOf(NodeIndex at) {
    EMBER_ASSERT(IsLive(at));
    has_end_port_news_ = true;
    Node& gone = nodes_[at];
    DepartedNode departed{.guids = {gone.guid}, .description = gone.description};
    std::size_t guids = 1;
    const auto rows = static_cast<std::uint32_t>(PortsOf(at).size());
    for (Port& port : PortsOf(at)) {
        const PortIndex index = IndexOf(port);
        Disconnect(index);
        GiveLids(index, kNoLid, 0);
        if (port.guid != kNoGuid && guids < departed.guids.size()) {
            departed.m_keys[guids] = port.info.Get(PortInfo::kMKey);
            departed.guids[guids++] = port.guid;
        }
        ForgetPortGuid(index);
        if (own_port_ == index) own_port_ = kNoPortIndex;
    }
    RememberDeparted(departed);
    EMBER_ASSERT(rows <= ports_in_use_);
    GiveBackPortRows(gone.first_port, rows);
    ports_in_use_ -= rows;
    if (gone.switch_index != kNoSwitch) {
        EMBER_ASSERT(switch_count_ != 0);
        switches_[gone.switch_index] = Switch{};
        switch_hint_ = std::min<std::size_t>(switch_hint_, Raw(gone.switch_index));
        --switch_count_;
    }
    by_node_guid_.Remove(by_node_guid_.HashOf(gone.guid), at,
                         [&](NodeIndex other) { return by_node_guid_.HashOf(nodes_[other].guid); });
    EMBER_ASSERT(node_count_ != 0);
    EMBER_ASSERT(by_node_guid_.size() == node_count_ - 1);
    gone = Node{};
    node_hint_ = std::min<std::size_t>(node_hint_, Raw(at));
    --node_count_;
}

/// A node that was met through a neighbor which has left since stays, and has no entry then. Its
/// next one is found by a sweep.
void Fabric::ForgetLostEntries() {
    ForEachNode(*this, [this](NodeIndex, Node& node) {
        if (node.entry != kNoPortIndex && ports_[node.entry].node == kNoNode) {
            node.entry = kNoPortIndex;
        }
    });
}

bool Fabric::NamePort(PortIndex at, Guid guid) {
    EMBER_ASSERT(ports_[at].node != kNoNode);
    Port& port = ports_[at];
    if (guid == kNoGuid) return false;
    if (port.guid == guid) return true;
    const PortIndex holder = FindPort(guid);
    if (holder != kNoPortIndex && holder != at) return false;
    // The slots are sized for all ports of the board, so this cannot overflow.
    ForgetPortGuid(at);
    port.guid = guid;
    has_end_port_news_ = true;
    by_port_guid_.Insert(by_port_guid_.HashOf(guid), at);
    return true;
}

void Fabric::ForgetPortGuid(PortIndex at) {
    Guid& guid = ports_[at].guid;
    if (guid == kNoGuid) return;
    by_port_guid_.Remove(by_port_guid_.HashOf(guid), at,
                         [&](PortIndex other) { return by_port_guid_.HashOf(ports_[other].guid); });
    guid = kNoGuid;
}

void Fabric::Connect(PortIndex one, PortIndex other) {
    EMBER_ASSERT(one != kNoPortIndex);
    EMBER_ASSERT(other != kNoPortIndex);
    if (ports_[one].peer == other && ports_[other].peer == one) return;
    Disconnect(one);
    Disconnect(other);
    MoveLinkEnd(one, other);
    MoveLinkEnd(other, one);
}

void Fabric::Disconnect(PortIndex at) {
    const PortIndex peer = ports_[at].peer;
    if (peer == kNoPortIndex) return;
    EMBER_ASSERT(ports_[peer].peer == at);
    MoveLinkEnd(peer, kNoPortIndex);
    MoveLinkEnd(at, kNoPortIndex);
}

/// Sets one end of a link.
void Fabric::MoveLinkEnd(PortIndex at, PortIndex peer) {
    EMBER_ASSERT(ports_[at].node != kNoNode);
    Port& port = ports_[at];
    port.peer = peer;
    port.touched = true;
    if (nodes_[port.node].type != NodeType::kSwitch) has_end_port_news_ = true;
}

void Fabric::GiveLids(PortIndex at, Lid lid, std::uint8_t lmc) {
    EMBER_ASSERT(lid <= kTopUnicastLid);
    EMBER_ASSERT(lmc <= 7);
    Port& port = ports_[at];
    for (std::uint32_t i = 0; port.lid != kNoLid && i < (1U << port.lmc); ++i) {
        PortIndex& holder = by_lid_[static_cast<Lid>(Raw(port.lid) + i)];
        if (holder == at) holder = kNoPortIndex;
    }
    port.touched = port.touched || port.lid != lid || port.lmc != lmc;
    port.lid = lid;
    port.lmc = lmc;
    for (std::uint32_t i = 0; lid != kNoLid && i < (1U << lmc); ++i) {
        by_lid_[static_cast<Lid>(Raw(lid) + i)] = at;
    }
}

Lid Fabric::top_lid() const {
    for (std::size_t lid = by_lid_.size() - 1; lid > 0; --lid) {
        if (by_lid_[static_cast<Lid>(lid)] != kNoPortIndex) return static_cast<Lid>(lid);
    }
    return kNoLid;
}

Status Fabric::PathTo(PortIndex at, DirectedPath& path) const {
    EMBER_ASSERT(own_port_ != kNoPortIndex);
    const NodeIndex own_node = ports_[own_port_].node;
    NodeIndex here = ports_[at].node;
    path.hops = 0;
    if (here == own_node && (at == own_port_ || nodes_[here].type == NodeType::kSwitch)) {
        return Status::kOk;
    }
    // From the target back to the SM, so the ports come last hop first. The path enters a CA by the
    // port `at`, and a switch by the port through which it was first reached.
    PortIndex entry = nodes_[here].type == NodeType::kSwitch ? nodes_[here].entry : ports_[at].peer;
    std::size_t hops = 0;
    while (true) {  // Ends: each turn is a hop, and 64 are too many.
        if (entry == kNoPortIndex || hops == kMaxHops) return Status::kUnreachable;
        path.ports[hops++] = Raw(ports_[entry].number);
        here = ports_[entry].node;
        if (here == own_node) break;
        if (here == kNoNode || nodes_[here].type != NodeType::kSwitch) return Status::kUnreachable;
        entry = nodes_[here].entry;
    }
    // From the SM's host every path leaves by the SM's own port.
    const bool own_is_switch = nodes_[own_node].type == NodeType::kSwitch;
    if (!own_is_switch && entry != own_port_) return Status::kUnreachable;
    path.hops = static_cast<std::uint8_t>(hops);
    std::reverse(path.ports.begin(), path.ports.begin() + static_cast<std::ptrdiff_t>(hops));
    return Status::kOk;
}

Status Fabric::PathBeyond(PortIndex at, DirectedPath& path) const {
    EMBER_TRY(PathTo(at, path));
    if (path.hops == kMaxHops) return Status::kUnreachable;
    path.ports[path.hops++] = Raw(ports_[at].number);
    return Status::kOk;
}

std::size_t Fabric::CountLinks() const {
    std::size_t ends = 0;
    std::size_t loopbacks = 0;
    ForEachPort(*this, [&](PortIndex at, const Port& port) {
        if (port.peer != kNoPortIndex) ++ends;
        if (port.peer == at) ++loopbacks;
    });
    EMBER_ASSERT((ends - loopbacks) % 2 == 0);
    return (ends - loopbacks) / 2 + loopbacks;
}

std::size_t Fabric::CountPortsWithLids() const {
    std::size_t count = 0;
    ForEachEndPort(*this, [&](PortIndex, const Port& port) {
        if (port.lid != kNoLid) ++count;
    });
    return count;
}

void Fabric::ClearShortage() {
    shortage_ = Shortage{};
    refused_.clear();
}

void Fabric::NoteLidShortage(std::uint32_t needed) {
    EMBER_ASSERT(needed != 0);
    Need(shortage_.needed_lids, needed);
}

}  // namespace ember
