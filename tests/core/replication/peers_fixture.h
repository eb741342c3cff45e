// SPDX-License-Identifier: Apache-2.0
// EmberSM: two subnet managers that greet each other, and the wire between them.
#pragma once

#include <bit>
#include <gtest/gtest.h>
#include <span>
#include <string_view>
#include <vector>

#include "core/replication/peers.h"
#include "tests/support/fake_port.h"
#include "tests/support/replication_side.h"

namespace ember::peers {

using testing::CodeBy;
using testing::CoveredOf;
using testing::ReplicationSide;

inline constexpr std::uint64_t kMs = 1000;
inline constexpr Guid kMaster{0x10};
inline constexpr Guid kStandby{0x20};

inline std::span<const std::byte> OctetsOf(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// A side of priority 5.
struct Side : ReplicationSide {
    Side(Guid own, Lid at, SmState state, std::uint64_t seed, std::string_view key)
        : ReplicationSide({own, state, 5}, at, OctetsOf(key), 3, seed) {}
    /// Everything that it has sent since it was asked last, as the other side receives it.
    std::vector<Envelope> Sent() {
        std::vector<Envelope> all;
        for (Envelope envelope : port.sent) {
            envelope.peer = lid;
            all.push_back(envelope);
        }
        port.sent.clear();
        return all;
    }
};

class PeersTest : public ::testing::Test {
protected:
    static constexpr std::string_view kKey = "0123456789abcdef";

    /// Datagrams of both sides arrive until none is under way.
    void Exchange() {
        for (int turns = 0; turns < 16; ++turns) {
            master_.peers.Step(true, now_us_);
            standby_.peers.Step(false, now_us_);
            const std::vector<Envelope> forth = master_.Sent();
            const std::vector<Envelope> back = standby_.Sent();
            for (const Envelope& envelope : forth) {
                heard_by_standby_.push_back(envelope);
                static_cast<void>(standby_.peers.Take(envelope, now_us_));
            }
            for (const Envelope& envelope : back) {
                heard_by_master_.push_back(envelope);
                static_cast<void>(master_.peers.Take(envelope, now_us_));
            }
            if (forth.empty() && back.empty()) return;
        }
        ADD_FAILURE() << "they talk for ever";
    }
    void Meet() {
        ASSERT_EQ(master_.peers.Meet(kStandby, standby_.lid, 0, now_us_), Status::kOk);
        Exchange();
    }
    void RunFor(std::uint64_t time_us) {
        for (const std::uint64_t end_us = now_us_ + time_us; now_us_ < end_us;) {
            now_us_ += 10 * kMs;
            Exchange();
        }
    }
    bool AreBothProved() {
        return master_.TrustIn(kStandby) == PeerTrust::kProved &&
               standby_.TrustIn(kMaster) == PeerTrust::kProved;
    }
    /// The last datagram that the standby has heard, changed by `change`, and with a code by `key`.
    template <typename Change>
    static Envelope Changed(Envelope envelope, std::string_view key, Change change) {
        auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
        change(mad);
        if (!key.empty()) mad.code = CodeBy(OctetsOf(key), CoveredOf(mad));
        envelope.mad = std::bit_cast<Mad>(mad);
        return envelope;
    }

    /// A greeting by another key, which seems to come from `from`.
    static Envelope Forged(std::uint16_t serial, Lid from) {
        ReplicationMad mad = BlankReplicationMad();
        mad.head.kind = ReplicationKind::kHello;
        mad.head.octets = static_cast<std::uint16_t>(sizeof(ReplicationHello));
        mad.head.sender = Guid{std::uint64_t{1000} + serial};
        mad.head.sender_nonce = std::uint64_t{serial} + 1;
        mad.head.number = std::uint64_t{1};
        Envelope envelope;
        envelope.peer = from;
        envelope.mad = std::bit_cast<Mad>(mad);
        return envelope;
    }

    static constexpr Lid kMasterLid{1};
    std::uint64_t now_us_ = 1'000'000;
    Side master_{kMaster, kMasterLid, SmState::kMaster, 1, kKey};
    Side standby_{kStandby, Lid{2}, SmState::kStandby, 2, kKey};
    std::vector<Envelope> heard_by_standby_;
    std::vector<Envelope> heard_by_master_;
};

}  // namespace ember::peers
