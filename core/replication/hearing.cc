// SPDX-License-Identifier: Apache-2.0
// EmberSM: which messages of peers count, and what a greeting tells.

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/assert.h"
#include "core/replication/peers.h"

namespace ember {
namespace {

/// A stranger's greeting is answered so often, however often it is repeated.
constexpr std::uint64_t kAnswerUs = 50 * kMillisecondUs;

[[nodiscard]] bool IsHello(ReplicationKind kind) {
    return kind == ReplicationKind::kHello || kind == ReplicationKind::kHelloAnswer;
}

/// True for a message of ours, of this version or another one.
[[nodiscard]] bool IsOurs(const ReplicationMad& mad) {
    return mad.header.base_version == kBaseVersion &&
           mad.header.class_version == kReplicationClassVersion &&
           mad.header.method == Method::kSend && mad.header.attribute_id == kReplicationMessage &&
           mad.oui == kReplicationOui;
}

[[nodiscard]] bool HasSoundLength(const ReplicationHead& head) {
    const std::size_t octets = head.octets;
    switch (head.kind) {
        case ReplicationKind::kHello:
        case ReplicationKind::kHelloAnswer:
            return octets == sizeof(ReplicationHello);
        case ReplicationKind::kPiece:
            return octets > sizeof(PieceHead) && octets <= kReplicationBodyBytes;
        case ReplicationKind::kPieceAck:
            return octets == sizeof(PieceAck);
    }
    return false;
}

[[nodiscard]] bool IsSound(const ReplicationMad& mad) {
    const ReplicationHead& head = mad.head;
    return HasSoundLength(head) && Guid{head.sender} != kNoGuid && head.sender_nonce != 0;
}

[[nodiscard]] ReplicationHello HelloOf(const ReplicationMad& mad) {
    ReplicationHello hello;
    std::memcpy(&hello, mad.body.data(), sizeof(hello));
    return hello;
}

}  // namespace

bool ReplicationPeers::Take(const Envelope& envelope, std::uint64_t now_us) {
    EMBER_ASSERT(envelope.mad.header.mgmt_class == kReplicationClass);
    FollowKey(now_us);
    heard_.from = kNoGuid;
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

/// Datagrams may overtake each other: of 64 numbers below the highest it is known which were heard.
bool ReplicationPeers::IsNew(const ReplicationPeer& row, std::uint64_t number) {
    if (number > row.heard) return true;
    const std::uint64_t behind = row.heard - number;
    return behind != 0 && behind <= 64 && (row.heard_before >> (behind - 1) & 1U) == 0;
}

void ReplicationPeers::Count(ReplicationPeer& row, std::uint64_t number) {
    EMBER_ASSERT(IsNew(row, number));
    if (number < row.heard) {
        row.heard_before |= std::uint64_t{1} << (row.heard - number - 1);
        return;
    }
    const std::uint64_t step = number - row.heard;
    const std::uint64_t before = row.heard == 0 ? 0 : row.heard_before << 1U | 1U;
    row.heard_before = step > 64 ? 0 : before << (step - 1);
    row.heard = number;
}

bool ReplicationPeers::CodeFits(const ReplicationMad& mad) const {
    EMBER_ASSERT(makes_codes_);
    EMBER_ASSERT(parts_.codes != nullptr);
    const Result<MacCode> right = parts_.codes->Of(CoveredByCode(mad));
    if (!right.ok()) return false;
    std::uint8_t differs = 0;  // The time does not tell where they do.
    for (std::size_t i = 0; i < mad.code.size(); ++i) {
        differs |= static_cast<std::uint8_t>(right.value()[i] ^ mad.code[i]);
    }
    return differs == 0;
}

bool ReplicationPeers::TakeKnown(const Envelope& envelope, ReplicationPeer& row,
                                 std::uint64_t now_us) {
    EMBER_ASSERT(row.is_proved());
    const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
    if (!IsNew(row, mad.head.number)) {
        ++statistics_.stale;
        return false;
    }
    if (!CodeFits(mad)) {
        LogForged(mad.head.sender, nullptr, now_us);
        return false;
    }
    Learn(envelope, row, now_us);
    return true;
}

/// A message that was not looked at may have been the answer to our greeting.
void ReplicationPeers::RefuseStranger(Lid from) {
    ++statistics_.refused;
    for (ReplicationPeer& row : rows_) {
        if (row.guid != kNoGuid && row.lid == from) row.unanswered = 0;
    }
}

/// A greeting without our nonce is answered with it, which opens nothing: the greeting may be an
/// old one. A message with it is fresh. An open session goes on, though: its nonces were proved,
/// and it ends by itself when that peer has forgotten them.
bool ReplicationPeers::TakeStranger(const Envelope& envelope, ReplicationPeer* row,
                                    std::uint64_t now_us) {
    const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
    if (!strangers_.Takes(envelope.peer, now_us)) {
        RefuseStranger(envelope.peer);
        return false;
    }
    if (!CodeFits(mad)) {
        LogForged(mad.head.sender, row, now_us);
        return false;
    }
    if (row == nullptr) row = AddRow(mad.head.sender);
    if (row == nullptr) {
        ++statistics_.refused;
        return false;
    }
    const bool is_fresh = row->own_nonce != 0 && mad.head.receiver_nonce == row->own_nonce;
    if (is_fresh && !row->is_proved() && IsHello(mad.head.kind)) {
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

void ReplicationPeers::OpenSession(ReplicationPeer& row, const ReplicationHead& head,
                                   std::uint64_t now_us) {
    EMBER_ASSERT(!row.is_proved());
    EMBER_ASSERT(row.own_nonce != 0);
    EMBER_ASSERT(head.sender_nonce != 0);
    row.trust = PeerTrust::kProved;
    row.was_proved = true;
    row.peer_nonce = head.sender_nonce;
    row.heard = 0;
    row.heard_before = 0;
    row.has_greeted = false;
    row.greet_us = now_us;  // The peer does not know yet that we heard it.
    next_us_ = std::min(next_us_, now_us);
}

/// A message that counts.
void ReplicationPeers::Learn(const Envelope& envelope, ReplicationPeer& row, std::uint64_t now_us) {
    EMBER_ASSERT(row.is_proved());
    const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
    ++statistics_.heard;
    const bool is_latest = mad.head.number > row.heard;
    Count(row, mad.head.number);
    row.heard_us = now_us;
    row.unanswered = 0;
    row.lid = envelope.peer;
    row.service_level = envelope.service_level;
    row.p_key_index = envelope.p_key_index;
    next_us_ = std::min(next_us_, now_us + kSilentUs);
    if (!IsHello(mad.head.kind)) {
        heard_ = {row.guid, mad.head.kind, mad.head.octets, mad.body};
        return;
    }
    if (is_latest) LearnHello(HelloOf(mad), row, now_us);
    if (mad.head.kind == ReplicationKind::kHello) {
        SendHello(row, ReplicationKind::kHelloAnswer, row.peer_nonce);
    }
}

void ReplicationPeers::LearnHello(const ReplicationHello& hello, ReplicationPeer& row,
                                  std::uint64_t now_us) {
    const bool is_new = !row.has_greeted;
    const auto digest_before = row.hello.digest;
    row.hello = hello;
    row.hello_us = now_us;
    row.has_greeted = true;
    if (is_new) parts_.log.Write<Note::kPeerProved>(now_us, row.guid, row.hello.priority);
    const bool has_changed = is_new || digest_before != row.hello.digest;
    if (has_changed && !IsConfiguredAlike(row)) {
        parts_.log.Write<Note::kPeerConfiguredOtherwise>(now_us, row.guid, row.hello.counter,
                                                         settings_.configuration.counter);
    }
    if (is_new && !IsFormattedAlike(row)) {
        parts_.log.Write<Note::kPeerOtherFormat>(now_us, row.guid, row.hello.format, self_.format);
    }
}

void ReplicationPeers::LogForged(Guid sender, ReplicationPeer* row, std::uint64_t now_us) {
    ++statistics_.forged;
    if (row != nullptr && !row->is_proved()) row->trust = PeerTrust::kOtherKey;
    parts_.log.WriteSparingly<Note::kPeerKeyWrong>(now_us, sender, statistics_.forged);
}

}  // namespace ember
