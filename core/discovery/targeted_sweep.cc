// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switches that a targeted sweep asks.

#include "core/discovery/targeted_sweep.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/port_news.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// How often a targeted sweep starts again because a path to a target was lost meanwhile.
inline constexpr std::uint32_t kMaxRestarts = 8;
/// Above the longest directed route, which has 63 hops.
inline constexpr std::size_t kMostHops = 64;
static_assert(kMostHops > kMaxHops);

}  // namespace

void TargetedSweep::Begin(std::span<const SwitchIndex> switches) {
    EMBER_ASSERT(!switches.empty());
    is_running_ = true;
    restarts_ = 0;
    targets_.clear();
    suspects_.clear();
    for (const SwitchIndex at : switches) {
        Keep(at);
    }
}

void TargetedSweep::Start() {
    EMBER_ASSERT(is_running_ && outcome_.targeted);
    EMBER_ASSERT(queue_.empty());
    must_restart_ = false;
    if (restarts_++ > kMaxRestarts) {
        outcome_.unsettled = true;
        return;
    }
    ++number_;
    for (const SwitchIndex at : targets_) {
        Ask(at);
    }
    for (const NodeIndex at : suspects_) {
        AskEntry(at);
    }
}

void TargetedSweep::Add(SwitchIndex at) {
    Keep(at);
    Ask(at);
}

bool TargetedSweep::AddChanged(SwitchIndex at) {
    if (fabric_.switch_row(at).asked != number_) {
        Add(at);
        return true;
    }
    Keep(at);
    must_restart_ = true;
    return false;
}

void TargetedSweep::AddNodeOf(PortIndex at) {
    EMBER_ASSERT(outcome_.targeted);
    if (at == kNoPortIndex) return;
    const SwitchIndex owner = fabric_.node(fabric_.port(at).node).switch_index;
    if (owner == kNoSwitch) return;
    Add(owner);
}

void TargetedSweep::OnPortInfo(PortIndex at, bool has_moved) {
    Port& port = fabric_.port(at);
    // A link above INIT whose state has not changed has been up since it was crossed.
    if (port.info.Get(PortInfo::kPortState) == PortState::kInitialize) CrossAgain(port);
    if (has_moved) OnStateChange(at);
    AskStale(port);
}

void TargetedSweep::OnLostLink(PortIndex at, PortIndex far) {
    fabric_.port(at).linked = 0;
    fabric_.port(far).linked = 0;
    const NodeIndex beyond = fabric_.port(far).node;
    Reroot(beyond, at);
    Reroot(fabric_.port(at).node, far);
    Suspect(beyond);
}

/// A restart asks this target again too.
void TargetedSweep::Keep(SwitchIndex at) {
    EMBER_ASSERT(at != kNoSwitch);
    if (std::find(targets_.begin(), targets_.end(), at) != targets_.end()) return;
    if (targets_.TryPush(at) != Status::kOk) outcome_.unsettled = true;
}

/// Asks a switch for its SwitchInfo and ports.
void TargetedSweep::Ask(SwitchIndex at) {
    EMBER_ASSERT(outcome_.targeted);
    if (!fabric_.IsLive(at) || fabric_.switch_row(at).asked == number_) return;
    fabric_.switch_row(at).asked = number_;
    const NodeIndex node = fabric_.switch_row(at).node;
    queue_.Queue(Probe::Kind::kSwitchInfo, fabric_.node(node).first_port);
    queue_.Queue(Probe::Kind::kPortInfo, fabric_.node(node).first_port);
}

/// A switch has lost a link: asks whether it is there at all.
void TargetedSweep::Suspect(NodeIndex at) {
    EMBER_ASSERT(outcome_.targeted);
    EMBER_ASSERT(at != kNoNode);
    if (fabric_.node(at).type != NodeType::kSwitch) return;
    const bool is_known = std::find(suspects_.begin(), suspects_.end(), at) != suspects_.end();
    if (!is_known && suspects_.TryPush(at) != Status::kOk) outcome_.unsettled = true;
    AskEntry(at);
}

/// Asks the neighbor through which a switch is entered for the PortInfo of its port there.
void TargetedSweep::AskEntry(NodeIndex at) {
    EMBER_ASSERT(fabric_.node(at).type == NodeType::kSwitch);
    const PortIndex exit = fabric_.node(at).entry;
    const NodeIndex own = fabric_.port(fabric_.own_port()).node;
    if (at == own || exit == kNoPortIndex || exit == fabric_.own_port()) return;
    if (!IsSwitchPort(fabric_, exit)) return;
    const Port& management = fabric_.port(fabric_.node(fabric_.port(exit).node).first_port);
    queue_.Queue(Probe::Kind::kPortInfo, exit, SpeaksExtendedSpeeds(management.info) ? 1 : 0);
}

/// Marks the link of a port as unconfirmed, so that it is crossed again.
void TargetedSweep::CrossAgain(Port& port) {
    EMBER_ASSERT(outcome_.targeted);
    port.linked = 0;
    if (port.peer != kNoPortIndex) fabric_.port(port.peer).linked = 0;
}

/// The state of a port has changed: its link is crossed again, if it is up, and a switch at the
/// other end is a target too. A link that is down is down at both ends.
void TargetedSweep::OnStateChange(PortIndex at) {
    EMBER_ASSERT(outcome_.targeted);
    Port& port = fabric_.port(at);
    if (port.peer == kNoPortIndex) return;
    Port& far = fabric_.port(port.peer);
    fabric_.Touch(at);
    CrossAgain(port);
    if (port.info.Get(PortInfo::kPortState) == PortState::kDown) {
        far.info.Set(PortInfo::kPortState, PortState::kDown);
    }
    // The peer's switch has seen the change too, and its PortStateChange is to be cleared.
    AddNodeOf(port.peer);
}

/// An end node behind `exit` has told of a change: the switch does not know all of it. A link that
/// is crossed again has the end node asked anyhow.
void TargetedSweep::AskStale(const Port& exit) {
    EMBER_ASSERT(outcome_.targeted);
    const PortIndex at = exit.peer;
    if (at == kNoPortIndex || exit.linked != outcome_.sweep) return;
    if (IsSwitchPort(fabric_, at) || at == fabric_.own_port()) return;
    if (IsStale(fabric_.port(at))) queue_.Queue(Probe::Kind::kPortInfo, at);
}

/// The link at `entry` is lost. If the path to `at` led through it, another entry is needed.
void TargetedSweep::Reroot(NodeIndex at, PortIndex entry) {
    EMBER_ASSERT(outcome_.targeted);
    Node& node = fabric_.node(at);
    const NodeIndex own = fabric_.port(fabric_.own_port()).node;
    if (at == own) return;
    if (node.type != NodeType::kSwitch) {
        const auto ports = fabric_.PortsOf(at);
        const bool hangs = std::any_of(ports.begin(), ports.end(),
                                       [](const Port& port) { return port.peer != kNoPortIndex; });
        if (!hangs) node.seen = 0;  // Finish() drops it.
        return;
    }
    if (node.entry != entry) return;
    if (!FindEntry(at)) {
        outcome_.unsettled = true;  // The switch is lost, and perhaps others behind it.
        return;
    }
    // Questions that were sent to it by the old path will not be answered.
    if (is_running_ && fabric_.switch_row(node.switch_index).asked == number_) must_restart_ = true;
}

/// Gives a switch another entry: from a neighbor whose own path avoids the switch, or can be made
/// to avoid it. False when there is none.
bool TargetedSweep::FindEntry(NodeIndex at) {
    EMBER_ASSERT(fabric_.node(at).type == NodeType::kSwitch);
    if (EnterFromNeighbor(at, at)) return true;
    for (const Port& port : fabric_.PortsOf(at)) {
        if (port.peer == kNoPortIndex || port.number == kManagementPort) continue;
        const NodeIndex neighbor = fabric_.port(port.peer).node;
        if (neighbor == at || fabric_.node(neighbor).type != NodeType::kSwitch) continue;
        if (!EnterFromNeighbor(neighbor, at)) continue;
        fabric_.node(at).entry = port.peer;
        return true;
    }
    return false;
}

/// Enters a switch from a neighbor whose path avoids `without`. The switch itself lies behind
/// `without`, or is it, so such a path avoids the switch as well.
bool TargetedSweep::EnterFromNeighbor(NodeIndex at, NodeIndex without) {
    EMBER_ASSERT(fabric_.node(at).type == NodeType::kSwitch);
    for (const Port& port : fabric_.PortsOf(at)) {
        if (port.peer == kNoPortIndex || port.number == kManagementPort) continue;
        const NodeIndex neighbor = fabric_.port(port.peer).node;
        if (neighbor == at || !LeadsToOwnNode(neighbor, without)) continue;
        // Our own host is left by the SM's own port only.
        const bool is_host = fabric_.node(neighbor).type != NodeType::kSwitch;
        if (is_host && port.peer != fabric_.own_port()) continue;
        fabric_.node(at).entry = port.peer;
        return true;
    }
    return false;
}

/// True when the path from `from` to our own node avoids `without` and all nodes but switches.
bool TargetedSweep::LeadsToOwnNode(NodeIndex from, NodeIndex without) const {
    EMBER_ASSERT(from != kNoNode);
    EMBER_ASSERT(fabric_.own_port() != kNoPortIndex);
    const NodeIndex own = fabric_.port(fabric_.own_port()).node;
    NodeIndex here = from;
    for (std::size_t hops = 0; hops < kMostHops; ++hops) {
        if (here == own) return true;
        const Node& node = fabric_.node(here);
        if (here == without || node.type != NodeType::kSwitch) return false;
        if (node.entry == kNoPortIndex) return false;
        here = fabric_.port(node.entry).node;
        if (here == kNoNode) return false;
    }
    return false;
}

}  // namespace ember
