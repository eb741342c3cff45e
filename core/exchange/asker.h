// SPDX-License-Identifier: Apache-2.0
// EmberSM: what all parts have in common that ask SMAs by directed route.
#pragma once

#include <cstdint>

#include "core/base/assert.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/m_key.h"
#include "core/settings/settings.h"

namespace ember {

/// Asks SMAs in the name of one client, and counts what is under way.
class Asker {
public:
    /// All outlive the asker. `client` is no one else's: Abandon() ends all its transactions.
    Asker(const Fabric& fabric, Exchange& exchange, const Settings& settings, Client client)
        : fabric_(fabric), exchange_(exchange), settings_(settings), client_(client) {
        EMBER_ASSERT(client != kNoClient);
    }
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;

    [[nodiscard]] bool has_room() const { return exchange_.has_room(); }
    /// Questions under way.
    [[nodiscard]] std::uint32_t in_flight() const { return in_flight_; }
    /// No other client has a question under way.
    [[nodiscard]] bool is_alone() const { return exchange_.in_flight() <= in_flight_; }

    /// Fills in the directed route to the node of the port `to`, and its M_Key. False: no link
    /// leads there.
    [[nodiscard]] bool FindPath(PortIndex to, Ask& ask) const {
        ask.m_key = MKeyOf(fabric_, settings_, to);
        return fabric_.PathTo(to, ask.path) == Status::kOk;
    }
    /// The same for the node at the other end of the link of `exit`.
    [[nodiscard]] bool FindPathBeyond(PortIndex exit, Ask& ask) const {
        ask.m_key = MKeyBeyond(fabric_, settings_, exit);
        return fabric_.PathBeyond(exit, ask.path) == Status::kOk;
    }
    /// For a question whose silence is likely; see Exchange::Hasten().
    void Hasten(Ask& ask) const { exchange_.Hasten(ask); }
    /// Asks, with a cookie of this client. Asserts has_room().
    template <Enum Kind>
    void Post(Ask& ask, Kind kind, std::uint32_t subject, std::uint64_t now_us) {
        static_assert(sizeof(Kind) == sizeof(ask.cookie.kind));
        ask.cookie.client = client_;
        ask.cookie.kind = static_cast<std::uint8_t>(kind);
        ask.cookie.subject = subject;
        exchange_.Post(ask, now_us);
        ++in_flight_;
    }
    /// An answer was received. False: the caller drops it, as its question was abandoned.
    [[nodiscard]] bool Take() {
        if (in_flight_ == 0) return false;
        --in_flight_;
        return true;
    }
    /// Ends what is under way without an answer.
    void Abandon() {
        exchange_.Abandon(client_);
        in_flight_ = 0;
    }

private:
    const Fabric& fabric_;
    Exchange& exchange_;
    const Settings& settings_;
    Client client_;
    std::uint32_t in_flight_ = 0;
};

}  // namespace ember
