// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a sweep makes of answers that say what somebody else says, or said.
//
// A GUID is what its owner says. So the name stays with who had it in the last sweep, as long as
// that one answers where it was. A claim behind another door waits until everybody else has
// answered: then its rival has, too, or is gone.

#include <algorithm>

#include "core/discovery/discovery.h"
#include "core/fabric/link_end.h"

namespace ember {
namespace {

/// How often a cable that two nodes claim is asked again before it is called a duplicate GUID.
inline constexpr std::uint8_t kConflictTries = 3;

}  // namespace

/// A switch behind a port that is for end nodes, or a node where others have used up the share of
/// the door while it was asked.
bool Discovery::IsUnwanted(const Errand& errand, const NodeInfo& info, std::uint64_t now_us) {
    const NodeIndex known = fabric_.FindNode(info.Get(NodeInfo::kNodeGuid));
    const bool is_met = known != kNoNode && fabric_.node(known).seen == sweep_;
    if (!is_met && !Passes(errand, now_us)) return true;
    if (info.Get(NodeInfo::kNodeType) != NodeType::kSwitch) return false;
    if (!IsEdgePort(fabric_, settings_, errand.port)) return false;
    RefuseAtEdge(errand.port, info.Get(NodeInfo::kNodeGuid), now_us);
    return true;
}

/// `other` is the switch behind `edge`.
void Discovery::RefuseAtEdge(PortIndex edge, Guid other, std::uint64_t now_us) {
    ++outcome_.refused;
    const LinkEnd door = EndOf(fabric_, edge);
    log_.WriteSparingly<Note::kEdgePortRefused>(now_us, door.guid, door.port, other);
}

/// The answer names somebody who had another place in the last sweep, and may still have it.
/// Whoever is nearer to us, or quicker, must not get another's name, LIDs and routes by saying it.
bool Discovery::MustWait(const Errand& errand, const NodeInfo& info) const {
    if ((errand.cursor & Errand::kWaited) != 0) return false;
    const PortIndex namesake = NamesakeOf(info);
    if (namesake != kNoPortIndex) {
        return fabric_.node(fabric_.port(namesake).node).seen != sweep_;
    }
    const NodeIndex known = fabric_.FindNode(info.Get(NodeInfo::kNodeGuid));
    if (known == kNoNode || fabric_.node(known).seen == 0) return false;
    const PortIndex far = fabric_.PortOf(known, info.Get(NodeInfo::kLocalPortNum));
    const bool is_as_before = far != kNoPortIndex && fabric_.port(far).peer == errand.port &&
                              fabric_.port(errand.port).peer == far;
    if (is_as_before) return false;
    if (fabric_.node(known).seen != sweep_) {
        const auto ports = fabric_.PortsOf(known);
        return std::any_of(ports.begin(), ports.end(),
                           [](const Port& port) { return port.peer != kNoPortIndex; });
    }
    return far != kNoPortIndex && fabric_.port(far).peer != kNoPortIndex &&
           fabric_.port(far).linked != sweep_;
}

/// The port of another node that has the PortGUID which this end node says is its own.
PortIndex Discovery::NamesakeOf(const NodeInfo& info) const {
    if (info.Get(NodeInfo::kNodeType) == NodeType::kSwitch) return kNoPortIndex;
    const PortIndex holder = fabric_.FindPort(info.Get(NodeInfo::kPortGuid));
    if (holder == kNoPortIndex) return kNoPortIndex;
    const Guid owner = fabric_.node(fabric_.port(holder).node).guid;
    return owner != info.Get(NodeInfo::kNodeGuid) ? holder : kNoPortIndex;
}

/// Two nodes with one PortGUID: the one that has it keeps it, and the other one is left alone.
bool Discovery::IsNamesake(const Errand& errand, const NodeInfo& info, std::uint64_t now_us) {
    const PortIndex holder = NamesakeOf(info);
    if (holder == kNoPortIndex) return false;
    const Node& owner = fabric_.node(fabric_.port(holder).node);
    CountClaim(owner.seen == sweep_ && !owner.fresh);
    TellDuplicate(fabric_.port(holder).guid, info.Get(NodeInfo::kLocalPortNum), errand.port,
                  fabric_.port(holder).peer, now_us);
    return true;
}

/// A switch that is met by a door that never was an end node's is entered there. So the port that
/// was, and leads to it, is one of its cables.
void Discovery::Retrust(const Errand& errand, NodeIndex at) {
    Node& node = fabric_.node(at);
    const auto is_doubtful = [this](PortIndex door) {
        return door != kNoPortIndex &&
               (fabric_.port(door).was_end_nodes || LiesBehindEndNode(fabric_, door));
    };
    const bool is_own = at == fabric_.port(fabric_.own_port()).node;
    if (is_own || !is_doubtful(node.entry)) return;
    if (!is_doubtful(errand.port)) node.entry = errand.port;
}

/// The same GUID on another device.
void Discovery::RefuseImpostor(Node& node,
                               const NodeInfo& info,
                               const Errand& errand,
                               std::uint64_t now_us) {
    // Who has answered in this sweep keeps the name: else any host could have a switch dropped, or
    // our own node, by taking its GUID.
    const bool is_kept = node.seen == sweep_;
    CountClaim(is_kept && !node.fresh);
    if (errand.port != kNoPortIndex) {
        const PortIndex kept =
            node.type == NodeType::kSwitch ? node.entry : fabric_.port(node.first_port).peer;
        TellDuplicate(node.guid, info.Get(NodeInfo::kLocalPortNum), errand.port, kept, now_us);
    }
    if (is_kept) return;
    // Known from an earlier sweep only, so it was probably replaced. Unless it shows up after all,
    // Finish() drops what we knew, and the next sweep starts anew.
    outcome_.unsettled = true;
    node.seen = 0;
}

void Discovery::Conflict(const Errand& errand, PortIndex far, std::uint64_t now_us) {
    Port& claimed = fabric_.port(far);
    const PortIndex rival = claimed.peer;
    const auto tried = static_cast<std::uint8_t>(errand.cursor & ~Errand::kWaited);
    if (tried < kConflictTries && claimed.linked == sweep_ && rival != kNoPortIndex) {
        // Ask both again: if a cable was moved meanwhile, one of them will say something else.
        fabric_.port(rival).linked = 0;
        claimed.linked = 0;
        const auto tries = static_cast<std::uint8_t>(tried + 1);
        Queue(Errand::Kind::kCross, rival, tries);
        Queue(Errand::Kind::kCross, errand.port, tries);
        return;
    }
    // A cable that was rated is one of an earlier sweep.
    CountClaim(rival != kNoPortIndex && fabric_.port(rival).rated);
    TellDuplicate(fabric_.node(claimed.node).guid, claimed.number, errand.port, rival, now_us);
}

/// A claim to what another had before, and answers for, puts nothing in doubt.
void Discovery::CountClaim(bool is_others) {
    ++(is_others ? outcome_.refused : outcome_.conflicts);
}

/// The GUID was met behind `door` too; `kept`: behind which its owner is.
void Discovery::TellDuplicate(
    Guid guid, PortNumber port, PortIndex door, PortIndex kept, std::uint64_t now_us) {
    if (!IsNewDuplicate(guid)) return;
    const LinkEnd here = EndOf(fabric_, door);
    const LinkEnd there = EndOf(fabric_, kept);
    log_.Write<Note::kDuplicateGuid>(now_us, guid, port, here.guid, here.port, there.guid,
                                     there.port);
}

/// True the first time it is asked about a GUID: a permanent duplicate is told once.
bool Discovery::IsNewDuplicate(Guid guid) {
    if (std::find(told_duplicates_.begin(), told_duplicates_.end(), guid) !=
        told_duplicates_.end()) {
        return false;
    }
    // When the list is full it starts anew: better told twice than never.
    if (told_duplicates_.full()) told_duplicates_.clear();
    return told_duplicates_.TryPush(guid) == Status::kOk;
}

}  // namespace ember
