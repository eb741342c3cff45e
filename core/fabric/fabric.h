// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet as the sweeps found it.
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
#include "core/fabric/silent_peers.h"
#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/smp.h"
#include "core/wire/switch_info.h"

namespace ember {

/// A switch, host or router: a row of the node table.
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
    PortIndex entry = kNoPortIndex;   ///< Port of the neighbor through which it was first reached.
    std::uint32_t seen = 0;           ///< Number of the last sweep that found it.
    bool fresh : 1 = true;            ///< Found for the first time in the current sweep.
    bool has_description : 1 = false;
    bool is_announced : 1 = false;  ///< The log has noted that it exists.
    bool is_left_out : 1 =
        false;  ///< A switch whose table cannot hold the assigned LIDs: no route uses it.
    std::uint8_t base_version = 0;
    std::uint8_t class_version = 0;
    std::array<std::uint8_t, 64> description{};
};

/// Whether a switch port enforces the P_Keys of the end port behind it. IBA vol. 1, 10.9.3.
enum class PKeyGuard : std::uint8_t {
    kLeftAlone,  ///< The port stays as it is: its P_Key table was not looked after yet.
    kOff,
    kOn,  ///< Its table holds the end port's P_Keys.
};

/// Whether the VL arbitration and SL to VL tables of a port are as they shall be.
enum class LaneState : std::uint8_t {
    kUnknown,
    kRight,        ///< With Port::lane_vls.
    kFailed,       ///< A Set failed, which was told.
    kUnconfirmed,  ///< The tables may be right: they are read before they are written.
};

/// A port. Switches have rows for port 0 to port_count, others for 1 to port_count.
struct Port {
    NodeIndex node = kNoNode;
    PortNumber number{};
    std::uint8_t lmc = 0;           ///< Of `lid`.
    PortIndex peer = kNoPortIndex;  ///< The other end of the link.
    Guid guid = kNoGuid;  ///< PortGUID of an end port (port 0, or a CA's or router's port).
    Lid lid = kNoLid;     ///< Base LID that we assigned to an end port.
    // Rows of this table are most of the memory for a large fabric, so flags are bits.
    bool fresh : 1 = true;           ///< We have not set it as master: clients must re-register.
    bool in_service : 1 = false;     ///< Subscribers were told that its GID can be reached.
    bool has_info : 1 = false;       ///< `info` holds an answer.
    bool quarantined : 1 = false;    ///< Its link is in quarantine; see fabric/flapping_links.h.
    bool shall_go_down : 1 = false;  ///< The port is to be disabled: babbling_port_policy.
    bool rated : 1 = false;          ///< Its link was checked for reduced width and speed.
    bool touched : 1 = true;         ///< A value that its PortPlan depends on was read or changed.
    bool had_end_node : 1 = false;   ///< Of a switch: an end node was behind it; see PortQuotas.
    bool lacks_p_keys : 1 = false;   ///< Of an end port: its link stays below ACTIVE until it has.
    /// Of a switch port to an end port: whether it shall enforce P_Keys.
    PKeyGuard p_key_guard : 2 = PKeyGuard::kLeftAlone;
    LaneState lane_state : 2 = LaneState::kUnknown;
    VlCap lane_vls : 3 = VlCap::kNoChange;  ///< OperationalVLs that its tables were made for.
    std::uint32_t seen = 0;                 ///< Number of the last sweep that read its PortInfo.
    std::uint32_t linked = 0;               ///< Number of the last sweep that confirmed its link.
    std::uint32_t unkept = 0;  ///< Fields the device does not keep: see fabric/port_plan.h.
    PortInfo info{};           ///< As last read, or as last acknowledged by a Set.
};
static_assert(sizeof(Port) == 96, "most of the memory for a large fabric");

/// The part of a node that only switches have. The LFT arenas have rows by SwitchIndex too.
struct Switch {
    NodeIndex node = kNoNode;  ///< kNoNode: the row is free.
    SwitchInfo info{};         ///< As last read, or as last acknowledged by a Set.
    // Where its packets have lanes as they are told to: see core/lanes/lane_trust.h.
    bool has_one_lane : 1 = false;     ///< To routes its links have one data VL.
    bool is_lane_suspect : 1 = false;  ///< From the next routing on they have, whatever it can.
    std::uint8_t lane_faults : 3 = 0;  ///< Differences, less readings without one.
    std::uint8_t lane_falls : 2 = 0;   ///< Times that it became suspect.
    std::uint32_t seen = 0;            ///< Number of the last sweep that read its SwitchInfo.
    std::uint32_t asked = 0;           ///< Number of the last targeted sweep that asked it.
};

static_assert(sizeof(Switch) == 76, "its flags are in what would be padding");

/// The subnet as the sweeps found it: nodes, ports, switches, links, and indexes by GUID and by
/// LID.
///
/// Discovery writes it during a sweep. Between sweeps it does not change, and all other rooms read
/// it. Rows are found by index. An index is valid until its node is removed; that of a port also
/// only until GatherPorts().
///
/// A fabric larger than the board's Limits is not an error of the program: AddNode() returns kFull,
/// the node stays unmanaged, and shortage() says which limit was too small and what would suffice.
class Fabric {
public:
    struct Memory {
        std::span<Node> nodes;
        std::span<Switch> switches;
        std::span<Port> ports;
        std::span<NodeIndex> node_slots;  ///< RowIndex<NodeIndex>::SlotsFor(max_nodes).
        std::span<PortIndex> port_slots;  ///< RowIndex<PortIndex>::SparseSlotsFor(max_ports).
        std::span<PortIndex> lids;        ///< By LID: the end port that has it.
    };

    /// The limits that a fabric exceeded, and what it needs at least.
    struct Shortage {
        std::uint32_t refused_nodes = 0;  ///< Distinct nodes that were refused, 64 at most.
        std::uint32_t refused_switches = 0;
        std::uint32_t needed_nodes = 0;  ///< 0: max_nodes was enough.
        std::uint32_t needed_switches = 0;
        std::uint32_t needed_ports = 0;
        std::uint32_t needed_switch_ports = 0;
        std::uint32_t needed_lids = 0;  ///< 0: there was room for all.
        /// There are enough free port rows for a node, but not in one run: GatherPorts() helps.
        bool is_scattered = false;
        /// A part of the fabric is not managed, and only a larger limit helps.
        [[nodiscard]] bool is_too_large() const {
            return (needed_nodes | needed_switches | needed_ports | needed_switch_ports |
                    needed_lids) != 0;
        }
        [[nodiscard]] bool any() const { return is_too_large() || is_scattered; }
    };

    Fabric(const Memory& memory, const Limits& limits);
    Fabric(const Fabric&) = delete;
    Fabric& operator=(const Fabric&) = delete;

    /// Removes all nodes.
    void Clear();
    /// The secret of the indexes; see RowIndex. Asserts that the fabric is empty.
    void SetSecret(std::uint64_t secret) {
        by_node_guid_.SetSecret(secret);
        by_port_guid_.SetSecret(secret);
    }

    // Rows. Indexes are asserted to be in range; IsLive() says whether a row is in use.
    [[nodiscard]] Node& node(NodeIndex at) const { return nodes_[at]; }
    [[nodiscard]] Port& port(PortIndex at) const { return ports_[at]; }
    [[nodiscard]] Switch& switch_row(SwitchIndex at) const { return switches_[at]; }
    [[nodiscard]] bool IsLive(NodeIndex at) const { return nodes_[at].guid != kNoGuid; }
    [[nodiscard]] bool IsLive(SwitchIndex at) const { return switches_[at].node != kNoNode; }

    /// The bound of loops over the tables: the highest row ever used, plus 1.
    [[nodiscard]] std::size_t node_bound() const { return node_bound_; }
    [[nodiscard]] std::size_t switch_bound() const { return switch_bound_; }
    [[nodiscard]] std::size_t port_bound() const { return port_bound_; }
    [[nodiscard]] std::size_t node_count() const { return node_count_; }
    [[nodiscard]] std::size_t switch_count() const { return switch_count_; }
    [[nodiscard]] std::size_t ports_in_use() const { return ports_in_use_; }  ///< Rows.
    /// True when AddNode() has room, if need be after GatherPorts().
    [[nodiscard]] bool HasRoomFor(const NodeInfo& info) const;

    /// The node with this NodeGUID, or kNoNode.
    [[nodiscard]] NodeIndex FindNode(Guid guid) const {
        return by_node_guid_.Find(by_node_guid_.HashOf(guid),
                                  [&](NodeIndex at) { return nodes_[at].guid == guid; });
    }
    /// The end port with this PortGUID, or kNoPortIndex.
    [[nodiscard]] PortIndex FindPort(Guid guid) const {
        return by_port_guid_.Find(by_port_guid_.HashOf(guid),
                                  [&](PortIndex at) { return ports_[at].guid == guid; });
    }
    /// The end port that has `lid`, LMC ranges included, or kNoPortIndex.
    [[nodiscard]] PortIndex PortByLid(Lid lid) const;
    /// The row of port `number` of the node `at`, or kNoPortIndex when the node has no such port.
    [[nodiscard]] PortIndex PortOf(NodeIndex at, PortNumber number) const;
    /// Rows of the ports of a node: port 0 (switch) or 1 (others) first.
    [[nodiscard]] std::span<Port> PortsOf(NodeIndex at) const;
    /// The index of a row of the port table.
    [[nodiscard]] PortIndex IndexOf(const Port& port) const;
    /// Port 0 of a switch.
    [[nodiscard]] PortIndex ManagementPortOf(SwitchIndex at) const {
        return nodes_[switches_[at].node].first_port;
    }

    /// Adds a node by its NodeInfo. kFull when a limit is exhausted (see shortage()), kMalformed
    /// when the NodeInfo is invalid (no GUID, no ports, type unknown).
    Result<NodeIndex> AddNode(const NodeInfo& info);
    /// Removes a node and its links and frees its rows, and no other row names these any more.
    /// departed() remembers it for a while.
    void RemoveNode(NodeIndex at) {
        FreeRowsOf(at);
        ForgetLostEntries();
    }
    /// The same for each node of which `is_gone(NodeIndex, const Node&)` is true, with one walk
    /// over the others for all of them. `is_gone` is asked once a node, while its rows are there.
    template <typename IsGone>
    void RemoveNodes(IsGone is_gone) {
        const std::size_t before = node_count_;
        for (std::size_t i = 0; i < node_bound_; ++i) {
            const auto at = static_cast<NodeIndex>(i);
            if (IsLive(at) && is_gone(at, nodes_[at])) FreeRowsOf(at);
        }
        if (node_count_ != before) ForgetLostEntries();
    }
    /// Gives the end port `at` the PortGUID `guid`, by which FindPort() finds it. False when
    /// another live port has that GUID already.
    bool NamePort(PortIndex at, Guid guid);
    /// Takes its PortGUID from an end port; another one may be given it then.
    void UnnamePort(PortIndex at) {
        has_end_port_news_ = true;
        ForgetPortGuid(at);
    }
    /// Links two ports; earlier links of either end. A port may be its own peer.
    void Connect(PortIndex one, PortIndex other);
    /// Ends the link of a port, if it has one.
    void Disconnect(PortIndex at);

    /// Marks a port, and its peer, as touched: a value that their PortPlans depend on has changed.
    void Touch(PortIndex at) {
        ports_[at].touched = true;
        if (ports_[at].peer != kNoPortIndex) ports_[ports_[at].peer].touched = true;
    }

    /// True when a value on which the assignment of LIDs depends has changed since
    /// ForgetEndPortNews(): an end port, its link or the LIDs it reports, or LinearFDBCap or
    /// EnhancedPort0 of a switch.
    [[nodiscard]] bool has_end_port_news() const { return has_end_port_news_; }
    void NoteEndPortNews() { has_end_port_news_ = true; }
    void ForgetEndPortNews() { has_end_port_news_ = false; }

    /// Assigns the LIDs lid … lid + 2^lmc - 1 to a port in the index by LID; its earlier ones are
    /// free again.
    void GiveLids(PortIndex at, Lid lid, std::uint8_t lmc);
    [[nodiscard]] Lid top_lid() const;  ///< Highest LID assigned; kNoLid: none.
    [[nodiscard]] std::uint32_t max_lid() const { return limits_.max_lid; }
    [[nodiscard]] const Limits& limits() const { return limits_; }

    /// Sets the SM's own port, as discovery found it. Directed routes start at its node.
    void SetOwnPort(PortIndex at) {
        EMBER_ASSERT(at == kNoPortIndex || ports_[at].node != kNoNode);
        if (at != own_port_) has_end_port_news_ = true;
        own_port_ = at;
    }
    [[nodiscard]] PortIndex own_port() const { return own_port_; }

    /// The directed route to the node of `at`; a CA or router is entered by the port `at`.
    /// kUnreachable when no link is known to lead there, or it is more than 63 hops away.
    Status PathTo(PortIndex at, DirectedPath& path) const;
    /// The directed route one link further: to the node at the other end of the switch port (or own
    /// port) `at`. kUnreachable as PathTo().
    Status PathBeyond(PortIndex at, DirectedPath& path) const;

    /// Links of which both ends are known, each counted once.
    [[nodiscard]] std::size_t CountLinks() const;
    /// End ports that have a LID, port 0 of switches included.
    [[nodiscard]] std::size_t CountPortsWithLids() const;

    /// Moves the rows of all ports together, in their order, so that free rows make one run. Every
    /// PortIndex outside the fabric is invalid then; routes to nodes without a link are forgotten.
    /// Some 0.2 us a row.
    void GatherPorts();

    /// The nodes that were removed last.
    [[nodiscard]] const DepartedNodes& departed() const { return departed_; }
    /// RemoveNode() does it by itself.
    void RememberDeparted(const DepartedNode& node) { departed_.Remember(node); }

    /// The nodes that were behind exits whose links are up and where nothing answers.
    [[nodiscard]] const SilentPeers& silent_peers() const { return silent_peers_; }
    void RememberSilentPeer(const SilentPeer& peer) { silent_peers_.Remember(peer); }

    /// The limits exceeded since ClearShortage().
    [[nodiscard]] const Shortage& shortage() const { return shortage_; }
    void ClearShortage();  ///< At the start of a sweep.
    /// Notes that board and switches should have room for LIDs up to `needed`.
    void NoteLidShortage(std::uint32_t needed);

private:
    void FreeRowsOf(NodeIndex at);
    void ForgetLostEntries();
    void MoveLinkEnd(PortIndex at, PortIndex peer);
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
    RowIndex<PortIndex> by_port_guid_;  ///< Holds exactly the ports that have a GUID.
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
    SilentPeers silent_peers_;
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
/// port of CAs and routers.
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

/// True when the port's node is a switch that no route uses: its table cannot hold the assigned
/// LIDs.
[[nodiscard]] inline bool IsLeftOut(const Fabric& fabric, const Port& port) {
    return fabric.node(port.node).is_left_out;
}

/// True for ports that have LIDs: a switch's port 0, and every port of a CA or router.
[[nodiscard]] inline bool IsEndPort(const Fabric& fabric, const Port& port) {
    return fabric.node(port.node).type != NodeType::kSwitch || port.number == kManagementPort;
}

}  // namespace ember
