// SPDX-License-Identifier: Apache-2.0
// EmberSM: the heavy sweep, which finds out what the subnet is.

#include "core/discovery/discovery.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/link_end.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
Discovery::Discovery(const Parts& parts, const Limits& limits, const Settings& settings)
    : fabric_(parts.fabric),
      keys_(parts.keys),
      log_(parts.log),
      scratch_(parts.scratch),
      settings_(settings),
      notes_(parts.fabric, parts.log, outcome_),
      queue_(limits, outcome_),
      asker_({parts.fabric, parts.exchange, parts.log, parts.keys, queue_, outcome_}, settings),
      claims_({parts.fabric, queue_, notes_, outcome_}),
      targeted_(parts.fabric, queue_, outcome_),
      links_({parts.fabric, parts.flapping, notes_, claims_, targeted_, outcome_}),
      review_({parts.fabric, parts.exchange, parts.log, parts.scratch, notes_, links_, outcome_},
              settings),
      quotas_(parts.fabric) {}

void Discovery::Start(std::uint64_t now_us) {
    EMBER_ASSERT(!running_);
    mark_ = scratch_.used_bytes();
    keys_.BeginSweep(scratch_, now_us);
    notes_.Begin(now_us);
    queue_.Begin(scratch_);
    quotas_.Begin(scratch_);
    running_ = true;
    is_leisurely_ = false;
    asker_.Begin();
}

void Discovery::End() {
    if (!running_) return;
    queue_.End();
    targeted_.End();
    quotas_.End();
    keys_.EndSweep();
    EMBER_ASSERT(scratch_.used_bytes() >= mark_);
    scratch_.Rewind(mark_);
    running_ = false;
}

void Discovery::Begin(std::uint64_t now_us) {
    Start(now_us);
    ++sweep_;
    EMBER_ASSERT(sweep_ != 0);  // Port::seen is 0 before the first sweep.
    outcome_ = Outcome{};
    outcome_.sweep = sweep_;
    outcome_.first = !has_swept_;
    if (fabric_.shortage().is_scattered) fabric_.GatherPorts();
    quotas_.Restart(false, review_.donor());
    doors_.BeginSweep();
    fabric_.ClearShortage();
    queue_.Queue(Probe::Kind::kCross,
                 kNoPortIndex);  // Our own NodeInfo. The old own port stays so long.
    Step(now_us);
}

void Discovery::BeginAt(std::span<const SwitchIndex> switches, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.own_port() != kNoPortIndex);
    Start(now_us);
    outcome_ = Outcome{};
    outcome_.sweep = sweep_;
    outcome_.targeted = true;
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
    quotas_.Restart(true);
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
    if (queue_.TakeUpWaiting(asker_.in_flight(), now_us)) quotas_.DoubleShares();
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

/// True when the probe's exit may be crossed now. If it may be crossed later, the probe waits.
bool Discovery::Passes(const Probe& probe, std::uint64_t now_us) {
    switch (quotas_.Judge(probe.port)) {
        case PortQuotas::Verdict::kAdmitted:
            return true;
        case PortQuotas::Verdict::kLater:
            queue_.Wait(probe);
            return false;
        case PortQuotas::Verdict::kRefused:
            break;
    }
    if (OpensDoor(probe.port, now_us)) {
        queue_.Wait(probe);
        return false;
    }
    ++outcome_.shut;
    return false;
}

/// Nodes beyond `exit` are left alone: notes, once, the port on the path to it that was an end
/// node's. True: what is behind that port has stayed the same for so long that it is taken in. The
/// GUIDs of nodes beyond it are not noted: a hostile host may have made them up.
bool Discovery::OpensDoor(PortIndex exit, std::uint64_t now_us) {
    EMBER_ASSERT(exit != kNoPortIndex);
    if (outcome_.targeted) return false;
    const PortIndex at = FormerEndNodePortOn(fabric_, exit);
    EMBER_ASSERT(at != kNoPortIndex);
    const LinkEnd end = EndOf(fabric_, at);
    const PortIndex peer = fabric_.port(at).peer;
    const Guid behind = peer == kNoPortIndex ? kNoGuid : fabric_.node(fabric_.port(peer).node).guid;
    switch (doors_.Meet(end, behind, now_us)) {
        case ShutDoors::Word::kNew:
            log_.WriteSparingly<Note::kQuotaUsedUp>(now_us, end.guid, end.port);
            return false;
        case ShutDoors::Word::kShut:
            return false;
        case ShutDoors::Word::kOpen:
            break;
    }
    fabric_.port(at).had_end_node = false;
    log_.Write<Note::kDoorOpened>(now_us, end.guid, end.port);
    return true;
}

void Discovery::Cross(const Probe& probe, std::uint64_t now_us) {
    EMBER_ASSERT(probe.kind == Probe::Kind::kCross);
    if (fabric_.port(probe.port).linked == sweep_) return;  // The other end was quicker.
    if (!Passes(probe, now_us)) return;
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

Discovery::Outcome Discovery::Finish(std::uint64_t now_us, SubnetEvents& events) {
    EMBER_ASSERT(running_);
    EMBER_ASSERT(done() || asker_.has_only_minor());
    outcome_.late = asker_.late();
    const OwedRoom owed = quotas_.FindOwedRoom(sweep_);
    Abandon();
    review_.KeepPartlyReadSwitches(now_us);
    if (outcome_.cut_off || is_void()) {  // Nodes that were not met may still be there.
        notes_.End(now_us);
        return outcome_;
    }
    if (!outcome_.targeted) doors_.EndSweep();
    review_.Run(owed, now_us, events);
    notes_.End(now_us);
    notes_.Shortage(now_us);
    has_swept_ = has_swept_ || !outcome_.own_port_down;
    return outcome_;
}

}  // namespace ember
