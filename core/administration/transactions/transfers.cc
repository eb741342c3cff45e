// SPDX-License-Identifier: Apache-2.0
// EmberSM: answers under way.
#include <algorithm>

#include "core/administration/transactions/administration.h"
#include "core/base/assert.h"
#include "core/base/time.h"
#include "core/fabric/shares.h"

namespace ember {
namespace {

inline constexpr std::uint32_t kSegmentCost = 100;
/// Segments that one answer may send before another has its turn.
inline constexpr std::uint32_t kSegmentsAtOnce = 64;
/// An answer that is older than this must have made kSlowestRate segments a second.
inline constexpr std::uint64_t kGraceUs = 30 * kSecondUs;
inline constexpr std::uint64_t kSlowestRate = 50;
/// A row in kFirstsShare is for sources that have none.
inline constexpr std::size_t kFirstsShare = 4;
/// When there is no free row, an answer is ended whose receiver was silent for this time.
inline constexpr std::uint64_t kSilenceInCrowdUs = 300 * kMillisecondUs;

}  // namespace

std::size_t Administration::FindTalk(const SaTalk& talk) const {
    // Free lines have no LID.
    if (active_ == 0 || talk.lid == kNoLid) return lines_.size();
    const auto* const found = std::find_if(lines_.data(), lines_.data() + lines_.size(),
                                           [&](const Line& line) { return line.talk == talk; });
    return static_cast<std::size_t>(found - lines_.data());
}

/// While half of the rows are free a source may take half of all; then one in eight. The last ones
/// are for those that have none yet: a few that never acknowledge cannot take them all.
bool Administration::HasShare(const SaSource& source) const {
    EMBER_ASSERT(active_ <= lines_.size());
    if (source.transfers == 0) return true;
    const std::size_t rows = lines_.size();
    if (rows - active_ <= std::max<std::size_t>(rows / kFirstsShare, 1)) return false;
    return source.transfers < (IsCrowded(active_, rows) ? ShareOf(rows) : rows / 2);
}

/// The answer whose receiver has been silent for longest, if that is long enough, of those of which
/// `is_meant(SourceIndex)`; lines_.size(): there is none.
template <typename IsMeant>
std::size_t Administration::Quietest(std::uint64_t now_us, IsMeant is_meant) {
    std::size_t found = lines_.size();
    std::uint64_t since_us = now_us - std::min(now_us, kSilenceInCrowdUs);
    for (std::size_t row = 0; row < lines_.size(); ++row) {
        if (lines_[row].talk.lid == kNoLid || !is_meant(transfers_[row].source())) continue;
        // A wait for us, or for a device, is not the receiver's fault.
        if (lines_[row].is_single || transfers_[row].sender().wants_segment()) continue;
        if (transfers_[row].heard_us() >= since_us) continue;
        since_us = transfers_[row].heard_us();
        found = row;
    }
    return found;
}

/// A row for another answer to `source`. When all rows are taken, the transfer whose receiver was
/// silent for longest makes room; while rows are free it would be waited for much longer. When the
/// share of a source is used up, a silent transfer of its own makes room: programs that ended
/// before they had acknowledged are no reason to refuse the next one.
std::size_t Administration::FindFree(SourceIndex source, std::uint64_t now_us) {
    const bool has_share = HasShare(sources_.Of(source));
    if (!has_share || active_ == lines_.size()) {
        const std::size_t quietest =
            Quietest(now_us, [&](SourceIndex other) { return has_share || other == source; });
        if (quietest == lines_.size()) return quietest;
        ++statistics_.transfers_lost;
        ReplyEnd(transfers_[quietest].request(), RmppStatus::kTooManyRetries);
        Release(quietest);
        return quietest;
    }
    return static_cast<std::size_t>(
        std::find_if(lines_.begin(), lines_.end(),
                     [](const Line& line) { return line.talk.lid == kNoLid; }) -
        lines_.begin());
}

void Administration::Release(std::size_t row) {
    EMBER_ASSERT(row < lines_.size());
    EMBER_ASSERT(lines_[row].talk.lid != kNoLid && active_ != 0);
    SaSource& source = sources_.Of(transfers_[row].source());
    EMBER_ASSERT(source.transfers != 0);
    --source.transfers;
    lines_[row] = Line{};
    --active_;
}

void Administration::Advance(std::size_t row, std::uint64_t now_us) {
    EMBER_ASSERT(lines_[row].talk.lid != kNoLid);
    // A sweep may have moved the requester to another row, or found it gone.
    const PortIndex requester = view_.fabric.PortByLid(transfers_[row].query().requester_lid);
    if (requester == kNoPortIndex) {
        ++statistics_.transfers_lost;
        Release(row);
        return;
    }
    transfers_[row].FollowRequester(requester);
    if (lines_[row].is_single) {
        AdvanceSingle(row);
    } else {
        AdvanceTable(row, now_us);
    }
}

void Administration::AdvanceSingle(std::size_t row) {
    Transfer& transfer = transfers_[row];
    RecordSource* const source = records_.Find(transfer.query().attribute);
    EMBER_ASSERT(lines_[row].is_single);
    EMBER_ASSERT(source != nullptr);
    const std::uint32_t most = std::min(budget_, kRowsAtOnce);
    std::uint32_t left = most;
    const Found found = transfer.FindOnly(*source, left);
    Spend(most - left);
    if (found == Found::kLater) {
        if (left == 0) more_ = true;  // Else a device is awaited, and its answer wakes us.
        return;
    }
    ReplyOnly(transfer, found);
    Release(row);
}

void Administration::AdvanceTable(std::size_t row, std::uint64_t now_us) {
    Transfer& transfer = transfers_[row];
    RmppSender& sender = transfer.sender();
    EMBER_ASSERT(!lines_[row].is_single);
    const std::uint64_t age_us = now_us - transfer.began_us();
    if (age_us > kGraceUs && sender.acknowledged() < age_us / kSecondUs * kSlowestRate) {
        ++statistics_.transfers_lost;
        ReplyEnd(transfer.request(), RmppStatus::kTotalTimeTooLong);
        Release(row);
        return;
    }
    for (std::uint32_t i = 0; i < kSegmentsAtOnce && sender.wants_segment(); ++i) {
        if (!SendSegment(row, now_us)) return;
    }
    if (sender.wants_segment()) more_ = true;
    next_deadline_us_ = std::min(next_deadline_us_, sender.deadline_us());
}

/// True when one more segment went out and the answer is not at its end.
bool Administration::SendSegment(std::size_t row, std::uint64_t now_us) {
    Transfer& transfer = transfers_[row];
    RmppSender& sender = transfer.sender();
    const std::uint32_t number = sender.next();
    RecordSource* const source = records_.Find(transfer.query().attribute);
    EMBER_ASSERT(sender.wants_segment());
    EMBER_ASSERT(source != nullptr);
    const std::uint32_t most = std::min(budget_, kRowsAtOnce);
    std::uint32_t left = most;
    const Transfer::Made made = transfer.Make(number, *source, left);
    Spend(most - left + kSegmentCost);
    if (made == Transfer::Made::kLater) {
        if (left == 0) more_ = true;
        return false;
    }
    if (made == Transfer::Made::kDifferent) {
        ++statistics_.transfers_torn;
        ReplyEnd(transfer.request(), RmppStatus::kUnspecified);
        Release(row);
        return false;
    }
    const bool is_last = transfer.is_last();
    Envelope envelope =
        ReplyOf(transfer.request(), MakeRmppData(number, is_last, transfer.filled()));
    SaMad mad = ToSaMad(envelope.mad);
    const bool is_empty = number == 1 && transfer.filled() == 0;
    const SaAttribute answered_as = source->traits().answered_as;
    if (answered_as != SaAttribute{}) {
        mad.header.attribute_id = static_cast<AttributeId>(answered_as);
    }
    mad.attribute_offset =
        static_cast<std::uint16_t>(is_empty ? 0 : source->traits().record_octets / 8U);
    std::copy(transfer.segment().begin(), transfer.segment().end(), mad.data.begin());
    envelope.mad = ToMad(mad);
    if (port_.Send(envelope) == Status::kBusy) {
        ++statistics_.port_busy;
        next_deadline_us_ = std::min(next_deadline_us_, now_us + kPortPauseUs);
        return false;
    }
    ++statistics_.segments;
    transfer.Remember();
    sender.OnSent(is_last, now_us);
    if (number != 1 || !is_last) return true;
    // An answer in one segment is over: if it is lost, the question will be repeated.
    ++statistics_.tables;
    Release(row);
    return false;
}

void Administration::Obey(std::size_t row, RmppEvent event) {
    switch (event) {
        case RmppEvent::kNothing:
        case RmppEvent::kMoved:
            return;
        case RmppEvent::kDone:
            ++statistics_.tables;
            break;
        case RmppEvent::kEnded:
            ++statistics_.transfers_ended;
            break;
        case RmppEvent::kFailed:
            ++statistics_.transfers_lost;
            ReplyEnd(transfers_[row].request(), transfers_[row].sender().end_status());
            break;
    }
    Release(row);
}

void Administration::ReplyEnd(const Envelope& request, RmppStatus status) {
    Transmit(ReplyOf(request, MakeRmppEnd(status)));
}

}  // namespace ember
