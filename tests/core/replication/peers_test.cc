// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of sessions with other subnet managers of this kind, by messages that are given,
// kept back, repeated, changed and made up.
#include "core/replication/peers.h"

#include <array>
#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <span>
#include <string_view>
#include <vector>

#include "tests/support/fake_port.h"
#include "tests/support/replication_side.h"

namespace ember {
namespace {

using testing::CodeBy;
using testing::CoveredOf;
using testing::ReplicationSide;

constexpr std::uint64_t kMs = 1000;
constexpr Guid kMaster{0x10};
constexpr Guid kStandby{0x20};

std::span<const std::byte> OctetsOf(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// One side.
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

TEST_F(PeersTest, TwoWithOneKeyProveEachOtherInTwoDatagramsEach) {
    Meet();
    EXPECT_TRUE(AreBothProved());
    EXPECT_EQ(heard_by_standby_.size(), 2U);
    EXPECT_EQ(heard_by_master_.size(), 2U);
    EXPECT_EQ(master_.log.CountOf(Note::kPeerProved), 1U);
    EXPECT_EQ(standby_.log.CountOf(Note::kPeerProved), 1U);
    EXPECT_EQ(standby_.peers.Find(kMaster)->hello.state, SmState::kMaster);
    EXPECT_EQ(standby_.peers.Find(kMaster)->hello.priority, 5);
    RunFor(10 * kSecondUs);
    EXPECT_TRUE(AreBothProved());
    EXPECT_EQ(master_.log.CountOf(Note::kPeerProved), 1U) << "once";
    EXPECT_EQ(master_.peers.statistics().forged + master_.peers.statistics().stale, 0U);
}

TEST_F(PeersTest, WithoutAKeyNothingIsSentOrHeard) {
    Meet();
    Side mute{Guid{0x30}, Lid{3}, SmState::kMaster, 3, ""};
    EXPECT_EQ(mute.peers.Meet(kStandby, Lid{2}, 0, now_us_), Status::kOk);
    mute.peers.Step(true, now_us_);
    EXPECT_TRUE(mute.port.sent.empty());
    EXPECT_FALSE(mute.peers.Take(heard_by_standby_[0], now_us_));
    EXPECT_EQ(mute.peers.statistics().refused, 1U);
}

TEST_F(PeersTest, AnotherKeyIsToldAndProvesNothing) {
    standby_.TakeKey(OctetsOf("another key of ours"));
    Meet();
    RunFor(kSecondUs);
    EXPECT_FALSE(AreBothProved());
    EXPECT_GE(standby_.log.CountOf(Note::kPeerKeyWrong), 1U);
    EXPECT_GE(standby_.peers.statistics().forged, 1U);
    EXPECT_TRUE(heard_by_master_.empty()) << "and gets no answer";
}

TEST_F(PeersTest, AKeyThatChangesEndsEverySession) {
    Meet();
    const auto other = OctetsOf("another key of ours");
    master_.TakeKey(other);
    master_.peers.Step(true, now_us_);
    EXPECT_EQ(master_.TrustIn(kStandby), PeerTrust::kForeign);
    EXPECT_EQ(master_.log.CountOf(Note::kPeerLost), 1U);
    standby_.TakeKey(other);
    RunFor(kSecondUs);
    EXPECT_TRUE(AreBothProved());
}

TEST_F(PeersTest, AForeignSmIsGreetedSeldomAfterTwentyGreetings) {
    ASSERT_EQ(master_.peers.Meet(kStandby, standby_.lid, 0, now_us_), Status::kOk);
    std::size_t greetings = 0;
    for (int i = 0; i < 6'000; ++i) {  // A minute.
        now_us_ += 10 * kMs;
        master_.peers.Step(true, now_us_);
        greetings += master_.Sent().size();
    }
    EXPECT_GE(greetings, 30U);
    EXPECT_LE(greetings, 32U);
    EXPECT_EQ(master_.TrustIn(kStandby), PeerTrust::kForeign);
}

/// Its port was reset, and the sweep has met it before it was given a LID again.
TEST_F(PeersTest, APeerWithoutALidIsSentNothingUntilItHasOne) {
    Meet();
    ASSERT_TRUE(AreBothProved());
    ASSERT_EQ(master_.peers.Meet(kStandby, kNoLid, 0, now_us_), Status::kOk);
    ReplicationPeer* const peer = master_.peers.Proved(kStandby);
    ASSERT_NE(peer, nullptr);
    const std::array<std::byte, 4> body{};
    EXPECT_EQ(master_.peers.Send(*peer, ReplicationKind::kPiece, body), Status::kAbsent);
    ASSERT_EQ(master_.peers.Meet(kStandby, standby_.lid, 0, now_us_), Status::kOk);
    EXPECT_EQ(master_.peers.Send(*peer, ReplicationKind::kPiece, body), Status::kOk);
}

TEST_F(PeersTest, NoMessageCountsTwice) {
    Meet();
    const Envelope last = heard_by_standby_.back();
    const ReplicationPeer before = *standby_.peers.Find(kMaster);
    EXPECT_FALSE(standby_.peers.Take(last, now_us_));
    EXPECT_EQ(standby_.peers.statistics().stale, 1U);
    EXPECT_EQ(standby_.peers.Find(kMaster)->heard, before.heard);
    EXPECT_TRUE(standby_.Sent().empty()) << "a repeated greeting is not answered";
}

TEST_F(PeersTest, MessagesThatOvertakeEachOtherCountOnceEach) {
    Meet();
    const auto mad = std::bit_cast<ReplicationMad>(heard_by_standby_.back().mad);
    const auto with_number = [&](std::uint64_t number) {
        return Changed(heard_by_standby_.back(), kKey,
                       [number](ReplicationMad& changed) { changed.head.number = number; });
    };
    const std::uint64_t last = mad.head.number;
    for (const std::uint64_t ahead : {70U, 10U, 69U, 7U, 71U, 8U, 200U, 199U, 136U, 135U}) {
        const bool is_too_old = ahead == 135;  // 64 numbers below the highest are remembered.
        EXPECT_EQ(standby_.peers.Take(with_number(last + ahead), now_us_), !is_too_old) << ahead;
        EXPECT_FALSE(standby_.peers.Take(with_number(last + ahead), now_us_)) << ahead;
    }
    EXPECT_FALSE(standby_.peers.Take(with_number(last), now_us_));
}

TEST_F(PeersTest, AMessageOfAnEarlierSessionOpensNone) {
    Meet();
    const std::vector<Envelope> old = heard_by_standby_;
    now_us_ += 3 * kSecondUs;  // Silence.
    standby_.peers.Step(false, now_us_);
    EXPECT_EQ(standby_.TrustIn(kMaster), PeerTrust::kForeign);
    EXPECT_EQ(standby_.log.CountOf(Note::kPeerLost), 1U);
    for (const Envelope& envelope : old) {
        static_cast<void>(standby_.peers.Take(envelope, now_us_));
        now_us_ += 100 * kMs;
    }
    EXPECT_EQ(standby_.TrustIn(kMaster), PeerTrust::kForeign);
    EXPECT_EQ(standby_.log.CountOf(Note::kPeerProved), 1U);
}

TEST_F(PeersTest, OldMessagesDoNotDisturbASession) {
    Meet();
    const std::vector<Envelope> old = heard_by_standby_;
    now_us_ += 3 * kSecondUs;
    master_.peers.Step(false, now_us_);
    standby_.peers.Step(false, now_us_);
    RunFor(kSecondUs);
    ASSERT_TRUE(AreBothProved());
    for (const Envelope& envelope : old) {
        EXPECT_FALSE(standby_.peers.Take(envelope, now_us_) &&
                     standby_.TrustIn(kMaster) != PeerTrust::kProved);
    }
    standby_.Sent();
    RunFor(kSecondUs);
    EXPECT_TRUE(AreBothProved());
    EXPECT_EQ(standby_.log.CountOf(Note::kPeerProved), 2U);
}

TEST_F(PeersTest, APeerThatStartsAgainIsProvedAgain) {
    Meet();
    Side again{kStandby, Lid{2}, SmState::kStandby, 77, kKey};
    std::uint64_t took_us = 0;
    while (again.TrustIn(kMaster) != PeerTrust::kProved && took_us < 10 * kSecondUs) {
        now_us_ += 10 * kMs;
        took_us += 10 * kMs;
        master_.peers.Step(true, now_us_);
        for (const Envelope& envelope : master_.Sent()) {
            static_cast<void>(again.peers.Take(envelope, now_us_));
        }
        for (const Envelope& envelope : again.Sent()) {
            static_cast<void>(master_.peers.Take(envelope, now_us_));
        }
    }
    EXPECT_LE(took_us, 2'300 * kMs);
    EXPECT_EQ(master_.log.CountOf(Note::kPeerLost), 1U);
}

// A message is one of ours, unharmed, or it is dropped and counted, whichever octet differs.
TEST_F(PeersTest, NoOctetMayDiffer) {
    Meet();
    now_us_ += ReplicationPeers::kGreetUs;
    master_.peers.Step(true, now_us_);
    const std::vector<Envelope> sent = master_.Sent();
    ASSERT_EQ(sent.size(), 1U);
    const Envelope& good = sent[0];
    for (std::size_t at = 40; at < kMadOctets; ++at) {
        now_us_ += StrangerBudget::kWindowUs;
        auto octets = std::bit_cast<std::array<std::uint8_t, kMadOctets>>(good.mad);
        octets[at] ^= 1U;
        Envelope bad = good;
        bad.mad = std::bit_cast<Mad>(octets);
        const std::uint64_t heard = standby_.peers.statistics().heard;
        standby_.peers.Take(bad, now_us_);
        EXPECT_EQ(standby_.peers.statistics().heard, heard) << at;
    }
    EXPECT_TRUE(standby_.peers.Take(good, now_us_));
}

TEST_F(PeersTest, MessagesWithTheKeyAndWithoutSenseAreDropped) {
    Meet();
    const Envelope good = heard_by_standby_[0];
    const auto drop = [&](auto change) {
        now_us_ += StrangerBudget::kWindowUs;
        EXPECT_FALSE(standby_.peers.Take(Changed(good, kKey, change), now_us_));
    };
    drop([](ReplicationMad& mad) { mad.oui[0] = 0; });
    drop([](ReplicationMad& mad) { mad.header.method = Method::kGet; });
    drop([](ReplicationMad& mad) { mad.header.class_version = 9; });
    drop([](ReplicationMad& mad) { mad.head.kind = static_cast<ReplicationKind>(99); });
    drop([](ReplicationMad& mad) { mad.head.octets = std::uint16_t{9}; });
    drop([](ReplicationMad& mad) { mad.head.sender = kNoGuid; });
    drop([](ReplicationMad& mad) { mad.head.sender_nonce = std::uint64_t{0}; });
    EXPECT_EQ(standby_.peers.statistics().malformed, 7U);
    drop([](ReplicationMad& mad) { mad.head.sender = kStandby; });
    EXPECT_EQ(standby_.peers.statistics().refused, 1U) << "our own words come back";
    drop([](ReplicationMad& mad) { mad.head.version = 2; });
    EXPECT_EQ(standby_.peers.statistics().other_versions, 1U);
    EXPECT_EQ(standby_.log.CountOf(Note::kPeerOtherVersion), 1U);
}

TEST_F(PeersTest, StrangersAreLookedAtSoOftenAndNoMore) {
    Meet();
    const std::vector<Lid> met = {kMasterLid};
    standby_.peers.SetMet(met);
    for (std::uint16_t i = 0; i < 10'000; ++i) {  // All at one time, each from another place.
        EXPECT_FALSE(standby_.peers.Take(Forged(i, Lid(100 + i)), now_us_));
    }
    EXPECT_LE(standby_.peers.statistics().forged, StrangerBudget::kMost);
    EXPECT_GE(standby_.peers.statistics().refused, 10'000U - StrangerBudget::kMost);
    RunFor(kSecondUs);
    EXPECT_TRUE(AreBothProved()) << "the session goes on meanwhile";
}

/// Neither by its master, whose place its role knows, nor by one that it has never met.
TEST_F(PeersTest, AFloodFromElsewhereKeepsNoneFromBeingProved) {
    for (const bool is_met : {true, false}) {
        Side master{Guid{0x40}, Lid{9}, SmState::kMaster, 40, kKey};
        const std::vector<Lid> met = {Lid{9}};
        if (is_met) standby_.peers.SetMet(met);
        ASSERT_EQ(master.peers.Meet(kStandby, standby_.lid, 0, now_us_), Status::kOk);
        std::uint64_t took_us = 0;
        while (standby_.TrustIn(Guid{0x40}) != PeerTrust::kProved && took_us < 10 * kSecondUs) {
            for (std::uint16_t i = 0; i < 100; ++i) {
                static_cast<void>(standby_.peers.Take(Forged(i, Lid{50}), now_us_));
            }
            master.peers.Step(true, now_us_);
            for (const Envelope& envelope : master.Sent()) {
                static_cast<void>(standby_.peers.Take(envelope, now_us_));
            }
            for (const Envelope& envelope : standby_.Sent()) {
                if (envelope.peer == standby_.lid) master.peers.Take(envelope, now_us_);
            }
            now_us_ += 10 * kMs;
            took_us += 10 * kMs;
        }
        EXPECT_LE(took_us, is_met ? 100 * kMs : 400 * kMs);
        standby_.peers.SetMet({});
        now_us_ += 3 * kSecondUs;
        standby_.peers.Step(false, now_us_);
    }
}

TEST_F(PeersTest, AnAnswerThatIsNotLookedAtIsNoSilence) {
    ASSERT_EQ(master_.peers.Meet(kStandby, standby_.lid, 0, now_us_), Status::kOk);
    for (int i = 0; i < 100; ++i) {
        for (std::uint16_t forged = 0; forged < 100; ++forged) {
            static_cast<void>(master_.peers.Take(Forged(forged, standby_.lid), now_us_));
        }
        now_us_ += ReplicationPeers::kGreetUs;
        master_.peers.Step(true, now_us_);
    }
    EXPECT_LT(master_.peers.Find(kStandby)->unanswered, ReplicationPeers::kPatience);
}

TEST_F(PeersTest, ManyPeersTakeNoRowOfOneThatIsThere) {
    Meet();
    for (std::uint64_t i = 0; i < 16; ++i) {
        now_us_ += StrangerBudget::kWindowUs;
        const Envelope other = Changed(heard_by_standby_[0], kKey, [i](ReplicationMad& mad) {
            mad.head.sender = Guid{100 + i};
        });
        static_cast<void>(standby_.peers.Take(other, now_us_));
    }
    EXPECT_EQ(standby_.TrustIn(kMaster), PeerTrust::kProved);
}

TEST_F(PeersTest, AnotherConfigurationIsToldOnBothSides) {
    master_.settings.configuration = {.counter = 7, .digest = {1}};
    standby_.settings.configuration = {.counter = 8, .digest = {2}};
    Meet();
    EXPECT_EQ(master_.log.CountOf(Note::kPeerConfiguredOtherwise), 1U);
    EXPECT_EQ(standby_.log.CountOf(Note::kPeerConfiguredOtherwise), 1U);
    EXPECT_FALSE(master_.peers.IsConfiguredAlike(*master_.peers.Find(kStandby)));
    RunFor(kSecondUs);
    EXPECT_EQ(standby_.log.CountOf(Note::kPeerConfiguredOtherwise), 1U) << "once";
    standby_.settings.configuration = master_.settings.configuration;
    RunFor(kSecondUs);
    EXPECT_TRUE(master_.peers.IsConfiguredAlike(*master_.peers.Find(kStandby)));
    master_.settings.configuration.digest = {3};
    RunFor(kSecondUs);
    EXPECT_EQ(standby_.log.CountOf(Note::kPeerConfiguredOtherwise), 2U);
}

// What stands in docs/replication.md, octet by octet, so that a later version can be held to it.
TEST_F(PeersTest, AGreetingHasTheseOctets) {
    master_.settings.configuration = {.counter = 0x1122, .digest = {0xD1, 0xD2}};
    ASSERT_EQ(master_.peers.Meet(kStandby, standby_.lid, 3, now_us_), Status::kOk);
    master_.peers.Step(true, now_us_);
    ASSERT_EQ(master_.port.sent.size(), 1U);
    const Envelope& sent = master_.port.sent[0];
    EXPECT_EQ(sent.peer, standby_.lid);
    EXPECT_EQ(sent.queue_pair, 1);
    EXPECT_EQ(sent.remote_queue_pair, 1U);
    EXPECT_EQ(sent.p_key_index, 3);
    const auto octets = std::bit_cast<std::array<std::uint8_t, kMadOctets>>(sent.mad);
    const auto at = [&octets](std::size_t begin, std::vector<std::uint8_t> wanted) {
        const std::vector<std::uint8_t> found(
            octets.begin() + static_cast<std::ptrdiff_t>(begin),
            octets.begin() + static_cast<std::ptrdiff_t>(begin + wanted.size()));
        EXPECT_EQ(found, wanted) << begin;
    };
    at(0, {1, 0x3B, 1, 3, 0, 0});
    at(16, {1, 1, 0, 0, 0, 0, 0, 0});
    at(24, std::vector<std::uint8_t>(12, 0));
    at(36, {0, 0x02, 0x45, 0x4D});
    at(40, {1, 1, 0, 48, 0, 0, 0, 0});
    at(48, {0, 0, 0, 0, 0, 0, 0, 0x10});
    at(64, {0, 0, 0, 0, 0, 0, 0, 0});
    at(72, {0, 0, 0, 0, 0, 0, 0, 1});
    at(80, {3, 5, 0, 4, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0xD1, 0xD2, 0});
    at(128, std::vector<std::uint8_t>(112, 0));
    const auto mad = std::bit_cast<ReplicationMad>(sent.mad);
    EXPECT_EQ(mad.code, CodeBy(OctetsOf(kKey), std::as_bytes(std::span(octets)).subspan(40, 200)));
}

TEST_F(PeersTest, AMachineThatCanMakeNoCodesSaysSoAndSendsNothing) {
    std::vector<ReplicationPeer> rows(1);
    FakePort port;
    FakeEntropy entropy{1};
    ReplicationPeers peers{rows, {port, entropy, nullptr, master_.log}, master_.settings};
    peers.SetSelf({kMaster, SmState::kMaster, 5});
    ASSERT_EQ(peers.Meet(kStandby, Lid{2}, 0, now_us_), Status::kOk);
    peers.Step(true, now_us_);
    EXPECT_TRUE(port.sent.empty());
    EXPECT_EQ(master_.log.CountOf(Note::kNoMessageCodes), 1U);
    Envelope envelope;
    ReplicationMad mad{};
    mad.header.mgmt_class = kReplicationClass;
    envelope.mad = std::bit_cast<Mad>(mad);
    EXPECT_FALSE(peers.Take(envelope, now_us_));
}

}  // namespace
}  // namespace ember
