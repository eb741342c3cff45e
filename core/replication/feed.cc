// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a master sends to its standbys.
#include "core/replication/feed.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/assert.h"

namespace ember {

Result<std::size_t> ReplicationFeed::Read(std::uint64_t /*offset*/,
                                          std::span<std::byte> /*octets*/) {
    return Status::kAbsent;
}

/// A peer that can be fed.
bool ReplicationFeed::IsFor(const ReplicationPeer& row) {
    return row.is_proved() && row.has_greeted && row.hello.format != 0 &&
           row.hello.state == SmState::kStandby && !row.is_too_small;
}

std::uint16_t ReplicationFeed::HighestFormat() const {
    std::uint16_t format = parts_.peers.self().format;
    for (const ReplicationPeer& row : parts_.peers.rows()) {
        if (IsFor(row)) format = std::min(format, std::uint16_t{row.hello.format});
    }
    return format;
}

bool ReplicationFeed::IsBehind(const ReplicationPeer& row) const {
    return row.is_fed && row.acked < used_;
}

bool ReplicationFeed::IsUnderWay() const {
    const std::span<const ReplicationPeer> rows = parts_.peers.rows();
    return std::any_of(rows.begin(), rows.end(),
                       [this](const ReplicationPeer& row) { return IsBehind(row); });
}

bool ReplicationFeed::feeds_any() const {
    const std::span<const ReplicationPeer> rows = parts_.peers.rows();
    return std::any_of(rows.begin(), rows.end(),
                       [](const ReplicationPeer& row) { return row.is_fed; });
}

bool ReplicationFeed::wants_generation(std::uint64_t now_us) const {
    if (record_.empty() || (has_begun_ && now_us < began_us_ + kGenerationUs)) return false;
    if (feeds_any() && HighestFormat() > format_) return true;
    const std::span<const ReplicationPeer> rows = parts_.peers.rows();
    return std::any_of(rows.begin(), rows.end(),
                       [](const ReplicationPeer& row) { return IsFor(row) && !row.is_fed; });
}

void ReplicationFeed::Stop() {
    for (ReplicationPeer& row : parts_.peers.rows()) {
        row.is_fed = false;
    }
    used_ = 0;
    has_begun_ = false;
    next_us_ = kNever;
}

Status ReplicationFeed::Begin() {
    EMBER_ASSERT(record_.size() == kReplicationRecordBytes);
    format_ = HighestFormat();
    stream_ = static_cast<std::uint32_t>(parts_.entropy.Draw());
    number_ = 0;
    used_ = 0;
    safe_bytes_ = 0;
    began_us_ = now_us_;
    has_begun_ = true;
    for (ReplicationPeer& row : parts_.peers.rows()) {
        row.is_fed = IsFor(row) && row.hello.format >= format_;
        row.acked = row.posted = 0;
    }
    return Status::kOk;
}

/// With no standby left what is appended is lost, and the next one begins with a generation.
Status ReplicationFeed::Append(std::span<const std::byte> octets) {
    EMBER_ASSERT(octets.size() <= record_.size());
    if (IsUnderWay()) return Status::kBusy;
    if (used_ != 0) ++number_;
    std::memcpy(record_.data(), octets.data(), octets.size());
    used_ = octets.size();
    appended_us_ = now_us_;
    for (ReplicationPeer& row : parts_.peers.rows()) {
        row.acked = row.posted = 0;
        row.moved_us = row.repeat_us = now_us_;
    }
    next_us_ = now_us_;
    return Status::kOk;
}

Status ReplicationFeed::Commit() {
    return IsUnderWay() ? Status::kBusy : Status::kOk;
}

void ReplicationFeed::SendPiece(ReplicationPeer& row) {
    EMBER_ASSERT(row.posted < used_);
    const std::size_t octets = std::min(used_ - row.posted, kMostPieceOctets);
    PieceHead head;
    head.stream = stream_;
    head.record = number_;
    head.record_octets = static_cast<std::uint16_t>(used_);
    head.at = row.posted;
    std::array<std::byte, kReplicationBodyBytes> body{};
    std::memcpy(body.data(), &head, sizeof(head));
    std::memcpy(body.data() + sizeof(head), record_.data() + row.posted, octets);
    // A piece that the port does not take is repeated, as a lost one is.
    static_cast<void>(parts_.peers.Send(row, ReplicationKind::kPiece,
                                        std::span(body).first(sizeof(head) + octets)));
    row.posted = static_cast<std::uint16_t>(row.posted + octets);
    ++pieces_;
}

void ReplicationFeed::StepPeer(ReplicationPeer& row, std::uint64_t now_us) {
    EMBER_ASSERT(IsBehind(row));
    if (now_us >= row.moved_us + kPatienceUs) {
        row.is_fed = false;
        parts_.log.Write<Note::kPeerFallsBehind>(now_us, row.guid);
        return;
    }
    if (now_us >= row.repeat_us) row.posted = row.acked;
    while (row.posted < used_ && row.posted < row.acked + kWindowPieces * kMostPieceOctets) {
        if (pieces_ >= kPiecesAtOnce) {
            next_us_ = std::min(next_us_, paced_us_);
            return;
        }
        if (row.posted == row.acked) row.repeat_us = now_us + kRepeatUs;
        SendPiece(row);
    }
    next_us_ = std::min({next_us_, row.repeat_us, row.moved_us + kPatienceUs});
}

void ReplicationFeed::Step(std::uint64_t now_us) {
    now_us_ = now_us;
    if (now_us < next_us_) return;
    next_us_ = kNever;
    if (now_us >= paced_us_) {
        paced_us_ = now_us + kPaceUs;
        pieces_ = 0;
    }
    for (ReplicationPeer& row : parts_.peers.rows()) {
        if (IsBehind(row)) StepPeer(row, now_us);
    }
}

void ReplicationFeed::Report(bool is_copied, std::uint64_t now_us) {
    const bool are_held_up = !is_copied || BehindUs(now_us) > kLateUs;
    const std::uint32_t wanted = number_ + (used_ != 0 ? 1U : 0U);
    for (ReplicationPeer& row : parts_.peers.rows()) {
        const bool waits = are_held_up || !row.is_fed;
        row.fed_stream = static_cast<std::uint16_t>(stream_);
        row.fed_wanted = static_cast<std::uint16_t>(wanted % kChangesWait);
        if (waits) row.fed_wanted |= kChangesWait;
    }
}

void ReplicationFeed::Hear(const ReplicationPeers::Heard& heard, std::uint64_t now_us) {
    EMBER_ASSERT(heard.kind == ReplicationKind::kPieceAck);
    ReplicationPeer* const row = parts_.peers.Proved(heard.from);
    if (row == nullptr || !IsBehind(*row)) return;
    PieceAck ack;
    std::memcpy(&ack, heard.body.data(), sizeof(ack));
    if (ack.stream != stream_) return;
    if (ack.verdict == PieceVerdict::kTooLarge) {
        row->is_fed = false;
        row->is_too_small = true;
        parts_.log.Write<Note::kPeerTooSmall>(now_us, row->guid);
        return;
    }
    const bool has_all = ack.record == number_ + 1 && ack.at == 0;
    const std::size_t has = has_all ? used_ : std::size_t{ack.at};
    // The peer cannot have what it was never sent, and an acknowledgement may be overtaken.
    if ((!has_all && ack.record != number_) || has <= row->acked || has > row->posted) return;
    safe_bytes_ += has - row->acked;
    row->acked = static_cast<std::uint16_t>(has);
    row->moved_us = now_us;
    row->repeat_us = now_us + kRepeatUs;
    next_us_ = now_us;
    if (has_all && !IsUnderWay()) ++records_;
}

}  // namespace ember
