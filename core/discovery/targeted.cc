// SPDX-License-Identifier: Apache-2.0
// EmberSM: the targeted sweep, which asks only where something changed.
//
// It goes on with the number of the last heavy sweep, so everything known counts as met. Switches
// that have news are asked for all their ports again. Where the state of a port moved, or is INIT,
// its cable is crossed again, and the switch at its other end is a target too; a link that was and
// is above INIT has not been down. What is new behind them is met as in a heavy sweep. Ways that
// led over a lost cable are planted anew, if there is another.
// A switch that lost a cable may be gone altogether: when a switch dies, one of many traps may be
// all that arrives. Its neighbor on the way to it is asked whether that cable is up. If it is not,
// the switch is planted behind the next neighbor, and that one is asked, until there is none.
// Nobody is waited for here: tries are short, and the first silence, or a switch to which no way is
// left, ends the sweep. A heavy one follows at once, which meets only who answers.

#include <algorithm>

#include "core/discovery/discovery.h"

namespace ember {
namespace {

/// How often a targeted sweep starts again because a way to a target was lost meanwhile.
inline constexpr std::uint32_t kMaxRestarts = 8;
/// Directed routes are no longer.
inline constexpr std::size_t kMostHops = 64;

}  // namespace

void Discovery::BeginAt(std::span<const SwitchIndex> switches, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.own_port() != kNoPortIndex);
    Start();
    outcome_ = Outcome{};
    outcome_.sweep = sweep_;
    outcome_.targeted = true;
    is_first_ = false;
    gained_links_.clear();
    restarts_ = 0;
    targets_.clear();
    doubted_.clear();
    for (const SwitchIndex at : switches) {
        Aim(at);
    }
    StartTargeted();
    Step(now_us);
}

bool Discovery::AlsoAt(SwitchIndex at, std::uint64_t now_us) {
    if (!running_ || !outcome_.targeted || !fabric_.IsLive(at)) return false;
    Aim(at);
    // Asked already, it may have told its ports before this happened. Then all is asked again.
    if (fabric_.switch_row(at).asked == targeted_sweep_) {
        restart_ = true;
        return true;
    }
    Target(at);
    Step(now_us);
    return true;
}

/// Makes a switch a target, which a restart asks again too.
void Discovery::Aim(SwitchIndex at) {
    if (std::find(targets_.begin(), targets_.end(), at) != targets_.end()) return;
    if (targets_.TryPush(at) != Status::kOk) outcome_.unsettled = true;
}

/// Asks all targets, from the beginning.
void Discovery::StartTargeted() {
    restart_ = false;
    exchange_.Abandon(kDiscoveryClient);
    errands_.clear();
    waiting_.clear();
    claims_waiting_ = 0;
    doors_.Restart(true);
    in_flight_ = 0;
    minor_in_flight_ = 0;
    guests_in_flight_ = 0;
    names_in_flight_ = 0;
    if (restarts_++ > kMaxRestarts) {
        outcome_.unsettled = true;
        return;
    }
    ++targeted_sweep_;
    for (const SwitchIndex at : targets_) {
        Target(at);
    }
    for (const NodeIndex at : doubted_) {
        AskDoor(at);
    }
}

/// Asks a switch for its SwitchInfo and ports.
void Discovery::Target(SwitchIndex at) {
    if (!fabric_.IsLive(at) || fabric_.switch_row(at).asked == targeted_sweep_) return;
    fabric_.switch_row(at).asked = targeted_sweep_;
    const NodeIndex node = fabric_.switch_row(at).node;
    Queue(Errand::Kind::kSwitchInfo, fabric_.node(node).first_port);
    Queue(Errand::Kind::kPortInfo, fabric_.node(node).first_port);
}

/// The switch that has this port, if it is one, has news.
void Discovery::TargetNodeOf(PortIndex at) {
    if (at == kNoPortIndex) return;
    const SwitchIndex owner = fabric_.node(fabric_.port(at).node).switch_index;
    if (owner == kNoSwitch) return;
    Aim(owner);
    Target(owner);
}

/// A switch has lost a cable: is it there at all?
void Discovery::Doubt(NodeIndex at) {
    if (fabric_.node(at).type != NodeType::kSwitch) return;
    const bool is_known = std::find(doubted_.begin(), doubted_.end(), at) != doubted_.end();
    if (!is_known && doubted_.TryPush(at) != Status::kOk) outcome_.unsettled = true;
    AskDoor(at);
}

/// Asks the neighbor through which a switch is entered about its port there.
void Discovery::AskDoor(NodeIndex at) {
    const PortIndex door = fabric_.node(at).entry;
    const NodeIndex own = fabric_.port(fabric_.own_port()).node;
    if (at == own || door == kNoPortIndex || door == fabric_.own_port()) return;
    if (!IsSwitchPort(door)) return;
    const Port& management = fabric_.port(fabric_.node(fabric_.port(door).node).first_port);
    Queue(Errand::Kind::kPortInfo, door, SpeaksExtendedSpeeds(management.info) ? 1 : 0);
}

/// Two ports are found to be cabled to each other. Whoever they were cabled to before has news too,
/// and ways may have led there.
void Discovery::LoseRivals(PortIndex near_end, PortIndex far_end, std::uint64_t now_us) {
    for (const PortIndex at : {near_end, far_end}) {
        const PortIndex rival = fabric_.port(at).peer;
        if (rival == kNoPortIndex) continue;
        LoseLink(at, now_us);
        TargetNodeOf(rival);
    }
    TargetNodeOf(far_end);
}

/// What was found out of the cable at a port counts for nothing.
void Discovery::CrossAgain(Port& port) {
    port.linked = 0;
    if (port.peer != kNoPortIndex) fabric_.port(port.peer).linked = 0;
}

/// A port is in another state than it was: its cable is crossed again, if it is up, and a switch at
/// the other end is asked too. If it is down it is down at both ends.
void Discovery::OnStateChange(PortIndex at) {
    Port& port = fabric_.port(at);
    if (port.peer == kNoPortIndex) return;
    Port& far = fabric_.port(port.peer);
    fabric_.Touch(at);
    CrossAgain(port);
    if (port.info.Get(PortInfo::kPortState) == PortState::kDown) {
        far.info.Set(PortInfo::kPortState, PortState::kDown);
    }
    // It has seen the same, and its PortStateChange is to be cleared too.
    TargetNodeOf(port.peer);
}

/// The cable at `entry` is lost. If the way to `at` led through it there must be another.
void Discovery::Uproot(NodeIndex at, PortIndex entry) {
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
    if (!FindWay(at)) {
        outcome_.unsettled = true;  // It is gone, and perhaps others with it.
        return;
    }
    // What was sent to it by the old way will not be answered.
    if (running_ && fabric_.switch_row(node.switch_index).asked == targeted_sweep_) restart_ = true;
}

/// Gives a switch another entry: from a neighbor whose own way does not pass the switch, or can be
/// led past it.
bool Discovery::FindWay(NodeIndex at) {
    if (EnterFromBeside(at, at)) return true;
    for (const Port& port : fabric_.PortsOf(at)) {
        if (port.peer == kNoPortIndex || port.number == kManagementPort) continue;
        const NodeIndex neighbor = fabric_.port(port.peer).node;
        if (neighbor == at || fabric_.node(neighbor).type != NodeType::kSwitch) continue;
        if (!EnterFromBeside(neighbor, at)) continue;
        fabric_.node(at).entry = port.peer;
        return true;
    }
    return false;
}

/// Enters a switch from a neighbor whose way does not pass `without`. The switch itself lies behind
/// `without`, or is it, so such a way does not pass the switch either.
bool Discovery::EnterFromBeside(NodeIndex at, NodeIndex without) {
    for (const Port& port : fabric_.PortsOf(at)) {
        if (port.peer == kNoPortIndex || port.number == kManagementPort) continue;
        const NodeIndex neighbor = fabric_.port(port.peer).node;
        if (neighbor == at || !LeadsHome(neighbor, without)) continue;
        // Out of our own host there is one door only.
        const bool is_host = fabric_.node(neighbor).type != NodeType::kSwitch;
        if (is_host && port.peer != fabric_.own_port()) continue;
        fabric_.node(at).entry = port.peer;
        return true;
    }
    return false;
}

/// The way from `from` to ourselves goes by switches only, and not by `without`.
bool Discovery::LeadsHome(NodeIndex from, NodeIndex without) const {
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
