// SPDX-License-Identifier: Apache-2.0
// EmberSM: the questions that the subnet administrator receives, their order, and their answers.
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

Administration::Administration(const Memory& memory, const Parts& parts)
    : requests_(memory.requests),
      sources_(memory.sources),
      log_(parts.log),
      view_(parts.view),
      records_(parts.records),
      replies_(parts.port, statistics_),
      receptions_(memory.receptions, replies_, statistics_),
      transfers_(memory.transfers, {parts.port, parts.log, parts.view, parts.records, sources_,
                                    replies_, statistics_}) {
    EMBER_ASSERT(requests_.capacity() != 0);
    EMBER_ASSERT(!memory.receptions.empty());
}

void Administration::Serve(bool serves) {
    if (serves == serves_) return;
    serves_ = serves;
    if (serves) return;
    while (!requests_.empty()) {
        static_cast<void>(PopRequest());
    }
    transfers_.Clear();
    receptions_.Clear();
    replies_.ForgetHeld();
    reply_due_us_ = kNever;
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
        transfers_.Hear(envelope, now_us);
        return true;
    }
    if (!Asks(mad.header.method)) return false;
    ++statistics_.questions;
    SourceIndex source = kNoSource;
    if (!Admit(envelope, now_us, source)) return true;
    if (transfers_.Answers(envelope, now_us)) return true;
    if (!is_rmpp) {
        Enqueue(envelope, source, now_us);
        return true;
    }
    // Most are one segment long, and need no place to be put together.
    const SaReception* const whole = receptions_.Take(envelope, source, now_us);
    if (whole != nullptr) Enqueue(whole->first, whole->source, now_us);
    return true;
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
        replies_.SendStatus(envelope, SaStatus::kBusy);
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

bool Administration::Step(std::uint64_t now_us) {
    if (!serves_) return false;
    budget_ = {.rows = kBudget};
    reply_due_us_ = kNever;
    replies_.SendHeld();
    transfers_.Expire(now_us);
    AnswerSegmented(now_us);
    AnswerSome(now_us);
    transfers_.Advance(now_us, budget_);
    if (!replies_.is_held()) return budget_.more || !requests_.empty() || receptions_.waits() != 0;
    reply_due_us_ = now_us + kPortPauseUs;
    return false;
}

/// False while the port is full: there is no place for a further reply.
bool Administration::MayAnswer() const {
    return !replies_.is_held() && budget_.rows > kTablesShare;
}

bool Administration::IsStale(std::uint64_t arrived_us, std::uint64_t now_us) const {
    const std::uint64_t patience_us = view_.settings.max_msg_fifo_timeout * kMillisecondUs;
    return patience_us != 0 && now_us - arrived_us > patience_us;
}

void Administration::AnswerSegmented(std::uint64_t now_us) {
    while (MayAnswer()) {
        const SaReception* const reception = receptions_.Next();
        if (reception == nullptr) return;
        if (IsStale(reception->heard_us, now_us)) {
            ++statistics_.stale;
            continue;
        }
        const SaRequest request{reception->first, reception->heard_us, reception->source};
        Respond(request,
                std::span<const std::uint8_t>(reception->question).first(reception->octets),
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

/// The layout behind the header of another version of the class is not known. A question gets the
/// status for it, as else its sender would ask again until its patience ends. IBA vol. 1, 13.4.7.
void Administration::RefuseVersion(const Envelope& envelope, std::uint64_t now_us) {
    ++statistics_.questions;
    ++statistics_.malformed;
    SourceIndex source = kNoSource;
    if (Meet(envelope, now_us, source)) replies_.SendStatus(envelope, SaStatus::kBadVersion);
}

void Administration::Respond(const SaRequest& request, std::span<const std::uint8_t> record,
                             std::uint64_t now_us) {
    EMBER_ASSERT(serves_);
    const SaMad mad = ToSaMad(request.envelope.mad);
    RecordSource* const source = records_.Find(SaAttributeOf(mad.header));
    budget_.Spend(kDatagramCost);
    if (source == nullptr) {
        ++statistics_.unknown;
        return;
    }
    if (!Serves(source->traits(), mad.header.method)) {
        replies_.SendStatus(request.envelope, SaStatus::kUnsupportedMethod);
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
        replies_.SendStatus(request.envelope, SaStatus::kRequestInvalid);
        return;
    }
    const SaStatus status = source->Check(query);
    if (status != SaStatus::kOk) {
        replies_.SendStatus(request.envelope, status);
    } else if (query.method == Method::kGet) {
        FindOne(query, *source, request, now_us);
    } else {
        transfers_.Begin(query, request, now_us, budget_);
    }
}

void Administration::Change(const Query& query, RecordSource& source, const SaRequest& request,
                            std::uint64_t now_us) {
    EMBER_ASSERT(query.method == Method::kSet || query.method == Method::kDelete);
    EMBER_ASSERT(source.traits().record_octets <= kMaxRecordOctets);
    budget_.Spend(kChangeCost);
    std::array<std::uint8_t, kMaxRecordOctets> record{};
    const auto answer = std::span(record).first(source.traits().record_octets);
    const SaStatus status = source.Change(query, now_us, answer);
    if (status == SaStatus::kOk) {
        replies_.SendRecord(request.envelope, answer);
        return;
    }
    replies_.SendStatus(request.envelope, status);
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
    const std::uint32_t most = budget_.share();
    std::uint32_t left = most;
    const Found found = scratch_.FindOnly(source, left);
    budget_.Spend(most - left);
    if (found == Found::kLater) {
        transfers_.Begin(query, request, now_us, budget_);
    } else {
        replies_.SendFound(scratch_, found);
    }
}

}  // namespace ember
