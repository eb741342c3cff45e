// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of sessions with other subnet managers of this kind, by messages that are given,
// kept back, repeated, changed and made up.
#include "core/replication/peers.h"

#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "tests/core/replication/peers_fixture.h"

namespace ember::peers {
namespace {

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

// The octets are those of docs/replication-records.md, so that a later version can be held to them.
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
    at(80, {3, 5, 0, 1, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0xD1, 0xD2, 0});
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
}  // namespace ember::peers
