// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams that the subnet administrator sends back.
#include "core/administration/transactions/replies.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

Envelope SaReplies::Of(const Envelope& request, const RmppHeader& rmpp) {
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

void SaReplies::SendStatus(const Envelope& request, SaStatus status) {
    EMBER_ASSERT(status != SaStatus::kOk);
    Envelope reply = Of(request, {});
    SaMad mad = ToSaMad(reply.mad);
    mad.header.status = static_cast<std::uint16_t>(status);
    mad.data = ToSaMad(request.mad).data;  // The client sees the record that was refused.
    reply.mad = ToMad(mad);
    ++statistics_.answers;
    ++(status == SaStatus::kBusy ? statistics_.busy : statistics_.refused);
    Send(reply);
}

void SaReplies::SendRecord(const Envelope& request, std::span<const std::uint8_t> record) {
    EMBER_ASSERT(record.size() <= kSaDataOctets);
    Envelope reply = Of(request, {});
    SaMad mad = ToSaMad(reply.mad);
    mad.attribute_offset = static_cast<std::uint16_t>(record.size() / 8);
    std::copy(record.begin(), record.end(), mad.data.begin());
    reply.mad = ToMad(mad);
    ++statistics_.answers;
    Send(reply);
}

void SaReplies::SendFound(const Transfer& transfer, Found found) {
    EMBER_ASSERT(found != Found::kLater);
    if (found == Found::kRecord) {
        SendRecord(transfer.request(), transfer.record());
    } else {
        SendStatus(transfer.request(),
                   transfer.many() ? SaStatus::kTooManyRecords : SaStatus::kNoRecords);
    }
}

void SaReplies::SendEnd(const Envelope& request, RmppStatus status) {
    Send(Of(request, MakeRmppEnd(status)));
}

void SaReplies::Send(const Envelope& envelope) {
    if (is_held_) return;
    if (port_.Send(envelope) != Status::kBusy) return;
    ++statistics_.port_busy;
    held_ = envelope;
    is_held_ = true;
}

void SaReplies::SendHeld() {
    if (!is_held_) return;
    is_held_ = false;
    Send(held_);
}

}  // namespace ember
