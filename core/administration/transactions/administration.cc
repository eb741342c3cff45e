// SPDX-License-Identifier: Apache-2.0
// EmberSM: the questions that the subnet administrator receives, and their order.
#include "core/administration/transactions/administration.h"

#include <algorithm>

#include "core/administration/query/authority.h"
#include "core/base/assert.h"
#include "core/fabric/shares.h"

namespace ember {
namespace {

/// Work of one step, in rows looked at: about a millisecond.
inline constexpr std::uint32_t kBudget = 100'000;
/// The part of it that questions may take: the rest is for tables under way.
inline constexpr std::uint32_t kTablesShare = kBudget / 2;
/// A question in segments is forgotten after this time without a segment.
inline constexpr std::uint64_t kReceptionUs = 4 * kSecondUs;

[[nodiscard]] bool Asks(Method method) {
    switch (method) {
        case Method::kGet:
        case Method::kSet:
        case Method::kGetTable:
        case Method::kGetMulti:
        case Method::kDelete:
            return true;
        case Method::kSend:
        case Method::kTrap:
        case Method::kReport:
        case Method::kTrapRepress:
        case Method::kGetTraceTable:
        case Method::kGetResp:
        case Method::kReportResp:
        case Method::kGetTableResp:
        case Method::kGetMultiResp:
        case Method::kDeleteResp:
            break;
    }
    return false;
}

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

Administration::Administration(const Memory& memory, const Parts& parts)
    : requests_(memory.requests),
      transfers_(memory.transfers),
      lines_(memory.lines),
      receptions_(memory.receptions),
      sources_(memory.sources),
      port_(parts.port),
      log_(parts.log),
      view_(parts.view),
      records_(parts.records) {
    EMBER_ASSERT(requests_.capacity() != 0);
    EMBER_ASSERT(transfers_.size() == lines_.size() && !receptions_.empty());
}

void Administration::Serve(bool serves) {
    if (serves == serves_) return;
    serves_ = serves;
    if (serves) return;
    while (!requests_.empty()) {
        static_cast<void>(PopRequest());
    }
    for (std::size_t row = 0; row < lines_.size(); ++row) {
        if (lines_[row].talk.lid != kNoLid) Release(row);
    }
    for (SaReception& reception : receptions_) {
        reception.talk = SaTalk{};
        reception.is_whole = false;
    }
    EMBER_ASSERT(active_ == 0);
    EMBER_ASSERT(requests_.empty());
    whole_ = 0;
    holds_reply_ = false;
    next_deadline_us_ = kNever;
}

bool Administration::Take(const Envelope& envelope, std::uint64_t now_us) {
    const MadHeader& header = envelope.mad.header;
    if (header.base_version != kBaseVersion || header.class_version != kSubnAdmClassVersion) {
        if (Asks(header.method)) RefuseVersion(envelope, now_us);
        return Asks(header.method);
    }
    const SaMad mad = ToSaMad(envelope.mad);
    const bool is_rmpp = IsRmpp(mad.rmpp);
    if (is_rmpp && RmppTypeOf(mad.rmpp) != RmppType::kData) {
        TakeConversation(envelope, now_us);
        return true;
    }
    if (!Asks(mad.header.method)) return false;
    ++statistics_.questions;
    SourceIndex source = kNoSource;
    if (!Admit(envelope, now_us, source)) return true;
    if (IsBeingAnswered(envelope, now_us)) return true;
    if (is_rmpp) {
        TakeSegment(envelope, source, now_us);
    } else {
        Enqueue(envelope, source, now_us);
    }
    return true;
}

/// True: the question repeats that of an answer under way, and is dropped. Another question under
/// the same name comes from a client that has given the answer up: a program that ended, was
/// started again and counts its transactions from one. The transfer ends then, without a datagram
/// that the client could take for its new answer. The transfer also ends, and is begun anew from
/// segment 1, when the same question comes after the client was silent for transaction_timeout: the
/// client has lost the earlier segments.
bool Administration::IsBeingAnswered(const Envelope& envelope, std::uint64_t now_us) {
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
bool Administration::IsInNameOf(const MadHeader& header, const Transfer& transfer) const {
    const MadHeader& asked = transfer.request().mad.header;
    if (header.method != asked.method) return false;
    const AttributeId attribute{header.attribute_id};
    if (attribute == asked.attribute_id) return true;
    EMBER_ASSERT(records_.Find(transfer.query().attribute) != nullptr);
    const SaAttribute answered_as = records_.Find(transfer.query().attribute)->traits().answered_as;
    return answered_as != SaAttribute{} && attribute == static_cast<AttributeId>(answered_as);
}

/// ACK, STOP or ABORT of a table under way.
void Administration::TakeConversation(const Envelope& envelope, std::uint64_t now_us) {
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

/// Whether a datagram comes from an end port of the subnet that may ask now.
bool Administration::Meet(const Envelope& envelope, std::uint64_t now_us, SourceIndex& source) {
    if (!serves_) {
        ++statistics_.closed;
        return false;
    }
    const PortIndex requester = view_.fabric.PortByLid(envelope.peer);
    if (requester == kNoPortIndex) {
        ++statistics_.strangers;
        return false;
    }
    source = sources_.Meet(view_.fabric.port(requester).lid, now_us);
    if (!sources_.MayAsk(source, view_.settings.sa_max_requests_per_source, now_us)) {
        ++statistics_.turned_away;
        return false;
    }
    return true;
}

/// Whether a question is heard at all: costs no more than a look at each of a few tables.
bool Administration::Admit(const Envelope& envelope, std::uint64_t now_us, SourceIndex& source) {
    if (!Meet(envelope, now_us, source)) return false;
    const PortIndex requester = view_.fabric.PortByLid(envelope.peer);
    const std::uint64_t sm_key = ToSaMad(envelope.mad).sm_key;
    if (sm_key == 0) return HasPKey(envelope, requester, now_us);
    if (sm_key == view_.settings.sa_key) return true;
    ++statistics_.wrong_keys;
    ++sources_.Of(source).wrong_keys;
    log_.WriteSparingly<Note::kSaKeyWrong>(now_us, Raw(envelope.peer), statistics_.wrong_keys);
    return false;
}

/// Whether a question that is not trusted came with a P_Key by which its sender may ask us.
bool Administration::HasPKey(const Envelope& envelope, PortIndex requester, std::uint64_t now_us) {
    if (MayAsk(view_, requester, envelope.p_key_index)) return true;
    ++statistics_.wrong_p_keys;
    log_.WriteSparingly<Note::kSaPKeyWrong>(now_us, Raw(envelope.peer), envelope.p_key_index,
                                            statistics_.wrong_p_keys);
    return false;
}

void Administration::Enqueue(const Envelope& envelope, SourceIndex source, std::uint64_t now_us) {
    EMBER_ASSERT(serves_);
    SaSource& row = sources_.Of(source);
    const bool is_crowded = IsCrowded(requests_.size(), requests_.capacity());
    if (is_crowded && row.waiting >= ShareOf(requests_.capacity())) {
        ++row.turned_away;
        ++statistics_.turned_away;
        log_.WriteSparingly<Note::kSaShareUsedUp>(now_us, Raw(envelope.peer), row.turned_away);
        return;
    }
    if (requests_.Push({envelope, now_us, source}) != Status::kOk) {
        ReplyStatus(envelope, SaStatus::kBusy);
        return;
    }
    ++row.waiting;
}

/// Takes the question that waits for longest from the queue.
SaRequest Administration::PopRequest() {
    const SaRequest request = requests_.Pop();
    SaSource& source = sources_.Of(request.source);
    EMBER_ASSERT(source.waiting != 0);
    --source.waiting;
    return request;
}

/// The reception of this conversation, else a free one, else the one that was silent for longest.
/// nullptr: all hold whole questions that wait to be answered.
SaReception* Administration::ReceptionFor(const Envelope& envelope, std::uint64_t now_us) {
    EMBER_ASSERT(envelope.peer != kNoLid);
    const SaTalk talk = TalkOf(envelope);
    SaReception* place = nullptr;
    for (SaReception& reception : receptions_) {
        const bool is_over = now_us - reception.heard_us > kReceptionUs;
        if (is_over && !reception.is_whole) reception.talk = SaTalk{};
        if (reception.talk == talk) return &reception;
        if (reception.is_whole) continue;
        if (place == nullptr || reception.talk.lid == kNoLid ||
            (place->talk.lid != kNoLid && reception.heard_us < place->heard_us)) {
            place = &reception;
        }
    }
    if (place != nullptr) place->talk = SaTalk{};
    return place;
}

/// A question by RMPP. Most are one segment long, and need no place to be put together.
void Administration::TakeSegment(const Envelope& envelope, SourceIndex source,
                                 std::uint64_t now_us) {
    const SaMad mad = ToSaMad(envelope.mad);
    SaReception* const place = ReceptionFor(envelope, now_us);
    if (place == nullptr) {
        ReplyStatus(envelope, SaStatus::kBusy);
        return;
    }
    SaReception& reception = *place;
    if (reception.is_whole) {
        ++statistics_.duplicates;
        return;
    }
    if (reception.talk.lid == kNoLid) {
        // A later segment is of no use: the first one was forgotten, or never received.
        if (std::uint32_t{mad.rmpp.segment} > 1) return;
        reception.talk = TalkOf(envelope);
        reception.source = source;
        reception.receiver = RmppReceiver(kMaxRequestSegments);
        reception.first = envelope;
        reception.octets = 0;
    }
    reception.heard_us = now_us;
    const RmppReceiver::Verdict verdict = reception.receiver.OnData(mad.rmpp);
    if (verdict.event == RmppEvent::kFailed) {
        ReplyEnd(envelope, reception.receiver.end_status());
        reception.talk = SaTalk{};
        return;
    }
    EMBER_ASSERT(reception.octets + verdict.octets <= reception.question.size());
    std::copy_n(mad.data.begin(), verdict.octets,
                reception.question.begin() + static_cast<std::ptrdiff_t>(reception.octets));
    reception.octets += verdict.octets;
    if (verdict.acknowledge) {
        Transmit(ReplyOf(envelope, MakeRmppAck(reception.receiver.received(),
                                               reception.receiver.window_last())));
    }
    if (verdict.event == RmppEvent::kDone) EndReception(reception, now_us);
}

/// A question is whole. A question of one segment waits in the queue, a longer one in its
/// reception.
void Administration::EndReception(SaReception& reception, std::uint64_t now_us) {
    EMBER_ASSERT(!reception.is_whole);
    if (std::uint32_t{ToSaMad(reception.first.mad).rmpp.segment} == reception.receiver.received()) {
        reception.talk = SaTalk{};
        Enqueue(reception.first, reception.source, now_us);
        return;
    }
    EMBER_ASSERT(whole_ < receptions_.size());
    reception.is_whole = true;
    ++whole_;
}

bool Administration::Step(std::uint64_t now_us) {
    if (!serves_) return false;
    more_ = false;
    budget_ = kBudget;
    if (holds_reply_) {
        holds_reply_ = false;
        Transmit(reply_);
    }
    LookAtClock(now_us);
    AnswerSegmented(now_us);
    AnswerSome(now_us);
    AdvanceTransfers(now_us);
    if (!requests_.empty() || whole_ != 0) more_ = true;
    if (!holds_reply_) return more_;
    next_deadline_us_ = std::min(next_deadline_us_, now_us + kPortPauseUs);
    return false;
}

/// False while the port is full: there is no place for a further reply.
bool Administration::MayAnswer() const {
    return !holds_reply_ && budget_ > kTablesShare;
}

bool Administration::IsStale(std::uint64_t arrived_us, std::uint64_t now_us) const {
    const std::uint64_t patience_us = view_.settings.max_msg_fifo_timeout * kMillisecondUs;
    return patience_us != 0 && now_us - arrived_us > patience_us;
}

/// Answers questions of several segments. There are few receptions.
void Administration::AnswerSegmented(std::uint64_t now_us) {
    for (SaReception& reception : receptions_) {
        if (whole_ == 0 || !MayAnswer()) return;
        if (!reception.is_whole) continue;
        --whole_;
        reception.is_whole = false;
        reception.talk = SaTalk{};
        if (IsStale(reception.heard_us, now_us)) {
            ++statistics_.stale;
            continue;
        }
        EMBER_ASSERT(reception.octets <= reception.question.size());
        const SaRequest request{reception.first, reception.heard_us, reception.source};
        Respond(request, std::span<const std::uint8_t>(reception.question).first(reception.octets),
                now_us);
    }
}

void Administration::AnswerSome(std::uint64_t now_us) {
    while (!requests_.empty() && MayAnswer()) {
        const SaRequest request = PopRequest();
        if (IsStale(request.arrived_us, now_us)) {
            ++statistics_.stale;
            continue;
        }
        const SaMad mad = ToSaMad(request.envelope.mad);
        const std::size_t octets = IsRmpp(mad.rmpp) ? LastOctetsOf(mad.rmpp) : mad.data.size();
        Respond(request, std::span<const std::uint8_t>(mad.data).first(octets), now_us);
    }
}

/// All transfers in turn, another one first each time.
void Administration::AdvanceTransfers(std::uint64_t now_us) {
    EMBER_ASSERT(active_ <= lines_.size());
    if (active_ == 0) return;
    const std::size_t rows = lines_.size();
    turn_ = (turn_ + 1) % rows;
    for (std::size_t i = 0; i < rows && !holds_reply_; ++i) {
        const std::size_t row = (turn_ + i) % rows;
        if (lines_[row].talk.lid == kNoLid) continue;
        if (budget_ == 0) {
            more_ = true;
            return;
        }
        Advance(row, now_us);
    }
}

void Administration::LookAtClock(std::uint64_t now_us) {
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
