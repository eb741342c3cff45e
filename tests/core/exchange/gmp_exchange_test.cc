// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of transactions with general services: tries, answers, and rows that end early.

#include "core/exchange/gmp_exchange.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "tests/support/fake_port.h"

namespace ember {
namespace {

constexpr std::uint64_t kMs = 1000;

class GmpExchangeTest : public testing::Test {
protected:
    using Due = std::vector<std::pair<std::uint16_t, Status>>;

    GmpExchangeTest() {
        settings_.transaction_timeout = 200;
        settings_.transaction_retries = 3;
    }

    /// A Get(PortCounters) to the LID that has the row's number and one.
    static Envelope Counters(std::uint16_t row) {
        Envelope envelope;
        envelope.peer = Lid{static_cast<std::uint16_t>(row + 1)};
        envelope.service_level = 4;
        envelope.p_key_index = 6;
        envelope.remote_queue_pair = 1;
        MadHeader& header = envelope.mad.header;
        header.base_version = kBaseVersion;
        header.mgmt_class = MgmtClass::kPerf;
        header.class_version = 1;
        header.method = Method::kGet;
        header.attribute_id = static_cast<AttributeId>(0x12);
        envelope.mad.body.fill(static_cast<std::uint8_t>(row));
        return envelope;
    }
    Status Send(std::uint16_t row, std::uint64_t now_us) {
        Envelope envelope = Counters(row);
        return exchange_.Send(row, envelope, now_us);
    }
    static Mad AnswerTo(const Envelope& request) {
        Mad answer = request.mad;
        answer.header.method = Method::kGetResp;
        return answer;
    }
    /// All that is due, each with what was said of it.
    Due Expired(std::uint64_t now_us) {
        Due due;
        std::uint16_t row = 0;
        for (Status said = exchange_.Expire(now_us, row); said != Status::kAbsent;
             said = exchange_.Expire(now_us, row)) {
            due.emplace_back(row, said);
        }
        return due;
    }
    static std::uint32_t IdOf(const Envelope& envelope) {
        return static_cast<std::uint32_t>(Raw(TransactionId{envelope.mad.header.transaction_id}));
    }

    Settings settings_;
    std::vector<GmpExchange::Row> rows_ = std::vector<GmpExchange::Row>(5);
    FakePort port_;
    FakeEntropy entropy_;
    GmpExchange exchange_{rows_, port_, entropy_, settings_};
};

TEST_F(GmpExchangeTest, ARequestGoesToItsPeerAsItWasMade) {
    ASSERT_EQ(Send(3, 0), Status::kOk);
    const Envelope& sent = port_.sent.at(0);
    EXPECT_EQ(sent.peer, Lid{4});
    EXPECT_EQ(sent.queue_pair, 1);
    EXPECT_EQ(sent.service_level, 4);
    EXPECT_EQ(sent.p_key_index, 6);
    EXPECT_EQ(sent.remote_queue_pair, 1U);
    EXPECT_EQ(sent.answer_within_us, 200 * kMs);
    EXPECT_EQ(sent.mad.header.mgmt_class, MgmtClass::kPerf);
    EXPECT_EQ(sent.mad.body, Counters(3).mad.body);
    EXPECT_EQ(exchange_.tried(3), 1);
    EXPECT_EQ(exchange_.Match(AnswerTo(sent)), 3);
    exchange_.End(3);
    EXPECT_EQ(exchange_.tried(3), 0);
    EXPECT_EQ(exchange_.Match(AnswerTo(sent)), GmpExchange::kNoRow) << "only the first counts";
    EXPECT_TRUE(Expired(10'000 * kMs).empty());
    EXPECT_EQ(exchange_.NextDeadlineUs(), kNever);
}

TEST_F(GmpExchangeTest, EachTryWaitsEquallyLongAndIsTheSameDatagram) {
    std::uint64_t now_us = 7;
    ASSERT_EQ(Send(2, now_us), Status::kOk);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(exchange_.NextDeadlineUs(), now_us + 200 * kMs);
        EXPECT_TRUE(Expired(now_us + 200 * kMs - 1).empty());
        now_us += 200 * kMs;
        EXPECT_EQ(Expired(now_us), (Due{{2, Status::kOk}}));
        ASSERT_EQ(Send(2, now_us), Status::kOk);
    }
    EXPECT_EQ(IdOf(port_.sent[1]), IdOf(port_.sent[0]));
    EXPECT_EQ(IdOf(port_.sent[2]), IdOf(port_.sent[0]));
    EXPECT_EQ(Expired(now_us + 200 * kMs), (Due{{2, Status::kTimeout}}));
    EXPECT_EQ(exchange_.Match(AnswerTo(port_.sent[0])), GmpExchange::kNoRow) << "too late";
    ASSERT_EQ(Send(2, now_us), Status::kOk);
    EXPECT_NE(IdOf(port_.sent[3]), IdOf(port_.sent[0])) << "another transaction";
    EXPECT_EQ(exchange_.tried(2), 1);
}

TEST_F(GmpExchangeTest, RowsWaitByThemselves) {
    ASSERT_EQ(Send(4, 0), Status::kOk);
    ASSERT_EQ(Send(0, 50 * kMs), Status::kOk);
    ASSERT_EQ(Send(1, 60 * kMs), Status::kOk);
    exchange_.End(0);
    EXPECT_EQ(Expired(200 * kMs), (Due{{4, Status::kOk}}));
    EXPECT_EQ(exchange_.NextDeadlineUs(), 260 * kMs);
    EXPECT_EQ(exchange_.Match(AnswerTo(port_.sent[2])), 1);
    EXPECT_EQ(Expired(260 * kMs), (Due{{1, Status::kOk}}));
}

TEST_F(GmpExchangeTest, AScanThatWasCutShortGoesOn) {
    for (std::uint16_t row = 0; row < 5; ++row) {
        ASSERT_EQ(Send(row, 0), Status::kOk);
    }
    std::uint16_t row = 0;
    ASSERT_EQ(exchange_.Expire(200 * kMs, row), Status::kOk);
    EXPECT_EQ(row, 0);
    ASSERT_EQ(Send(0, 200 * kMs), Status::kOk);
    EXPECT_LE(exchange_.NextDeadlineUs(), 200 * kMs) << "there are more";
    EXPECT_EQ(Expired(210 * kMs).size(), 4U);
    EXPECT_EQ(exchange_.NextDeadlineUs(), 400 * kMs);
}

TEST_F(GmpExchangeTest, AFullPortUsesUpNoTry) {
    port_.room = 0;
    EXPECT_EQ(Send(1, 0), Status::kBusy);
    EXPECT_EQ(exchange_.tried(1), 0);
    EXPECT_EQ(exchange_.NextDeadlineUs(), kPortPauseUs);
    EXPECT_EQ(Expired(kPortPauseUs), (Due{{1, Status::kOk}}));
    port_.room = 9;
    ASSERT_EQ(Send(1, kPortPauseUs), Status::kOk);
    EXPECT_EQ(exchange_.tried(1), 1);
}

TEST_F(GmpExchangeTest, RequestsStrayAnswersAndOtherRunsMatchNothing) {
    ASSERT_EQ(Send(1, 0), Status::kOk);
    const Envelope& sent = port_.sent.at(0);
    EXPECT_EQ(exchange_.Match(sent.mad), GmpExchange::kNoRow) << "no response";
    Mad other = AnswerTo(sent);
    other.header.transaction_id = TransactionId{IdOf(sent) ^ 1U};
    EXPECT_EQ(exchange_.Match(other), GmpExchange::kNoRow) << "another generation";
    other.header.transaction_id = TransactionId{IdOf(sent) + (4U << 16U)};
    EXPECT_EQ(exchange_.Match(other), GmpExchange::kNoRow) << "no such row";
    other.header.transaction_id = TransactionId{IdOf(sent) | 0xABCD000000000000};
    EXPECT_EQ(exchange_.Match(other), 1) << "the upper half is the kernel's";
}

TEST_F(GmpExchangeTest, GenerationsAreNotCounted) {
    std::set<std::uint32_t> steps;
    std::uint32_t before = 0;
    for (int i = 0; i < 50; ++i) {
        ASSERT_EQ(Send(0, 0), Status::kOk);
        const std::uint32_t id = IdOf(port_.sent.back());
        steps.insert((id - before) & 0xFFFFU);
        before = id;
        exchange_.End(0);
    }
    EXPECT_GT(steps.size(), 40U);
}

TEST_F(GmpExchangeTest, WhatIsAbandonedIsNeitherDueNorAnswered) {
    ASSERT_EQ(Send(0, 0), Status::kOk);
    ASSERT_EQ(Send(1, 0), Status::kOk);
    exchange_.Abandon();
    EXPECT_EQ(exchange_.NextDeadlineUs(), kNever);
    EXPECT_TRUE(Expired(1000 * kMs).empty());
    EXPECT_EQ(exchange_.Match(AnswerTo(port_.sent[0])), GmpExchange::kNoRow);
    EXPECT_EQ(exchange_.Match(AnswerTo(port_.sent[1])), GmpExchange::kNoRow);
}

TEST_F(GmpExchangeTest, ALongSleepEndsInATry) {
    // The row keeps the lower half of its deadline.
    ASSERT_EQ(Send(0, 0), Status::kOk);
    for (const std::uint64_t minutes : {1U, 36U, 70U, 100U}) {
        const std::uint64_t now_us = minutes * 60 * kSecondUs;
        EXPECT_EQ(Expired(now_us), (Due{{0, Status::kOk}})) << minutes;
        exchange_.End(0);
        ASSERT_EQ(Send(0, 0), Status::kOk);
    }
}

}  // namespace
}  // namespace ember
