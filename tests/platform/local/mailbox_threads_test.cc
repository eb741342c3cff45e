// SPDX-License-Identifier: Apache-2.0
// EmberSM: driver and device at the same time, each in a thread. Under ThreadSanitizer this shows
// that every word of a descriptor is handed over in order; see platform/local/DESIGN.md.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "platform/local/mailbox_port.h"
#include "tests/asic/asic.h"

namespace ember {
namespace {

class TickingClock final : public Clock {
public:
    /// Slow enough that a thread that the machine lets wait is not taken for a stuck device.
    [[nodiscard]] std::uint64_t NowUs() const override { return ++now_ / 1000; }

private:
    mutable std::uint64_t now_ = 0;
};

Envelope Numbered(std::uint32_t number) {
    Envelope envelope;
    envelope.mad.header.attribute_modifier = number;
    envelope.mad.body.fill(static_cast<std::uint8_t>(number));
    return envelope;
}

bool Holds(const Envelope& envelope, std::uint32_t number) {
    return envelope.mad.header.attribute_modifier == number &&
           envelope.mad.body.front() == static_cast<std::uint8_t>(number) &&
           envelope.mad.body.back() == static_cast<std::uint8_t>(number);
}

TEST(MailboxThreads, EveryDatagramComesBackWholeAndInOrder) {
    constexpr std::uint32_t kDatagrams = 5'000;
    constexpr local::Shape kShape{3, 3};
    std::vector<std::uint32_t> memory(kShape.WindowBytes() / 4);
    const auto window = local::MailboxWindow::At(memory.data(), memory.size() * 4);
    testing::Asic asic(window, kShape, Guid{1});
    std::atomic<bool> ends{false};
    std::thread device([&] {
        Envelope held;
        bool holds = false;
        while (!ends.load(std::memory_order_relaxed)) {
            asic.Doorbell();
            // An echo that waits for room, so that nothing is lost.
            while (holds || asic.Take(held) == Status::kOk) {
                holds = !asic.Give(held);
                if (holds) break;
            }
            std::this_thread::yield();
        }
    });

    TickingClock clock;
    MailboxPort port(window, clock, nullptr);
    ASSERT_EQ(port.Open(), Status::kOk);
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    std::uint64_t idle = 0;
    while (received < kDatagrams && idle < 200'000'000) {
        if (sent < kDatagrams && port.Send(Numbered(sent)) == Status::kOk) ++sent;
        Envelope envelope;
        if (port.Receive(envelope) != Status::kOk) {
            ++idle;
            std::this_thread::yield();
            continue;
        }
        ASSERT_TRUE(Holds(envelope, received)) << received;
        ++received;
    }
    ends.store(true, std::memory_order_relaxed);
    device.join();
    EXPECT_EQ(received, kDatagrams);
    EXPECT_EQ(port.statistics().torn, 0U);
    EXPECT_EQ(port.statistics().refused, 0U);
    EXPECT_EQ(port.statistics().asked_resets, 1U);
}

}  // namespace
}  // namespace ember
