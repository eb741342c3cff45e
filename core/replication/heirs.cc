// SPDX-License-Identifier: Apache-2.0
// EmberSM: standbys that may be handed the subnet, so that no client need register again.
#include "core/replication/heirs.h"

#include <algorithm>

#include "core/base/time.h"

namespace ember {
namespace {

/// A standby that lacks something is handed the subnet after so long all the same: a copy may begin
/// five seconds after the last one.
constexpr std::uint64_t kReplicaPatienceUs = 10 * kSecondUs;
/// An offer is held no longer than that until all is told. Greetings say by then that changes wait.
constexpr std::uint64_t kMostHeldUs = 500 * kMillisecondUs;
constexpr std::uint64_t kHeldStepUs = kMillisecondUs;
/// The greeting that says that nothing waits is there before the offer.
constexpr std::uint64_t kGreetingUs = 10 * kMillisecondUs;
static_assert(kMostHeldUs > ReplicationFeed::kLateUs + ReplicationPeers::kGreetUs);

/// The peer has left greetings of a second unanswered, and has never shown our key.
[[nodiscard]] bool IsMute(const ReplicationPeer& row) {
    return !row.was_proved && row.unanswered >= ReplicationPeers::kPatience;
}

}  // namespace

/// The peer has not shown that it is of another kind, and lacks what clients have registered.
bool Heirs::LacksSomething(const ReplicationPeer& row) const {
    if (!row.is_proved()) return row.unanswered < ReplicationPeers::kPatience;
    if (row.has_greeted && (row.hello.format == 0 || row.is_too_small)) return false;
    return !row.is_fed || !is_complete_ || parts_.feed.IsBehind(row);
}

/// nullptr: no election has met it as a standby.
const OtherSm* Heirs::MetAsStandby(const ReplicationPeer& row) const {
    const auto all = parts_.role.others();
    const auto met = std::find_if(all.begin(), all.end(), [&row](const OtherSm& other) {
        return other.guid == row.guid && other.counts && other.state == SmState::kStandby;
    });
    return met == all.end() ? nullptr : &*met;
}

/// A standby has come: if it was of our kind before, and has been away, it is greeted at once.
void Heirs::Welcome(ReplicationPeer& row, const OtherSm& met, std::uint64_t now_us) {
    row.awaited_us = now_us;
    if (!row.is_proved()) parts_.peers.GreetNow(row.guid, now_us);
    if (!replicates_ || parts_.role.Outranks(met) || !LacksSomething(row)) return;
    parts_.log.Write<Note::kHandoverWaits>(now_us, met.guid, met.priority,
                                           kReplicaPatienceUs / kSecondUs);
}

/// Silence alone proves no other kind: greetings may be lost, or meet another key. A site that
/// lists the port in sm_peers, or an operator who names the standby, says what it is.
bool Heirs::IsForeign(const ReplicationPeer& row, const OtherSm& met) const {
    const auto& listed = parts_.settings.sm_peers;
    const bool is_listed = std::find(listed.begin(), listed.end(), met.port) != listed.end();
    return IsMute(row) && (row.is_named || is_listed);
}

/// The peer has told its configuration, and that is ours; or it is of another kind.
bool Heirs::IsConsistent(const ReplicationPeer& row, const OtherSm& met) const {
    if (!row.is_proved()) return IsForeign(row, met);
    return row.has_greeted && parts_.peers.IsConfiguredAlike(row) &&
           parts_.peers.IsFormattedAlike(row);
}

/// Once: that a standby which ranks higher waits for somebody to say what it is.
void Heirs::LogHeld(ReplicationPeer& row, const OtherSm& met, std::uint64_t now_us) {
    if (row.is_logged_held || !IsMute(row) || parts_.role.Outranks(met)) return;
    row.is_logged_held = true;
    parts_.log.Write<Note::kHandoverHeld>(now_us, met.guid, met.priority);
}

void Heirs::TakeForForeign(Guid standby) {
    for (ReplicationPeer& row : parts_.peers.rows()) {
        const bool is_it = row.guid == standby && standby != kNoGuid;
        if (is_it && IsMute(row)) row.is_named = true;
    }
}

/// A standby of our kind is handed the subnet when it has been fed, else every client would be
/// asked to register again; under `is_strict` when it has told its configuration besides, and that
/// is ours. A standby of another kind, or without our key, is handed it when it has left greetings
/// of a second unanswered, under `is_strict` if somebody says that it is one.
bool Heirs::IsHeir(ReplicationPeer& row, bool is_strict, std::uint64_t now_us) {
    const OtherSm* const met = MetAsStandby(row);
    if (met == nullptr) {
        row.awaited_us = 0;
        row.is_logged_held = false;
        return false;
    }
    if (row.awaited_us == 0) Welcome(row, *met, now_us);
    if (is_strict && !IsConsistent(row, *met)) {
        LogHeld(row, *met, now_us);
        return false;
    }
    const bool awaits = replicates_ && !parts_.role.leaves(now_us);
    return !awaits || now_us >= row.awaited_us + kReplicaPatienceUs || !LacksSomething(row);
}

/// A standby that an election meets for the first time is not known here yet: it is not trusted.
/// True: our role wants a sweep.
bool Heirs::TrustHeirs(bool is_strict, std::uint64_t now_us) {
    Role& role = parts_.role;
    if (!role.is_master() || !parts_.peers.is_on() || (!replicates_ && !is_strict)) {
        role.TrustAll();
        return false;
    }
    if (role.electing()) return false;  // The invited SMs have not answered yet.
    StaticVector<Guid, 16> trusted;
    for (ReplicationPeer& row : parts_.peers.rows()) {
        if (row.guid == kNoGuid || trusted.full() || !IsHeir(row, is_strict, now_us)) continue;
        const Status added = trusted.TryPush(row.guid);
        EMBER_ASSERT(added == Status::kOk);
    }
    return role.TrustOnly(trusted, now_us);
}

/// As master: all that clients have registered has been told to those that are fed.
bool Heirs::HasSentAll() const {
    return !parts_.feed.IsUnderWay() && parts_.journal.waiting_entries() == 0;
}

/// An offer to a standby that is fed waits until it knows all, and has been told so: then no client
/// is asked to register again. A registration while the offer is on its way may be lost, as with a
/// master that dies.
void Heirs::HoldOffer(std::uint64_t now_us) {
    stepped_us_ = now_us;
    const Guid to = parts_.role.about_to_offer();
    const ReplicationPeer* const row = to == kNoGuid ? nullptr : parts_.peers.Proved(to);
    if (row == nullptr || !row->is_fed || parts_.journal.rests()) {
        held_us_ = 0;
        return parts_.role.HoldOffer(false);
    }
    if (held_us_ == 0) {
        held_us_ = now_us;
        greeted_us_ = 0;
    }
    parts_.journal.Hurry(now_us);
    if (HasSentAll() && greeted_us_ == 0) {
        greeted_us_ = now_us;
        parts_.peers.GreetNow(to, now_us);
    }
    const bool has_all = HasSentAll() && now_us >= greeted_us_ + kGreetingUs;
    parts_.role.HoldOffer(!has_all && now_us < held_us_ + kMostHeldUs);
}

std::uint64_t Heirs::NextDeadlineUs() const {
    return held_us_ == 0 ? kNever : stepped_us_ + kHeldStepUs;
}

}  // namespace ember
