// SPDX-License-Identifier: Apache-2.0
// EmberSM: heavy and targeted sweeps, which find out what the subnet is.

#include "core/discovery/discovery.h"

#include <bit>

#include "core/base/assert.h"
#include "core/fabric/link_end.h"
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

Discovery::Discovery(const Parts& parts, const Limits& limits, const Settings& settings)
    : fabric_(parts.fabric),
      keys_(parts.keys),
      log_(parts.log),
      scratch_(parts.scratch),
      notes_(parts.fabric, parts.log, outcome_),
      queue_(limits, outcome_),
      asker_({parts.fabric, parts.exchange, parts.log, parts.keys, queue_, outcome_}, settings),
      claims_({parts.fabric, queue_, notes_, outcome_}),
      targeted_(parts.fabric, queue_, outcome_),
      links_({parts.fabric, parts.flapping, notes_, claims_, targeted_, outcome_}),
      review_({parts.fabric, parts.exchange, parts.log, parts.scratch, notes_, links_, outcome_},
              settings),
      exits_({parts.fabric, parts.log, queue_, outcome_}),
      nodes_({parts.fabric, parts.log, queue_, asker_, notes_, claims_, links_, exits_, outcome_},
             settings) {}

void Discovery::Start(std::uint64_t now_us) {
    EMBER_ASSERT(!running_);
    mark_ = scratch_.used_bytes();
    keys_.BeginSweep(scratch_, now_us);
    notes_.Begin(now_us);
    queue_.Begin(scratch_);
    exits_.Begin(scratch_);
    running_ = true;
    is_leisurely_ = false;
    asker_.Begin();
}

void Discovery::End() {
    if (!running_) return;
    queue_.End();
    targeted_.End();
    exits_.End();
    keys_.EndSweep();
    EMBER_ASSERT(scratch_.used_bytes() >= mark_);
    scratch_.Rewind(mark_);
    running_ = false;
}

void Discovery::Begin(std::uint64_t now_us) {
    Start(now_us);
    outcome_ = Outcome{.sweep = outcome_.sweep + 1, .first = !has_swept_};
    EMBER_ASSERT(outcome_.sweep != 0);  // Port::seen is 0 before the first sweep.
    if (fabric_.shortage().is_scattered) fabric_.GatherPorts();
    exits_.StartHeavy(review_.donor());
    fabric_.ClearShortage();
    // Our own NodeInfo. The old own port stays so long.
    queue_.Queue(Probe::Kind::kCross, kNoPortIndex);
    Step(now_us);
}

void Discovery::BeginAt(std::span<const SwitchIndex> switches, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.own_port() != kNoPortIndex);
    Start(now_us);
    outcome_ = Outcome{.sweep = outcome_.sweep, .targeted = true};
    targeted_.Begin(switches);
    StartTargeted();
    Step(now_us);
}

bool Discovery::AlsoAt(SwitchIndex at, std::uint64_t now_us) {
    if (!running_ || !outcome_.targeted || !fabric_.IsLive(at)) return false;
    if (targeted_.AddChanged(at)) Step(now_us);
    return true;
}

/// Asks all targets, from the beginning. The sweep does not wait for silent nodes: tries are short,
/// and the first silence, or a switch to which no path is left, ends it. A heavy sweep follows at
/// once.
void Discovery::StartTargeted() {
    EMBER_ASSERT(running_);
    asker_.Abandon();
    queue_.Clear();
    exits_.StartTargeted();
    targeted_.Start();
}

void Discovery::Abandon() {
    asker_.Abandon();
    End();
}

bool Discovery::MayEndEarly(std::uint64_t now_us, bool hurried) const {
    const bool only_minor =
        running_ && !targeted_.must_restart() && queue_.empty() && asker_.has_only_minor();
    return only_minor && asker_.MayEndEarly(now_us, hurried, is_leisurely_);
}

std::uint64_t Discovery::NextDeadlineUs(std::uint64_t now_us) const {
    if (!running_) return kNever;
    const bool may_end = asker_.has_only_minor() && !queue_.has_waiting();
    return may_end ? asker_.EndsEarlyUs(now_us) : queue_.NextDeadlineUs();
}

void Discovery::Step(std::uint64_t now_us) {
    if (targeted_.must_restart()) StartTargeted();
    if (queue_.TakeUpWaiting(asker_.in_flight(), now_us)) exits_.DoubleShares();
    while (running_ && queue_.has_next() && asker_.has_room()) {
        Probe probe = queue_.Pop();
        if (probe.kind != Probe::Kind::kSwitchPorts) {
            Ask(probe, now_us);
        } else if (AskNextSwitchPort(probe, now_us)) {
            // A switch's run of ports is queued again until its last port was asked.
            ++probe.cursor;
            queue_.Queue(probe.kind, probe.port, probe.cursor, probe.turn);
        }
    }
}

bool Discovery::Ask(const Probe& probe, std::uint64_t now_us) {
    EMBER_ASSERT(probe.kind != Probe::Kind::kSwitchPorts);
    DirectedPath path;
    if (probe.port == kNoPortIndex) {
        asker_.Post(AttributeId::kNodeInfo, 0, path, probe, now_us);
        return true;
    }
    const Port& port = fabric_.port(probe.port);
    if (probe.kind == Probe::Kind::kCross) {
        Cross(probe, now_us);
        return true;
    }
    if (fabric_.PathTo(probe.port, path) != Status::kOk) {
        outcome_.unsettled = true;
        return false;
    }
    switch (probe.kind) {
        case Probe::Kind::kDescription:
            asker_.Post(AttributeId::kNodeDescription, 0, path, probe, now_us);
            return true;
        case Probe::Kind::kSwitchInfo:
            asker_.Post(AttributeId::kSwitchInfo, 0, path, probe, now_us);
            return true;
        case Probe::Kind::kPortInfo:
            asker_.Post(AttributeId::kPortInfo,
                        Raw(port.number) | (probe.cursor != 0 ? kExtendedSpeedsModifier : 0U), path,
                        probe, now_us);
            return true;
        case Probe::Kind::kCross:
        case Probe::Kind::kSwitchPorts:
            break;  // Handled above, and in Step().
    }
    return false;
}

void Discovery::Cross(const Probe& probe, std::uint64_t now_us) {
    EMBER_ASSERT(probe.kind == Probe::Kind::kCross);
    if (fabric_.port(probe.port).linked == outcome_.sweep) return;  // The other end was quicker.
    if (!exits_.Passes(probe, now_us)) return;
    DirectedPath path;
    if (fabric_.PathBeyond(probe.port, path) != Status::kOk) return;
    asker_.Post(AttributeId::kNodeInfo, 0, path, probe, now_us);
}

bool Discovery::AskNextSwitchPort(const Probe& probe, std::uint64_t now_us) {
    EMBER_ASSERT(probe.kind == Probe::Kind::kSwitchPorts);
    const Port& management = fabric_.port(probe.port);
    const Node& node = fabric_.node(management.node);
    EMBER_ASSERT(management.number == kManagementPort);
    if (probe.cursor >= node.port_count) return false;
    const auto number = static_cast<PortNumber>(probe.cursor + 1);
    DirectedPath path;
    if (fabric_.PathTo(probe.port, path) != Status::kOk) {
        outcome_.unsettled = true;
        return false;
    }
    const bool extended = SpeaksExtendedSpeeds(management.info);
    const Probe one{Probe::Kind::kPortInfo, static_cast<std::uint8_t>(extended ? 1 : 0), 0,
                    fabric_.PortOf(management.node, number)};
    asker_.Post(AttributeId::kPortInfo, Raw(number) | (extended ? kExtendedSpeedsModifier : 0U),
                path, one, now_us);
    return probe.cursor + 1 < node.port_count;
}

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
                nodes_.OnOwnNodeInfo(probe, std::bit_cast<NodeInfo>(answer.data), now_us);
            } else {
                nodes_.OnNodeInfo(probe, std::bit_cast<NodeInfo>(answer.data), now_us);
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
    row.seen = outcome_.sweep;
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
    port.seen = outcome_.sweep;
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
        if (port.peer != kNoPortIndex && port.linked != outcome_.sweep) {
            links_.LoseReported(at, now_us);
        }
        if (at == fabric_.own_port()) {
            outcome_.own_port_down = true;
            notes_.OwnPort(port, false, now_us);
        }
        return;
    }
    if (at == fabric_.own_port()) notes_.OwnPort(port, true, now_us);
    if (port.linked != outcome_.sweep) queue_.Queue(Probe::Kind::kCross, at);
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
    // was; see SweepReview.
    const bool is_known = beyond && port.peer != kNoPortIndex;
    const bool is_switch = !beyond && IsTrustedPort(fabric_, probe.port);
    if (is_switch && probe.kind != Probe::Kind::kDescription) outcome_.unsettled = true;
    if (is_known && outcome_.targeted) outcome_.unsettled = true;  // Its tries are short.
    const bool is_host =
        is_known && !IsSwitchPort(fabric_, port.peer) && probe.port != fabric_.own_port();
    const bool was_met = port.linked == outcome_.sweep;
    if (is_host && !outcome_.targeted && !was_met) links_.Lose(probe.port, now_us);
}

Discovery::Outcome Discovery::Finish(std::uint64_t now_us, SubnetEvents& events) {
    EMBER_ASSERT(running_);
    EMBER_ASSERT(done() || asker_.has_only_minor());
    outcome_.late = asker_.late();
    const OwedRoom owed = exits_.FindOwedRoom();
    Abandon();
    review_.KeepPartlyReadSwitches(now_us);
    if (outcome_.cut_off || is_void()) {  // Nodes that were not met may still be there.
        notes_.End(now_us);
        return outcome_;
    }
    if (!outcome_.targeted) exits_.EndHeavy();
    review_.Run(owed, now_us, events);
    notes_.End(now_us);
    notes_.Shortage(now_us);
    has_swept_ = has_swept_ || !outcome_.own_port_down;
    return outcome_;
}

}  // namespace ember
