// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: messages between subnet managers of this kind.
//
// Goal:   whatever arrives, nothing crashes, no message counts twice, nothing counts that has no
//         code of the key; and when the noise ends the two prove each other.
// Method: two sides with one key. The input passes, loses, repeats, holds back and changes their
//         messages, makes some up with the key and without, changes keys, and turns the clock.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <vector>

#include "core/replication/peers.h"
#include "tests/support/fuzz_script.h"
#include "tests/support/replication_side.h"

namespace ember {
namespace {

using testing::CodeBy;
using testing::CoveredOf;
using testing::Demand;
using testing::ReplicationSide;
using testing::Script;

constexpr std::array<std::uint8_t, 16> kKey = {1, 2,  3,  4,  5,  6,  7,  8,
                                               9, 10, 11, 12, 13, 14, 15, 16};

std::array<std::uint8_t, 16> KeyOf(std::uint8_t last) {
    auto key = kKey;
    key.back() = last;
    return key;
}

struct Side : ReplicationSide {
    Side(Guid own, Lid at, SmState state)
        : ReplicationSide({own, state, 1}, at, std::as_bytes(std::span(kKey)), 2, Raw(own)),
          guid(own) {}
    void TakeKeyOf(std::uint8_t last) {
        const auto key = KeyOf(last);
        TakeKey(std::as_bytes(std::span(key)));
    }

    Guid guid;
};

class Wire {
public:
    explicit Wire(Script script) : script_(script) {}

    void Run() {
        for (int turns = 0; turns < 2'000 && !script_.ended(); ++turns) {
            Turn();
        }
        for (Side* const side : {&master_, &standby_}) {
            side->TakeKeyOf(16);
        }
        held_.clear();
        for (int calm = 0; calm < 1'000; ++calm) {
            now_us_ += 10'000;
            Step();
            Pass(master_, standby_, 0);
            Pass(standby_, master_, 0);
        }
        Demand(master_.TrustIn(standby_.guid) == PeerTrust::kProved &&
                   standby_.TrustIn(master_.guid) == PeerTrust::kProved,
               "they find each other");
    }

private:
    void Step() {
        static_cast<void>(master_.peers.Meet(standby_.guid, standby_.lid, 0, now_us_));
        master_.peers.Step(true, now_us_);
        standby_.peers.Step(false, now_us_);
    }
    /// A datagram arrives. The same octets never count twice.
    void Arrive(const Envelope& envelope, Side& at) {
        const auto octets = std::bit_cast<std::array<std::uint8_t, kMadOctets>>(envelope.mad);
        const std::uint64_t heard = at.peers.statistics().heard;
        const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
        const bool has_code = CodeBy(at.key(), CoveredOf(mad)) == mad.code;
        static_cast<void>(at.peers.Take(envelope, now_us_));
        if (at.peers.statistics().heard == heard) return;
        Demand(has_code, "what counts has a code of the key");
        const std::vector<std::uint8_t> what(octets.begin() + 40, octets.end());
        Demand(counted_[&at == &master_ ? 0 : 1].insert(what).second, "no message counts twice");
    }
    void Pass(Side& from, Side& to, std::uint8_t fate) {
        const std::deque<Envelope> sent = from.port.sent;
        from.port.sent.clear();
        for (Envelope envelope : sent) {
            envelope.peer = from.lid;
            if (fate == 1) continue;
            if (fate == 2 && held_.size() < 64) held_.push_back(envelope);
            if (fate == 3) Arrive(envelope, to);
            if (fate == 4) {
                auto octets = std::bit_cast<std::array<std::uint8_t, kMadOctets>>(envelope.mad);
                const std::uint8_t at = script_.Next();
                octets[std::max<std::size_t>(at, 1)] ^= script_.Next();
                envelope.mad = std::bit_cast<Mad>(octets);
                if (envelope.mad.header.mgmt_class != kReplicationClass) continue;
            }
            Arrive(envelope, to);
        }
    }
    /// A message that the input makes up, often with the right code.
    void MakeUp(Side& to) {
        ReplicationMad mad = BlankReplicationMad();
        const std::uint8_t manner = script_.Next();
        mad.head.kind = static_cast<ReplicationKind>(script_.Next() % 4);
        mad.head.octets = std::uint16_t{sizeof(ReplicationHello)};
        if ((manner & 1U) != 0) mad.head.octets = static_cast<std::uint16_t>(script_.Next32());
        mad.head.sender = Guid{script_.Next()};
        const ReplicationPeer* const peer =
            mad.head.sender == kNoGuid ? nullptr : to.peers.Find(mad.head.sender);
        const bool knows = peer != nullptr && (manner & 2U) != 0;
        mad.head.sender_nonce = knows ? peer->peer_nonce : script_.Next64();
        mad.head.receiver_nonce = knows ? peer->own_nonce : script_.Next64();
        mad.head.number = (manner & 4U) != 0 ? script_.Next64() : script_.Next();
        script_.Fill(mad.body);
        if ((manner & 8U) != 0) mad.code = CodeBy(to.key(), CoveredOf(mad));
        Envelope envelope;
        envelope.peer = Lid{static_cast<std::uint16_t>(1 + script_.Next())};
        envelope.queue_pair = 1;
        envelope.mad = std::bit_cast<Mad>(mad);
        Arrive(envelope, to);
    }
    void Turn() {
        const std::uint8_t what = script_.Next();
        Side& from = (what & 1U) != 0 ? master_ : standby_;
        Side& to = (what & 1U) != 0 ? standby_ : master_;
        now_us_ += std::uint64_t{script_.Next()} * 1'000;
        Step();
        const auto verb = static_cast<std::uint8_t>(what >> 1U) % 8;
        if (verb < 5) return Pass(from, to, static_cast<std::uint8_t>(verb));
        if (verb == 5) return MakeUp(to);
        if (verb == 6 && !held_.empty()) return Arrive(held_[script_.Next() % held_.size()], to);
        to.TakeKeyOf(script_.Next());
    }

    Script script_;
    std::uint64_t now_us_ = 1'000'000;
    Side master_{Guid{0x10}, Lid{1}, SmState::kMaster};
    Side standby_{Guid{0x20}, Lid{2}, SmState::kStandby};
    std::vector<Envelope> held_;
    std::array<std::set<std::vector<std::uint8_t>>, 2> counted_;
};

}  // namespace
}  // namespace ember

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ember::Wire(ember::Script(std::span(data, size))).Run();
    return 0;
}
