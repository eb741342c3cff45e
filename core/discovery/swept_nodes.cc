// SPDX-License-Identifier: Apache-2.0
// EmberSM: the nodes that a sweep meets.

#include "core/discovery/swept_nodes.h"

#include "core/base/assert.h"
#include "core/fabric/link_end.h"
#include "core/fabric/node_news.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {

void SweptNodes::OnOwnNodeInfo(const Probe& probe, const NodeInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(probe.port == kNoPortIndex);
    const Result<std::uint64_t> m_key = asker_.MKeyOf(probe);
    const Result<NodeIndex> met = Meet(info, Probe{}, now_us);
    if (!met.ok()) {
        outcome_.own_port_down = true;
        return;
    }
    const bool is_switch = info.Get(NodeInfo::kNodeType) == NodeType::kSwitch;
    const PortNumber number = is_switch ? kManagementPort : info.Get(NodeInfo::kLocalPortNum);
    const PortIndex own = fabric_.PortOf(met.value(), number);
    if (own == kNoPortIndex) {
        ++outcome_.malformed;
        outcome_.own_port_down = true;
        return;
    }
    fabric_.SetOwnPort(own);
    if (m_key.ok()) asker_.LearnMKey(own, probe, m_key.value());
    if (!is_switch) {
        if (!fabric_.NamePort(own, info.Get(NodeInfo::kPortGuid))) ++outcome_.conflicts;
        queue_.Queue(Probe::Kind::kPortInfo, own);
    }
}

void SweptNodes::OnNodeInfo(const Probe& probe, const NodeInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(probe.port != kNoPortIndex);
    const Result<std::uint64_t> m_key = asker_.MKeyOf(probe);  // As it was asked with.
    if (IsUnwanted(probe, info, now_us)) return;
    if (claims_.MustWait(probe, info)) {
        Probe claim = probe;
        claim.cursor |= Probe::kWaited;
        queue_.Wait(claim);
        return;
    }
    if (claims_.IsNamesake(probe, info, now_us)) return;
    const Result<NodeIndex> met = Meet(info, probe, now_us);
    if (!met.ok()) return;  // No room, or an impossible NodeInfo: counted, and left alone.
    const NodeIndex at = met.value();
    const PortIndex far = fabric_.PortOf(at, info.Get(NodeInfo::kLocalPortNum));
    const bool is_switch = fabric_.node(at).type == NodeType::kSwitch;
    if (far == kNoPortIndex || (is_switch && fabric_.port(far).number == kManagementPort)) {
        CountNonsense(probe.port, now_us);
        return;
    }
    if (is_switch && IsSwitchPort(fabric_, probe.port) && IsEdgePort(fabric_, settings_, far)) {
        RefuseAtEdge(far, fabric_.node(fabric_.port(probe.port).node).guid, now_us);
        return;
    }
    if (!is_switch && !fabric_.NamePort(far, info.Get(NodeInfo::kPortGuid))) {
        claims_.Conflict(probe, far, now_us);
        return;
    }
    if (m_key.ok()) asker_.LearnMKey(far, probe, m_key.value());
    Arrive(probe, far, now_us);
}

Result<NodeIndex> SweptNodes::Meet(const NodeInfo& info, const Probe& probe, std::uint64_t now_us) {
    const PortIndex entry = probe.port;
    const Guid guid = info.Get(NodeInfo::kNodeGuid);
    NodeIndex at = fabric_.FindNode(guid);
    if (at == kNoNode) {
        const Result<NodeIndex> added = fabric_.AddNode(info);
        if (added.status() == Status::kMalformed) CountNonsense(entry, now_us);
        // The free port rows do not lie together: the next sweep begins with GatherPorts().
        if (fabric_.shortage().is_scattered) outcome_.unsettled = true;
        const bool lacks_room = added.status() == Status::kFull && entry != kNoPortIndex;
        if (lacks_room) exits_.CountRefusal(entry, info);
        if (!added.ok()) return added.status();
        at = added.value();
        ++outcome_.nodes_gained;
    }
    Node& node = fabric_.node(at);
    const bool same = node.type == info.Get(NodeInfo::kNodeType) &&
                      node.port_count == info.Get(NodeInfo::kNumPorts);
    if (!same) {
        claims_.RefuseDuplicate(node, info, probe, now_us);
        return Status::kMalformed;
    }
    if (node.seen != outcome_.sweep) {
        Admit(at, info, entry);
        const bool is_switch = node.type == NodeType::kSwitch;
        if (is_switch) claims_.NameSwitch(at, info.Get(NodeInfo::kPortGuid), now_us);
    }
    EMBER_ASSERT(fabric_.node(at).seen == outcome_.sweep);
    return at;
}

/// Takes in a node that is met for the first time in this sweep, and queues questions to it.
void SweptNodes::Admit(NodeIndex at, const NodeInfo& info, PortIndex entry) {
    Node& node = fabric_.node(at);
    EMBER_ASSERT(node.seen != outcome_.sweep);
    EMBER_ASSERT(node.guid == info.Get(NodeInfo::kNodeGuid));
    node.fresh = node.seen == 0;
    node.seen = outcome_.sweep;
    node.entry = entry;
    if (entry != kNoPortIndex) exits_.Count(entry, node, asker_.moved_us());
    if (!DescribesAlike(node, info)) {
        log_.WriteSparingly<Note::kCapabilitiesChanged>(
            asker_.moved_us(), node.guid, kManagementPort, Raw(AttributeId::kNodeInfo));
        TakeNodeInfo(node, info);
    }
    const PortIndex first = node.type == NodeType::kSwitch
                                ? node.first_port
                                : fabric_.PortOf(at, info.Get(NodeInfo::kLocalPortNum));
    if (first == kNoPortIndex) return;  // The caller of Meet() finds the port number malformed.
    queue_.Queue(Probe::Kind::kDescription, first);
    if (node.type == NodeType::kSwitch) {
        queue_.Queue(Probe::Kind::kSwitchInfo, first);
        queue_.Queue(Probe::Kind::kPortInfo, first);
    }
}

/// The link of a probe leads to `far`.
void SweptNodes::Arrive(const Probe& probe, PortIndex far, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.own_port() != kNoPortIndex);
    EMBER_ASSERT(far != kNoPortIndex);
    const bool is_switch = IsSwitchPort(fabric_, far);
    if (probe.port == fabric_.own_port()) {
        notes_.OwnNeighbor(fabric_.port(probe.port), false, now_us);
    }
    const bool met_before = fabric_.port(far).linked == outcome_.sweep;
    links_.Connect(probe, far, now_us);
    if (!is_switch && !met_before && far != fabric_.own_port()) {
        queue_.Queue(Probe::Kind::kPortInfo, far);
    }
}

/// True for a switch behind a port of edge_ports, and for a new node behind an exit whose share was
/// used up while the question was under way.
bool SweptNodes::IsUnwanted(const Probe& probe, const NodeInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(probe.kind == Probe::Kind::kCross);
    EMBER_ASSERT(probe.port != kNoPortIndex);
    const NodeIndex known = fabric_.FindNode(info.Get(NodeInfo::kNodeGuid));
    const bool is_met = known != kNoNode && fabric_.node(known).seen == outcome_.sweep;
    if (!is_met && !exits_.Passes(probe, now_us)) return true;
    if (info.Get(NodeInfo::kNodeType) != NodeType::kSwitch) return false;
    if (!IsEdgePort(fabric_, settings_, probe.port)) return false;
    RefuseAtEdge(probe.port, info.Get(NodeInfo::kNodeGuid), now_us);
    return true;
}

/// `other` is the switch behind `edge`.
void SweptNodes::RefuseAtEdge(PortIndex edge, Guid other, std::uint64_t now_us) {
    EMBER_ASSERT(edge != kNoPortIndex);
    ++outcome_.refused;
    const LinkEnd end = EndOf(fabric_, edge);
    log_.WriteSparingly<Note::kEdgePortRefused>(now_us, end.guid, end.port, other);
}

/// Counts an impossible NodeInfo of the node behind the port `entry`.
void SweptNodes::CountNonsense(PortIndex entry, std::uint64_t now_us) {
    ++outcome_.malformed;
    if (entry == kNoPortIndex) return;  // Our own node's: the sweep ends at once.
    const LinkEnd end = EndOf(fabric_, entry);
    log_.WriteSparingly<Note::kNodeUnusable>(now_us, end.guid, end.port);
}

}  // namespace ember
