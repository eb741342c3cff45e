// SPDX-License-Identifier: Apache-2.0
// EmberSM: an exchange over a port whose datagrams the test answers by hand.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/time.h"
#include "core/exchange/exchange.h"
#include "tests/support/fake_port.h"

namespace ember {

inline constexpr std::uint64_t kMs = 1000;

class ExchangeTest : public testing::Test {
protected:
    explicit ExchangeTest(std::size_t capacity = 8) : transactions_(capacity), due_(capacity) {
        settings_.max_wire_smps = 4;
        settings_.transaction_timeout = 200;
        settings_.transaction_retries = 3;
        exchange_.Configure(settings_);
    }

    static Ask Question(std::uint32_t subject, Client client = Client{1}) {
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

}  // namespace ember
