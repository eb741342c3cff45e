// SPDX-License-Identifier: Apache-2.0
// EmberSM: traps of the fabric: which are heard, whom they are told to, and what is done about
// them.

#include <algorithm>
#include <bit>

#include "core/discovery/trap_notes.h"
#include "core/fabric/guests.h"
#include "core/subnet_manager.h"

namespace ember {
namespace {

/// Notices that only subnet administration issues: from a port of the fabric they are forged.
[[nodiscard]] bool IsOurs(const Notice& notice) {
    const auto number = notice.Get(Notice::kTrapNumber);
    return notice.Get(Notice::kIsGeneric) != 0 && number >= TrapNumber::kInService &&
           number <= TrapNumber::kMulticastDeleted;
}

/// Sweeps in a row that a trap asked for and that found nothing new, before they are paced.
inline constexpr std::uint32_t kFruitlessTraps = 3;
inline constexpr std::uint64_t kSecondUs = 1'000'000;

}  // namespace

/// What asks for nothing is forged: no subscriber is told of it.
void SubnetManager::ForwardTrap(const Notice& notice,
                                TrapWish wish,
                                PortIndex issuer,
                                std::uint64_t now_us) {
    if (wish == TrapWish::kNothing || IsOurs(notice)) return;
    multicast_.events().Write({.trap = notice.Get(Notice::kTrapNumber),
                               .gid = {},
                               .at_us = now_us,
                               .issuer = fabric_.port(issuer).guid,
                               .notice = notice});
}

/// A repress copies the notice, so that the issuer knows which trap was heard.
void SubnetManager::Repress(const Envelope& trap) {
    Envelope repress = trap;
    repress.answer_within_us = 0;
    repress.mad = ReplyTo(trap.mad, 0, DataOf(trap.mad));
    if (exchange_.Tell(repress) != Status::kOk) ++status_.unexpected_mads;
}

void SubnetManager::OnTrap(const Envelope& envelope, std::uint64_t now_us) {
    if (!role_.is_master()) return;
    ++status_.traps;
    const auto notice = std::bit_cast<Notice>(DataOf(envelope.mad));
    const PortIndex issuer = fabric_.PortByLid(envelope.peer);
    if (issuer == kNoPortIndex) {
        journal_.WriteSparingly<Note::kTrapUnusable>(now_us, notice.Get(Notice::kTrapNumber),
                                                     envelope.peer);
        return;
    }
    HearComplaint(notice, issuer, now_us);
    const Port& port = fabric_.port(issuer);
    const Node& node = fabric_.node(port.node);
    const bool is_switch = node.type == NodeType::kSwitch;
    // What a host may be playing has the share of a host.
    const bool has_news = is_switch && !IsGuest(fabric_, node);
    if (!trap_desk_.Admits({.port = port.guid, .is_switch = has_news}, notice, now_us)) {
        ++status_.traps_refused;
        journal_.WriteSparingly<Note::kTrapRefused>(now_us, notice.Get(Notice::kTrapNumber),
                                                    port.guid);
        return;
    }
    Repress(envelope);
    NoteTrap(journal_, fabric_, notice, issuer, now_us);
    const TrapWish wish = WishOf(notice, is_switch);
    ForwardTrap(notice, wish, issuer, now_us);
    ObeyTrap(wish, issuer, now_us);
}

void SubnetManager::ObeyTrap(TrapWish wish, PortIndex issuer, std::uint64_t now_us) {
    if (!settings_.sweep_on_trap) return;
    switch (wish) {
        case TrapWish::kNothing:
            break;
        case TrapWish::kDescription:
            fabric_.node(fabric_.port(issuer).node).has_description = false;
            RequestSweep(false, SweepReason::kTrap);
            break;
        case TrapWish::kLightSweep:
            RequestSweep(false, SweepReason::kTrap);
            break;
        case TrapWish::kHeavySweep: {
            // The switch at the other end of its cable knows a host's port too.
            const Port& port = fabric_.port(issuer);
            const bool is_host = fabric_.node(port.node).type != NodeType::kSwitch;
            const bool has_peer = is_host && port.peer != kNoPortIndex;
            Suspect(has_peer ? port.peer : issuer, SweepReason::kTrap, now_us);
            break;
        }
    }
}

/// After traps that led to nothing, three sweeps in a row, another whole sweep is not made for a
/// trap more often than once a second. What an issuer may ask for at all is TrapDesk's.
void SubnetManager::PaceTraps(std::uint64_t now_us) {
    const Discovery::Outcome& seen = discovery_.outcome();
    const std::uint32_t news = seen.nodes_gained | seen.nodes_lost | seen.links_changed |
                               programming_.outcome().changes_cleared |
                               programming_.outcome().activated;
    if (news != 0) fruitless_traps_ = 0;
    if (news == 0 && status_.last_reason == SweepReason::kTrap) ++fruitless_traps_;
    next_trap_sweep_us_ = fruitless_traps_ >= kFruitlessTraps ? now_us + kSecondUs : 0;
}

}  // namespace ember
