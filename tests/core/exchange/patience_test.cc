// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how long answers are waited for: silence of some delays no other, loss is
// told from silence, and a hastened question ends soon.

#include "tests/core/exchange/exchange_harness.h"

namespace ember {
namespace {

class Patience : public ExchangeTest {
protected:
    Patience() : ExchangeTest(64) {}

    /// A question that is answered after a millisecond. Returns the time then.
    std::uint64_t Converse(std::uint64_t now_us) {
        exchange_.Post(Question(99), now_us);
        EXPECT_EQ(TakeAt(ResponseTo(port_.sent.back()), now_us + kMs), Status::kOk);
        return now_us + kMs;
    }
    /// A question whose first try is lost and whose second is answered. Returns the time then.
    std::uint64_t Lose(std::uint64_t now_us) {
        exchange_.Post(Question(98), now_us);
        const std::size_t sent = port_.sent.size();
        while (port_.sent.size() == sent) {
            now_us = exchange_.NextDeadlineUs();
            EXPECT_TRUE(Expired(now_us).empty());
        }
        EXPECT_EQ(TakeAt(ResponseTo(port_.sent.back()), now_us + kMs), Status::kOk);
        return now_us + kMs;
    }
};

TEST_F(Patience, WhoIsSilentLeavesTheWindowToThoseWhoAnswer) {
    std::uint64_t now = Converse(0);
    for (std::uint32_t i = 0; i < 4; ++i) {
        exchange_.Post(Question(i), now);
    }
    EXPECT_FALSE(exchange_.has_room());
    ASSERT_EQ(TakeAt(ResponseTo(port_.sent.back()), now + kMs), Status::kOk);
    EXPECT_EQ(exchange_.linger_us(), 8 * kMs);
    Expired(now + 8 * kMs);
    EXPECT_EQ(exchange_.on_wire(), 0U) << "the other three are lost, or their peers are silent";
    EXPECT_EQ(exchange_.in_flight(), 3U) << "but they are waited for all the same";
    EXPECT_EQ(port_.sent.size(), 5U);
    EXPECT_TRUE(exchange_.has_room());
    // A late answer still counts.
    EXPECT_EQ(TakeAt(ResponseTo(port_.sent[1]), now + 150 * kMs), Status::kOk);
    EXPECT_TRUE(Expired(now + 200 * kMs - 1).empty());
    EXPECT_EQ(port_.sent.size(), 5U);
    Expired(now + 200 * kMs);
    EXPECT_EQ(port_.sent.size(), 7U) << "the timeout of the first try is what it was";
}

TEST_F(Patience, WhileNoPeerAnswersTheWindowStaysClosed) {
    const std::uint64_t now = Converse(0);
    for (std::uint32_t i = 0; i < 4; ++i) {
        exchange_.Post(Question(i), now);
    }
    for (std::uint64_t at = exchange_.NextDeadlineUs(); at < now + 200 * kMs;
         at = exchange_.NextDeadlineUs()) {
        Expired(at);
        EXPECT_FALSE(exchange_.has_room()) << "at " << at;
    }
}

TEST_F(Patience, SilenceOfOneDoesNotNarrowTheWindowOfAll) {
    exchange_.Post(Question(0), 0);  // To somebody who is dead.
    std::uint64_t now = 0;
    for (int i = 0; i < 100; ++i) {
        now = Converse(now + 20 * kMs);
        Expired(now);
        EXPECT_EQ(exchange_.window(), 4U);
    }
    EXPECT_EQ(exchange_.statistics().given_up, 1U);
    EXPECT_FALSE(exchange_.is_lossy());
}

TEST_F(Patience, ALossNarrowsTheWindowOfAll) {
    settings_.max_wire_smps = 32;
    exchange_.Configure(settings_);
    Lose(Converse(0));
    EXPECT_EQ(exchange_.window(), 16U);
}

TEST_F(Patience, WhereDatagramsAreLostQuestionsAreRepeatedSoonerAndMoreOften) {
    std::uint64_t now = Lose(Converse(0));
    ASSERT_TRUE(exchange_.is_lossy());
    const std::uint64_t began = now;
    const std::size_t before = port_.sent.size();
    exchange_.Post(Question(1), now);
    std::vector<Answer> answers;
    while (answers.empty()) {
        now = exchange_.NextDeadlineUs();
        answers = Expired(now);
    }
    EXPECT_EQ(answers[0].status, Status::kTimeout);
    EXPECT_GE(now - began, 700 * kMs);
    EXPECT_LE(now - began, 1400 * kMs) << "no later than three tries would have told";
    EXPECT_GE(port_.sent.size() - before, 10U);
    EXPECT_LE(port_.sent.size() - before, Exchange::kMostTries);
}

TEST_F(Patience, WhereAnswersComeLossIsForgotten) {
    std::uint64_t now = Lose(Converse(0));
    for (int i = 0; i < 200; ++i) {
        now = Converse(now);
    }
    EXPECT_FALSE(exchange_.is_lossy());
}

TEST_F(Patience, WhoIsInAHurryKnowsOfSilenceWithinTenthsOfASecond) {
    std::uint64_t now = Converse(0);
    Ask ask = Question(1);
    exchange_.Hasten(ask);
    exchange_.Post(ask, now);
    const std::uint64_t began = now;
    std::vector<Answer> answers;
    while (answers.empty()) {
        now = exchange_.NextDeadlineUs();
        answers = Expired(now);
    }
    EXPECT_LE(now - began, 260 * kMs) << "32 ms, 64 ms and 128 ms, and some chance";
    EXPECT_EQ(exchange_.statistics().resent, 2U);
}

TEST_F(Patience, AHurryNeverWaitsLongerThanTheOperatorAllows) {
    settings_.transaction_timeout = 10;
    settings_.transaction_retries = 1;
    exchange_.Configure(settings_);
    Ask ask = Question(1);
    exchange_.Hasten(ask);
    EXPECT_EQ(ask.timeout_us, 10 * kMs);
    EXPECT_EQ(ask.tries, 1);
    Converse(0);
    exchange_.Hasten(ask);
    EXPECT_EQ(ask.timeout_us, 10 * kMs);
}

}  // namespace
}  // namespace ember
