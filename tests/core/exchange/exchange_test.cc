// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of transactions: the window, the tries, and answers that come at the wrong time.
#include "core/exchange/exchange.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/core/exchange/fake_port.h"

namespace ember {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kMs = 1000;

class ExchangeTest : public testing::Test {
protected:
    explicit ExchangeTest(std::size_t capacity = 8) : transactions_(capacity), due_(capacity) {
        settings_.max_wire_smps = 4;
        settings_.transaction_timeout = 200;
        settings_.transaction_retries = 3;
        exchange_.Configure(settings_);
    }

    static Ask Question(std::uint32_t subject, Client client = Client::kDiscovery) {
        Ask ask;
        ask.attribute = AttributeId::kPortInfo;
        ask.modifier = subject;
        ask.path.hops = 2;
        ask.path.ports[0] = 3;
        ask.path.ports[1] = 5;
        ask.cookie = {client, 7, 11, subject};
        return ask;
    }

    /// Everything that Expire() has to tell at `now_us`.
    std::vector<Answer> Expired(std::uint64_t now_us) {
        std::vector<Answer> answers;
        Answer answer;
        while (exchange_.Expire(now_us, answer)) {
            answers.push_back(answer);
        }
        return answers;
    }

    /// Turns time to each deadline up to and including `until_us`.
    std::vector<Answer> RunUntil(std::uint64_t until_us) {
        std::vector<Answer> answers;
        for (std::uint64_t now = exchange_.NextDeadlineUs(); now <= until_us;
             now = exchange_.NextDeadlineUs()) {
            const std::vector<Answer> some = Expired(now);
            answers.insert(answers.end(), some.begin(), some.end());
        }
        return answers;
    }

    Status TakeAt(const Envelope& envelope, std::uint64_t now_us) {
        return exchange_.Take(envelope, now_us, answer_);
    }

    std::vector<Exchange::Transaction> transactions_;
    std::vector<DueQueue::Entry> due_;
    FakePort port_;
    FakeEntropy entropy_;
    Exchange exchange_{Exchange::Memory{transactions_, due_}, port_, entropy_};
    Settings settings_;
    Answer answer_;
};

TEST_F(ExchangeTest, AnAnswerComesBackWithTheCookieOfItsQuestion) {
    exchange_.Post(Question(9), 1000);
    ASSERT_EQ(port_.sent.size(), 1U);
    EXPECT_EQ(exchange_.in_flight(), 1U);

    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[0], 0, 0x5A), 1350), Status::kOk);
    EXPECT_EQ(answer_.status, Status::kOk);
    EXPECT_EQ(answer_.cookie.client, Client::kDiscovery);
    EXPECT_EQ(answer_.cookie.kind, 7);
    EXPECT_EQ(answer_.cookie.detail, 11);
    EXPECT_EQ(answer_.cookie.subject, 9U);
    EXPECT_EQ(answer_.attribute, AttributeId::kPortInfo);
    EXPECT_EQ(answer_.modifier, 9U);
    EXPECT_EQ(answer_.data[0], 0x5A);
    EXPECT_EQ(answer_.round_trip_us, 350U);
    EXPECT_EQ(exchange_.in_flight(), 0U);
    EXPECT_EQ(exchange_.NextDeadlineUs(), kNever);
    EXPECT_EQ(exchange_.statistics().answered, 1U);
}

TEST_F(ExchangeTest, ADirectedQuestionCarriesItsPathAndALidRoutedOneItsLid) {
    exchange_.Post(Question(1), 0);
    Ask by_lid = Question(2);
    by_lid.directed = false;
    by_lid.lid = Lid{17};
    by_lid.m_key = 0xABCD;
    exchange_.Post(by_lid, 0);

    const auto directed = std::bit_cast<DirectedSmp>(port_.sent[0].mad);
    EXPECT_EQ(directed.header.mgmt_class, MgmtClass::kSubnDirected);
    EXPECT_EQ(directed.header.hop_count, 2);
    EXPECT_EQ(directed.initial_path[1], 3);
    EXPECT_EQ(directed.initial_path[2], 5);
    EXPECT_EQ(port_.sent[0].peer, kPermissiveLid);

    const auto routed = std::bit_cast<LidSmp>(port_.sent[1].mad);
    EXPECT_EQ(routed.header.mgmt_class, MgmtClass::kSubnLid);
    EXPECT_EQ(routed.m_key, 0xABCDU);
    EXPECT_EQ(port_.sent[1].peer, Lid{17});
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[1]), 10), Status::kOk);
}

TEST_F(ExchangeTest, TheWindowClosesAtMaxWireSmpsAndOpensWithAnAnswer) {
    for (std::uint32_t i = 0; i < 4; ++i) {
        ASSERT_TRUE(exchange_.has_room());
        exchange_.Post(Question(i), 0);
    }
    EXPECT_FALSE(exchange_.has_room());
    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[2]), 10), Status::kOk);
    EXPECT_TRUE(exchange_.has_room());
    EXPECT_EQ(exchange_.statistics().peak_in_flight, 4U);
}

TEST_F(ExchangeTest, TheBoardsCapacityBoundsTheWindow) {
    settings_.max_wire_smps = 1000;
    exchange_.Configure(settings_);
    for (std::uint32_t i = 0; i < 8; ++i) {
        ASSERT_TRUE(exchange_.has_room());
        exchange_.Post(Question(i), 0);
    }
    EXPECT_FALSE(exchange_.has_room());
}

TEST_F(ExchangeTest, EachTryWaitsTwiceAsLongAsTheOneBefore) {
    exchange_.Post(Question(1), 0);
    EXPECT_EQ(exchange_.NextDeadlineUs(), 200 * kMs);
    EXPECT_TRUE(Expired(200 * kMs - 1).empty());
    EXPECT_EQ(port_.sent.size(), 1U);

    EXPECT_TRUE(Expired(200 * kMs).empty());
    EXPECT_EQ(port_.sent.size(), 2U);
    const std::uint64_t second = exchange_.NextDeadlineUs() - 200 * kMs;
    EXPECT_GE(second, 400 * kMs);
    EXPECT_LE(second, 450 * kMs) << "at most an eighth of chance";

    const std::uint64_t third_begins = exchange_.NextDeadlineUs();
    EXPECT_TRUE(Expired(third_begins).empty());
    EXPECT_EQ(port_.sent.size(), 3U);
    const std::uint64_t third = exchange_.NextDeadlineUs() - third_begins;
    EXPECT_GE(third, 800 * kMs);
    EXPECT_LE(third, 900 * kMs);
}

TEST_F(ExchangeTest, SilenceThroughEveryTryIsATimeout) {
    exchange_.Post(Question(42), 0);
    const std::vector<Answer> answers = RunUntil(10000 * kMs);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].status, Status::kTimeout);
    EXPECT_EQ(answers[0].cookie.subject, 42U);
    EXPECT_EQ(port_.sent.size(), 3U) << "transaction_retries counts all tries";
    EXPECT_EQ(exchange_.in_flight(), 0U);
    EXPECT_EQ(exchange_.statistics().resent, 2U);
    EXPECT_EQ(exchange_.statistics().timeouts, 3U);
    EXPECT_EQ(exchange_.statistics().given_up, 1U);
    EXPECT_EQ(exchange_.statistics().GetsOf(AttributeId::kPortInfo), 1U);
}

TEST_F(ExchangeTest, AQuestionMaySetItsOwnTimeoutAndTries) {
    Ask ask = Question(1);
    ask.timeout_us = 50 * kMs;
    ask.tries = 1;
    exchange_.Post(ask, 0);
    EXPECT_EQ(port_.sent[0].answer_within_us, 50 * kMs);
    EXPECT_EQ(Expired(50 * kMs).size(), 1U);
    EXPECT_EQ(port_.sent.size(), 1U);
}

TEST_F(ExchangeTest, EveryTryHasATransactionIdOfItsOwnAndAnyMayBeAnswered) {
    exchange_.Post(Question(1), 0);
    Expired(200 * kMs);
    ASSERT_EQ(port_.sent.size(), 2U);
    EXPECT_NE(Raw(TransactionId{port_.sent[0].mad.header.transaction_id}),
              Raw(TransactionId{port_.sent[1].mad.header.transaction_id}));

    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[0]), 210 * kMs), Status::kOk);
    EXPECT_EQ(answer_.round_trip_us, 210 * kMs);
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[1]), 211 * kMs), Status::kAbsent);
    EXPECT_EQ(exchange_.statistics().duplicates, 1U);
}

TEST_F(ExchangeTest, ARepeatedAnswerIsCountedAndDropped) {
    exchange_.Post(Question(1), 0);
    const Envelope response = ResponseTo(port_.sent[0]);
    ASSERT_EQ(TakeAt(response, 10), Status::kOk);
    EXPECT_EQ(TakeAt(response, 11), Status::kAbsent);
    exchange_.Post(Question(2), 12);  // Takes the same slot.
    EXPECT_EQ(TakeAt(response, 13), Status::kAbsent);
    EXPECT_EQ(exchange_.statistics().duplicates, 2U);
    EXPECT_EQ(exchange_.in_flight(), 1U);
}

TEST_F(ExchangeTest, AnAnswerAfterTheLastTryIsLate) {
    exchange_.Post(Question(1), 0);
    ASSERT_EQ(RunUntil(10000 * kMs).size(), 1U);
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[2]), 10001 * kMs), Status::kAbsent);
    EXPECT_EQ(exchange_.statistics().late, 1U);
}

TEST_F(ExchangeTest, AnAnswerToATryNotYetMadeIsNotOurs) {
    exchange_.Post(Question(1), 0);
    Envelope forged = ResponseTo(port_.sent[0]);
    const TransactionId id = forged.mad.header.transaction_id;
    forged.mad.header.transaction_id = TransactionId{Raw(id) + 0x10000};
    EXPECT_EQ(TakeAt(forged, 1), Status::kAbsent);
    EXPECT_EQ(exchange_.in_flight(), 1U);
}

TEST_F(ExchangeTest, AnswersToAnEarlierLifeDoNotMatch) {
    exchange_.Post(Question(1), 0);
    const Envelope old = ResponseTo(port_.sent[0]);

    FakeEntropy later(99);
    Exchange reborn({transactions_, due_}, port_, later);
    reborn.Post(Question(1), 0);
    EXPECT_EQ(reborn.Take(old, 5, answer_), Status::kAbsent);
    EXPECT_EQ(reborn.statistics().unmatched, 1U);
    EXPECT_EQ(reborn.in_flight(), 1U);
}

TEST_F(ExchangeTest, OnlyTheLowerHalfOfATransactionIdIsOurs) {
    exchange_.Post(Question(1), 0);
    Envelope response = ResponseTo(port_.sent[0]);
    const TransactionId id = response.mad.header.transaction_id;
    EXPECT_EQ(Raw(id) >> 32, 0U);
    response.mad.header.transaction_id = TransactionId{Raw(id) | 0xDEADBEEF00000000};
    EXPECT_EQ(TakeAt(response, 1), Status::kOk);
}

TEST_F(ExchangeTest, AnAnswerThatDoesNotFitItsQuestionIsCountedAndTheWaitGoesOn) {
    exchange_.Post(Question(1), 0);
    const Envelope good = ResponseTo(port_.sent[0]);

    Envelope wrong = good;
    wrong.mad.header.attribute_id = AttributeId::kNodeInfo;
    EXPECT_EQ(TakeAt(wrong, 1), Status::kAbsent);
    wrong = good;
    wrong.mad.header.attribute_modifier = 2;
    EXPECT_EQ(TakeAt(wrong, 1), Status::kAbsent);
    wrong = good;
    wrong.mad.header.mgmt_class = MgmtClass::kSubnLid;
    EXPECT_EQ(TakeAt(wrong, 1), Status::kAbsent);
    wrong = good;
    wrong.mad.header.method = Method::kTrapRepress;
    EXPECT_EQ(TakeAt(wrong, 1), Status::kAbsent);
    wrong = good;
    wrong.mad.header.class_version = 9;
    EXPECT_EQ(TakeAt(wrong, 1), Status::kAbsent);

    EXPECT_EQ(exchange_.statistics().malformed, 5U);
    EXPECT_EQ(TakeAt(good, 2), Status::kOk);
}

TEST_F(ExchangeTest, RequestsAndOtherClassesAreNotAnswers) {
    exchange_.Post(Question(1), 0);
    EXPECT_EQ(TakeAt(port_.sent[0], 1), Status::kAbsent);
    Envelope other = ResponseTo(port_.sent[0]);
    other.mad.header.mgmt_class = MgmtClass::kSubnAdm;
    EXPECT_EQ(TakeAt(other, 1), Status::kAbsent);
    EXPECT_EQ(exchange_.statistics().unmatched, 0U);
    EXPECT_EQ(exchange_.in_flight(), 1U);
}

TEST_F(ExchangeTest, AMadStatusMakesTheAnswerARefusal) {
    exchange_.Post(Question(1), 0);
    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[0], kMadStatusInvalidField), 5), Status::kOk);
    EXPECT_EQ(answer_.status, Status::kRefused);
    EXPECT_EQ(answer_.mad_status, kMadStatusInvalidField);
    EXPECT_EQ(exchange_.statistics().refused, 1U);
}

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

TEST_F(ExchangeTest, ATimeoutNarrowsTheWindowAndThoseLostTogetherReturnOneByOne) {
    for (std::uint32_t i = 0; i < 4; ++i) {
        exchange_.Post(Question(i), i);
    }
    Expired(200 * kMs + 3);
    EXPECT_EQ(exchange_.window(), 2U);
    EXPECT_EQ(port_.sent.size(), 6U) << "two of the four came back at once";
    EXPECT_EQ(exchange_.on_wire(), 2U);
    EXPECT_EQ(exchange_.in_flight(), 4U);
    EXPECT_FALSE(exchange_.has_room());

    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[4]), 201 * kMs), Status::kOk);
    Expired(201 * kMs);
    EXPECT_GE(port_.sent.size(), 7U) << "an answer makes room for the next";
}

TEST_F(ExchangeTest, AnAnswerMayStillComeWhileItsQuestionWaitsToBeRepeated) {
    for (std::uint32_t i = 0; i < 4; ++i) {
        exchange_.Post(Question(i), 0);
    }
    Expired(200 * kMs);
    ASSERT_EQ(exchange_.on_wire(), 2U);
    std::size_t answered = 0;
    for (std::size_t i = 0; i < 4; ++i) {  // All first tries are answered after all.
        if (TakeAt(ResponseTo(port_.sent[i]), 201 * kMs) == Status::kOk) ++answered;
    }
    EXPECT_EQ(answered, 4U);
    EXPECT_EQ(exchange_.in_flight(), 0U);
    EXPECT_EQ(exchange_.on_wire(), 0U);
    EXPECT_TRUE(RunUntil(10000 * kMs).empty());
    EXPECT_EQ(port_.sent.size(), 6U);
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
    exchange_.Post(Question(1, Client::kDiscovery), 0);
    exchange_.Post(Question(2, Client::kRole), 0);
    exchange_.Abandon(Client::kDiscovery);
    EXPECT_EQ(exchange_.in_flight(), 1U);
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[0]), 5), Status::kAbsent);
    EXPECT_EQ(exchange_.statistics().late, 1U);
    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[1]), 5), Status::kOk);
    EXPECT_EQ(answer_.cookie.client, Client::kRole);
}

TEST_F(ExchangeTest, AbandonForgetsThoseThatWaitForThePortToo) {
    port_.room = 0;
    exchange_.Post(Question(1), 0);
    exchange_.Abandon(Client::kDiscovery);
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
    EXPECT_EQ(exchange_.Tell(Envelope{}), Status::kOk);
    port_.room = 0;
    EXPECT_EQ(exchange_.Tell(Envelope{}), Status::kBusy);
    EXPECT_EQ(exchange_.statistics().told, 1U);
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
    EXPECT_EQ(deadlines[0].size(), 3U);
}

using ExchangeDeathTest = ExchangeTest;

TEST_F(ExchangeDeathTest, NobodyPostsWithoutRoomOrName) {
    Ask nameless = Question(1);
    nameless.cookie.client = Client::kNone;
    EXPECT_DEATH(exchange_.Post(nameless, 0), "kNone");
    for (std::uint32_t i = 0; i < 4; ++i) {
        exchange_.Post(Question(i), 0);
    }
    EXPECT_DEATH(exchange_.Post(Question(5), 0), "has_room");
}

}  // namespace
}  // namespace ember
