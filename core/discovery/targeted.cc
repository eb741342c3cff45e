// SPDX-License-Identifier: Apache-2.0
// EmberSM: the targeted sweep, which asks only switches that have changed.
//
// It keeps the number of the last heavy sweep, so every known node counts as met. A target is asked
// for all its ports again. Where a port's state has changed, or is INIT, its link is crossed again,
// and the switch at the other end is a target too; a link that was and is above INIT has not been
// down. An end node that has told of a change is asked for its PortInfo. New nodes behind them are
// met as in a heavy sweep. A directed route through a lost link is re-rooted: the switch gets
// another entry, if it has one.
// A switch that lost a link may be lost altogether: when a switch dies, only one of many traps may
// arrive. The neighbor by which it is entered is asked whether that link is up. If it is down, the
// switch gets its next neighbor as entry, and that neighbor is asked, until none is left.
// The sweep does not wait for silent nodes: tries are short, and the first silence, or a switch to
// which no path is left, ends it. A heavy sweep follows at once.

#include <algorithm>

#include "core/discovery/discovery.h"
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

void Discovery::BeginAt(std::span<const SwitchIndex> switches, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.own_port() != kNoPortIndex);
    EMBER_ASSERT(!switches.empty());
    Start(now_us);
    outcome_ = Outcome{};
    outcome_.sweep = sweep_;
    outcome_.targeted = true;
    restarts_ = 0;
    targets_.clear();
    suspects_.clear();
    for (const SwitchIndex at : switches) {
        AddTarget(at);
    }
    StartTargeted();
    Step(now_us);
}

bool Discovery::AlsoAt(SwitchIndex at, std::uint64_t now_us) {
    if (!running_ || !outcome_.targeted || !fabric_.IsLive(at)) return false;
    AddTarget(at);
    // A switch that was asked already may have answered before this change: all is asked again.
    if (fabric_.switch_row(at).asked == targeted_sweep_) {
        restart_ = true;
        return true;
    }
    Target(at);
    Step(now_us);
    return true;
}

/// Makes a switch a target, which a restart asks again too.
void Discovery::AddTarget(SwitchIndex at) {
    EMBER_ASSERT(at != kNoSwitch);
    if (std::find(targets_.begin(), targets_.end(), at) != targets_.end()) return;
    if (targets_.TryPush(at) != Status::kOk) outcome_.unsettled = true;
}

/// Asks all targets, from the beginning.
void Discovery::StartTargeted() {
    EMBER_ASSERT(running_);
    EMBER_ASSERT(outcome_.targeted);
    restart_ = false;
    asker_.Abandon();
    queue_.Clear();
    quotas_.Restart(true);
    if (restarts_++ > kMaxRestarts) {
        outcome_.unsettled = true;
        return;
    }
    ++targeted_sweep_;
    for (const SwitchIndex at : targets_) {
        Target(at);
    }
    for (const NodeIndex at : suspects_) {
        AskEntry(at);
    }
}

/// Asks a switch for its SwitchInfo and ports.
void Discovery::Target(SwitchIndex at) {
    EMBER_ASSERT(outcome_.targeted);
    if (!fabric_.IsLive(at) || fabric_.switch_row(at).asked == targeted_sweep_) return;
    fabric_.switch_row(at).asked = targeted_sweep_;
    const NodeIndex node = fabric_.switch_row(at).node;
    queue_.Queue(Probe::Kind::kSwitchInfo, fabric_.node(node).first_port);
    queue_.Queue(Probe::Kind::kPortInfo, fabric_.node(node).first_port);
}

/// Makes the switch that has this port a target. Does nothing for a port of another node.
void Discovery::TargetNodeOf(PortIndex at) {
    EMBER_ASSERT(outcome_.targeted);
    if (at == kNoPortIndex) return;
    const SwitchIndex owner = fabric_.node(fabric_.port(at).node).switch_index;
    if (owner == kNoSwitch) return;
    AddTarget(owner);
    Target(owner);
}

/// A switch has lost a link: asks whether it is there at all.
void Discovery::Suspect(NodeIndex at) {
    EMBER_ASSERT(outcome_.targeted);
    EMBER_ASSERT(at != kNoNode);
    if (fabric_.node(at).type != NodeType::kSwitch) return;
    const bool is_known = std::find(suspects_.begin(), suspects_.end(), at) != suspects_.end();
    if (!is_known && suspects_.TryPush(at) != Status::kOk) outcome_.unsettled = true;
    AskEntry(at);
}

/// Asks the neighbor through which a switch is entered for the PortInfo of its port there.
void Discovery::AskEntry(NodeIndex at) {
    EMBER_ASSERT(fabric_.node(at).type == NodeType::kSwitch);
    const PortIndex exit = fabric_.node(at).entry;
    const NodeIndex own = fabric_.port(fabric_.own_port()).node;
    if (at == own || exit == kNoPortIndex || exit == fabric_.own_port()) return;
    if (!IsSwitchPort(fabric_, exit)) return;
    const Port& management = fabric_.port(fabric_.node(fabric_.port(exit).node).first_port);
    queue_.Queue(Probe::Kind::kPortInfo, exit, SpeaksExtendedSpeeds(management.info) ? 1 : 0);
}

/// Two ports are found to be linked to each other. Their former peers must be read again, and
/// directed routes through the former links are re-rooted.
void Discovery::LoseRivals(PortIndex near_end, PortIndex far_end, std::uint64_t now_us) {
    EMBER_ASSERT(outcome_.targeted);
    for (const PortIndex at : {near_end, far_end}) {
        const PortIndex rival = fabric_.port(at).peer;
        if (rival == kNoPortIndex) continue;
        LoseLink(at, now_us);
        TargetNodeOf(rival);
    }
    TargetNodeOf(far_end);
}

/// Marks the link of a port as unconfirmed, so that it is crossed again.
void Discovery::CrossAgain(Port& port) {
    EMBER_ASSERT(outcome_.targeted);
    port.linked = 0;
    if (port.peer != kNoPortIndex) fabric_.port(port.peer).linked = 0;
}

/// The state of a port has changed: its link is crossed again, if it is up, and a switch at the
/// other end is a target too. A link that is down is down at both ends.
void Discovery::OnStateChange(PortIndex at) {
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
    TargetNodeOf(port.peer);
}

/// An end node behind `exit` has told of a change: the switch does not know all of it. A link that
/// is crossed again has the end node asked anyhow.
void Discovery::AskStale(const Port& exit) {
    EMBER_ASSERT(outcome_.targeted);
    const PortIndex at = exit.peer;
    if (at == kNoPortIndex || exit.linked != sweep_) return;
    if (IsSwitchPort(fabric_, at) || at == fabric_.own_port()) return;
    if (IsStale(fabric_.port(at))) queue_.Queue(Probe::Kind::kPortInfo, at);
}

/// The link at `entry` is lost. If the path to `at` led through it, another entry is needed.
void Discovery::Reroot(NodeIndex at, PortIndex entry) {
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
    if (running_ && fabric_.switch_row(node.switch_index).asked == targeted_sweep_) restart_ = true;
}

/// Gives a switch another entry: from a neighbor whose own path avoids the switch, or can be made
/// to avoid it. False when there is none.
bool Discovery::FindEntry(NodeIndex at) {
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
bool Discovery::EnterFromNeighbor(NodeIndex at, NodeIndex without) {
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
bool Discovery::LeadsToOwnNode(NodeIndex from, NodeIndex without) const {
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
