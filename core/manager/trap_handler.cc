// SPDX-License-Identifier: Apache-2.0
// EmberSM: traps of the fabric: which are heard, forwarded to subscribers, and cause a sweep.

#include "core/manager/trap_handler.h"

#include <bit>

#include "core/base/assert.h"
#include "core/discovery/trap_notes.h"
#include "core/fabric/m_key.h"
#include "core/fabric/port_news.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// True for notices that only subnet administration issues: those of a fabric's port are forged.
[[nodiscard]] bool IsOurs(const Notice& notice) {
    const auto number = notice.Get(Notice::kTrapNumber);
    return notice.Get(Notice::kIsGeneric) != 0 && number >= TrapNumber::kInService &&
           number <= TrapNumber::kMulticastDeleted;
}

/// Traps 129 to 131.
[[nodiscard]] bool IsComplaint(const Notice& notice) {
    const auto number = notice.Get(Notice::kTrapNumber);
    return notice.Get(Notice::kIsGeneric) != 0 && number >= TrapNumber::kLocalLinkIntegrity &&
           number <= TrapNumber::kFlowControlWatchdog;
}

}  // namespace

TrapHandler::Requests TrapHandler::Hear(const Envelope& envelope, std::uint64_t now_us) {
    Requests requests;
    ++statistics_.heard;
    const auto notice = std::bit_cast<Notice>(DataOf(envelope.mad));
    const PortIndex issuer = parts_.fabric.PortByLid(envelope.peer);
    if (issuer == kNoPortIndex) {
        HearOfUnknown(notice, envelope.peer, now_us, requests);
        return requests;
    }
    if (IsComplaint(notice)) HearComplaint(notice, issuer, now_us, requests);
    if (!Admits(notice, issuer, now_us)) return requests;
    Repress(envelope, MKeyOf(parts_.fabric, settings_, issuer));
    NoteTrap(parts_.log, parts_.fabric, notice, issuer, now_us);
    const TrapRequest request = RequestOf(notice, IsSwitchTrap(issuer));
    // A trap that asks for nothing is forged: it is not forwarded.
    if (request != TrapRequest::kNothing && !IsOurs(notice)) Forward(notice, issuer, now_us);
    if (settings_.sweep_on_trap) Ask(request, issuer, requests);
    return requests;
}

/// A trap from a LID that no port has. If the LID is kept for a node that left, and the trap says
/// that it was asked with a wrong M_Key, that node is there: a light sweep knocks. Traps can be
/// forged, so all such LIDs together have the share of one host.
void TrapHandler::HearOfUnknown(const Notice& notice, Lid from, std::uint64_t now_us,
                                Requests& requests) {
    constexpr Guid kAllThatLeft{~std::uint64_t{0}};
    const auto number = notice.Get(Notice::kTrapNumber);
    const bool is_of_key = notice.Get(Notice::kIsGeneric) != 0 && number == TrapNumber::kBadMKey;
    const bool is_kept = from != kNoLid && from <= kTopUnicastLid && parts_.lids.IsKept(from);
    if (is_of_key && is_kept && settings_.sweep_on_trap &&
        admission_.Admits({.port = kAllThatLeft, .is_switch = false}, notice, now_us)) {
        static_cast<void>(requests.TryPush({.cue = SweepCue::kTrapHint}));
        return;
    }
    parts_.log.WriteSparingly<Note::kTrapUnusable>(now_us, number, from);
}

/// True for a node that may tell that a link has changed: a switch. Where none is known, one that
/// lied about its type may be behind our own port.
bool TrapHandler::IsSwitchTrap(PortIndex issuer) const {
    const Fabric& fabric = parts_.fabric;
    const NodeIndex node = fabric.port(issuer).node;
    if (fabric.node(node).type == NodeType::kSwitch) return true;
    const PortIndex own = fabric.own_port();
    const PortIndex beyond = own == kNoPortIndex ? kNoPortIndex : fabric.port(own).peer;
    return fabric.switch_count() == 0 && beyond != kNoPortIndex && fabric.port(beyond).node == node;
}

/// Hears a complaint about a port, which counts only from that port's own node.
void TrapHandler::HearComplaint(const Notice& notice, PortIndex issuer, std::uint64_t now_us,
                                Requests& requests) {
    EMBER_ASSERT(issuer != kNoPortIndex);
    EMBER_ASSERT(!requests.full());
    const Fabric& fabric = parts_.fabric;
    const auto details = std::bit_cast<PortErrorNotice>(notice);
    EMBER_ASSERT(IsComplaint(notice));
    const NodeIndex node = fabric.port(issuer).node;
    const PortIndex named = fabric.PortByLid(details.Get(PortErrorNotice::kLidAddr));
    if (named == kNoPortIndex || fabric.port(named).node != node) return;
    const PortIndex at = fabric.PortOf(node, details.Get(PortErrorNotice::kPortNo));
    if (at == kNoPortIndex || !parts_.flapping.NoteComplaint(at, now_us)) return;
    if (!settings_.sweep_on_trap) return;
    static_cast<void>(requests.TryPush({.cue = SweepCue::kQuarantine, .at = at}));
}

/// True while the issuer's share is not used up. An untrusted switch has a host's share: a host may
/// play it.
bool TrapHandler::Admits(const Notice& notice, PortIndex issuer, std::uint64_t now_us) {
    EMBER_ASSERT(issuer != kNoPortIndex);
    const Port& port = parts_.fabric.port(issuer);
    const Node& node = parts_.fabric.node(port.node);
    const bool is_switch =
        node.type == NodeType::kSwitch && !IsUntrustedSwitch(parts_.fabric, node);
    if (admission_.Admits({.port = port.guid, .is_switch = is_switch}, notice, now_us)) return true;
    ++statistics_.refused;
    parts_.log.WriteSparingly<Note::kTrapRefused>(now_us, notice.Get(Notice::kTrapNumber),
                                                  port.guid);
    return false;
}

/// A repress copies the notice, so that the issuer knows which trap was heard, and bears the M_Key
/// of the issuer, which takes it from no other than its manager. IBA vol. 1, 14.2.4.
void TrapHandler::Repress(const Envelope& trap, std::uint64_t m_key) {
    Envelope repress = trap;
    repress.answer_within_us = 0;
    auto smp = std::bit_cast<LidSmp>(ReplyTo(trap.mad, 0, DataOf(trap.mad)));
    EMBER_ASSERT(smp.header.method == Method::kTrapRepress);
    smp.m_key = m_key;
    repress.mad = std::bit_cast<Mad>(smp);
    if (parts_.exchange.Send(repress) != Status::kOk) ++statistics_.unanswered;
}

void TrapHandler::Forward(const Notice& notice, PortIndex issuer, std::uint64_t now_us) {
    EMBER_ASSERT(issuer != kNoPortIndex);
    const Port& port = parts_.fabric.port(issuer);
    parts_.events.Write({.trap = notice.Get(Notice::kTrapNumber),
                         .node_type = parts_.fabric.node(port.node).type,
                         .gid = {},
                         .at_us = now_us,
                         .issuer = port.guid,
                         .notice = notice});
}

void TrapHandler::Ask(TrapRequest request, PortIndex issuer, Requests& requests) {
    EMBER_ASSERT(issuer != kNoPortIndex);
    EMBER_ASSERT(!requests.full());
    Fabric& fabric = parts_.fabric;
    const Port& port = fabric.port(issuer);
    Request asked{.cue = SweepCue::kTrapHint};
    switch (request) {
        case TrapRequest::kNothing:
            return;
        case TrapRequest::kDescription:
            fabric.node(port.node).has_description = false;
            break;
        case TrapRequest::kLightSweep:
            break;
        case TrapRequest::kHeavySweep: {
            // The switch at the other end of its link knows a host's port too.
            const bool is_host = fabric.node(port.node).type != NodeType::kSwitch;
            const bool has_peer = is_host && port.peer != kNoPortIndex;
            if (is_host && issuer != fabric.own_port()) NoteStale(fabric.port(issuer));
            asked = {.cue = SweepCue::kTrap, .at = has_peer ? port.peer : issuer};
            break;
        }
    }
    static_cast<void>(requests.TryPush(asked));
}

}  // namespace ember
