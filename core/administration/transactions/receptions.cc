// SPDX-License-Identifier: Apache-2.0
// EmberSM: questions that come in several segments.
#include "core/administration/transactions/receptions.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/time.h"

namespace ember {
namespace {

/// A question in segments is forgotten after this time without a segment.
inline constexpr std::uint64_t kReceptionUs = 4 * kSecondUs;

}  // namespace

/// The reception of this conversation, else a free one, else the one that was silent for longest.
/// nullptr: all hold whole questions that wait to be answered.
SaReception* SaReceptions::PlaceFor(const Envelope& envelope, std::uint64_t now_us) {
    EMBER_ASSERT(envelope.peer != kNoLid);
    const SaTalk talk = TalkOf(envelope);
    SaReception* place = nullptr;
    for (SaReception& reception : rows_) {
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

const SaReception* SaReceptions::Take(const Envelope& envelope, SourceIndex source,
                                      std::uint64_t now_us) {
    const SaMad mad = ToSaMad(envelope.mad);
    SaReception* const place = PlaceFor(envelope, now_us);
    if (place == nullptr) {
        replies_.SendStatus(envelope, SaStatus::kBusy);
        return nullptr;
    }
    SaReception& reception = *place;
    if (reception.is_whole) {
        ++statistics_.duplicates;
        return nullptr;
    }
    if (reception.talk.lid == kNoLid) {
        // A later segment is of no use: the first one was forgotten, or never received.
        if (std::uint32_t{mad.rmpp.segment} > 1) return nullptr;
        reception.talk = TalkOf(envelope);
        reception.source = source;
        reception.receiver = RmppReceiver(kMaxRequestSegments);
        reception.first = envelope;
        reception.octets = 0;
    }
    reception.heard_us = now_us;
    const RmppReceiver::Verdict verdict = reception.receiver.OnData(mad.rmpp);
    if (verdict.event == RmppEvent::kFailed) {
        replies_.SendEnd(envelope, reception.receiver.end_status());
        reception.talk = SaTalk{};
        return nullptr;
    }
    EMBER_ASSERT(reception.octets + verdict.octets <= reception.question.size());
    std::copy_n(mad.data.begin(), verdict.octets,
                reception.question.begin() + static_cast<std::ptrdiff_t>(reception.octets));
    reception.octets += verdict.octets;
    if (verdict.acknowledge) {
        replies_.Send(SaReplies::Of(envelope, MakeRmppAck(reception.receiver.received(),
                                                          reception.receiver.window_last())));
    }
    if (verdict.event != RmppEvent::kDone) return nullptr;
    EMBER_ASSERT(!reception.is_whole);
    if (std::uint32_t{ToSaMad(reception.first.mad).rmpp.segment} == reception.receiver.received()) {
        reception.talk = SaTalk{};
        return &reception;
    }
    EMBER_ASSERT(whole_ < rows_.size());
    reception.is_whole = true;
    ++whole_;
    return nullptr;
}

const SaReception* SaReceptions::Next() {
    if (whole_ == 0) return nullptr;
    for (SaReception& reception : rows_) {
        if (!reception.is_whole) continue;
        --whole_;
        reception.is_whole = false;
        reception.talk = SaTalk{};
        EMBER_ASSERT(reception.octets <= reception.question.size());
        return &reception;
    }
    EMBER_ASSERT(false);
    return nullptr;
}

void SaReceptions::Clear() {
    for (SaReception& reception : rows_) {
        reception.talk = SaTalk{};
        reception.is_whole = false;
    }
    whole_ = 0;
}

}  // namespace ember
