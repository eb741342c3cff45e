// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of transactions in trouble: busy peers and ports, loss, silence, and what is given
// up.

#include "tests/core/exchange/exchange_harness.h"

namespace ember {
namespace {

TEST_F(ExchangeTest, ABusyPeerIsAskedAgainUntilTheTriesAreUsedUp) {
    Ask ask = Question(1);
    ask.method = Method::kSet;
    exchange_.Post(ask, 0);
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[0], kMadStatusBusy), 10 * kMs), Status::kAbsent);
    const std::uint64_t again = exchange_.NextDeadlineUs();
    EXPECT_GT(again, 10 * kMs);
    EXPECT_LT(again, 200 * kMs) << "sooner than after silence";
    EXPECT_TRUE(Expired(again).empty());
    ASSERT_EQ(port_.sent.size(), 2U);
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[1], kMadStatusBusy), again + 1), Status::kAbsent);
    Expired(exchange_.NextDeadlineUs());
    ASSERT_EQ(port_.sent.size(), 3U);
    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[2], kMadStatusBusy), again + 500 * kMs), Status::kOk);
    EXPECT_EQ(answer_.status, Status::kRefused);
    EXPECT_EQ(answer_.mad_status, kMadStatusBusy);
    EXPECT_EQ(exchange_.statistics().timeouts, 0U);
    EXPECT_EQ(exchange_.statistics().peer_busy, 2U);
    EXPECT_EQ(exchange_.window(), 4U) << "a busy peer is no sign of congestion";
}

TEST_F(ExchangeTest, APeerThatSaysBusyOverAndOverIsGivenUpAllTheSame) {
    exchange_.Post(Question(1), 0);
    std::uint64_t now = 0;
    bool over = false;
    for (int i = 0; i < 10'000 && !over; ++i) {
        now += kMs;
        over = TakeAt(ResponseTo(port_.sent.back(), kMadStatusBusy), now) == Status::kOk ||
               !Expired(now).empty();
    }
    EXPECT_TRUE(over) << "ten seconds, and no end";
    EXPECT_EQ(exchange_.in_flight(), 0U);
}

TEST_F(ExchangeTest, ABusyPortKeepsTheDatagramAndClosesTheWindow) {
    port_.room = 1;
    exchange_.Post(Question(1), 0);
    exchange_.Post(Question(2), 0);
    EXPECT_EQ(port_.sent.size(), 1U);
    EXPECT_EQ(exchange_.in_flight(), 2U);
    EXPECT_FALSE(exchange_.has_room()) << "nobody overtakes the one that waits";

    const std::uint64_t retry = exchange_.NextDeadlineUs();
    EXPECT_LE(retry, kMs) << "a full port is tried again soon, not after a timeout";
    EXPECT_TRUE(Expired(retry).empty());
    EXPECT_EQ(port_.sent.size(), 1U);
    EXPECT_GT(exchange_.NextDeadlineUs(), retry);

    port_.room = 10;
    EXPECT_TRUE(Expired(exchange_.NextDeadlineUs()).empty());
    ASSERT_EQ(port_.sent.size(), 2U);
    EXPECT_TRUE(exchange_.has_room());
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[1]), 2 * kMs), Status::kOk);
    EXPECT_EQ(answer_.cookie.subject, 2U);
    EXPECT_EQ(exchange_.statistics().sent, 2U);
    EXPECT_EQ(exchange_.statistics().resent, 0U);
}

TEST_F(ExchangeTest, APortThatIsGoneLetsEveryQuestionTimeOut) {
    port_.status = Status::kDevice;
    exchange_.Post(Question(1), 0);
    EXPECT_FALSE(exchange_.port_is_alive());
    const std::vector<Answer> answers = RunUntil(10000 * kMs);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].status, Status::kTimeout);
    EXPECT_EQ(exchange_.statistics().sent, 0U);
    EXPECT_EQ(exchange_.statistics().port_failed, 3U);
}

TEST_F(ExchangeTest, AnAnswerMayStillComeWhileItsQuestionWaitsToBeRepeated) {
    settings_.max_wire_smps = 2;
    exchange_.Configure(settings_);
    exchange_.Post(Question(0), 0);
    exchange_.Post(Question(1), 0);
    port_.room = 0;  // So the second tries have to wait.
    Expired(200 * kMs);
    ASSERT_EQ(exchange_.on_wire(), 0U);
    for (std::size_t i = 0; i < 2; ++i) {  // The first tries are answered after all.
        EXPECT_EQ(TakeAt(ResponseTo(port_.sent[i]), 201 * kMs), Status::kOk);
    }
    EXPECT_EQ(exchange_.in_flight(), 0U);
    port_.room = 10;
    EXPECT_TRUE(RunUntil(10000 * kMs).empty());
    EXPECT_EQ(port_.sent.size(), 2U);
}

TEST_F(ExchangeTest, LongSilenceLetsMoreOutUpToMaxWireSmps2) {
    settings_.max_wire_smps2 = 6;
    settings_.max_smps_timeout = 100 * 1000;
    exchange_.Configure(settings_);
    for (std::uint32_t i = 0; i < 4; ++i) {
        exchange_.Post(Question(i), 0);
    }
    EXPECT_FALSE(exchange_.has_room());
    EXPECT_EQ(exchange_.NextDeadlineUs(), 100 * kMs);
    Expired(100 * kMs);
    ASSERT_TRUE(exchange_.has_room());
    exchange_.Post(Question(4), 100 * kMs);
    EXPECT_FALSE(exchange_.has_room());
}

TEST_F(ExchangeTest, AbandonForgetsOneClientAndCountsItsAnswersAsLate) {
    exchange_.Post(Question(1, Client{1}), 0);
    exchange_.Post(Question(2, Client{2}), 0);
    exchange_.Abandon(Client{1});
    EXPECT_EQ(exchange_.in_flight(), 1U);
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[0]), 5), Status::kAbsent);
    EXPECT_EQ(exchange_.statistics().late, 1U);
    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[1]), 5), Status::kOk);
    EXPECT_EQ(answer_.cookie.client, Client{2});
}

TEST_F(ExchangeTest, AbandonForgetsThoseThatWaitForThePortToo) {
    port_.room = 0;
    exchange_.Post(Question(1), 0);
    exchange_.Abandon(Client{1});
    EXPECT_EQ(exchange_.in_flight(), 0U);
    EXPECT_EQ(exchange_.NextDeadlineUs(), kNever);
    port_.room = 9;
    Expired(1000 * kMs);
    EXPECT_TRUE(port_.sent.empty());
    EXPECT_TRUE(exchange_.has_room());
}

TEST_F(ExchangeTest, SetsAndGetsAreCountedByAttribute) {
    Ask ask = Question(1);
    ask.method = Method::kSet;
    ask.attribute = AttributeId::kLinearForwardingTable;
    exchange_.Post(ask, 0);
    exchange_.Post(Question(2), 0);
    EXPECT_EQ(exchange_.statistics().SetsOf(AttributeId::kLinearForwardingTable), 1U);
    EXPECT_EQ(exchange_.statistics().GetsOf(AttributeId::kLinearForwardingTable), 0U);
    EXPECT_EQ(exchange_.statistics().GetsOf(AttributeId::kPortInfo), 1U);
}

TEST_F(ExchangeTest, ToldDatagramsAreSentOnceAndNotAwaited) {
    EXPECT_EQ(exchange_.Send(Envelope{}), Status::kOk);
    port_.room = 0;
    EXPECT_EQ(exchange_.Send(Envelope{}), Status::kBusy);
    EXPECT_EQ(exchange_.statistics().one_way, 1U);
    EXPECT_EQ(exchange_.in_flight(), 0U);
}

TEST_F(ExchangeTest, TheSameSeedMakesTheSameDelays) {
    std::vector<std::uint64_t> deadlines[2];
    for (auto& run : deadlines) {
        FakeEntropy entropy(5);
        FakePort port;
        Exchange exchange({transactions_, due_}, port, entropy);
        exchange.Post(Question(1), 0);
        Answer answer;
        for (bool over = false; !over;) {
            run.push_back(exchange.NextDeadlineUs());
            over = exchange.Expire(run.back(), answer);
        }
    }
    EXPECT_EQ(deadlines[0], deadlines[1]);
    EXPECT_GE(deadlines[0].size(), 3U) << "and some at which it leaves the wire to others";
}

using ExchangeDeathTest = ExchangeTest;

TEST_F(ExchangeDeathTest, APostNeedsRoomAndANamedClient) {
    Ask nameless = Question(1);
    nameless.cookie.client = kNoClient;
    EXPECT_DEATH(exchange_.Post(nameless, 0), "kNoClient");
    for (std::uint32_t i = 0; i < 4; ++i) {
        exchange_.Post(Question(i), 0);
    }
    EXPECT_DEATH(exchange_.Post(Question(5), 0), "has_room");
}

}  // namespace
}  // namespace ember
