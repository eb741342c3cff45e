// SPDX-License-Identifier: Apache-2.0
// EmberSM: answers that claim the GUID or the port of another node.

#include "core/discovery/claims.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// How often a link that two nodes claim is asked again before it is called a duplicate GUID.
inline constexpr std::uint8_t kConflictTries = 3;
static_assert(kConflictTries < Probe::kWaited, "both stand in one cursor");

}  // namespace

bool Claims::MustWait(const Probe& probe, const NodeInfo& info) const {
    EMBER_ASSERT(probe.kind == Probe::Kind::kCross);
    EMBER_ASSERT(probe.port != kNoPortIndex);
    if ((probe.cursor & Probe::kWaited) != 0) return false;
    const PortIndex namesake = NamesakeOf(info);
    if (namesake != kNoPortIndex) {
        return fabric_.node(fabric_.port(namesake).node).seen != outcome_.sweep;
    }
    const NodeIndex known = fabric_.FindNode(info.Get(NodeInfo::kNodeGuid));
    if (known == kNoNode || fabric_.node(known).seen == 0) return false;
    const PortIndex far = fabric_.PortOf(known, info.Get(NodeInfo::kLocalPortNum));
    const bool is_as_before = far != kNoPortIndex && fabric_.port(far).peer == probe.port &&
                              fabric_.port(probe.port).peer == far;
    if (is_as_before) return false;
    if (fabric_.node(known).seen != outcome_.sweep) {
        const auto ports = fabric_.PortsOf(known);
        return std::any_of(ports.begin(), ports.end(),
                           [](const Port& port) { return port.peer != kNoPortIndex; });
    }
    return far != kNoPortIndex && fabric_.port(far).peer != kNoPortIndex &&
           fabric_.port(far).linked != outcome_.sweep;
}

/// The port of another node that has the PortGUID which this end node claims; kNoPortIndex: none.
/// A switch does not wait for it: see NameSwitch().
PortIndex Claims::NamesakeOf(const NodeInfo& info) const {
    if (info.Get(NodeInfo::kNodeType) == NodeType::kSwitch) return kNoPortIndex;
    const PortIndex holder = fabric_.FindPort(info.Get(NodeInfo::kPortGuid));
    if (holder == kNoPortIndex) return kNoPortIndex;
    const Guid owner = fabric_.node(fabric_.port(holder).node).guid;
    return owner != info.Get(NodeInfo::kNodeGuid) ? holder : kNoPortIndex;
}

bool Claims::IsNamesake(const Probe& probe, const NodeInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(probe.port != kNoPortIndex);
    const PortIndex holder = NamesakeOf(info);
    if (holder == kNoPortIndex) return false;
    const Node& owner = fabric_.node(fabric_.port(holder).node);
    Count(owner.seen == outcome_.sweep && !owner.fresh);
    notes_.Duplicate(fabric_.port(holder).guid, info.Get(NodeInfo::kLocalPortNum), probe.port,
                     fabric_.port(holder).peer, now_us);
    return true;
}

void Claims::NameSwitch(NodeIndex at, Guid guid, std::uint64_t now_us) {
    const Node& node = fabric_.node(at);
    EMBER_ASSERT(node.type == NodeType::kSwitch);
    if (fabric_.NamePort(node.first_port, guid)) return;
    ++outcome_.conflicts;
    const PortIndex holder = guid == kNoGuid ? kNoPortIndex : fabric_.FindPort(guid);
    if (holder == kNoPortIndex) return;
    const PortIndex behind = fabric_.port(holder).peer;
    const bool is_firm = holder == fabric_.own_port() || IsSwitchPort(fabric_, holder) ||
                         IsUntrustedSwitch(fabric_, node);
    if (is_firm) {
        if (node.entry != kNoPortIndex) {
            notes_.Duplicate(guid, kManagementPort, node.entry, behind, now_us);
        }
        return;
    }
    if (behind != kNoPortIndex) {
        notes_.Duplicate(guid, fabric_.port(holder).number, behind, node.entry, now_us);
    }
    DropNamesake(holder);
    const bool is_named = fabric_.NamePort(node.first_port, guid);
    EMBER_ASSERT(is_named);
}

/// The port loses its name, LIDs and link, and its node is dropped unless another link leads to it.
void Claims::DropNamesake(PortIndex at) {
    EMBER_ASSERT(!IsSwitchPort(fabric_, at));
    Port& port = fabric_.port(at);
    if (port.peer != kNoPortIndex) {
        fabric_.Disconnect(at);
        ++outcome_.links_changed;
    }
    fabric_.GiveLids(at, kNoLid, 0);
    fabric_.UnnamePort(at);
    port.in_service = false;  // The GID is in service: it is the switch's.
    const auto ports = fabric_.PortsOf(port.node);
    const bool hangs = std::any_of(ports.begin(), ports.end(),
                                   [](const Port& one) { return one.peer != kNoPortIndex; });
    if (!hangs) fabric_.node(port.node).seen = 0;  // Finish() drops it.
    outcome_.unsettled = true;
}

void Claims::RefuseDuplicate(Node& node, const NodeInfo& info, const Probe& probe,
                             std::uint64_t now_us) {
    EMBER_ASSERT(node.guid == info.Get(NodeInfo::kNodeGuid));
    // A node that has answered in this sweep keeps its GUID: else any host could have a switch
    // dropped, or our own node, by claiming its GUID.
    const bool is_kept = node.seen == outcome_.sweep;
    Count(is_kept && !node.fresh);
    if (probe.port != kNoPortIndex) {
        const PortIndex kept =
            node.type == NodeType::kSwitch ? node.entry : fabric_.port(node.first_port).peer;
        notes_.Duplicate(node.guid, info.Get(NodeInfo::kLocalPortNum), probe.port, kept, now_us);
    }
    if (is_kept) return;
    // The node is known from an earlier sweep only, so it was probably replaced. Unless it answers
    // after all, Finish() drops its rows, and the next sweep adds the new node.
    outcome_.unsettled = true;
    node.seen = 0;
}

void Claims::Conflict(const Probe& probe, PortIndex far, std::uint64_t now_us) {
    EMBER_ASSERT(far != kNoPortIndex);
    EMBER_ASSERT(probe.kind == Probe::Kind::kCross);
    Port& claimed = fabric_.port(far);
    const PortIndex rival = claimed.peer;
    const auto tried = static_cast<std::uint8_t>(probe.cursor & ~Probe::kWaited);
    EMBER_ASSERT(tried <= kConflictTries);
    if (tried < kConflictTries && claimed.linked == outcome_.sweep && rival != kNoPortIndex) {
        // Ask both again: if a link was moved meanwhile, one of the answers will differ.
        fabric_.port(rival).linked = 0;
        claimed.linked = 0;
        const auto tries = static_cast<std::uint8_t>(tried + 1);
        queue_.Queue(Probe::Kind::kCross, rival, tries);
        queue_.Queue(Probe::Kind::kCross, probe.port, tries);
        return;
    }
    // A link that was rated is one of an earlier sweep.
    Count(rival != kNoPortIndex && fabric_.port(rival).rated);
    notes_.Duplicate(fabric_.node(claimed.node).guid, claimed.number, probe.port, rival, now_us);
}

/// Counts a claim. `is_others`: another node had the place before and answers there.
void Claims::Count(bool is_others) {
    ++(is_others ? outcome_.refused : outcome_.conflicts);
}

}  // namespace ember
