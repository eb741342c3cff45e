// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet managers of this kind, and sessions with them.
#include "core/replication/peers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::size_t kCoveredAt = offsetof(ReplicationMad, head);
constexpr std::size_t kCoveredBytes = offsetof(ReplicationMad, code) - kCoveredAt;

/// A stranger's greeting is answered so often, however often it is repeated.
constexpr std::uint64_t kAnswerUs = 50 * kMillisecondUs;

/// What the code of a message covers.
[[nodiscard]] std::span<const std::byte> CoveredOf(const ReplicationMad& mad) {
    return std::as_bytes(std::span(&mad, 1)).subspan(kCoveredAt, kCoveredBytes);
}

[[nodiscard]] bool IsHello(ReplicationKind kind) {
    return kind == ReplicationKind::kHello || kind == ReplicationKind::kHelloAnswer;
}

/// It is a message of ours, of this version or another one.
[[nodiscard]] bool IsOurs(const ReplicationMad& mad) {
    return mad.header.base_version == kBaseVersion &&
           mad.header.class_version == kReplicationClassVersion &&
           mad.header.method == Method::kSend && mad.header.attribute_id == kReplicationMessage &&
           mad.oui == kReplicationOui;
}

[[nodiscard]] bool IsSound(const ReplicationMad& mad) {
    const ReplicationHead& head = mad.head;
    return IsHello(head.kind) && head.octets == sizeof(ReplicationHello) &&
           Guid{head.sender} != kNoGuid && head.sender_nonce != 0;
}

[[nodiscard]] ReplicationHello HelloOf(const ReplicationMad& mad) {
    ReplicationHello hello;
    std::memcpy(&hello, mad.body.data(), sizeof(hello));
    return hello;
}

}  // namespace

ReplicationPeers::ReplicationPeers(std::span<ReplicationPeer> rows,
                                   const Parts& parts,
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
    EMBER_ASSERT(peer.has_told);
    return peer.hello.digest == settings_.configuration.digest;
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
        row.unanswered = 0;
        row.greet_us = now_us;
    }
}

void ReplicationPeers::EndSession(ReplicationPeer& row, std::uint64_t now_us) {
    if (row.is_proved()) parts_.log.Write<Note::kPeerLost>(now_us, row.guid);
    if (row.is_proved()) row.trust = PeerTrust::kForeign;
    row.own_nonce = 0;
    row.peer_nonce = 0;
    row.sent = 0;
    row.heard = 0;
    row.has_told = false;
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

/// A full port loses it, as the wire may: the next greeting follows soon.
void ReplicationPeers::SendHello(ReplicationPeer& row,
                                 ReplicationKind kind,
                                 std::uint64_t receiver_nonce) {
    EMBER_ASSERT(row.guid != kNoGuid && row.lid != kNoLid);
    if (!makes_codes_) return;
    while (row.own_nonce == 0) {  // Ends: chance is not 0 for ever.
        row.own_nonce = parts_.entropy.Draw();
    }
    ReplicationHello hello;
    hello.state = self_.state;
    hello.priority = self_.priority;
    hello.format = kReplicationFormat;
    hello.counter = settings_.configuration.counter;
    hello.digest = settings_.configuration.digest;
    ReplicationMad mad = BlankReplicationMad();
    mad.head.kind = kind;
    mad.head.octets = std::uint16_t{sizeof(hello)};
    mad.head.sender = self_.guid;
    mad.head.sender_nonce = row.own_nonce;
    mad.head.receiver_nonce = receiver_nonce;
    mad.head.number = ++row.sent;
    std::memcpy(mad.body.data(), &hello, sizeof(hello));
    const Result<MacCode> code = parts_.codes->Of(CoveredOf(mad));
    if (!code.ok()) return;  // As if the wire had lost it.
    mad.code = code.value();
    Envelope envelope;
    envelope.peer = row.lid;
    envelope.queue_pair = 1;
    envelope.remote_queue_pair = 1;
    envelope.service_level = row.service_level;
    envelope.p_key_index = row.p_key_index;
    envelope.mad = std::bit_cast<Mad>(mad);
    if (parts_.port.Send(envelope) == Status::kOk) ++statistics_.sent;
}

bool ReplicationPeers::Take(const Envelope& envelope, std::uint64_t now_us) {
    EMBER_ASSERT(envelope.mad.header.mgmt_class == kReplicationClass);
    FollowKey(now_us);
    const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
    if (!IsOurs(mad)) {
        ++statistics_.malformed;
        return false;
    }
    if (mad.head.version != kReplicationVersion) {
        ++statistics_.other_versions;
        parts_.log.WriteSparingly<Note::kPeerOtherVersion>(now_us, Guid{mad.head.sender},
                                                           mad.head.version, kReplicationVersion);
        return false;
    }
    if (!IsSound(mad)) {
        ++statistics_.malformed;
        return false;
    }
    if (!is_on() || !makes_codes_ || self_.guid == kNoGuid || mad.head.sender == self_.guid) {
        ++statistics_.refused;
        return false;
    }
    ReplicationPeer* const row = Row(mad.head.sender);
    return IsStranger(mad.head, row) ? TakeStranger(envelope, row, now_us)
                                     : TakeKnown(envelope, *row, now_us);
}

/// The message is not of a session that is open.
bool ReplicationPeers::IsStranger(const ReplicationHead& head, const ReplicationPeer* row) const {
    return row == nullptr || !row->is_proved() || head.receiver_nonce != row->own_nonce ||
           head.sender_nonce != row->peer_nonce;
}

bool ReplicationPeers::CodeFits(const ReplicationMad& mad) const {
    EMBER_ASSERT(makes_codes_);
    EMBER_ASSERT(parts_.codes != nullptr);
    const Result<MacCode> right = parts_.codes->Of(CoveredOf(mad));
    if (!right.ok()) return false;
    std::uint8_t differs = 0;  // The time does not tell where they do.
    for (std::size_t i = 0; i < mad.code.size(); ++i) {
        differs |= static_cast<std::uint8_t>(right.value()[i] ^ mad.code[i]);
    }
    return differs == 0;
}

bool ReplicationPeers::TakeKnown(const Envelope& envelope,
                                 ReplicationPeer& row,
                                 std::uint64_t now_us) {
    EMBER_ASSERT(row.is_proved());
    const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
    if (mad.head.number <= row.heard) {
        ++statistics_.stale;
        return false;
    }
    if (!CodeFits(mad)) {
        TellForged(mad.head.sender, nullptr, now_us);
        return false;
    }
    Learn(envelope, row, now_us);
    return true;
}

/// As many as come by chance when every manager starts at once, and no more than a sixth of a
/// percent of the time of a slow core.
bool ReplicationPeers::MayCheckStranger(std::uint64_t now_us) {
    if (now_us >= strangers_since_us_ + kStrangersUs) {
        strangers_since_us_ = now_us;
        strangers_ = 0;
    }
    return strangers_++ < kMostStrangers;
}

/// A greeting without our nonce is answered with it, which opens nothing: the greeting may be an
/// old one. A message with it is fresh. An open session goes on, though: its nonces were proved,
/// and it ends by itself when that peer has forgotten them.
bool ReplicationPeers::TakeStranger(const Envelope& envelope,
                                    ReplicationPeer* row,
                                    std::uint64_t now_us) {
    const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
    if (!MayCheckStranger(now_us)) {
        ++statistics_.refused;
        return false;
    }
    if (!CodeFits(mad)) {
        TellForged(mad.head.sender, row, now_us);
        return false;
    }
    if (row == nullptr) row = AddRow(mad.head.sender);
    if (row == nullptr) {
        ++statistics_.refused;
        return false;
    }
    const bool is_fresh = row->own_nonce != 0 && mad.head.receiver_nonce == row->own_nonce;
    if (is_fresh && !row->is_proved()) {
        OpenSession(*row, mad.head, now_us);
        Learn(envelope, *row, now_us);
        return true;
    }
    const bool may_answer = row->answered_us == 0 || now_us >= row->answered_us + kAnswerUs;
    if (is_fresh || mad.head.kind != ReplicationKind::kHello || !may_answer) {
        ++statistics_.stale;
        return false;
    }
    row->answered_us = now_us;
    ReplicationPeer to = *row;
    to.lid = envelope.peer;
    to.service_level = envelope.service_level;
    to.p_key_index = envelope.p_key_index;
    SendHello(to, ReplicationKind::kHelloAnswer, mad.head.sender_nonce);
    row->own_nonce = to.own_nonce;
    row->sent = to.sent;
    return true;
}

void ReplicationPeers::OpenSession(ReplicationPeer& row,
                                   const ReplicationHead& head,
                                   std::uint64_t now_us) {
    EMBER_ASSERT(!row.is_proved());
    EMBER_ASSERT(row.own_nonce != 0);
    EMBER_ASSERT(head.sender_nonce != 0);
    row.trust = PeerTrust::kProved;
    row.peer_nonce = head.sender_nonce;
    row.heard = 0;
    row.has_told = false;
    row.greet_us = now_us;  // It does not know yet that we heard it.
    next_us_ = std::min(next_us_, now_us);
}

/// A message that counts.
void ReplicationPeers::Learn(const Envelope& envelope, ReplicationPeer& row, std::uint64_t now_us) {
    EMBER_ASSERT(row.is_proved());
    const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
    ++statistics_.heard;
    row.heard = mad.head.number;
    row.heard_us = now_us;
    row.unanswered = 0;
    row.lid = envelope.peer;
    row.service_level = envelope.service_level;
    row.p_key_index = envelope.p_key_index;
    next_us_ = std::min(next_us_, now_us + kSilentUs);
    const bool is_new = !row.has_told;
    const auto digest_before = row.hello.digest;
    row.hello = HelloOf(mad);
    row.has_told = true;
    if (is_new) parts_.log.Write<Note::kPeerProved>(now_us, row.guid, row.hello.priority);
    const bool has_changed = is_new || digest_before != row.hello.digest;
    if (has_changed && !IsConfiguredAlike(row)) {
        parts_.log.Write<Note::kPeerConfiguredOtherwise>(now_us, row.guid, row.hello.counter,
                                                         settings_.configuration.counter);
    }
    if (mad.head.kind == ReplicationKind::kHello) {
        SendHello(row, ReplicationKind::kHelloAnswer, row.peer_nonce);
    }
}

void ReplicationPeers::TellForged(Guid sender, ReplicationPeer* row, std::uint64_t now_us) {
    ++statistics_.forged;
    if (row != nullptr && !row->is_proved()) row->trust = PeerTrust::kOtherKey;
    parts_.log.WriteSparingly<Note::kPeerKeyWrong>(now_us, sender, statistics_.forged);
}

}  // namespace ember
