// SPDX-License-Identifier: Apache-2.0
// EmberSM: PortInfo of each port, and links to ACTIVE.

#include "core/programming/port_programming.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/fabric/link_end.h"

namespace ember {
namespace {

/// Rounds over all ports after which what a device did not keep is tried once more.
inline constexpr std::uint8_t kUnkeptRounds = 10;

/// True when a port is ARMED, and neither it nor its peer has a reason to stay so.
[[nodiscard]] bool MayActivate(const Fabric& fabric, const Port& port) {
    if (port.info.Get(PortInfo::kPortState) != PortState::kArmed || port.quarantined) return false;
    // The board had no LID for it, or it might communicate with others than its partitions say.
    if ((IsEndPort(fabric, port) && port.lid == kNoLid) || port.lacks_p_keys) return false;
    if (port.number != kManagementPort) {  // An enhanced port 0 has no peer to wait for.
        if (port.peer == kNoPortIndex || fabric.port(port.peer).lacks_p_keys) return false;
        const PortState peer = fabric.port(port.peer).info.Get(PortInfo::kPortState);
        // Where the peer refused ARMED, ACTIVE would be refused too.
        if (peer != PortState::kArmed && peer != PortState::kActive) return false;
    }
    return true;
}

}  // namespace

/// A new master asks all clients until their ports are set. Unkept fields are set once more, as one
/// answer may have been wrong; one that would take down a link waits until that comes up anew.
void PortProgramming::BeginRound(bool all_reregister, bool only_touched) {
    activates_ = false;
    minds_others_ = false;
    all_reregister_ = all_reregister;
    only_touched_ = only_touched;
    if (all_reregister) {
        ForEachPort(parts_.fabric, [](PortIndex, Port& port) { port.fresh = true; });
    }
    if (only_touched || ++unkept_rounds_ < kUnkeptRounds) return;
    unkept_rounds_ = 0;
    ForEachPort(parts_.fabric, [](PortIndex, Port& port) {
        const bool is_up = port.info.Get(PortInfo::kPortState) > PortState::kInitialize;
        port.unkept &= is_up ? kRetrains : 0U;
    });
}

// NOLINTNEXTLINE(readability-make-member-function-const): what it forgets stands in Fabric.
void PortProgramming::ForgetUnkept() {
    ForEachPort(parts_.fabric, [](PortIndex, Port& port) { port.unkept = 0; });
}

void PortProgramming::Start(bool is_activation) {
    is_activation_ = is_activation;
    row_ = 0;
}

StageProgress PortProgramming::Step(std::uint64_t now_us) {
    const std::size_t bound = parts_.fabric.port_bound();
    const bool is_edge = row_ == 0 || row_ >= bound;
    if (is_activation_ && is_edge && AwaitsEndPorts(now_us)) return StageProgress::kWaits;
    activates_ = activates_ || is_activation_;
    for (std::size_t i = 0; i < kRowsAtOnce && parts_.asker.has_room(); ++i) {
        if (row_ >= bound) {
            const bool waits = is_activation_ && AwaitsEndPorts(now_us);
            return waits ? StageProgress::kWaits : StageProgress::kEnd;
        }
        LookAt(static_cast<PortIndex>(row_++), now_us);
    }
    return StageProgress::kMore;
}

void PortProgramming::Hear(const Answer& answer, std::uint64_t now_us) {
    switch (static_cast<Kind>(answer.cookie.kind)) {
        case Kind::kPort:
            OnSetAnswer(answer, now_us);
            break;
        case Kind::kActivate:
            OnActivation(answer, now_us);
            break;
        case Kind::kCheckPort:
            OnActivationChecked(answer, now_us);
            break;
        case Kind::kCheckSet:
            OnSetChecked(answer, now_us);
            break;
        case Kind::kReadBlock:
        case Kind::kSwitch:
        case Kind::kSetBlock:
            break;
    }
}

void PortProgramming::LookAt(PortIndex at, std::uint64_t now_us) {
    const Port& port = parts_.fabric.port(at);
    if (port.node == kNoNode || !port.has_info) return;
    if (is_activation_) {
        const bool is_active = port.info.Get(PortInfo::kPortState) == PortState::kActive;
        is_active ? Enforce(at, now_us) : Activate(at, now_us);
    } else if (!only_touched_ || port.touched) {
        Set(at, now_us);
    }
}

void PortProgramming::Set(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(parts_.fabric.port(at).has_info);
    EMBER_ASSERT(!is_activation_);
    parts_.fabric.port(at).touched = false;
    const PortPlan plan = parts_.planner.Plan(at, all_reregister_);
    if (!plan.differs) {
        ++parts_.outcome.ports_right;
        return;
    }
    PostPlan(at, IsLate(now_us) ? parts_.planner.Plan(at, true) : plan, now_us);
}

/// P_Key tables are written by now. A Set that was planned before the port was to enforce its
/// table, and repeated after that, has ended it again.
void PortProgramming::Enforce(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(is_activation_);
    if (parts_.fabric.port(at).p_key_guard == PKeyGuard::kLeftAlone) return;
    const PortPlan plan = parts_.planner.Plan(at, IsLate(now_us));
    if (plan.enforces_anew() && !plan.bounce) PostPlan(at, plan, now_us);
}

void PortProgramming::PostPlan(PortIndex at, const PortPlan& plan, std::uint64_t now_us) {
    Ask ask{};
    if (!parts_.asker.Prepare(at, AttributeId::kPortInfo, ask)) return;
    ask.method = Method::kSet;
    ask.modifier =
        Raw(parts_.fabric.port(at).number) | (plan.extended ? kExtendedSpeedsModifier : 0U);
    ask.data = std::bit_cast<SmpData>(plan.set);
    ++parts_.outcome.ports_set;
    // A host that does not answer is asked again in the next round, whatever round that is.
    parts_.fabric.port(at).touched = parts_.asker.IsOfHost(at);
    if (plan.bounce)
        ++(parts_.asker.IsOfHostLink(at) ? parts_.outcome.end_ports_bounced
                                         : parts_.outcome.bounced);
    // The link takes the answer down with it, and a second try would take the link down again.
    if (plan.bounce && IsOnOwnPath(at) && !parts_.exchange.is_lossy()) ask.tries = 1;
    if (plan.reregister) NoteReregister(parts_.fabric.port(at), now_us);
    parts_.asker.Post(ask, Kind::kPort, Raw(at), now_us);
}

void PortProgramming::NoteReregister(const Port& port, std::uint64_t now_us) {
    ++parts_.outcome.reregistered;
    parts_.log.Write<Note::kReregisterAsked>(now_us, Raw(parts_.fabric.node(port.node).guid),
                                             Raw(port.number));
}

void PortProgramming::Activate(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(activates_);
    const Port& port = parts_.fabric.port(at);
    if (!MayActivate(parts_.fabric, port)) return;
    const bool is_late = IsLate(now_us);
    const PortPlan plan = parts_.planner.Plan(at, is_late);
    const bool asks = is_late && plan.reregister;
    PortInfo set = plan.set;
    set.Set(PortInfo::kPortState, PortState::kActive);
    set.Set(PortInfo::kClientReregister, static_cast<std::uint8_t>(asks ? 1 : 0));
    Ask ask{};
    if (!parts_.asker.Prepare(at, AttributeId::kPortInfo, ask)) return;
    ask.method = Method::kSet;
    ask.modifier = Raw(port.number) | (plan.extended ? kExtendedSpeedsModifier : 0U);
    ask.data = std::bit_cast<SmpData>(set);
    if (asks) NoteReregister(port, now_us);
    parts_.asker.Post(ask, Kind::kActivate, Raw(at), now_us);
}

/// True when the path to the node of `at` ends with the link of `at`.
bool PortProgramming::IsOnOwnPath(PortIndex at) const {
    const Port& port = parts_.fabric.port(at);
    EMBER_ASSERT(port.peer != kNoPortIndex);
    if (at == parts_.fabric.own_port()) return false;
    const Node& node = parts_.fabric.node(port.node);
    return node.type != NodeType::kSwitch || node.entry == port.peer;
}

/// When activation waits no longer for end ports.
std::uint64_t PortProgramming::EndPortsDueUs() const {
    const bool is_over = row_ != 0 && !hurried_;  // Only the end of activation is put off.
    const std::uint32_t linger_us = parts_.exchange.linger_us();
    return parts_.asker.end_ports_moved_us() +
           (is_over ? std::max(linger_us, kEndPortsUs) : linger_us);
}

void PortProgramming::OnSetAnswer(const Answer& answer, std::uint64_t now_us) {
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    // The body of a refusal is the request, not the truth: keep what was read. A Set that was
    // carried out, but whose answer was lost, may be refused when it is repeated.
    const bool is_refused = answer.status == Status::kRefused;
    if (is_refused && Check(Kind::kCheckSet, answer, now_us)) return;
    if (answer.status != Status::kOk) {
        parts_.asker.Fail(answer, at, now_us);
        return;
    }
    // The plan of now may be another: P_Key tables are written beside, and let ports enforce.
    const auto sent = std::bit_cast<PortInfo>(answer.asked);
    const auto kept = std::bit_cast<PortInfo>(answer.data);
    Port& port = parts_.fabric.port(at);
    port.unkept |= ChangedFields(port.info, sent) & DifferingFields(sent, kept) & ~kSetUntilKept;
    Take(at, sent.Get(PortInfo::kPortState), kept, now_us);
}

/// Reads a port that refused a Set. False when that cannot be sent.
bool PortProgramming::Check(Kind kind, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.status != Status::kTimeout);
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    Ask ask{};
    if (!parts_.asker.has_room() || !parts_.asker.FindPath(at, ask)) return false;
    ask.method = Method::kGet;
    ask.attribute = AttributeId::kPortInfo;
    ask.modifier = answer.modifier;
    ask.cookie.detail = answer.mad_status & 0x7FFFU;
    parts_.asker.Post(ask, kind, Raw(at), now_us);
    return true;
}

/// A port that refused a Set was read: it may be as is wanted now, whatever the Set said.
void PortProgramming::OnSetChecked(const Answer& answer, std::uint64_t now_us) {
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    const PortPlan plan = parts_.planner.Plan(at, all_reregister_);
    const auto kept = std::bit_cast<PortInfo>(answer.data);
    const PortState wanted = plan.set.Get(PortInfo::kPortState);
    const bool is_there =
        wanted == PortState::kNoChange || kept.Get(PortInfo::kPortState) == wanted;
    if (answer.status == Status::kOk && is_there &&
        (plan.changes & DifferingFields(plan.set, kept)) == 0) {
        Take(at, wanted, kept, now_us);
        return;
    }
    Answer refusal = answer;
    refusal.status = Status::kRefused;
    refusal.mad_status = answer.cookie.detail & 0x7FFFU;
    parts_.asker.Fail(refusal, at, now_us);
}

/// A port was set to the state `wanted`, and has the values `kept`. A host that was late has missed
/// the activation, if that has begun: it goes to ACTIVE now.
void PortProgramming::Take(PortIndex at, PortState wanted, const PortInfo& kept,
                           std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoPortIndex);
    Port& port = parts_.fabric.port(at);
    const bool had_link = HasLink(port.info);
    port.info = kept;
    port.fresh = false;
    port.shall_go_down = false;  // This Set disabled it, if it was to be.
    const PortPlan next = parts_.planner.Plan(at, false);
    // Its plan has changed since, or it has kept another value.
    port.touched = (next.changes & DifferingFields(next.set, kept)) != 0;
    // Its state differs from the one that was read, and for which routes and plans were made.
    const bool is_other = had_link != HasLink(kept) || next.set.Get(PortInfo::kPortState) != wanted;
    // Routes lack a link that has come, or that a damaged answer said was down.
    const bool has_come = !had_link && HasLink(kept);
    if (wanted == PortState::kNoChange &&
        (has_come || (parts_.asker.IsOfHostLink(at) && is_other))) {
        parts_.asker.CountFailure(at, Status::kRefused);
    }
    if (wanted != PortState::kArmed) return;
    if (kept.Get(PortInfo::kPortState) != PortState::kArmed) {
        parts_.asker.CountFailure(at, Status::kRefused);
        NoteStateFailed(port, wanted, now_us);
        return;
    }
    parts_.log.Write<Note::kPortArmed>(now_us, Raw(parts_.fabric.node(port.node).guid),
                                       Raw(port.number));
    if (!activates_ || !parts_.asker.IsOfHost(at)) return;
    for (const PortIndex end : {at, port.peer}) {
        if (end != kNoPortIndex && parts_.asker.has_room()) Activate(end, now_us);
    }
}

void PortProgramming::OnActivation(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(activates_);
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    Port& port = parts_.fabric.port(at);
    if (answer.status == Status::kTimeout) {
        parts_.asker.Fail(answer, at, now_us);
        return;
    }
    const auto kept = std::bit_cast<PortInfo>(answer.data);
    if (answer.status == Status::kOk && kept.Get(PortInfo::kPortState) == PortState::kActive) {
        port.info = kept;
        ++parts_.outcome.activated;
        parts_.log.Write<Note::kPortActivated>(now_us, Raw(parts_.fabric.node(port.node).guid),
                                               Raw(port.number));
        return;
    }
    // A port that its peer has just made ACTIVE refuses to become it: read its state.
    if (!Check(Kind::kCheckPort, answer, now_us)) parts_.asker.Fail(answer, at, now_us);
}

void PortProgramming::OnActivationChecked(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(activates_);
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    Port& port = parts_.fabric.port(at);
    if (answer.status != Status::kOk) {
        parts_.asker.Fail(answer, at, now_us);
        return;
    }
    port.info = std::bit_cast<PortInfo>(answer.data);
    if (port.info.Get(PortInfo::kPortState) == PortState::kActive) {
        ++parts_.outcome.activated;
        return;
    }
    parts_.asker.CountFailure(at, Status::kRefused);
    NoteStateFailed(port, PortState::kActive, now_us);
}

void PortProgramming::NoteStateFailed(const Port& port, PortState wanted, std::uint64_t now_us) {
    EMBER_ASSERT(wanted == PortState::kArmed || wanted == PortState::kActive);
    const LinkEnd peer = EndOf(parts_.fabric, port.peer);
    parts_.log.Write<Note::kPortStateFailed>(now_us, Raw(parts_.fabric.node(port.node).guid),
                                             Raw(port.number), Raw(peer.guid), Raw(peer.port),
                                             static_cast<std::uint64_t>(wanted));
}

}  // namespace ember
