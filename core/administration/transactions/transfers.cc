// SPDX-License-Identifier: Apache-2.0
// EmberSM: answers of the subnet administrator that are under way.
#include "core/administration/transactions/transfers.h"

#include <algorithm>

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

/// Whether `mad` asks what `first` did, the only or the first segment of a question of the same
/// name. Of its further segments only the header can be compared.
[[nodiscard]] bool Repeats(const SaMad& mad, const SaMad& first) {
    if (mad.header.method != first.header.method ||
        mad.header.attribute_id != AttributeId{first.header.attribute_id} ||
        mad.header.attribute_modifier != first.header.attribute_modifier) {
        return false;
    }
    if (IsRmpp(mad.rmpp) && std::uint32_t{mad.rmpp.segment} > 1) return true;
    return mad.component_mask == first.component_mask && mad.sm_key == first.sm_key &&
           mad.data == first.data;
}

}  // namespace

SaTransfers::SaTransfers(const Memory& memory, const Parts& parts)
    : transfers_(memory.transfers),
      lines_(memory.lines),
      port_(parts.port),
      log_(parts.log),
      view_(parts.view),
      records_(parts.records),
      sources_(parts.sources),
      replies_(parts.replies),
      statistics_(parts.statistics) {
    EMBER_ASSERT(transfers_.size() == lines_.size());
}

void SaTransfers::Clear() {
    for (std::size_t row = 0; row < lines_.size(); ++row) {
        if (lines_[row].talk.lid != kNoLid) Release(row);
    }
    EMBER_ASSERT(active_ == 0);
    next_deadline_us_ = kNever;
}

std::size_t SaTransfers::FindTalk(const SaTalk& talk) const {
    // Free lines have no LID.
    if (active_ == 0 || talk.lid == kNoLid) return lines_.size();
    const auto* const found = std::find_if(lines_.data(), lines_.data() + lines_.size(),
                                           [&](const Line& line) { return line.talk == talk; });
    return static_cast<std::size_t>(found - lines_.data());
}

/// While half of the rows are free a source may take half of all; then one in eight. The last ones
/// are for those that have none yet: a few that never acknowledge cannot take them all.
bool SaTransfers::HasShare(const SaSource& source) const {
    EMBER_ASSERT(active_ <= lines_.size());
    if (source.transfers == 0) return true;
    const std::size_t rows = lines_.size();
    if (rows - active_ <= std::max<std::size_t>(rows / kFirstsShare, 1)) return false;
    return source.transfers < (IsCrowded(active_, rows) ? ShareOf(rows) : rows / 2);
}

/// The answer whose receiver has been silent for longest, if that is long enough, of those of which
/// `is_meant(SourceIndex)`; lines_.size(): there is none.
template <typename IsMeant>
std::size_t SaTransfers::Quietest(std::uint64_t now_us, IsMeant is_meant) {
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
std::size_t SaTransfers::FindFree(SourceIndex source, std::uint64_t now_us) {
    const bool has_share = HasShare(sources_.Of(source));
    if (!has_share || active_ == lines_.size()) {
        const std::size_t quietest =
            Quietest(now_us, [&](SourceIndex other) { return has_share || other == source; });
        if (quietest == lines_.size()) return quietest;
        ++statistics_.transfers_lost;
        replies_.SendEnd(transfers_[quietest].request(), RmppStatus::kTooManyRetries);
        Release(quietest);
        return quietest;
    }
    return static_cast<std::size_t>(
        std::find_if(lines_.begin(), lines_.end(),
                     [](const Line& line) { return line.talk.lid == kNoLid; }) -
        lines_.begin());
}

void SaTransfers::Release(std::size_t row) {
    EMBER_ASSERT(row < lines_.size());
    EMBER_ASSERT(lines_[row].talk.lid != kNoLid && active_ != 0);
    SaSource& source = sources_.Of(transfers_[row].source());
    EMBER_ASSERT(source.transfers != 0);
    --source.transfers;
    lines_[row] = Line{};
    --active_;
}

void SaTransfers::AdvanceRow(std::size_t row, std::uint64_t now_us, SaBudget& budget) {
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
        AdvanceSingle(row, budget);
    } else {
        AdvanceTable(row, now_us, budget);
    }
}

void SaTransfers::AdvanceSingle(std::size_t row, SaBudget& budget) {
    Transfer& transfer = transfers_[row];
    RecordSource* const source = records_.Find(transfer.query().attribute);
    EMBER_ASSERT(lines_[row].is_single);
    EMBER_ASSERT(source != nullptr);
    const std::uint32_t most = budget.share();
    std::uint32_t left = most;
    const Found found = transfer.FindOnly(*source, left);
    budget.Spend(most - left);
    if (found == Found::kLater) {
        if (left == 0) budget.more = true;  // Else a device is awaited, and its answer wakes us.
        return;
    }
    replies_.SendFound(transfer, found);
    Release(row);
}

void SaTransfers::AdvanceTable(std::size_t row, std::uint64_t now_us, SaBudget& budget) {
    Transfer& transfer = transfers_[row];
    RmppSender& sender = transfer.sender();
    EMBER_ASSERT(!lines_[row].is_single);
    const std::uint64_t age_us = now_us - transfer.began_us();
    if (age_us > kGraceUs && sender.acknowledged() < age_us / kSecondUs * kSlowestRate) {
        ++statistics_.transfers_lost;
        replies_.SendEnd(transfer.request(), RmppStatus::kTotalTimeTooLong);
        Release(row);
        return;
    }
    for (std::uint32_t i = 0; i < kSegmentsAtOnce && sender.wants_segment(); ++i) {
        if (!SendSegment(row, now_us, budget)) return;
    }
    if (sender.wants_segment()) budget.more = true;
    next_deadline_us_ = std::min(next_deadline_us_, sender.deadline_us());
}

/// True when one more segment went out and the answer is not at its end.
bool SaTransfers::SendSegment(std::size_t row, std::uint64_t now_us, SaBudget& budget) {
    Transfer& transfer = transfers_[row];
    RmppSender& sender = transfer.sender();
    const std::uint32_t number = sender.next();
    RecordSource* const source = records_.Find(transfer.query().attribute);
    EMBER_ASSERT(sender.wants_segment());
    EMBER_ASSERT(source != nullptr);
    const std::uint32_t most = budget.share();
    std::uint32_t left = most;
    const Transfer::Made made = transfer.Make(number, *source, left);
    budget.Spend(most - left + kSegmentCost);
    if (made == Transfer::Made::kLater) {
        if (left == 0) budget.more = true;
        return false;
    }
    if (made == Transfer::Made::kDifferent) {
        ++statistics_.transfers_torn;
        replies_.SendEnd(transfer.request(), RmppStatus::kUnspecified);
        Release(row);
        return false;
    }
    const bool is_last = transfer.is_last();
    Envelope envelope =
        SaReplies::Of(transfer.request(), MakeRmppData(number, is_last, transfer.filled()));
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

void SaTransfers::Obey(std::size_t row, RmppEvent event) {
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
            replies_.SendEnd(transfers_[row].request(), transfers_[row].sender().end_status());
            break;
    }
    Release(row);
}

/// True: the question repeats that of an answer under way, and is dropped. Another question under
/// the same name comes from a client that has given the answer up: a program that ended, was
/// started again and counts its transactions from one. The transfer ends then, without a datagram
/// that the client could take for its new answer. The transfer also ends, and is begun anew from
/// segment 1, when the same question comes after the client was silent for transaction_timeout: the
/// client has lost the earlier segments.
bool SaTransfers::Answers(const Envelope& envelope, std::uint64_t now_us) {
    const std::size_t row = FindTalk(TalkOf(envelope));
    if (row == lines_.size()) return false;
    Transfer& transfer = transfers_[row];
    const std::uint64_t patience_us = view_.settings.transaction_timeout * kMillisecondUs;
    const bool is_heard = lines_[row].is_single || transfer.sender().wants_segment() ||
                          now_us - transfer.heard_us() <= patience_us;
    if (is_heard && Repeats(ToSaMad(envelope.mad), ToSaMad(transfer.request().mad))) {
        ++statistics_.duplicates;
        return true;
    }
    ++statistics_.transfers_ended;
    Release(row);
    return false;
}

/// True when a header has the method of the question, and its attribute or that of the answer,
/// whose records may be of another attribute: most receivers send back the header that they got.
/// Only such a datagram moves the answer.
bool SaTransfers::IsInNameOf(const MadHeader& header, const Transfer& transfer) const {
    const MadHeader& asked = transfer.request().mad.header;
    if (header.method != asked.method) return false;
    const AttributeId attribute{header.attribute_id};
    if (attribute == asked.attribute_id) return true;
    EMBER_ASSERT(records_.Find(transfer.query().attribute) != nullptr);
    const SaAttribute answered_as = records_.Find(transfer.query().attribute)->traits().answered_as;
    return answered_as != SaAttribute{} && attribute == static_cast<AttributeId>(answered_as);
}

void SaTransfers::Hear(const Envelope& envelope, std::uint64_t now_us) {
    const std::size_t row = FindTalk(TalkOf(envelope));
    // The ACK of an answer in one segment, or of one that has ended: it changes nothing.
    if (row == lines_.size() || lines_[row].is_single) return;
    Transfer& transfer = transfers_[row];
    if (!IsInNameOf(envelope.mad.header, transfer)) return;
    const std::uint32_t before = transfer.sender().acknowledged();
    const RmppEvent event = transfer.sender().OnHeard(ToSaMad(envelope.mad).rmpp, now_us);
    if (transfer.sender().acknowledged() != before) transfer.NoteHeard(now_us);
    Obey(row, event);
    next_deadline_us_ = std::min(next_deadline_us_, transfer.sender().deadline_us());
}

void SaTransfers::Begin(const Query& query, const SaRequest& request, std::uint64_t now_us,
                        SaBudget& budget) {
    if (Answers(request.envelope, now_us)) return;  // It waited in the queue beside the first.
    const std::size_t row = FindFree(request.source, now_us);
    if (row == lines_.size()) {
        log_.WriteSparingly<Note::kSaTransfersUsedUp>(now_us, active_, Raw(request.envelope.peer));
        replies_.SendStatus(request.envelope, SaStatus::kBusy);
        return;
    }
    EMBER_ASSERT(lines_[row].talk.lid == kNoLid);
    lines_[row] = {.talk = TalkOf(request.envelope), .is_single = query.method == Method::kGet};
    ++active_;
    EMBER_ASSERT(active_ <= lines_.size());
    ++sources_.Of(request.source).transfers;
    transfers_[row].Begin(query, request.envelope, request.source, now_us);
    transfers_[row].StartSending(view_.settings.transaction_timeout * 1000);
    AdvanceRow(row, now_us, budget);
}

void SaTransfers::Advance(std::uint64_t now_us, SaBudget& budget) {
    EMBER_ASSERT(active_ <= lines_.size());
    if (active_ == 0) return;
    const std::size_t rows = lines_.size();
    turn_ = (turn_ + 1) % rows;
    for (std::size_t i = 0; i < rows && !replies_.is_held(); ++i) {
        const std::size_t row = (turn_ + i) % rows;
        if (lines_[row].talk.lid == kNoLid) continue;
        if (budget.rows == 0) {
            budget.more = true;
            return;
        }
        AdvanceRow(row, now_us, budget);
    }
}

void SaTransfers::Expire(std::uint64_t now_us) {
    if (now_us < next_deadline_us_) return;
    next_deadline_us_ = kNever;
    for (std::size_t row = 0; row < lines_.size(); ++row) {
        if (lines_[row].talk.lid == kNoLid || lines_[row].is_single) continue;
        RmppSender& sender = transfers_[row].sender();
        Obey(row, sender.OnTime(now_us));
        if (lines_[row].talk.lid == kNoLid) continue;
        next_deadline_us_ = std::min(next_deadline_us_, sender.deadline_us());
    }
}

}  // namespace ember
