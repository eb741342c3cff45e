// SPDX-License-Identifier: Apache-2.0
// EmberSM: whatever a network does to the segments, what arrives is what was sent.
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <utility>
#include <vector>

#include "core/exchange/rmpp_receiver.h"
#include "core/exchange/rmpp_sender.h"
#include "tests/support/fake_port.h"

namespace ember {
namespace {

using Octets = std::vector<std::uint8_t>;

/// A datagram as the wire has it: nothing that only one side could know.
struct Flight {
    RmppHeader header{};
    Octets data;
};

/// Loses, doubles and delays.
class RoughWire {
public:
    RoughWire(std::uint64_t seed, std::uint32_t loss_percent)
        : fate_(seed), loss_percent_(loss_percent) {}

    void Send(const Flight& flight, std::uint64_t now_us) {
        for (int copies = fate_.Draw() % 20 == 0 ? 2 : 1; copies > 0; --copies) {
            if (fate_.Draw() % 100 < loss_percent_) continue;
            under_way_.emplace(now_us + 1 + fate_.Draw() % 3000, flight);
        }
    }
    [[nodiscard]] std::uint64_t Next() const {
        return under_way_.empty() ? kNever : under_way_.begin()->first;
    }
    bool Take(std::uint64_t now_us, Flight& flight) {
        if (Next() > now_us) return false;
        flight = under_way_.begin()->second;
        under_way_.erase(under_way_.begin());
        return true;
    }

private:
    FakeEntropy fate_;
    std::uint32_t loss_percent_;
    std::multimap<std::uint64_t, Flight> under_way_;
};

/// A receiver as the specification describes it and Linux does it, written for this test: it keeps
/// segments in any order inside its window, and reads its numbers from the octets themselves.
class Receiver {
public:
    explicit Receiver(std::uint32_t window) : window_(window), new_window_last_(window) {}

    /// True when an ACK is to be sent.
    bool Take(const Flight& flight, Flight& ack) {
        const auto* const raw = reinterpret_cast<const std::uint8_t*>(&flight.header);
        const auto number =
            static_cast<std::uint32_t>(raw[4] << 24 | raw[5] << 16 | raw[6] << 8 | raw[7]);
        const auto length =
            static_cast<std::uint32_t>(raw[8] << 24 | raw[9] << 16 | raw[10] << 8 | raw[11]);
        const bool is_last = (raw[2] & 4) != 0;
        if (raw[0] != 1 || raw[1] != 1) return false;
        if (number > new_window_last_) return false;
        bool answers = number <= taken_;
        if (!answers) {
            const std::size_t octets = is_last ? length - 20 : flight.data.size();
            segments_[number] = Octets(flight.data.begin(),
                                       flight.data.begin() + static_cast<std::ptrdiff_t>(octets));
            if (is_last) last_ = number;
            while (segments_.count(taken_ + 1) != 0) {
                ++taken_;
            }
            answers = taken_ == new_window_last_ || (last_ != 0 && taken_ == last_);
            answers = answers || number == 1;
            if (taken_ == new_window_last_ || number == 1) new_window_last_ = taken_ + window_;
        }
        std::uint8_t octets[12] = {1, 2, 31 << 3 | 1, 0};
        for (unsigned i = 0; i < 4; ++i) {
            octets[4 + i] = static_cast<std::uint8_t>(taken_ >> (24 - 8 * i));
            octets[8 + i] = static_cast<std::uint8_t>(new_window_last_ >> (24 - 8 * i));
        }
        std::memcpy(&ack.header, octets, sizeof octets);
        return answers;
    }

    [[nodiscard]] bool is_complete() const { return last_ != 0 && taken_ == last_; }
    [[nodiscard]] Octets All() const {
        Octets all;
        for (const auto& [number, octets] : segments_) {
            all.insert(all.end(), octets.begin(), octets.end());
        }
        return all;
    }

private:
    std::uint32_t window_;
    std::uint32_t new_window_last_;
    std::uint32_t taken_ = 0;
    std::uint32_t last_ = 0;
    std::map<std::uint32_t, Octets> segments_;
};

Octets Stirred(std::size_t size) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) {
        octets[i] = static_cast<std::uint8_t>(i * 131 + (i >> 8U) * 17);
    }
    return octets;
}

Flight SegmentOf(const Octets& octets, std::uint32_t number) {
    const std::size_t first = (number - 1) * kSaDataOctets;
    const std::size_t count = std::min(octets.size() - first, kSaDataOctets);
    Flight flight{MakeRmppData(number, first + count == octets.size(), count), {}};
    flight.data.assign(octets.begin() + static_cast<std::ptrdiff_t>(first),
                       octets.begin() + static_cast<std::ptrdiff_t>(first + count));
    flight.data.resize(kSaDataOctets);
    return flight;
}

/// Goal:   a receiver that was written by other rules gets exactly the octets, and the sender
///         learns that it did, whatever is lost, doubled and overtaken; both always end.
/// Method: a wire of chance in virtual time.
RC_GTEST_PROP(RmppProperty, ARoughNetworkDeliversExactlyTheOctets, ()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 30'000);
    const auto window = *rc::gen::inRange<std::uint32_t>(1, 70);
    const auto loss = *rc::gen::inRange<std::uint32_t>(0, 12);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Octets octets = Stirred(size);
    RoughWire there(seed, loss);
    RoughWire back(seed + 1, loss);
    RmppSender sender(10'000);
    Receiver receiver(window);
    std::uint64_t now_us = 0;
    RmppEvent event = RmppEvent::kNothing;
    while (event != RmppEvent::kDone && event != RmppEvent::kFailed) {
        while (sender.wants_segment()) {
            const Flight flight = SegmentOf(octets, sender.next());
            there.Send(flight, now_us);
            sender.OnSent((RmppFlagsOf(flight.header) & rmpp_flag::kLast) != 0, now_us);
        }
        now_us = std::max(now_us, std::min({there.Next(), back.Next(), sender.deadline_us()}));
        Flight flight;
        Flight ack;
        while (there.Take(now_us, flight)) {
            if (receiver.Take(flight, ack)) back.Send(ack, now_us);
        }
        event = sender.OnTime(now_us);
        while (event != RmppEvent::kFailed && event != RmppEvent::kDone &&
               back.Take(now_us, flight)) {
            event = sender.OnHeard(flight.header, now_us);
        }
        RC_ASSERT(now_us < 3'600'000'000U);
    }
    // Six times in a row without an answer is possible and rare; then nothing was confirmed.
    if (event == RmppEvent::kFailed) {
        RC_ASSERT(sender.end_status() == RmppStatus::kTooManyRetries);
        RC_ASSERT(loss > 0);
        return;
    }
    RC_ASSERT(receiver.is_complete());
    RC_ASSERT(receiver.All() == octets);
}

/// Goal:   our own two sides understand each other on the same wire.
RC_GTEST_PROP(RmppProperty, BothSidesUnderstandEachOther, ()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 1600);
    const auto loss = *rc::gen::inRange<std::uint32_t>(0, 12);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Octets octets = Stirred(size);
    RoughWire there(seed, loss);
    RoughWire back(seed + 1, loss);
    RmppSender sender(10'000);
    RmppReceiver receiver(8);
    Octets taken;
    std::uint64_t now_us = 0;
    RmppEvent event = RmppEvent::kNothing;
    while (event != RmppEvent::kDone && event != RmppEvent::kFailed) {
        while (sender.wants_segment()) {
            const Flight flight = SegmentOf(octets, sender.next());
            there.Send(flight, now_us);
            sender.OnSent((RmppFlagsOf(flight.header) & rmpp_flag::kLast) != 0, now_us);
        }
        now_us = std::max(now_us, std::min({there.Next(), back.Next(), sender.deadline_us()}));
        Flight flight;
        while (there.Take(now_us, flight)) {
            const auto verdict = receiver.OnData(flight.header);
            RC_ASSERT(verdict.event != RmppEvent::kFailed);
            taken.insert(taken.end(), flight.data.begin(),
                         flight.data.begin() + static_cast<std::ptrdiff_t>(verdict.octets));
            const RmppHeader ack = MakeRmppAck(receiver.received(), receiver.window_last());
            if (verdict.acknowledge) back.Send({ack, {}}, now_us);
        }
        event = sender.OnTime(now_us);
        while (event != RmppEvent::kFailed && event != RmppEvent::kDone &&
               back.Take(now_us, flight)) {
            event = sender.OnHeard(flight.header, now_us);
        }
    }
    if (event == RmppEvent::kFailed) {
        RC_ASSERT(loss > 0);
        return;
    }
    RC_ASSERT(receiver.is_done());
    RC_ASSERT(taken == octets);
}

/// Goal:   no datagram, and no order of them, breaks a side: it goes on, ends or refuses.
RC_GTEST_PROP(RmppProperty, NoNonsenseBreaksASide, ()) {
    const auto headers = *rc::gen::container<std::vector<std::array<std::uint8_t, 12>>>(
        rc::gen::container<std::array<std::uint8_t, 12>>(rc::gen::arbitrary<std::uint8_t>()));
    RmppSender sender(1000);
    RmppReceiver receiver(4);
    std::uint64_t now_us = 0;
    for (const auto& octets : headers) {
        RmppHeader header;
        std::memcpy(&header, octets.data(), sizeof header);
        header.version = octets[0] % 4 != 0 ? 1 : octets[0];
        header.type = octets[1] % 4 != 0 ? 2 : octets[1];
        if (octets[4] % 2 == 0) header.segment = octets[7] % 8U;
        if (octets[8] % 2 == 0) header.length = octets[11] % 64U;
        for (int i = 0; i < 3 && sender.wants_segment(); ++i) {
            sender.OnSent(sender.next() == 40, now_us);
        }
        now_us += octets[3];
        const RmppEvent heard = sender.OnHeard(header, now_us);
        if (heard == RmppEvent::kDone || heard == RmppEvent::kFailed) sender = RmppSender(1000);
        if (sender.OnTime(now_us) == RmppEvent::kFailed) sender = RmppSender(1000);
        RC_ASSERT(sender.acknowledged() <= sender.sent());
        header.type = 1;
        if (receiver.OnData(header).event == RmppEvent::kFailed) receiver = RmppReceiver(4);
        RC_ASSERT(receiver.received() <= 4);
    }
}

}  // namespace
}  // namespace ember
