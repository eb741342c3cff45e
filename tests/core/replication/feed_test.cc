// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the feed of a master and the followers of its standbys, on a wire that loses,
// repeats and reorders.
#include "core/replication/feed.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "config/blob/message_codes.h"
#include "core/replication/follower.h"
#include "tests/support/fake_port.h"

namespace ember {
namespace {

constexpr std::uint64_t kMs = 1000;
constexpr Guid kMaster{0x10};

Settings KeyedSettings() {
    Settings settings;
    for (const char octet : std::string_view("0123456789abcdef")) {
        EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    return settings;
}

using Record = std::vector<std::byte>;

Record RecordOf(std::size_t octets, std::uint8_t seed) {
    Record record(octets);
    for (std::size_t i = 0; i < octets; ++i) {
        record[i] = static_cast<std::byte>(seed + i * 7);
    }
    return record;
}

struct Side {
    Side(Guid own, Lid at, SmState state, std::size_t room)
        : guid(own), lid(at), entropy(Raw(own)), buffer(room) {
        peers.SetSelf({own, state, 5});
    }
    Guid guid;
    Lid lid;
    Settings settings = KeyedSettings();
    FakePort port;
    FakeEntropy entropy;
    HashedCodes codes;
    std::vector<LogRecord> notes{256};
    Log log{notes};
    std::vector<ReplicationPeer> rows{4};
    ReplicationPeers peers{rows, {port, entropy, &codes, log}, settings};
    std::vector<std::byte> buffer;
    ReplicationFeed feed{buffer, {peers, entropy, log}};
    ReplicationFollower follower{buffer, peers};
    std::vector<Record> done;
    bool is_mute = false;  ///< Hears, and says nothing.
};

class FeedTest : public testing::Test {
protected:
    FeedTest() { Add(kReplicationRecordBytes); }

    void Add(std::size_t room) {
        const auto number = static_cast<std::uint16_t>(sides_.size() + 2);
        sides_.push_back(std::make_unique<Side>(Guid{std::uint64_t{0x20} + number}, Lid{number},
                                                SmState::kStandby, room));
        EXPECT_EQ(master_.peers.Meet(sides_.back()->guid, sides_.back()->lid, 0, now_us_),
                  Status::kOk);
    }
    Side& standby(std::size_t at = 0) { return *sides_[at]; }
    ReplicationFeed& feed() { return master_.feed; }

    void Deliver(Side& from, Side& to) {
        const std::deque<Envelope> sent = from.port.sent;
        from.port.sent.clear();
        for (Envelope envelope : sent) {
            const auto mad = std::bit_cast<ReplicationMad>(envelope.mad);
            if (mad.head.kind == ReplicationKind::kPieceAck) ++acks_;
            envelope.peer = from.lid;
            if (from.is_mute || (loss_ != 0 && chance_() % 100 < loss_)) continue;
            Take(to, envelope);
        }
    }
    void Take(Side& to, const Envelope& envelope) {
        if (!to.peers.Take(envelope, now_us_)) return;
        const ReplicationPeers::Heard& heard = to.peers.heard();
        if (heard.from == kNoGuid) return;
        if (heard.kind == ReplicationKind::kPieceAck) return to.feed.Hear(heard, now_us_);
        to.follower.Hear(heard);
        if (!to.follower.has_record()) return;
        const auto record = to.follower.record();
        to.done.emplace_back(record.begin(), record.end());
        to.follower.Done(verdict_);
    }
    /// A millisecond.
    void Turn() {
        now_us_ += kMs;
        master_.peers.Step(true, now_us_);
        feed().Step(now_us_);
        std::vector<Envelope> out(master_.port.sent.begin(), master_.port.sent.end());
        master_.port.sent.clear();
        pieces_ += static_cast<std::uint64_t>(
            std::count_if(out.begin(), out.end(), [](const Envelope& envelope) {
                return std::bit_cast<ReplicationMad>(envelope.mad).head.kind ==
                       ReplicationKind::kPiece;
            }));
        if (loss_ != 0) std::shuffle(out.begin(), out.end(), chance_);
        for (Envelope envelope : out) {
            const auto to = std::find_if(sides_.begin(), sides_.end(), [&](const auto& side) {
                return side->lid == envelope.peer;
            });
            envelope.peer = master_.lid;
            if (to == sides_.end() || (loss_ != 0 && chance_() % 100 < loss_)) continue;
            Take(**to, envelope);
            if (loss_ != 0 && chance_() % 10 == 0) Take(**to, envelope);
        }
        for (const auto& side : sides_) {
            side->peers.Step(false, now_us_);
            Deliver(*side, master_);
        }
    }
    void RunFor(std::uint64_t time_us) {
        for (const std::uint64_t end_us = now_us_ + time_us; now_us_ < end_us;) {
            Turn();
        }
    }
    /// Until the feed takes the record. False: it does not in ten seconds.
    bool Append(const Record& record) {
        for (int i = 0; i < 10'000; ++i) {
            if (feed().Append(record) == Status::kOk) return true;
            Turn();
        }
        return false;
    }
    void Open() {
        RunFor(50 * kMs);
        ASSERT_TRUE(feed().wants_generation(now_us_));
        ASSERT_EQ(feed().Begin(), Status::kOk);
        ASSERT_TRUE(feed().feeds_any());
    }

    std::uint64_t now_us_ = 10'000'000;
    Side master_{kMaster, Lid{1}, SmState::kMaster, kReplicationRecordBytes};
    std::vector<std::unique_ptr<Side>> sides_;
    std::mt19937_64 chance_{16};
    std::uint32_t loss_ = 0;  ///< Percent.
    std::uint64_t pieces_ = 0;
    std::uint64_t acks_ = 0;
    PieceVerdict verdict_ = PieceVerdict::kWanted;
};

TEST_F(FeedTest, RecordsOfAnyLengthArriveInOrder) {
    Open();
    std::vector<Record> sent;
    for (const std::size_t octets : {1U, 143U, 144U, 145U, 288U, 4095U, 4096U}) {
        sent.push_back(RecordOf(octets, static_cast<std::uint8_t>(octets)));
        ASSERT_TRUE(Append(sent.back()));
    }
    RunFor(kSecondUs);
    EXPECT_EQ(standby().done, sent);
    EXPECT_EQ(feed().Commit(), Status::kOk);
    EXPECT_EQ(feed().records(), sent.size());
}

/// 29 pieces: each eighth one, and the last.
TEST_F(FeedTest, NotEveryPieceIsAcknowledged) {
    Open();
    ASSERT_TRUE(Append(RecordOf(4096, 1)));
    RunFor(100 * kMs);
    ASSERT_EQ(standby().done.size(), 1U);
    EXPECT_EQ(pieces_, 29U);
    EXPECT_EQ(acks_, 4U);
}

TEST_F(FeedTest, LossRepetitionAndDisorderChangeNothing) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        chance_.seed(seed);
        loss_ = 0;
        standby().done.clear();
        RunFor(6 * kSecondUs);
        ASSERT_EQ(feed().Begin(), Status::kOk);
        loss_ = 15;
        std::vector<Record> sent;
        for (std::uint8_t i = 0; i < 12; ++i) {
            sent.push_back(RecordOf(1 + chance_() % 4096, i));
            ASSERT_TRUE(Append(sent.back())) << "replay with seed " << seed;
        }
        RunFor(3 * kSecondUs);
        ASSERT_EQ(standby().done, sent) << "replay with seed " << seed;
    }
}

TEST_F(FeedTest, ARecordWaitsUntilEveryStandbyHasTheLastOne) {
    Add(kReplicationRecordBytes);
    Open();
    ASSERT_EQ(feed().Append(RecordOf(200, 1)), Status::kOk);
    EXPECT_EQ(feed().Append(RecordOf(200, 2)), Status::kBusy);
    EXPECT_EQ(feed().Commit(), Status::kBusy);
    standby(1).is_mute = true;
    RunFor(100 * kMs);
    EXPECT_EQ(standby(0).done.size(), 1U);
    EXPECT_EQ(feed().Append(RecordOf(200, 2)), Status::kBusy);
}

TEST_F(FeedTest, AStandbyThatNeverAcknowledgesHoldsUpOthersForTwoSeconds) {
    Add(kReplicationRecordBytes);
    Open();
    standby(1).is_mute = true;
    ASSERT_EQ(feed().Append(RecordOf(200, 1)), Status::kOk);
    const std::uint64_t began_us = now_us_;
    ASSERT_TRUE(Append(RecordOf(200, 2)));
    EXPECT_LE(now_us_ - began_us, ReplicationFeed::kPatienceUs + 10 * kMs);
    EXPECT_EQ(master_.log.CountOf(Note::kPeerFallsBehind) + master_.log.CountOf(Note::kPeerLost),
              1U);
    RunFor(100 * kMs);
    EXPECT_EQ(standby(0).done.size(), 2U);
    standby(1).is_mute = false;
    RunFor(6 * kSecondUs);
    EXPECT_TRUE(feed().wants_generation(now_us_)) << "it is fed again";
}

TEST_F(FeedTest, SendsNoMoreThanItsPace) {
    Open();
    ASSERT_EQ(feed().Append(RecordOf(4096, 1)), Status::kOk);
    for (int i = 0; i < 40; ++i) {
        const std::uint64_t before = pieces_;
        Turn();
        EXPECT_LE(pieces_ - before, ReplicationFeed::kPiecesAtOnce);
    }
    EXPECT_EQ(standby().done.size(), 1U);
    standby().is_mute = true;  // Nothing is acknowledged: the same pieces are repeated.
    ASSERT_EQ(feed().Append(RecordOf(4096, 2)), Status::kOk);
    const std::uint64_t before = pieces_;
    RunFor(kSecondUs);
    EXPECT_LE(pieces_ - before, 16 * kSecondUs / ReplicationFeed::kRepeatUs + 16);
    EXPECT_GE(pieces_ - before, 8U);
}

TEST_F(FeedTest, AStandbyWithLessRoomSaysSoAndIsFedNoMore) {
    Add(1024);
    Open();
    ASSERT_EQ(feed().Append(RecordOf(4096, 1)), Status::kOk);
    RunFor(kSecondUs);
    EXPECT_EQ(master_.log.CountOf(Note::kPeerTooSmall), 1U);
    EXPECT_TRUE(standby(1).done.empty());
    EXPECT_EQ(standby(0).done.size(), 1U);
    EXPECT_FALSE(feed().wants_generation(now_us_ + 60 * kSecondUs));
}

TEST_F(FeedTest, AnAcknowledgementOfWhatWasNeverSentDoesNotCount) {
    Open();
    ASSERT_EQ(feed().Append(RecordOf(4096, 1)), Status::kOk);
    const auto acknowledge = [this](std::uint32_t record, std::uint16_t at) {
        ReplicationPeers::Heard heard{standby().guid, ReplicationKind::kPieceAck, sizeof(PieceAck)};
        for (std::uint32_t stream = 0; stream < 3; ++stream) {
            PieceAck ack;
            ack.stream = stream;
            ack.record = record;
            ack.at = at;
            std::memcpy(heard.body.data(), &ack, sizeof(ack));
            feed().Hear(heard, now_us_);
        }
    };
    acknowledge(1, 0);
    acknowledge(0, 4096);
    acknowledge(0xFFFFFFFF, 0xFFFF);
    EXPECT_EQ(feed().Commit(), Status::kBusy);
    EXPECT_EQ(feed().SafeBytes(), 0U);
}

TEST_F(FeedTest, AGreetingSaysWhetherAllIsThere) {
    Open();
    const auto has_all = [this](bool is_copied) {
        feed().Report(is_copied, now_us_);
        const ReplicationPeer& row = *master_.peers.Find(standby().guid);
        ReplicationHello hello;
        hello.stream = row.fed_stream;
        hello.wanted = row.fed_wanted;
        return standby().follower.HasAll(hello);
    };
    EXPECT_FALSE(has_all(true)) << "no stream has begun there";
    ASSERT_EQ(feed().Append(RecordOf(300, 1)), Status::kOk);
    EXPECT_FALSE(has_all(true)) << "it is under way";
    RunFor(50 * kMs);
    EXPECT_TRUE(has_all(true));
    EXPECT_FALSE(has_all(false)) << "the journal copies";
    ReplicationHello older;
    feed().Report(true, now_us_);
    older.stream = master_.peers.Find(standby().guid)->fed_stream;
    older.wanted = master_.peers.Find(standby().guid)->fed_wanted;
    ASSERT_EQ(feed().Append(RecordOf(300, 2)), Status::kOk);
    RunFor(50 * kMs);
    EXPECT_TRUE(standby().follower.HasAll(older)) << "a greeting that was overtaken";
    standby().is_mute = true;
    ASSERT_EQ(feed().Append(RecordOf(300, 3)), Status::kOk);
    RunFor(ReplicationFeed::kLateUs + 10 * kMs);
    ASSERT_EQ(standby().done.size(), 3U);
    EXPECT_FALSE(has_all(true)) << "changes wait for its acknowledgement";
    RunFor(3 * kSecondUs);
    EXPECT_FALSE(has_all(true)) << "it is fed no longer";
}

/// A format that no release has: that of a manager after an upgrade.
constexpr std::uint16_t kNextFormat = kReplicationFormat + 1;

/// A rolling upgrade: master and one standby are of the next format, the other standby is not yet.
/// All are fed in the older format; when the older standby is gone the newer one is told more.
TEST_F(FeedTest, TheOldestFormatAmongThemIsWritten) {
    master_.peers.SetSelf({kMaster, SmState::kMaster, 5, kNextFormat});
    standby(0).peers.SetSelf({standby(0).guid, SmState::kStandby, 5, kNextFormat});
    RunFor(kSecondUs);
    Open();
    EXPECT_EQ(feed().format(), kNextFormat);
    Add(kReplicationRecordBytes);
    standby(1).peers.SetSelf({standby(1).guid, SmState::kStandby, 5, kReplicationFormat});
    RunFor(5 * kSecondUs);
    ASSERT_TRUE(feed().wants_generation(now_us_));
    ASSERT_EQ(feed().Begin(), Status::kOk);
    EXPECT_EQ(feed().format(), kReplicationFormat);
    ASSERT_TRUE(Append(RecordOf(300, 1)));
    RunFor(50 * kMs);
    EXPECT_EQ(standby(0).done.size(), 1U);
    EXPECT_EQ(standby(1).done.size(), 1U);
    EXPECT_EQ(master_.log.CountOf(Note::kPeerOtherFormat), 1U);
    EXPECT_EQ(standby(1).log.CountOf(Note::kPeerOtherFormat), 1U);
    RunFor(5 * kSecondUs);
    EXPECT_FALSE(feed().wants_generation(now_us_));
    standby(1).is_mute = true;
    RunFor(5 * kSecondUs);
    ASSERT_TRUE(feed().wants_generation(now_us_)) << "it is gone";
    ASSERT_EQ(feed().Begin(), Status::kOk);
    EXPECT_EQ(feed().format(), kNextFormat);
}

/// A rolling upgrade that begins with the standby.
TEST_F(FeedTest, AStandbyOfALaterFormatSaysThatOfItsMaster) {
    standby().peers.SetSelf({standby().guid, SmState::kStandby, 5, kNextFormat});
    RunFor(kSecondUs);
    EXPECT_EQ(master_.peers.Find(standby().guid)->hello.format, kReplicationFormat);
    EXPECT_EQ(standby().peers.Find(kMaster)->hello.format, kReplicationFormat);
    EXPECT_EQ(standby().log.CountOf(Note::kPeerOtherFormat), 1U) << "and notes it";
}

/// A standby that follows no records is sent none, whatever the format.
TEST_F(FeedTest, AStandbyWithoutAFormatIsNotFed) {
    standby().peers.SetSelf({standby().guid, SmState::kStandby, 5, 0});
    RunFor(kSecondUs);
    EXPECT_FALSE(feed().wants_generation(now_us_));
}

// A master may send anything: the follower takes a whole record, or nothing of it.
TEST_F(FeedTest, PiecesThatMakeNoSenseAreNoRecord) {
    Open();
    Side& side = standby();
    const auto give = [&side](std::uint32_t stream, std::uint32_t record, std::size_t whole,
                              std::size_t at, std::size_t octets) {
        ReplicationPeers::Heard heard{kMaster, ReplicationKind::kPiece,
                                      static_cast<std::uint16_t>(sizeof(PieceHead) + octets)};
        PieceHead head;
        head.stream = stream;
        head.record = record;
        head.record_octets = static_cast<std::uint16_t>(whole);
        head.at = static_cast<std::uint16_t>(at);
        std::memcpy(heard.body.data(), &head, sizeof(head));
        side.follower.Hear(heard);
        return side.follower.has_record();
    };
    EXPECT_FALSE(give(5, 1, 10, 0, 10)) << "no stream begins so";
    EXPECT_FALSE(give(5, 0, 10, 5, 5));
    EXPECT_FALSE(give(5, 0, 10, 0, 11)) << "longer than its record";
    EXPECT_FALSE(give(5, 0, 0, 0, 1));
    EXPECT_FALSE(give(5, 0, 65535, 0, 144));
    EXPECT_FALSE(give(5, 0, 200, 0, 144));
    EXPECT_FALSE(give(5, 0, 200, 0, 144)) << "again";
    EXPECT_FALSE(give(5, 0, 201, 144, 57)) << "of another length";
    EXPECT_FALSE(give(6, 0, 200, 144, 56)) << "of another stream";
    EXPECT_TRUE(give(5, 0, 200, 144, 56));
    EXPECT_EQ(side.follower.record().size(), 200U);
    EXPECT_TRUE(give(5, 1, 10, 0, 10)) << "the first is still at hand";
    EXPECT_EQ(side.follower.record().size(), 200U);
}

}  // namespace
}  // namespace ember
