// SPDX-License-Identifier: Apache-2.0
// EmberSM: the heavy sweep, which finds out what the subnet is.

#include "core/discovery/discovery.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/discovery/partly_read.h"
#include "core/fabric/link_end.h"
#include "core/fabric/port_news.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// A probe of a crowded exit waits this long for answers under way. Waiting for silent nodes would
/// take far longer.
inline constexpr std::uint64_t kCrowdedPatienceUs = 5 * kMillisecondUs;
/// A heavy sweep that is not hurried waits so long for end ports, from the last question or answer.
inline constexpr std::uint32_t kPatienceUs = 50 * kMillisecondUs;
/// So many sweeps make room one after the other, before one in kRoomPause does.
inline constexpr std::uint32_t kMostRooms = 16;
inline constexpr std::uint32_t kRoomPause = 64;
/// A heavy sweep may end early if at most one answer in so many is missing.
inline constexpr std::uint32_t kFew = 16;

}  // namespace

Discovery::Discovery(const Parts& parts, const Limits& limits, const Settings& settings)
    : fabric_(parts.fabric),
      exchange_(parts.exchange),
      asker_(parts.fabric, parts.exchange, settings, kDiscoveryClient),
      keys_(parts.keys),
      log_(parts.log),
      flapping_(parts.flapping),
      scratch_(parts.scratch),
      settings_(settings),
      notes_(parts.fabric, parts.log, outcome_),
      most_probes_(ProbesFor(limits)),
      most_waiting_(limits.max_ports),
      quotas_(parts.fabric) {}

void Discovery::Start(std::uint64_t now_us) {
    EMBER_ASSERT(!running_);
    mark_ = scratch_.used_bytes();
    keys_.BeginSweep(scratch_, now_us);
    notes_.Begin(now_us);
    probes_ = Ring<Probe>(scratch_.TakeUnset<Probe>(most_probes_));
    waiting_ = Ring<Probe>(scratch_.TakeUnset<Probe>(most_waiting_));
    quotas_.Begin(scratch_);
    wider_at_us_ = kNever;
    running_ = true;
    is_leisurely_ = false;
    ForgetQuestions();
    answered_ = 0;
}

void Discovery::End() {
    if (!running_) return;
    probes_ = {};
    waiting_ = {};
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
    targets_.clear();
    restart_ = false;
    outcome_ = Outcome{};
    outcome_.sweep = sweep_;
    claims_waiting_ = 0;
    outcome_.first = !has_swept_;
    if (fabric_.shortage().is_scattered) fabric_.GatherPorts();
    quotas_.Restart(false, FindEnd(fabric_, donor_));
    doors_.BeginSweep();
    fabric_.ClearShortage();
    Queue(Probe::Kind::kCross, kNoPortIndex);  // Our own NodeInfo. The old own port stays so long.
    Step(now_us);
}

void Discovery::Abandon() {
    ForgetQuestions();
    End();
}

void Discovery::ForgetQuestions() {
    asker_.Abandon();
    minor_in_flight_ = 0;
    untrusted_in_flight_ = 0;
    names_in_flight_ = 0;
}

/// True for a port of a trusted switch: no host can be playing it.
bool Discovery::IsTrustedPort(PortIndex at) const {
    const Node& node = fabric_.node(fabric_.port(at).node);
    return node.type == NodeType::kSwitch && !IsUntrustedSwitch(fabric_, node);
}

/// True for a question to an untrusted switch, or to a node behind one.
bool Discovery::IsToUntrusted(const Probe& probe) const {
    return probe.port != kNoPortIndex &&
           IsUntrustedSwitch(fabric_, fabric_.node(fabric_.port(probe.port).node));
}

/// True when no other node's routes depend on the answer: the question goes to an end port that is
/// not ours, or behind a port where a host was or, after the first sweep, where no node was.
bool Discovery::IsMinor(const Probe& probe) const {
    if (probe.kind == Probe::Kind::kDescription) return true;
    if (probe.port == kNoPortIndex || probe.port == fabric_.own_port()) return false;
    if (IsToUntrusted(probe)) return true;
    const Port& port = fabric_.port(probe.port);
    if (probe.kind == Probe::Kind::kPortInfo) return !IsSwitchPort(probe.port);
    if (probe.kind != Probe::Kind::kCross) return false;
    return port.peer == kNoPortIndex ? !outcome_.first : !IsTrustedPort(port.peer);
}

bool Discovery::MayEndEarly(std::uint64_t now_us, bool hurried) const {
    EMBER_ASSERT(minor_in_flight_ <= asker_.in_flight());
    const bool only_minor = running_ && !restart_ && probes_.empty() && waiting_.empty() &&
                            asker_.in_flight() == minor_in_flight_ && asker_.in_flight() != 0;
    if (!only_minor) return false;
    if (hurried || outcome_.targeted) return now_us >= moved_us_ + exchange_.linger_us();
    // A switch with open questions would be dropped, with the nodes behind it: not for 50 ms.
    const bool may = !outcome_.first && !is_leisurely_ && untrusted_in_flight_ == 0 &&
                     asker_.in_flight() * kFew <= answered_;
    return may && now_us >= moved_us_ + std::max(exchange_.linger_us(), kPatienceUs);
}

std::uint64_t Discovery::NextDeadlineUs(std::uint64_t now_us) const {
    EMBER_ASSERT(minor_in_flight_ <= asker_.in_flight());
    if (!running_) return kNever;
    const bool only_minor = asker_.in_flight() == minor_in_flight_ && asker_.in_flight() != 0;
    if (!only_minor || !waiting_.empty()) return wider_at_us_;
    const std::uint64_t soon_us = moved_us_ + exchange_.linger_us();
    const std::uint64_t later_us = std::max(soon_us, moved_us_ + kPatienceUs);
    return soon_us > now_us ? soon_us : later_us > now_us ? later_us : kNever;
}

void Discovery::Queue(Probe::Kind kind, PortIndex port, std::uint8_t cursor, std::uint8_t turn) {
    EMBER_ASSERT(port != kNoPortIndex || kind == Probe::Kind::kCross);
    // Cannot overflow while nodes behave. A node that keeps claiming links is cut off here.
    if (probes_.Push(Probe{kind, cursor, turn, port}) != Status::kOk) outcome_.unsettled = true;
}

void Discovery::Step(std::uint64_t now_us) {
    if (restart_) StartTargeted();
    TakeUpWaiting(now_us);
    while (running_ && !probes_.empty() && exchange_.has_room()) {
        Probe probe = probes_.Pop();
        if (probe.kind != Probe::Kind::kSwitchPorts) {
            Ask(probe, now_us);
        } else if (AskNextSwitchPort(probe, now_us)) {
            // A switch's run of ports is queued again until its last port was asked.
            ++probe.cursor;
            Queue(probe.kind, probe.port, probe.cursor, probe.turn);
        }
    }
}

/// Puts a probe off until all others were asked.
void Discovery::Wait(const Probe& probe) {
    EMBER_ASSERT(probe.kind == Probe::Kind::kCross);
    if ((probe.cursor & Probe::kWaited) != 0) ++claims_waiting_;
    if (waiting_.Push(probe) != Status::kOk) outcome_.unsettled = true;
}

/// Takes up waiting probes when no other is left. A crowded exit is crossed soon. A claim waits
/// until every question was answered or has timed out, as the claimed node may be among the last.
void Discovery::TakeUpWaiting(std::uint64_t now_us) {
    const bool are_claims = waiting_.size() <= claims_waiting_;
    if (waiting_.empty() || !probes_.empty() || (are_claims && asker_.in_flight() != 0)) {
        wider_at_us_ = kNever;
        return;
    }
    if (asker_.in_flight() != 0 && wider_at_us_ == kNever)
        wider_at_us_ = now_us + kCrowdedPatienceUs;
    if (asker_.in_flight() != 0 && now_us < wider_at_us_) return;
    wider_at_us_ = kNever;
    // When no question is under way, a claim can only wait for crowded exits.
    if (!are_claims || asker_.in_flight() == 0) quotas_.DoubleShares();
    claims_waiting_ = 0;
    for (std::size_t left = waiting_.size(); left > 0; --left) {
        const Probe probe = waiting_.Pop();
        const bool is_claim = (probe.cursor & Probe::kWaited) != 0;
        if (is_claim && asker_.in_flight() != 0) {
            Wait(probe);
        } else {
            Queue(probe.kind, probe.port, probe.cursor, probe.turn);
        }
    }
}

bool Discovery::Ask(const Probe& probe, std::uint64_t now_us) {
    EMBER_ASSERT(probe.kind != Probe::Kind::kSwitchPorts);
    DirectedPath path;
    if (probe.port == kNoPortIndex) {
        Post(AttributeId::kNodeInfo, 0, path, probe, now_us);
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
            Post(AttributeId::kNodeDescription, 0, path, probe, now_us);
            return true;
        case Probe::Kind::kSwitchInfo:
            Post(AttributeId::kSwitchInfo, 0, path, probe, now_us);
            return true;
        case Probe::Kind::kPortInfo:
            Post(AttributeId::kPortInfo,
                 Raw(port.number) | (probe.cursor != 0 ? kExtendedSpeedsModifier : 0U), path, probe,
                 now_us);
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
            Wait(probe);
            return false;
        case PortQuotas::Verdict::kRefused:
            break;
    }
    if (OpensDoor(probe.port, now_us)) {
        Wait(probe);
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
    Post(AttributeId::kNodeInfo, 0, path, probe, now_us);
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
    Post(AttributeId::kPortInfo, Raw(number) | (extended ? kExtendedSpeedsModifier : 0U), path, one,
         now_us);
    return probe.cursor + 1 < node.port_count;
}

bool Discovery::IsUnusable(const Node& node) const {
    if (node.seen != sweep_) return true;
    if (node.type == NodeType::kSwitch) {
        return fabric_.switch_row(node.switch_index).seen != sweep_ ||
               fabric_.port(node.first_port).seen != sweep_;
    }
    const std::span<const Port> ports = fabric_.PortsOf(fabric_.port(node.first_port).node);
    return std::none_of(ports.begin(), ports.end(), [this](const Port& port) {
        return port.seen == sweep_ || (port.linked == sweep_ && IsStale(port));
    });
}

/// A known host stays as it was until its link goes down or every try has timed out. A host whose
/// NodeInfo was read, or is late, counts as met.
void Discovery::KeepHosts() {
    ForEachPort(fabric_, [&](PortIndex at, Port& port) {
        if (port.peer == kNoPortIndex || IsSwitchPort(at) || at == fabric_.own_port()) return;
        Port& exit = fabric_.port(port.peer);
        if (exit.seen != sweep_ || !IsSwitchPort(port.peer)) return;
        if (port.linked != sweep_ && outcome_.late != 0) {
            port.linked = sweep_;
            exit.linked = sweep_;
            fabric_.node(port.node).seen = sweep_;
        }
        const bool is_kept = port.linked == sweep_ && port.has_info;
        if (is_kept && !IsStale(port)) port.seen = sweep_;
    });
}

/// Keeps silent switches on lossy paths, where silence proves nothing, and what others do not tell.
void Discovery::KeepPartlyReadSwitches(std::uint64_t now_us) {
    if (outcome_.targeted || outcome_.own_port_down || outcome_.cut_off) return;
    // Our own neighbor's missing answers are looked at first: with it all others would be lost.
    const bool is_cut_off = IsOwnNeighborPartlyRead(fabric_, sweep_);
    if (outcome_.silent != 0) KeepPartlyRead(fabric_, sweep_, exchange_.is_lossy());
    if (!is_cut_off) return;
    outcome_.cut_off = true;
    notes_.OwnNeighbor(fabric_.port(fabric_.own_port()), true, now_us);
}

/// Removes nodes that were not met, or whose answers are missing.
void Discovery::DropUnusable(std::uint64_t now_us, SubnetEvents& events) {
    EMBER_ASSERT(!running_);  // Answers under way name rows.
    fabric_.RemoveNodes([&](NodeIndex, const Node& node) {
        if (!IsUnusable(node)) return false;
        notes_.LostNode(node, now_us);
        WriteOutOfService(node, now_us, events);
        return true;
    });
}

/// Writes trap 65 (out of service) for each end port of a lost node that was in service.
void Discovery::WriteOutOfService(const Node& node, std::uint64_t now_us,
                                  SubnetEvents& events) const {
    const std::uint32_t rows = node.type == NodeType::kSwitch ? 1U : node.port_count;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const Port& port = fabric_.port(static_cast<PortIndex>(Raw(node.first_port) + i));
        if (!port.in_service) continue;
        events.Write({.trap = TrapNumber::kOutOfService,
                      .node_type = node.type,
                      .gid = {settings_.subnet_prefix, Raw(port.guid)},
                      .at_us = now_us});
    }
}

/// Forgets nodes that have room which refused nodes are owed. Nodes that keep taking each other's
/// room do not keep sweeps going for ever.
void Discovery::MakeRoom(const OwedRoom& owed, std::uint64_t now_us, SubnetEvents& events) {
    if (outcome_.targeted) return;  // Targeted sweeps count no refusals.
    if (owed.exit == kNoPortIndex) rooms_in_a_row_ = 0;
    const bool is_paused = rooms_in_a_row_ >= kMostRooms && sweep_ - made_room_ < kRoomPause;
    // The next sweep gives away the room of nodes that are lost.
    if (owed.exit == kNoPortIndex || is_paused || outcome_.nodes_lost != 0) return;
    donor_ = EndOf(fabric_, owed.exit);
    made_room_ = sweep_;
    ++rooms_in_a_row_;
    const std::uint32_t forgotten = ForgetDeepest(fabric_, owed, scratch_);
    if (forgotten == 0) return;
    log_.WriteSparingly<Note::kRoomMade>(now_us, forgotten, donor_.guid, donor_.port);
    outcome_.made_room = true;
    DropUnusable(now_us, events);
}

/// A switch that was met, but whose answers are missing: sweep again. Not for hosts and untrusted
/// switches.
void Discovery::FindUnsettled() {
    ForEachSwitch(fabric_, [this](SwitchIndex, const Switch& row) {
        const Node& node = fabric_.node(row.node);
        const bool was_met = node.seen == sweep_ && IsUnusable(node);
        if (was_met && !IsUntrustedSwitch(fabric_, node)) outcome_.unsettled = true;
    });
}

Discovery::Outcome Discovery::Finish(std::uint64_t now_us, SubnetEvents& events) {
    EMBER_ASSERT(running_);
    EMBER_ASSERT(done() || asker_.in_flight() == minor_in_flight_);
    outcome_.late = asker_.in_flight() - names_in_flight_;  // Light sweeps ask for names too.
    const OwedRoom owed = quotas_.FindOwedRoom(sweep_);
    Abandon();
    KeepPartlyReadSwitches(now_us);
    if (outcome_.cut_off || is_void()) {  // Nodes that were not met may still be there.
        notes_.End(now_us);
        return outcome_;
    }
    if (!outcome_.targeted) doors_.EndSweep();
    if (!outcome_.own_port_down) {
        if (outcome_.late != 0 || outcome_.silent != 0) KeepHosts();
        ReviewLinks(now_us);
    }
    FindUnsettled();
    DropUnusable(now_us, events);
    if (!outcome_.own_port_down) MakeRoom(owed, now_us, events);
    // A node that was refused because of a node that is lost now can be taken in by a new sweep.
    const bool was_refused =
        outcome_.conflicts != 0 || outcome_.refused != 0 || fabric_.shortage().is_too_large();
    if (was_refused && outcome_.nodes_lost != 0) outcome_.unsettled = true;
    notes_.End(now_us);
    notes_.Shortage(now_us);
    has_swept_ = has_swept_ || !outcome_.own_port_down;
    return outcome_;
}

}  // namespace ember
