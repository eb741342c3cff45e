// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a standby receives from its master.
#include "core/replication/follower.h"

#include <cstring>

#include "core/base/assert.h"

namespace ember {

void ReplicationFollower::Forget() {
    source_ = kNoGuid;
    used_ = acked_ = 0;
    has_record_ = false;
}

void ReplicationFollower::Hear(const ReplicationPeers::Heard& heard) {
    EMBER_ASSERT(heard.kind == ReplicationKind::kPiece && heard.octets > sizeof(PieceHead));
    PieceHead head;
    std::memcpy(&head, heard.body.data(), sizeof(head));
    const std::size_t octets = heard.octets - sizeof(head);
    const bool is_ours = heard.from == source_ && head.stream == stream_;
    const bool begins = head.record == 0 && head.at == 0;
    // With the last record still at hand, an acknowledgement follows by itself.
    if (has_record_ || (!is_ours && !begins)) return;
    if (!is_ours) {
        source_ = heard.from;
        stream_ = head.stream;
        number_ = 0;
        used_ = acked_ = 0;
    }
    if (head.record_octets > record_.size()) return Acknowledge(PieceVerdict::kTooLarge);
    if (used_ == 0) record_octets_ = head.record_octets;
    const bool is_next = head.record == number_ && head.at == used_ &&
                         head.record_octets == record_octets_ && octets <= record_octets_ - used_;
    if (is_next) {
        std::memcpy(record_.data() + used_, heard.body.data() + sizeof(head), octets);
        used_ += octets;
        has_record_ = used_ == record_octets_;
    }
    const bool is_due = !is_next || used_ - acked_ >= kPiecesAnAck * kMostPieceOctets;
    if (!has_record_ && is_due) Acknowledge(PieceVerdict::kWanted);
}

void ReplicationFollower::Done(PieceVerdict verdict) {
    EMBER_ASSERT(has_record_);
    has_record_ = false;
    ++number_;
    used_ = acked_ = 0;
    ++records_;
    Acknowledge(verdict);
}

/// A greeting may be older than records that followed it.
bool ReplicationFollower::HasAll(const ReplicationHello& hello) const {
    const std::uint16_t wanted = hello.wanted;
    if (source_ == kNoGuid || wanted >= kChangesWait) return false;
    if (std::uint16_t{hello.stream} != static_cast<std::uint16_t>(stream_)) return false;
    return (number_ - wanted) % kChangesWait < kChangesWait / 2;
}

/// A lost one is made up for by the next, or when the piece is repeated.
void ReplicationFollower::Acknowledge(PieceVerdict verdict) {
    ReplicationPeer* const master = peers_.Proved(source_);
    if (master == nullptr) return;
    acked_ = used_;
    PieceAck ack;
    ack.stream = stream_;
    ack.record = number_;
    ack.at = static_cast<std::uint16_t>(used_);
    ack.verdict = verdict;
    static_cast<void>(
        peers_.Send(*master, ReplicationKind::kPieceAck, std::as_bytes(std::span(&ack, 1))));
}

}  // namespace ember
