// SPDX-License-Identifier: Apache-2.0
// EmberSM: whatever a network does, every question ends exactly once.
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

#include "core/base/time.h"
#include "core/exchange/exchange.h"
#include "tests/support/fake_port.h"

namespace ember {
namespace {

/// Goal:   each question is answered or given up, once, whatever is lost, repeated, delayed,
///         corrupted or refused; the window is kept; and nothing is left behind.
/// Method: random fates for each datagram sent, virtual time.
class RoughNetwork {
public:
    RoughNetwork(std::size_t capacity, std::uint32_t window, std::uint64_t seed)
        : transactions_(capacity), due_(capacity), entropy_(seed), fate_(seed + 1) {
        Settings settings;
        settings.max_wire_smps = window;
        settings.max_wire_smps2 = window + 2;
        settings.transaction_timeout = 20;
        exchange_.Configure(settings);
        limit_ = std::min<std::size_t>(window + 2, capacity);
    }

    void Run(std::uint32_t questions) {
        std::uint32_t posted = 0;
        // Ends: tries and delays are bounded.
        while (posted < questions || exchange_.in_flight() > 0) {
            while (posted < questions && exchange_.has_room()) {
                Ask ask;
                ask.method = posted % 3 == 0 ? Method::kSet : Method::kGet;
                ask.attribute = AttributeId::kNodeInfo;
                ask.modifier = posted;
                ask.cookie = {Client{1}, 0, 0, posted};
                exchange_.Post(ask, now_);
                ++posted;
            }
            Deliver();
            Answer answer;
            while (exchange_.Expire(now_, answer)) {
                End(answer);
            }
            RC_ASSERT(exchange_.on_wire() <= limit_);
            RC_ASSERT(exchange_.in_flight() <= transactions_.size());
            Fly();
            std::uint64_t next = exchange_.NextDeadlineUs();
            if (!flying_.empty()) next = std::min(next, flying_.begin()->first);
            if (exchange_.in_flight() > 0) {
                RC_ASSERT(next != kNever);
                now_ = std::max(now_, next);
            }
            port_.room = fate_.Draw() % 6;
        }
        Deliver();
        RC_ASSERT(ended_.size() == questions);
        RC_ASSERT(exchange_.on_wire() == 0U);
        const ExchangeStatistics& counted = exchange_.statistics();
        RC_ASSERT(counted.answered + counted.given_up == questions);
        RC_ASSERT(counted.gets[0x11] + counted.sets[0x11] == questions);
    }

private:
    /// Gives each datagram that was sent its fate.
    void Fly() {
        while (!port_.sent.empty()) {
            const Envelope request = port_.sent.front();
            port_.sent.pop_front();
            const std::uint64_t fate = fate_.Draw() % 20;
            if (fate < 4) continue;
            const std::uint16_t status = fate == 4   ? kMadStatusBusy
                                         : fate == 5 ? kMadStatusInvalidField
                                                     : std::uint16_t{0};
            Envelope response = ResponseTo(request, status);
            if (fate == 6) response.mad.header.attribute_modifier = 0xFFFFFFFF;
            const std::uint64_t copies = fate == 7 ? 3 : 1;
            for (std::uint64_t i = 0; i < copies; ++i) {
                const std::uint64_t delay = fate == 8 ? fate_.Draw() % 200000 : fate_.Draw() % 500;
                flying_.emplace(now_ + 1 + delay, response);
            }
        }
    }

    void Deliver() {
        while (!flying_.empty() && flying_.begin()->first <= now_) {
            Answer answer;
            if (exchange_.Take(flying_.begin()->second, now_, answer) == Status::kOk) End(answer);
            flying_.erase(flying_.begin());
        }
    }

    void End(const Answer& answer) {
        RC_ASSERT(answer.modifier == answer.cookie.subject);
        RC_ASSERT(ended_.insert(answer.cookie.subject).second);
    }

    std::vector<Exchange::Transaction> transactions_;
    std::vector<DueQueue::Entry> due_;
    FakePort port_;
    FakeEntropy entropy_;
    FakeEntropy fate_;
    Exchange exchange_{Exchange::Memory{transactions_, due_}, port_, entropy_};
    std::size_t limit_ = 0;
    std::uint64_t now_ = 1000;
    std::multimap<std::uint64_t, Envelope> flying_;
    std::set<std::uint32_t> ended_;
};

RC_GTEST_PROP(Exchange, EveryQuestionEndsExactlyOnceOnARoughNetwork, ()) {
    const auto capacity = *rc::gen::inRange<std::size_t>(1, 40);
    const auto window = *rc::gen::inRange<std::uint32_t>(1, 40);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    RoughNetwork(capacity, window, seed).Run(*rc::gen::inRange<std::uint32_t>(1, 200));
}

}  // namespace
}  // namespace ember
