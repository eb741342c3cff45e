// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a question to its answer.
#include <algorithm>

#include "core/administration/transactions/administration.h"
#include "core/base/assert.h"

namespace ember {
namespace {

/// The cost of a datagram beside the rows that are looked at, counted in rows.
inline constexpr std::uint32_t kDatagramCost = 100;
/// And a change: it may look through all that there is of its kind.
inline constexpr std::uint32_t kChangeCost = 2'000;

[[nodiscard]] bool Serves(const RecordSource::Traits& traits, Method method) {
    if (method == Method::kGet) return traits.get;
    if (method == Method::kGetTable) return traits.get_table;
    if (method == Method::kGetMulti) return traits.get_multi;
    if (method == Method::kSet) return traits.set;
    return method == Method::kDelete && traits.remove;
}

}  // namespace

void Administration::Respond(const SaRequest& request, std::span<const std::uint8_t> record,
                             std::uint64_t now_us) {
    EMBER_ASSERT(serves_);
    const SaMad mad = ToSaMad(request.envelope.mad);
    RecordSource* const source = records_.Find(SaAttributeOf(mad.header));
    Spend(kDatagramCost);
    if (source == nullptr) {
        ++statistics_.unknown;
        return;
    }
    if (!Serves(source->traits(), mad.header.method)) {
        ReplyStatus(request.envelope, SaStatus::kUnsupportedMethod);
        return;
    }
    // The port was known when the question came, and may have left meanwhile.
    const PortIndex requester = view_.fabric.PortByLid(request.envelope.peer);
    if (requester == kNoPortIndex) {
        ++statistics_.strangers;
        return;
    }
    const Query query{
        .method = mad.header.method,
        .attribute = SaAttributeOf(mad.header),
        .modifier = mad.header.attribute_modifier,
        .component_mask = mad.component_mask,
        .is_trusted = mad.sm_key != 0,
        .requester = requester,
        .requester_lid = request.envelope.peer,
        .requester_queue_pair = request.envelope.remote_queue_pair,
        .requester_service_level = request.envelope.service_level,
        .p_key_index = request.envelope.p_key_index,
        .record = record,
    };
    const bool changes = query.method == Method::kSet || query.method == Method::kDelete;
    if (changes) {
        Change(query, *source, request, now_us);
        return;
    }
    // A table is asked for and answered by RMPP; so is a list of ends.
    if (query.method == Method::kGetMulti && !IsRmpp(mad.rmpp)) {
        ReplyStatus(request.envelope, SaStatus::kRequestInvalid);
        return;
    }
    const SaStatus status = source->Check(query);
    if (status != SaStatus::kOk) {
        ReplyStatus(request.envelope, status);
    } else if (query.method == Method::kGet) {
        FindOne(query, *source, request, now_us);
    } else {
        BeginTransfer(query, request, now_us);
    }
}

void Administration::Change(const Query& query, RecordSource& source, const SaRequest& request,
                            std::uint64_t now_us) {
    EMBER_ASSERT(query.method == Method::kSet || query.method == Method::kDelete);
    EMBER_ASSERT(source.traits().record_octets <= kMaxRecordOctets);
    Spend(kChangeCost);
    std::array<std::uint8_t, kMaxRecordOctets> record{};
    const auto answer = std::span(record).first(source.traits().record_octets);
    const SaStatus status = source.Change(query, now_us, answer);
    if (status == SaStatus::kOk) {
        ReplyRecord(request.envelope, answer);
        return;
    }
    ReplyStatus(request.envelope, status);
    if (status != SaStatus::kRequestDenied) return;
    ++statistics_.denied;
    log_.WriteSparingly<Note::kSaDenied>(now_us, Raw(request.envelope.peer), Raw(query.attribute),
                                         statistics_.denied);
}

/// A Get is mostly answered at once; if not, it takes the place of a table.
void Administration::FindOne(const Query& query, RecordSource& source, const SaRequest& request,
                             std::uint64_t now_us) {
    EMBER_ASSERT(query.method == Method::kGet);
    scratch_.Begin(query, request.envelope, request.source, now_us);
    const std::uint32_t most = std::min(budget_, kRowsAtOnce);
    std::uint32_t left = most;
    const Found found = scratch_.FindOnly(source, left);
    Spend(most - left);
    if (found == Found::kLater) {
        BeginTransfer(query, request, now_us);
    } else {
        ReplyOnly(scratch_, found);
    }
}

void Administration::ReplyOnly(Transfer& transfer, Found found) {
    EMBER_ASSERT(found != Found::kLater);
    if (found == Found::kRecord) {
        ReplyRecord(transfer.request(), transfer.record());
    } else {
        ReplyStatus(transfer.request(),
                    transfer.many() ? SaStatus::kTooManyRecords : SaStatus::kNoRecords);
    }
}

void Administration::BeginTransfer(const Query& query, const SaRequest& request,
                                   std::uint64_t now_us) {
    if (IsBeingAnswered(request.envelope, now_us))
        return;  // The question waited in the queue beside the first.
    const std::size_t row = FindFree(request.source, now_us);
    if (row == lines_.size()) {
        log_.WriteSparingly<Note::kSaTransfersUsedUp>(now_us, active_, Raw(request.envelope.peer));
        ReplyStatus(request.envelope, SaStatus::kBusy);
        return;
    }
    EMBER_ASSERT(lines_[row].talk.lid == kNoLid);
    lines_[row] = {.talk = TalkOf(request.envelope), .is_single = query.method == Method::kGet};
    ++active_;
    EMBER_ASSERT(active_ <= lines_.size());
    ++sources_.Of(request.source).transfers;
    transfers_[row].Begin(query, request.envelope, request.source, now_us);
    transfers_[row].StartSending(view_.settings.transaction_timeout * 1000);
    Advance(row, now_us);
}

Envelope Administration::ReplyOf(const Envelope& request, const RmppHeader& rmpp) {
    const SaMad asked = ToSaMad(request.mad);
    SaMad mad{};
    mad.header = asked.header;
    mad.header.method = ResponseOf(asked.header.method);
    mad.header.status = 0;
    mad.rmpp = rmpp;
    mad.component_mask = asked.component_mask;
    return {.peer = request.peer,
            .queue_pair = request.queue_pair,
            .service_level = request.service_level,
            .p_key_index = request.p_key_index,
            .remote_queue_pair = request.remote_queue_pair,
            .mad = ToMad(mad)};
}

/// The layout behind the header of another version of the class is not known. A question gets the
/// status for it, as else its sender would ask again until its patience ends. IBA vol. 1, 13.4.7.
void Administration::RefuseVersion(const Envelope& envelope, std::uint64_t now_us) {
    ++statistics_.questions;
    ++statistics_.malformed;
    SourceIndex source = kNoSource;
    if (Meet(envelope, now_us, source)) ReplyStatus(envelope, SaStatus::kBadVersion);
}

void Administration::ReplyStatus(const Envelope& request, SaStatus status) {
    EMBER_ASSERT(status != SaStatus::kOk);
    Envelope reply = ReplyOf(request, {});
    SaMad mad = ToSaMad(reply.mad);
    mad.header.status = static_cast<std::uint16_t>(status);
    mad.data = ToSaMad(request.mad).data;  // The client sees the record that was refused.
    reply.mad = ToMad(mad);
    ++statistics_.answers;
    ++(status == SaStatus::kBusy ? statistics_.busy : statistics_.refused);
    Transmit(reply);
}

void Administration::ReplyRecord(const Envelope& request, std::span<const std::uint8_t> record) {
    EMBER_ASSERT(record.size() <= kSaDataOctets);
    Envelope reply = ReplyOf(request, {});
    SaMad mad = ToSaMad(reply.mad);
    mad.attribute_offset = static_cast<std::uint16_t>(record.size() / 8);
    std::copy(record.begin(), record.end(), mad.data.begin());
    reply.mad = ToMad(mad);
    ++statistics_.answers;
    Transmit(reply);
}

/// At most one reply waits for a full port, as no question is answered meanwhile. Other datagrams
/// (BUSY, acknowledgements) are lost then: the client repeats its question.
void Administration::Transmit(const Envelope& envelope) {
    if (holds_reply_) return;
    if (port_.Send(envelope) != Status::kBusy) return;
    ++statistics_.port_busy;
    reply_ = envelope;
    holds_reply_ = true;
}

}  // namespace ember
