// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet managers of this kind, and sessions with them.
#include "core/replication/peers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/assert.h"

namespace ember {

ReplicationPeers::ReplicationPeers(std::span<ReplicationPeer> rows, const Parts& parts,
                                   const Settings& settings)
    : rows_(rows), parts_(parts), settings_(settings) {
    std::fill(rows_.begin(), rows_.end(), ReplicationPeer{});
}

ReplicationPeer* ReplicationPeers::Row(Guid guid) {
    const auto found = std::find_if(rows_.begin(), rows_.end(),
                                    [guid](const auto& row) { return row.guid == guid; });
    return found == rows_.end() ? nullptr : &*found;
}

const ReplicationPeer* ReplicationPeers::Find(Guid guid) const {
    EMBER_ASSERT(guid != kNoGuid);
    const auto found = std::find_if(rows_.begin(), rows_.end(),
                                    [guid](const auto& row) { return row.guid == guid; });
    return found == rows_.end() ? nullptr : &*found;
}

/// A free row, or that of a peer without a session that was heard longest ago.
ReplicationPeer* ReplicationPeers::AddRow(Guid guid) {
    EMBER_ASSERT(guid != kNoGuid);
    EMBER_ASSERT(Row(guid) == nullptr);
    ReplicationPeer* row = Row(kNoGuid);
    if (row == nullptr) {
        for (ReplicationPeer& one : rows_) {
            if (one.is_proved()) continue;
            if (row == nullptr || one.heard_us < row->heard_us) row = &one;
        }
    }
    if (row == nullptr) return nullptr;
    *row = ReplicationPeer{};
    row->guid = guid;
    return row;
}

bool ReplicationPeers::IsConfiguredAlike(const ReplicationPeer& peer) const {
    EMBER_ASSERT(peer.has_greeted);
    return peer.hello.digest == settings_.configuration.digest;
}

bool ReplicationPeers::IsFormattedAlike(const ReplicationPeer& peer) const {
    EMBER_ASSERT(peer.has_greeted);
    return peer.hello.format == self_.format;
}

Status ReplicationPeers::Meet(Guid guid, Lid lid, std::uint16_t p_key_index, std::uint64_t now_us) {
    EMBER_ASSERT(guid != kNoGuid);
    if (!is_on() || guid == self_.guid) return Status::kOk;
    ReplicationPeer* row = Row(guid);
    if (row == nullptr) row = AddRow(guid);
    if (row == nullptr) return Status::kFull;
    if (row->lid == lid && row->p_key_index == p_key_index) return Status::kOk;
    row->lid = lid;
    row->p_key_index = p_key_index;
    row->service_level = settings_.sm_sl;
    row->unanswered = 0;
    row->greet_us = now_us;
    next_us_ = std::min(next_us_, now_us);
    return Status::kOk;
}

void ReplicationPeers::GreetNow(Guid guid, std::uint64_t now_us) {
    ReplicationPeer* const row = Row(guid);
    EMBER_ASSERT(row != nullptr);
    row->unanswered = 0;
    row->greet_us = now_us;
    next_us_ = std::min(next_us_, now_us);
}

/// False: the machine can make no codes of it.
bool ReplicationPeers::TakeKey(std::uint64_t now_us) {
    EMBER_ASSERT(!key_.empty());
    const auto key = std::as_bytes(std::span(key_.begin(), key_.end()));
    const Status taken = parts_.codes == nullptr ? Status::kAbsent : parts_.codes->TakeKey(key);
    if (taken != Status::kOk) parts_.log.Write<Note::kNoMessageCodes>(now_us, taken);
    return taken == Status::kOk;
}

/// Another key than before: no session that it opened counts.
void ReplicationPeers::FollowKey(std::uint64_t now_us) {
    if (key_ == settings_.replication_key) return;
    key_ = settings_.replication_key;
    makes_codes_ = !key_.empty() && TakeKey(now_us);
    for (ReplicationPeer& row : rows_) {
        if (row.guid == kNoGuid) continue;
        EndSession(row, now_us);
        row.trust = PeerTrust::kForeign;
    }
}

void ReplicationPeers::EndSession(ReplicationPeer& row, std::uint64_t now_us) {
    if (row.is_proved()) parts_.log.Write<Note::kPeerLost>(now_us, row.guid);
    if (row.is_proved()) row.trust = PeerTrust::kForeign;
    row.own_nonce = 0;
    row.peer_nonce = 0;
    row.sent = 0;
    row.heard = 0;
    row.heard_before = 0;
    row.unanswered = 0;  // The peer may have started again.
    row.greet_us = now_us;
    row.has_greeted = false;
    row.is_fed = false;
    row.fed_wanted = kChangesWait;
    row.is_too_small = false;
}

ReplicationPeer* ReplicationPeers::Proved(Guid guid) {
    ReplicationPeer* const row = guid == kNoGuid ? nullptr : Row(guid);
    return row != nullptr && row->is_proved() ? row : nullptr;
}

void ReplicationPeers::Step(bool greets, std::uint64_t now_us) {
    FollowKey(now_us);
    if (now_us < next_us_ && greets == was_greeting_) return;
    was_greeting_ = greets;
    next_us_ = kNever;
    if (!is_on() || self_.guid == kNoGuid) return;
    for (ReplicationPeer& row : rows_) {
        if (row.guid == kNoGuid) continue;
        if (row.is_proved() && now_us >= row.heard_us + kSilentUs) EndSession(row, now_us);
        if (row.is_proved()) next_us_ = std::min(next_us_, row.heard_us + kSilentUs);
        if (greets && row.lid != kNoLid) Greet(row, now_us);
    }
}

/// If it is time for that.
void ReplicationPeers::Greet(ReplicationPeer& row, std::uint64_t now_us) {
    if (now_us >= row.greet_us) {
        const bool is_foreign = row.unanswered >= kPatience;
        row.greet_us = now_us + (is_foreign ? kGreetForeignUs : kGreetUs);
        if (!is_foreign) ++row.unanswered;
        SendHello(row, ReplicationKind::kHello, row.peer_nonce);
    }
    next_us_ = std::min(next_us_, row.greet_us);
}

/// A standby of a newer format follows a master that writes an older one, and says the older one
/// to it: a master feeds standbys of its own format.
std::uint16_t ReplicationPeers::FormatFor(const ReplicationPeer& row) const {
    const bool is_older =
        row.has_greeted && row.hello.format < self_.format && row.hello.format != 0;
    const bool follows = self_.state == SmState::kStandby && row.hello.state == SmState::kMaster;
    return is_older && follows ? std::uint16_t{row.hello.format} : self_.format;
}

/// A full port loses it, as the wire may: the next greeting follows soon.
void ReplicationPeers::SendHello(ReplicationPeer& row, ReplicationKind kind,
                                 std::uint64_t receiver_nonce) {
    ReplicationHello hello;
    hello.state = self_.state;
    hello.priority = self_.priority;
    hello.format = FormatFor(row);
    hello.stream = row.fed_stream;
    hello.wanted = row.fed_wanted;
    hello.counter = settings_.configuration.counter;
    hello.digest = settings_.configuration.digest;
    static_cast<void>(SendMessage(row, kind, receiver_nonce, std::as_bytes(std::span(&hello, 1))));
}

Status ReplicationPeers::Send(ReplicationPeer& row, ReplicationKind kind,
                              std::span<const std::byte> body) {
    EMBER_ASSERT(row.is_proved());
    return SendMessage(row, kind, row.peer_nonce, body);
}

Status ReplicationPeers::SendMessage(ReplicationPeer& row, ReplicationKind kind,
                                     std::uint64_t receiver_nonce,
                                     std::span<const std::byte> body) {
    EMBER_ASSERT(row.guid != kNoGuid);
    EMBER_ASSERT(body.size() <= kReplicationBodyBytes);
    // The port of a proved peer that was reset has no LID until the master gives it one.
    if (!makes_codes_ || row.lid == kNoLid) return Status::kAbsent;
    while (row.own_nonce == 0) {  // Ends: chance is not 0 for ever.
        row.own_nonce = parts_.entropy.Draw();
    }
    ReplicationMad mad = BlankReplicationMad();
    mad.head.kind = kind;
    mad.head.octets = static_cast<std::uint16_t>(body.size());
    mad.head.sender = self_.guid;
    mad.head.sender_nonce = row.own_nonce;
    mad.head.receiver_nonce = receiver_nonce;
    mad.head.number = ++row.sent;
    std::memcpy(mad.body.data(), body.data(), body.size());
    const Result<MacCode> code = parts_.codes->Of(CoveredByCode(mad));
    if (!code.ok()) return code.status();
    mad.code = code.value();
    Envelope envelope;
    envelope.peer = row.lid;
    envelope.queue_pair = 1;
    envelope.remote_queue_pair = 1;
    envelope.service_level = row.service_level;
    envelope.p_key_index = row.p_key_index;
    envelope.mad = std::bit_cast<Mad>(mad);
    const Status status = parts_.port.Send(envelope);
    if (status == Status::kOk) ++statistics_.sent;
    return status;
}

}  // namespace ember
