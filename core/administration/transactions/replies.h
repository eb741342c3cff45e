// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams that the subnet administrator sends back.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/query.h"
#include "core/administration/transactions/statistics.h"
#include "core/administration/transactions/transfer.h"
#include "core/platform.h"
#include "core/wire/rmpp.h"

namespace ember {

/// Sends replies. At most one waits for a full port, as no question is answered meanwhile; other
/// datagrams (BUSY, acknowledgements) are lost then: the client repeats its question.
class SaReplies {
public:
    SaReplies(MadPort& port, SaStatistics& statistics) : port_(port), statistics_(statistics) {}
    SaReplies(const SaReplies&) = delete;
    SaReplies& operator=(const SaReplies&) = delete;

    /// The answer to `request` with an empty record and status 0, not yet sent.
    [[nodiscard]] static Envelope Of(const Envelope& request, const RmppHeader& rmpp);

    /// A status other than kOk, with the record of the question.
    void SendStatus(const Envelope& request, SaStatus status);
    /// A record of at most kSaDataOctets.
    void SendRecord(const Envelope& request, std::span<const std::uint8_t> record);
    /// The outcome of Transfer::FindOnly(), which was not kLater.
    void SendFound(const Transfer& transfer, Found found);
    /// The end of a conversation by RMPP.
    void SendEnd(const Envelope& request, RmppStatus status);
    void Send(const Envelope& envelope);

    /// A reply waits for the port.
    [[nodiscard]] bool is_held() const { return is_held_; }
    /// Tries the reply that waits, if there is one.
    void SendHeld();
    void ForgetHeld() { is_held_ = false; }

private:
    MadPort& port_;
    SaStatistics& statistics_;
    bool is_held_ = false;
    Envelope held_{};
};

}  // namespace ember
