// SPDX-License-Identifier: Apache-2.0
// EmberSM: the answers to the questions of a sweep.

#include <bit>

#include "core/base/assert.h"
#include "core/discovery/discovery.h"
#include "core/fabric/link_end.h"
#include "core/fabric/node_news.h"
#include "core/fabric/port_news.h"
#include "core/fabric/untrusted_switches.h"
#include "core/links/link_rating.h"

namespace ember {
namespace {

/// A port that has told what it can tells it again, and otherwise.
void LogCapabilities(Log& log, const LinkEnd& at, const Port& port, const PortInfo& info,
                     std::uint64_t now_us) {
    if (!port.has_info || CanTheSame(port.info, info)) return;
    log.WriteSparingly<Note::kCapabilitiesChanged>(now_us, at.guid, at.port,
                                                   Raw(AttributeId::kPortInfo));
}

}  // namespace

void Discovery::Hear(const Answer& answer, std::uint64_t now_us) {
    if (!running_) return;
    const Probe probe = asker_.Take(answer, now_us);
    if (answer.status == Status::kOk) {
        Take(probe, answer, now_us);
        return;
    }
    const bool is_silent = answer.status == Status::kTimeout;
    if (!is_silent || !asker_.KnocksAgain(probe, now_us)) OnSilence(probe, now_us);
}

void Discovery::Take(const Probe& probe, const Answer& answer, std::uint64_t now_us) {
    switch (probe.kind) {
        case Probe::Kind::kCross:
            if (probe.port == kNoPortIndex) {
                OnOwnNodeInfo(probe, std::bit_cast<NodeInfo>(answer.data), now_us);
            } else {
                OnNodeInfo(probe, std::bit_cast<NodeInfo>(answer.data), now_us);
            }
            break;
        case Probe::Kind::kDescription: {
            Node& node = fabric_.node(fabric_.port(probe.port).node);
            node.description = answer.data;
            node.has_description = true;
            notes_.Announce(fabric_.port(probe.port).node, now_us);
            break;
        }
        case Probe::Kind::kSwitchInfo: {
            const Node& node = fabric_.node(fabric_.port(probe.port).node);
            Switch& row = fabric_.switch_row(node.switch_index);
            OnSwitchInfo(row, std::bit_cast<SwitchInfo>(answer.data), now_us);
            fabric_.Touch(probe.port);
            break;
        }
        case Probe::Kind::kPortInfo:
        case Probe::Kind::kSwitchPorts:
            if (!AsksAgain(probe, std::bit_cast<PortInfo>(answer.data))) {
                OnPortInfo(probe.port, std::bit_cast<PortInfo>(answer.data), now_us);
            }
            break;
    }
}

bool Discovery::AsksAgain(const Probe& probe, const PortInfo& info) {
    EMBER_ASSERT(probe.kind == Probe::Kind::kPortInfo || probe.kind == Probe::Kind::kSwitchPorts);
    if (probe.cursor == 0 && !IsSwitchPort(fabric_, probe.port) && SpeaksExtendedSpeeds(info)) {
        queue_.Queue(Probe::Kind::kPortInfo, probe.port, 1);  // Again, with extended speeds.
        return true;
    }
    // Protection level 1: the key is shown to who knows it.
    return IsEndPort(fabric_, fabric_.port(probe.port)) && HidesMKey(info) &&
           asker_.TakesNextTurn(probe);
}

Result<NodeIndex> Discovery::Meet(const NodeInfo& info, const Probe& probe, std::uint64_t now_us) {
    const PortIndex entry = probe.port;
    const Guid guid = info.Get(NodeInfo::kNodeGuid);
    NodeIndex at = fabric_.FindNode(guid);
    if (at == kNoNode) {
        const Result<NodeIndex> added = fabric_.AddNode(info);
        if (added.status() == Status::kMalformed) CountNonsense(entry, now_us);
        // The free port rows do not lie together: the next sweep begins with GatherPorts().
        if (fabric_.shortage().is_scattered) outcome_.unsettled = true;
        if (added.status() == Status::kFull && entry != kNoPortIndex) OnRefusal(info, entry);
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
    if (node.seen != sweep_) {
        Admit(at, info, entry);
        if (node.type == NodeType::kSwitch)
            claims_.NameSwitch(at, info.Get(NodeInfo::kPortGuid), now_us);
    }
    EMBER_ASSERT(fabric_.node(at).seen == sweep_);
    return at;
}

/// There is no room for the node behind `entry`. No other node could make any for too wide a
/// switch.
void Discovery::OnRefusal(const NodeInfo& info, PortIndex entry) {
    EMBER_ASSERT(entry != kNoPortIndex);
    const NodeType type = info.Get(NodeInfo::kNodeType);
    const std::uint8_t ports = info.Get(NodeInfo::kNumPorts);
    const bool is_too_wide = type == NodeType::kSwitch && ports > fabric_.limits().max_switch_ports;
    if (!is_too_wide && !fabric_.HasRoomFor(info)) quotas_.CountRefusal(entry, type, ports);
}

/// Counts an impossible NodeInfo of the node behind the port `entry`.
void Discovery::CountNonsense(PortIndex entry, std::uint64_t now_us) {
    ++outcome_.malformed;
    if (entry == kNoPortIndex) return;  // Our own node's: the sweep ends at once.
    const LinkEnd end = EndOf(fabric_, entry);
    log_.WriteSparingly<Note::kNodeUnusable>(now_us, end.guid, end.port);
}

/// Takes in a node that is met for the first time in this sweep, and queues questions to it.
void Discovery::Admit(NodeIndex at, const NodeInfo& info, PortIndex entry) {
    Node& node = fabric_.node(at);
    EMBER_ASSERT(node.seen != sweep_);
    EMBER_ASSERT(node.guid == info.Get(NodeInfo::kNodeGuid));
    node.fresh = node.seen == 0;
    node.seen = sweep_;
    node.entry = entry;
    if (entry != kNoPortIndex) quotas_.Count(entry, node);
    if (node.fresh && entry != kNoPortIndex && LiesBehindEndNode(fabric_, entry)) {
        doors_.Disturb(EndOf(fabric_, FormerEndNodePortOn(fabric_, entry)), asker_.moved_us());
    }
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

void Discovery::OnOwnNodeInfo(const Probe& probe, const NodeInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(probe.port == kNoPortIndex);
    EMBER_ASSERT(running_);
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

/// True for a switch behind a port of edge_ports, and for a new node behind an exit whose share was
/// used up while the question was under way.
bool Discovery::IsUnwanted(const Probe& probe, const NodeInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(probe.kind == Probe::Kind::kCross);
    EMBER_ASSERT(probe.port != kNoPortIndex);
    const NodeIndex known = fabric_.FindNode(info.Get(NodeInfo::kNodeGuid));
    const bool is_met = known != kNoNode && fabric_.node(known).seen == sweep_;
    if (!is_met && !Passes(probe, now_us)) return true;
    if (info.Get(NodeInfo::kNodeType) != NodeType::kSwitch) return false;
    if (!IsEdgePort(fabric_, settings_, probe.port)) return false;
    RefuseAtEdge(probe.port, info.Get(NodeInfo::kNodeGuid), now_us);
    return true;
}

/// `other` is the switch behind `edge`.
void Discovery::RefuseAtEdge(PortIndex edge, Guid other, std::uint64_t now_us) {
    EMBER_ASSERT(edge != kNoPortIndex);
    ++outcome_.refused;
    const LinkEnd end = EndOf(fabric_, edge);
    log_.WriteSparingly<Note::kEdgePortRefused>(now_us, end.guid, end.port, other);
}

void Discovery::OnNodeInfo(const Probe& probe, const NodeInfo& info, std::uint64_t now_us) {
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

/// The link of a probe leads to `far`.
void Discovery::Arrive(const Probe& probe, PortIndex far, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.own_port() != kNoPortIndex);
    EMBER_ASSERT(far != kNoPortIndex);
    EMBER_ASSERT(running_);
    const bool is_switch = IsSwitchPort(fabric_, far);
    if (probe.port == fabric_.own_port()) {
        notes_.OwnNeighbor(fabric_.port(probe.port), false, now_us);
    }
    const bool met_before = fabric_.port(far).linked == sweep_;
    links_.Connect(probe, far, now_us);
    if (!is_switch && !met_before && far != fabric_.own_port()) {
        queue_.Queue(Probe::Kind::kPortInfo, far);
    }
}

void Discovery::OnSwitchInfo(Switch& row, const SwitchInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(row.node != kNoNode);
    const bool alike =
        row.info.Get(SwitchInfo::kLinearFdbCap) == info.Get(SwitchInfo::kLinearFdbCap) &&
        row.info.Get(SwitchInfo::kEnhancedPort0) == info.Get(SwitchInfo::kEnhancedPort0);
    if (!alike) fabric_.NoteEndPortNews();
    if (row.seen != 0 && !CanTheSame(row.info, info)) {
        log_.WriteSparingly<Note::kCapabilitiesChanged>(
            now_us, fabric_.node(row.node).guid, kManagementPort, Raw(AttributeId::kSwitchInfo));
    }
    row.info = info;
    row.seen = sweep_;
}

void Discovery::OnPortInfo(PortIndex at, const PortInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoPortIndex);
    NotePortNews(fabric_, at, info);
    Port& port = fabric_.port(at);
    Node& node = fabric_.node(port.node);
    port.fresh = !port.has_info || port.fresh;
    const bool moved = port.info.Get(PortInfo::kPortState) != info.Get(PortInfo::kPortState);
    links_.NoteRetraining(at, info, now_us);
    LogCapabilities(log_, {.guid = node.guid, .port = port.number}, port, info, now_us);
    if (!port.has_info || !RatesAlike(port.info, info)) port.rated = false;
    port.info = info;
    port.has_info = true;
    port.seen = sweep_;
    if (node.type == NodeType::kSwitch && port.number == kManagementPort) {
        if (node.port_count > 0) queue_.Queue(Probe::Kind::kSwitchPorts, at);
        return;
    }
    const bool leads_on = node.type == NodeType::kSwitch || at == fabric_.own_port();
    if (!leads_on) return;  // A host forwards no SMPs: no path leads through it.
    if (outcome_.targeted) targeted_.OnPortInfo(at, moved);
    OnExternalPort(at, now_us);
}

/// A port whose PortInfo was read, and behind which a node may be.
void Discovery::OnExternalPort(PortIndex at, std::uint64_t now_us) {
    const Port& port = fabric_.port(at);
    EMBER_ASSERT(port.has_info);
    EMBER_ASSERT(IsSwitchPort(fabric_, at) || at == fabric_.own_port());
    if (!HasLink(port.info)) {
        if (port.peer != kNoPortIndex && port.linked != sweep_) {
            links_.LoseReported(at, now_us);
        }
        if (at == fabric_.own_port()) {
            outcome_.own_port_down = true;
            notes_.OwnPort(port, false, now_us);
        }
        return;
    }
    if (at == fabric_.own_port()) notes_.OwnPort(port, true, now_us);
    if (port.linked != sweep_) queue_.Queue(Probe::Kind::kCross, at);
}

void Discovery::OnSilence(const Probe& probe, std::uint64_t now_us) {
    ++outcome_.silent;
    if (probe.port == kNoPortIndex) {
        outcome_.own_port_down = true;
        return;
    }
    const Port& port = fabric_.port(probe.port);
    const std::uint64_t guid = Raw(fabric_.node(port.node).guid);
    const bool beyond = probe.kind == Probe::Kind::kCross;
    if (beyond && probe.port == fabric_.own_port()) {
        outcome_.cut_off = true;
        notes_.OwnNeighbor(port, true, now_us);
    } else if (beyond) {
        log_.WriteSparingly<Note::kNeighborSilent>(now_us, guid, Raw(port.number));
    } else {
        log_.WriteSparingly<Note::kPeerSilent>(now_us, guid, Raw(port.number));
    }
    if (probe.kind == Probe::Kind::kDescription) notes_.Announce(port.node, now_us);
    // A silent node beyond a port may be starting up: the light sweep asks it again. A switch that
    // answered once and then stopped is lost, or the path to it is. A host that did so stays as it
    // was; see KeepHosts().
    const bool is_known = beyond && port.peer != kNoPortIndex;
    const bool is_switch = !beyond && IsTrustedPort(fabric_, probe.port);
    if (is_switch && probe.kind != Probe::Kind::kDescription) outcome_.unsettled = true;
    if (is_known && outcome_.targeted) outcome_.unsettled = true;  // Its tries are short.
    const bool is_host =
        is_known && !IsSwitchPort(fabric_, port.peer) && probe.port != fabric_.own_port();
    if (is_host && !outcome_.targeted && port.linked != sweep_) links_.Lose(probe.port, now_us);
}

}  // namespace ember
