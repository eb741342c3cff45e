// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet as known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/row_index.h"
#include "core/base/static_vector.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/fabric/departed_nodes.h"
#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/smp.h"
#include "core/wire/switch_info.h"

namespace ember {

/// A switch, host or router. One row of the node table.
struct Node {
    Guid guid = kNoGuid;  ///< NodeGUID; kNoGuid: the row is free.
    Guid system_image_guid = kNoGuid;
    NodeType type{};
    std::uint8_t port_count = 0;  ///< External ports, 1..254.
    std::uint16_t device_id = 0;
    std::uint32_t vendor_id = 0;  ///< 24 bits.
    std::uint32_t revision = 0;
    PortIndex first_port = kNoPortIndex;  ///< Row of port 0 (switch) or of port 1 (others).
    SwitchIndex switch_index = kNoSwitch;
    std::uint16_t partition_cap = 0;  ///< P_Keys that a port of it (a switch's port 0) can hold.
    PortIndex entry = kNoPortIndex;   ///< Port of the neighbour through which it was first reached.
    std::uint32_t seen = 0;           ///< Number of the last sweep that met it.
    bool fresh : 1 = true;            ///< Met for the first time in the present sweep.
    bool has_description : 1 = false;
    bool is_announced : 1 = false;  ///< The log has told that it is there.
    bool is_left_out : 1 =
        false;  ///< A switch that cannot hold the LIDs in force: none routes by it.
    std::uint8_t base_version = 0;
    std::uint8_t class_version = 0;
    std::array<std::uint8_t, 64> description{};
};

/// A port. Switches have rows for port 0 to port_count, others for 1 to port_count.
struct Port {
    NodeIndex node = kNoNode;
    PortNumber number{};
    std::uint8_t lmc = 0;           ///< Of `lid`.
    PortIndex peer = kNoPortIndex;  ///< The other end of the cable.
    Guid guid = kNoGuid;  ///< PortGUID of an end port (port 0, or a CA's or router's port).
    Lid lid = kNoLid;     ///< Base LID given by us to an end port.
    // Most of a large fabric's memory are rows of this table: a bit each.
    bool fresh : 1 = true;           ///< First seen in this sweep: clients must re-register.
    bool in_service : 1 = false;     ///< Subscribers were told that its GID can be reached.
    bool has_info : 1 = false;       ///< `info` holds an answer.
    bool quarantined : 1 = false;    ///< Its cable is left out; see fabric/flapping_links.h.
    bool shall_go_down : 1 = false;  ///< It is to be disabled: babbling_port_policy.
    bool rated : 1 = false;          ///< Whether its link is narrow or slow was looked at.
    bool touched : 1 = true;         ///< What its PortPlan depends on was read, or changed, since.
    bool was_end_nodes : 1 = false;  ///< A switch's: an end node was behind it; see Doors.
    std::uint32_t seen = 0;          ///< Number of the last sweep that read its PortInfo.
    std::uint32_t linked = 0;        ///< Number of the last sweep that confirmed its cable.
    std::uint32_t stubborn = 0;      ///< Fields the device does not keep; see fabric/port_plan.h.
    PortInfo info{};                 ///< As last read, or as last acknowledged by a Set.
};

/// What only switches have. Rows answer to SwitchIndex, as do those of the LFT arenas.
struct Switch {
    NodeIndex node = kNoNode;  ///< kNoNode: the row is free.
    SwitchInfo info{};         ///< As last read, or as last acknowledged by a Set.
    std::uint32_t seen = 0;    ///< Number of the last sweep that read its SwitchInfo.
    std::uint32_t asked = 0;   ///< Number of the last targeted sweep that turned to it.
};

/// The subnet as known: nodes, ports, switches, cables, and indexes by GUID and by LID.
///
/// Discovery writes it during a sweep; between sweeps it stands still, and routing, assignment and
/// programming read it. Rows are found by index; an index is valid until its node is removed, one
/// of a port also until GatherPorts().
/// A fabric larger than the board's Limits is not an error of the program: AddNode() says kFull,
/// the node stays unmanaged, and shortages() tells which limit was too small and what would do.
class Fabric {
public:
    struct Memory {
        std::span<Node> nodes;
        std::span<Switch> switches;
        std::span<Port> ports;
        std::span<NodeIndex> node_slots;  ///< RowIndex<NodeIndex>::SlotsFor(max_nodes).
        std::span<PortIndex> port_slots;  ///< RowIndex<PortIndex>::SlotsFor(max_ports).
        std::span<PortIndex> lids;        ///< By LID: the end port it belongs to.
    };

    /// Which limit a fabric exceeded, and what it would have needed at least.
    struct Shortage {
        std::uint32_t refused_nodes = 0;  ///< Distinct nodes met and not managed (at most 64 told).
        std::uint32_t refused_switches = 0;
        std::uint32_t needed_nodes = 0;  ///< 0: max_nodes was enough.
        std::uint32_t needed_switches = 0;
        std::uint32_t needed_ports = 0;
        std::uint32_t needed_switch_ports = 0;
        std::uint32_t needed_lids = 0;  ///< 0: max_lid was enough.
        /// A node found no run of port rows, though there are as many: GatherPorts() helps.
        bool is_scattered = false;
        /// Something of the fabric is not managed, and enlarging a limit is all that helps.
        [[nodiscard]] bool is_too_large() const {
            return (needed_nodes | needed_switches | needed_ports | needed_switch_ports |
                    needed_lids) != 0;
        }
        [[nodiscard]] bool any() const { return is_too_large() || is_scattered; }
    };

    Fabric(const Memory& memory, const Limits& limits);
    Fabric(const Fabric&) = delete;
    Fabric& operator=(const Fabric&) = delete;

    /// Forgets everything.
    void Clear();
    /// Indexes are drawn with this one; see RowIndex. To be called while nothing is in.
    void SetSecret(std::uint64_t secret) {
        by_node_guid_.SetSecret(secret);
        by_port_guid_.SetSecret(secret);
    }

    // Rows. Asserted to be in range; whether a row is in use: node.guid != kNoGuid.
    [[nodiscard]] Node& node(NodeIndex at) const { return nodes_[at]; }
    [[nodiscard]] Port& port(PortIndex at) const { return ports_[at]; }
    [[nodiscard]] Switch& switch_row(SwitchIndex at) const { return switches_[at]; }
    [[nodiscard]] bool IsLive(NodeIndex at) const { return nodes_[at].guid != kNoGuid; }
    [[nodiscard]] bool IsLive(SwitchIndex at) const { return switches_[at].node != kNoNode; }

    /// One above the highest row ever used: the bound of loops over the tables.
    [[nodiscard]] std::size_t node_bound() const { return node_bound_; }
    [[nodiscard]] std::size_t switch_bound() const { return switch_bound_; }
    [[nodiscard]] std::size_t port_bound() const { return port_bound_; }
    [[nodiscard]] std::size_t node_count() const { return node_count_; }
    [[nodiscard]] std::size_t switch_count() const { return switch_count_; }
    [[nodiscard]] std::size_t ports_in_use() const { return ports_in_use_; }  ///< Rows.
    /// AddNode() would not say kFull, though rows may have to be gathered before.
    [[nodiscard]] bool HasRoomFor(const NodeInfo& info) const;

    [[nodiscard]] NodeIndex FindNode(Guid guid) const {
        return by_node_guid_.Find(by_node_guid_.HashOf(guid),
                                  [&](NodeIndex at) { return nodes_[at].guid == guid; });
    }
    /// The end port with this PortGUID.
    [[nodiscard]] PortIndex FindPort(Guid guid) const {
        return by_port_guid_.Find(by_port_guid_.HashOf(guid),
                                  [&](PortIndex at) { return ports_[at].guid == guid; });
    }
    /// The end port that owns `lid`, LMC ranges included.
    [[nodiscard]] PortIndex PortByLid(Lid lid) const;
    /// The row of port `number` of the node `at`, or kNoPortIndex when it has no such port.
    [[nodiscard]] PortIndex PortOf(NodeIndex at, PortNumber number) const;
    /// Rows of the ports of a node: port 0 (switch) or 1 (others) first.
    [[nodiscard]] std::span<Port> PortsOf(NodeIndex at) const;
    [[nodiscard]] PortIndex IndexOf(const Port& port) const;
    /// Port 0 of a switch.
    [[nodiscard]] PortIndex ManagementPortOf(SwitchIndex at) const {
        return nodes_[switches_[at].node].first_port;
    }

    /// Takes in a node whose NodeInfo was read. kFull when a limit is exhausted (see shortage()),
    /// kMalformed when the NodeInfo makes no sense (no GUID, no ports, type unknown).
    Result<NodeIndex> AddNode(const NodeInfo& info);
    /// Forgets a node: its cables are cut, its rows are free again. departed() remembers it a
    /// while.
    void RemoveNode(NodeIndex at);
    /// Makes `guid` find the end port `at`. False when another live port has that GUID already.
    bool NamePort(PortIndex at, Guid guid);
    /// A cable between two ports; earlier cables of either are cut. A port may be its own peer.
    void Connect(PortIndex one, PortIndex other);
    void Disconnect(PortIndex at);

    /// What a PortPlan depends on has changed at a port, and so for its peer.
    void Touch(PortIndex at) {
        ports_[at].touched = true;
        if (ports_[at].peer != kNoPortIndex) ports_[ports_[at].peer].touched = true;
    }

    /// Something on which LIDs depend has changed since ForgetEndPortNews(): an end port, its cable
    /// or what it says of its LIDs, what a switch says of its table.
    [[nodiscard]] bool has_end_port_news() const { return has_end_port_news_; }
    void NoteEndPortNews() { has_end_port_news_ = true; }
    void ForgetEndPortNews() { has_end_port_news_ = false; }

    /// Gives `port` the LIDs lid … lid + 2^lmc - 1 in the index by LID; earlier ones are given up.
    void GiveLids(PortIndex at, Lid lid, std::uint8_t lmc);
    [[nodiscard]] Lid top_lid() const;  ///< Highest LID in use, kNoLid when none.
    [[nodiscard]] std::uint32_t max_lid() const { return limits_.max_lid; }
    [[nodiscard]] const Limits& limits() const { return limits_; }

    /// The SM's own port; set by discovery. Directed routes start at its node.
    void SetOwnPort(PortIndex at) {
        if (at != own_port_) has_end_port_news_ = true;
        own_port_ = at;
    }
    [[nodiscard]] PortIndex own_port() const { return own_port_; }

    /// The directed route to the node of `at`, arriving at `at` when that is a CA's or router's
    /// port. kUnreachable when it is not known to be connected, or is more than 63 hops away.
    Status PathTo(PortIndex at, DirectedPath& path) const;
    /// The route one cable further: to whatever is at the other end of switch port (or own port)
    /// `at`.
    Status PathBeyond(PortIndex at, DirectedPath& path) const;

    /// Cables whose both ends are known, each counted once.
    [[nodiscard]] std::size_t CountLinks() const;
    /// End ports that have a LID, port 0 of switches included.
    [[nodiscard]] std::size_t CountPortsWithLids() const;

    /// Moves the rows of all ports together, in their order, so that free rows make one run. Every
    /// PortIndex that somebody keeps is void then; ways to nodes without a cable are forgotten.
    /// Some 0.2 us a row.
    void GatherPorts();

    [[nodiscard]] const DepartedNodes& departed() const { return departed_; }

    [[nodiscard]] const Shortage& shortage() const { return shortage_; }
    void ClearShortage();  ///< At the start of a sweep.
    void NoteLidShortage(std::uint32_t needed);

private:
    void MoveCable(PortIndex at, PortIndex peer);
    void ForgetPortGuid(PortIndex at);
    // port_rows.cc
    [[nodiscard]] PortIndex FindPortRows(std::uint32_t count);
    [[nodiscard]] PortIndex TakePortRows(std::uint32_t count);
    void GiveBackPortRows(PortIndex first, std::uint32_t count);
    void MovePorts(Node& node, PortIndex to);
    void MovePort(PortIndex before, PortIndex now, bool is_looped);
    Status CheckRoom(const NodeInfo& info, std::uint32_t rows);
    void Refuse(const NodeInfo& info, std::uint32_t rows);

    Limits limits_;
    Table<NodeIndex, Node> nodes_;
    Table<SwitchIndex, Switch> switches_;
    Table<PortIndex, Port> ports_;
    RowIndex<NodeIndex> by_node_guid_;
    RowIndex<PortIndex> by_port_guid_;  ///< A port is in exactly while it has a GUID.
    Table<Lid, PortIndex> by_lid_;
    std::size_t node_bound_ = 0;
    std::size_t switch_bound_ = 0;
    std::size_t port_bound_ = 0;
    std::size_t node_hint_ = 0;    ///< No free row below it.
    std::size_t switch_hint_ = 0;  ///< Likewise.
    std::size_t node_count_ = 0;
    std::size_t switch_count_ = 0;
    std::size_t ports_in_use_ = 0;
    PortIndex own_port_ = kNoPortIndex;
    bool has_end_port_news_ = true;
    std::array<std::uint32_t, 256> port_hints_{};  ///< By length: no free run begins below it.
    Shortage shortage_;
    StaticVector<Guid, 64> refused_;
    DepartedNodes departed_;
};

/// Calls `visit(NodeIndex, Node&)` for every live node, in the order of the table.
template <typename Visit>
void ForEachNode(const Fabric& fabric, Visit visit) {
    for (std::size_t i = 0; i < fabric.node_bound(); ++i) {
        const auto at = static_cast<NodeIndex>(i);
        if (fabric.IsLive(at)) visit(at, fabric.node(at));
    }
}

/// Calls `visit(SwitchIndex, Switch&)` for every live switch, in the order of the table.
template <typename Visit>
void ForEachSwitch(const Fabric& fabric, Visit visit) {
    for (std::size_t i = 0; i < fabric.switch_bound(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        if (fabric.IsLive(at)) visit(at, fabric.switch_row(at));
    }
}

/// Calls `visit(PortIndex, Port&)` for every port of every live node.
template <typename Visit>
void ForEachPort(const Fabric& fabric, Visit visit) {
    ForEachNode(fabric, [&](NodeIndex, const Node& node) {
        const std::uint32_t first = Raw(node.first_port);
        const std::uint32_t rows = node.port_count + (node.type == NodeType::kSwitch ? 1U : 0U);
        for (std::uint32_t i = 0; i < rows; ++i) {
            const auto at = static_cast<PortIndex>(first + i);
            visit(at, fabric.port(at));
        }
    });
}

/// Calls `visit(PortIndex, Port&)` for every port that can have LIDs: port 0 of switches, and every
/// port of the others.
template <typename Visit>
void ForEachEndPort(const Fabric& fabric, Visit visit) {
    ForEachNode(fabric, [&](NodeIndex, const Node& node) {
        const std::uint32_t rows = node.type == NodeType::kSwitch ? 1U : node.port_count;
        for (std::uint32_t i = 0; i < rows; ++i) {
            const auto at = static_cast<PortIndex>(Raw(node.first_port) + i);
            visit(at, fabric.port(at));
        }
    });
}

/// The switch of this port's node takes no part in routing: its table cannot hold the LIDs in
/// force.
[[nodiscard]] inline bool IsLeftOut(const Fabric& fabric, const Port& port) {
    return fabric.node(port.node).is_left_out;
}

/// True for ports that have LIDs: a switch's port 0, and every port of a CA or router.
[[nodiscard]] inline bool IsEndPort(const Fabric& fabric, const Port& port) {
    return fabric.node(port.node).type != NodeType::kSwitch || port.number == kManagementPort;
}

}  // namespace ember
