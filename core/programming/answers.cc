// SPDX-License-Identifier: Apache-2.0
// EmberSM: what devices make of our Set() datagrams.

#include <bit>
#include <cstring>

#include "core/base/assert.h"
#include "core/fabric/link_end.h"
#include "core/programming/programming.h"

namespace ember {

void Programming::Hear(const Answer& answer, std::uint64_t now_us) {
    if (!asker_.Take(answer, now_us)) return;
    switch (static_cast<Kind>(answer.cookie.kind)) {
        case Kind::kPort:
            OnPortAnswer(answer, now_us);
            break;
        case Kind::kActivate:
            OnActivation(answer, now_us);
            break;
        case Kind::kCheckPort:
            OnPortChecked(answer, now_us);
            break;
        case Kind::kCheckSet:
            OnSetChecked(answer, now_us);
            break;
        case Kind::kSwitch:
            OnSwitchAnswer(answer, now_us);
            break;
        case Kind::kReadBlock:
        case Kind::kSetBlock:
            OnBlockAnswer(answer, now_us);
            break;
    }
}

void Programming::NoteStateFailed(const Port& port, PortState wanted, std::uint64_t now_us) {
    EMBER_ASSERT(wanted == PortState::kArmed || wanted == PortState::kActive);
    const LinkEnd peer = EndOf(fabric_, port.peer);
    log_.Write<Note::kPortStateFailed>(now_us, Raw(fabric_.node(port.node).guid), Raw(port.number),
                                       Raw(peer.guid), Raw(peer.port),
                                       static_cast<std::uint64_t>(wanted));
}

/// Reads a port that refused a Set. False when that cannot be sent.
bool Programming::Check(Kind kind, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.status != Status::kTimeout);
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    Ask ask{};
    if (!asker_.has_room() || !asker_.FindPath(at, ask)) return false;
    ask.method = Method::kGet;
    ask.attribute = AttributeId::kPortInfo;
    ask.modifier = answer.modifier;
    ask.cookie.detail = answer.mad_status & 0x7FFFU;
    asker_.Post(ask, kind, Raw(at), now_us);
    return true;
}

void Programming::OnPortAnswer(const Answer& answer, std::uint64_t now_us) {
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    // The body of a refusal is the request, not the truth: keep what was read. A Set that was
    // carried out, but whose answer was lost, may be refused when it is repeated.
    const bool is_refused = answer.status == Status::kRefused;
    if (is_refused && Check(Kind::kCheckSet, answer, now_us)) return;
    if (answer.status != Status::kOk) {
        asker_.Fail(answer, at, now_us);
        return;
    }
    // The plan of now may be another: P_Key tables are written beside, and let ports enforce.
    const auto sent = std::bit_cast<PortInfo>(answer.asked);
    const auto kept = std::bit_cast<PortInfo>(answer.data);
    Port& port = fabric_.port(at);
    port.unkept |= ChangedFields(port.info, sent) & DifferingFields(sent, kept) & ~kSetUntilKept;
    TakePort(at, sent.Get(PortInfo::kPortState), kept, now_us);
}

/// A port that refused a Set was read: it may be as is wanted now, whatever the Set said.
void Programming::OnSetChecked(const Answer& answer, std::uint64_t now_us) {
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    const PortPlan plan = planner_.Plan(at, all_reregister_);
    const auto kept = std::bit_cast<PortInfo>(answer.data);
    const PortState wanted = plan.set.Get(PortInfo::kPortState);
    const bool is_there =
        wanted == PortState::kNoChange || kept.Get(PortInfo::kPortState) == wanted;
    if (answer.status == Status::kOk && is_there &&
        (plan.changes & DifferingFields(plan.set, kept)) == 0) {
        TakePort(at, wanted, kept, now_us);
        return;
    }
    Answer refusal = answer;
    refusal.status = Status::kRefused;
    refusal.mad_status = answer.cookie.detail & 0x7FFFU;
    asker_.Fail(refusal, at, now_us);
}

/// A port was set to the state `wanted`, and has the values `kept`. A host that was late has missed
/// the activation, if that has begun: it goes to ACTIVE now.
void Programming::TakePort(PortIndex at, PortState wanted, const PortInfo& kept,
                           std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoPortIndex);
    Port& port = fabric_.port(at);
    const bool had_link = HasLink(port.info);
    port.info = kept;
    port.fresh = false;
    port.shall_go_down = false;  // This Set disabled it, if it was to be.
    const PortPlan next = planner_.Plan(at, false);
    // Its plan has changed since, or it has kept another value.
    port.touched = (next.changes & DifferingFields(next.set, kept)) != 0;
    // Its state differs from the one that was read, and for which routes and plans were made.
    const bool is_other = had_link != HasLink(kept) || next.set.Get(PortInfo::kPortState) != wanted;
    // Routes lack a link that has come, or that a damaged answer said was down.
    const bool has_come = !had_link && HasLink(kept);
    if (wanted == PortState::kNoChange && (has_come || (asker_.IsOfHostLink(at) && is_other))) {
        asker_.CountFailure(at, Status::kRefused);
    }
    if (wanted != PortState::kArmed) return;
    if (kept.Get(PortInfo::kPortState) != PortState::kArmed) {
        asker_.CountFailure(at, Status::kRefused);
        NoteStateFailed(port, wanted, now_us);
        return;
    }
    log_.Write<Note::kPortArmed>(now_us, Raw(fabric_.node(port.node).guid), Raw(port.number));
    if (!activates_ || !asker_.IsOfHost(at)) return;
    for (const PortIndex end : {at, port.peer}) {
        if (end != kNoPortIndex && asker_.has_room()) Activate(end, now_us);
    }
}

void Programming::OnActivation(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(activates_);
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    Port& port = fabric_.port(at);
    if (answer.status == Status::kTimeout) {
        asker_.Fail(answer, at, now_us);
        return;
    }
    const auto kept = std::bit_cast<PortInfo>(answer.data);
    if (answer.status == Status::kOk && kept.Get(PortInfo::kPortState) == PortState::kActive) {
        port.info = kept;
        ++outcome_.activated;
        log_.Write<Note::kPortActivated>(now_us, Raw(fabric_.node(port.node).guid),
                                         Raw(port.number));
        return;
    }
    // A port that its peer has just made ACTIVE refuses to become it: read its state.
    if (!Check(Kind::kCheckPort, answer, now_us)) asker_.Fail(answer, at, now_us);
}

void Programming::OnPortChecked(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(activates_);
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    Port& port = fabric_.port(at);
    if (answer.status != Status::kOk) {
        asker_.Fail(answer, at, now_us);
        return;
    }
    port.info = std::bit_cast<PortInfo>(answer.data);
    if (port.info.Get(PortInfo::kPortState) == PortState::kActive) {
        ++outcome_.activated;
        return;
    }
    asker_.CountFailure(at, Status::kRefused);
    NoteStateFailed(port, PortState::kActive, now_us);
}

void Programming::OnSwitchAnswer(const Answer& answer, std::uint64_t now_us) {
    const auto at = static_cast<SwitchIndex>(answer.cookie.subject);
    EMBER_ASSERT(fabric_.IsLive(at));
    if (answer.status != Status::kOk) {
        asker_.Fail(answer, fabric_.ManagementPortOf(at), now_us);
        return;
    }
    SwitchInfo& info = fabric_.switch_row(at).info;
    info = std::bit_cast<SwitchInfo>(answer.data);
    // Our own Set cleared it; a change since then is told by the next Get or by a trap.
    info.Set(SwitchInfo::kPortStateChange, std::uint8_t{0});
    known_.row(at).top = info.Get(SwitchInfo::kLinearFdbTop);
}

void Programming::OnBlockAnswer(const Answer& answer, std::uint64_t now_us) {
    const auto at = static_cast<SwitchIndex>(answer.cookie.subject);
    const std::uint32_t block = answer.cookie.detail;
    EMBER_ASSERT(block < known_.blocks_per_row());
    if (answer.status != Status::kOk) {
        known_.NoteUnanswered(at, block);
        // A block that could not be read is written; one that could not be written is a failure.
        const bool is_set = static_cast<Kind>(answer.cookie.kind) == Kind::kSetBlock;
        if (is_set) OnBlockFailure(answer, at, now_us);
        return;
    }
    known_.Take(at, block, answer.data);
    if (stage_ == Stage::kBlocks && round_ == Round::kFinal) {
        const std::uint8_t* const planned = plan_.lfts[at].data() + std::size_t{block} * 64;
        has_unlikes_ = has_unlikes_ || std::memcmp(answer.data.data(), planned, 64) != 0;
    }
}

void Programming::OnBlockFailure(const Answer& answer, SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kBlocks);
    EMBER_ASSERT(answer.status != Status::kOk);
    asker_.Fail(answer, fabric_.ManagementPortOf(at), now_us);
    if (round_ == Round::kYield) Freeze(yield_, answer.cookie.detail);
    if (round_ == Round::kDetours) Freeze(hot_, answer.cookie.detail);
    // A switch that refuses the block may want its LinearFDBTop first, as OpenSM sets it. The
    // switch gets that: the next sweep writes the block as one whose entries are unknown.
    const bool is_refused = answer.status == Status::kRefused;
    if (round_ == Round::kFinal && !is_refused) NoteLacking(at, answer.cookie.detail);
}

}  // namespace ember
