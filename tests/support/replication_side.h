// SPDX-License-Identifier: Apache-2.0
// EmberSM: one of several subnet managers that prove each other, with nothing around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/blob/message_codes.h"
#include "core/base/assert.h"
#include "core/replication/peers.h"
#include "tests/support/fake_port.h"

namespace ember::testing {

/// The code that a manager with this key gives `message`.
[[nodiscard]] inline MacCode CodeBy(std::span<const std::byte> key,
                                    std::span<const std::byte> message) {
    HashedCodes codes;
    const Status taken = codes.TakeKey(key);
    EMBER_ASSERT(taken == Status::kOk);
    return codes.Of(message).value();
}

/// The octets that the code of a message covers.
[[nodiscard]] inline std::span<const std::byte> CoveredOf(const ReplicationMad& mad) {
    return std::as_bytes(std::span(&mad, 1)).subspan(40, 200);
}

/// Peers of one manager, and all that they need. Their datagrams stay in `port`.
struct ReplicationSide {
    ReplicationSide(const ReplicationPeers::Self& self, Lid at, std::span<const std::byte> key,
                    std::size_t most_peers, std::uint64_t seed)
        : lid(at), entropy(seed), rows(most_peers) {
        TakeKey(key);
        peers.SetSelf(self);
    }

    void TakeKey(std::span<const std::byte> key) {
        settings.replication_key.clear();
        for (const std::byte octet : key) {
            const Status pushed =
                settings.replication_key.TryPush(static_cast<std::uint8_t>(octet));
            EMBER_ASSERT(pushed == Status::kOk);
        }
    }
    [[nodiscard]] std::span<const std::byte> key() const {
        const ReplicationKey& key = settings.replication_key;
        return std::as_bytes(std::span(key.begin(), key.end()));
    }
    [[nodiscard]] PeerTrust TrustIn(Guid guid) const {
        const ReplicationPeer* const peer = peers.Find(guid);
        return peer == nullptr ? PeerTrust::kForeign : peer->trust;
    }

    Lid lid;
    Settings settings;
    FakePort port;
    FakeEntropy entropy;
    HashedCodes codes;
    std::vector<LogRecord> notes{256};
    Log log{notes};
    std::vector<ReplicationPeer> rows;
    ReplicationPeers peers{rows, {port, entropy, &codes, log}, settings};
};

}  // namespace ember::testing
