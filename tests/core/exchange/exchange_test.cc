// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of transactions: the window, the tries, and answers that come at the wrong time.

#include "tests/core/exchange/exchange_harness.h"

namespace ember {
namespace {

TEST_F(ExchangeTest, AnAnswerComesBackWithTheCookieOfItsQuestion) {
    exchange_.Post(Question(9), 1000);
    ASSERT_EQ(port_.sent.size(), 1U);
    EXPECT_EQ(exchange_.in_flight(), 1U);

    ASSERT_EQ(TakeAt(ResponseTo(port_.sent[0], 0, 0x5A), 1350), Status::kOk);
    EXPECT_EQ(answer_.status, Status::kOk);
    EXPECT_EQ(answer_.cookie.client, Client{1});
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

TEST_F(ExchangeTest, ATrapIsRepeatedUntilItIsRepressed) {
    Ask trap = Question(1);
    trap.method = Method::kTrap;
    trap.attribute = AttributeId::kNotice;
    trap.directed = false;
    trap.lid = Lid{9};
    exchange_.Post(trap, 0);
    Expired(200 * kMs);
    ASSERT_EQ(port_.sent.size(), 2U);
    EXPECT_EQ(port_.sent[1].mad.header.method, Method::kTrap);
    EXPECT_GE(port_.sent[1].answer_within_us, 400 * kMs) << "or the kernel lets no repress through";

    Envelope repress = ResponseTo(port_.sent[1]);
    EXPECT_EQ(TakeAt(repress, 201 * kMs), Status::kAbsent) << "GetResp answers no trap";
    EXPECT_EQ(exchange_.statistics().malformed, 1U);
    repress.mad.header.method = Method::kTrapRepress;
    ASSERT_EQ(TakeAt(repress, 202 * kMs), Status::kOk);
    EXPECT_EQ(answer_.status, Status::kOk);
    EXPECT_EQ(answer_.method, Method::kTrap);
    EXPECT_TRUE(RunUntil(10'000 * kMs).empty());
    EXPECT_EQ(port_.sent.size(), 2U);
    EXPECT_EQ(exchange_.statistics().GetsOf(AttributeId::kNotice), 0U) << "it is no Get";
    EXPECT_EQ(exchange_.statistics().one_way, 0U);
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
    // There are deadlines in between, at which it only leaves the wire to others.
    std::uint64_t began_us = 200 * kMs;
    for (const std::uint64_t wait_us : {400 * kMs, 800 * kMs}) {
        const std::size_t sent = port_.sent.size();
        std::uint64_t now_us = began_us;
        while (port_.sent.size() == sent && now_us < began_us + 2 * wait_us) {
            now_us = exchange_.NextDeadlineUs();
            Expired(now_us);
            if (exchange_.in_flight() == 0) break;  // The last try is over.
        }
        EXPECT_GE(now_us - began_us, wait_us);
        EXPECT_LE(now_us - began_us, wait_us + wait_us / 8) << "at most an eighth of chance";
        began_us = now_us;
    }
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

TEST_F(ExchangeTest, AnAnswerThatCameAnotherWayIsNotOurs) {
    Ask question = Question(1);
    question.path.hops = 2;
    question.path.ports[0] = 3;
    question.path.ports[1] = 4;
    exchange_.Post(question, 0);
    const Envelope good = ResponseTo(port_.sent[0]);
    auto smp = std::bit_cast<DirectedSmp>(good.mad);
    smp.initial_path[2] = 5;
    Envelope forged = good;
    forged.mad = std::bit_cast<Mad>(smp);
    EXPECT_EQ(TakeAt(forged, 1), Status::kAbsent);
    smp = std::bit_cast<DirectedSmp>(good.mad);
    smp.header.hop_count = 1;
    forged.mad = std::bit_cast<Mad>(smp);
    EXPECT_EQ(TakeAt(forged, 2), Status::kAbsent);
    EXPECT_EQ(exchange_.statistics().malformed, 2U);
    EXPECT_EQ(TakeAt(good, 3), Status::kOk);
}

TEST_F(ExchangeTest, ASlotTellsNothingOfItsNextTransactionId) {
    std::uint64_t before = 0;
    int counted_on = 0;
    for (int i = 0; i < 100; ++i) {
        exchange_.Post(Question(1), 0);
        const Envelope answer = ResponseTo(port_.sent.back());
        const std::uint64_t id = Raw(TransactionId{answer.mad.header.transaction_id}) & 0xFFFFU;
        if (id - before <= 256) ++counted_on;
        EXPECT_NE(id, before);
        before = id;
        EXPECT_EQ(TakeAt(answer, 1), Status::kOk);
    }
    EXPECT_LE(counted_on, 5);
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

}  // namespace
}  // namespace ember
