// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the tests of the mailbox's driver share.
#pragma once

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "core/log/log.h"
#include "platform/local/mailbox_port.h"
#include "tests/asic/asic.h"

namespace ember::testing {

class MailboxClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override { return now_us; }
    std::uint64_t now_us = 1'000'000;
};

/// Wakes the ASIC at once, and counts.
class MailboxWire final : public MailboxDoorbell {
public:
    void Ring() override {
        ++rings;
        if (asic != nullptr) asic->Doorbell();
    }
    Asic* asic = nullptr;
    int rings = 0;
};

/// A mailbox of the smallest rings, its driver and the ASIC behind it.
struct Mailbox : ::testing::Test {
    static constexpr local::Shape kShape{2, 2};  // Four descriptors each.
    static constexpr Guid kGuid{0x0002C90312345678};

    Mailbox() { wire.asic = &asic; }

    MailboxPort& Opened() {
        EXPECT_EQ(port.Open(), Status::kOk);
        EXPECT_EQ(port.Poll(), Status::kBusy);  // The device hears of the epoch.
        EXPECT_EQ(port.Poll(), Status::kOk);
        port.ReportTo(log);
        return port;
    }
    static Envelope Numbered(std::uint8_t number) {
        Envelope envelope;
        envelope.peer = Lid{number};
        envelope.mad.header.base_version = number;
        envelope.mad.body.fill(number);
        return envelope;
    }
    [[nodiscard]] std::uint32_t Read(local::Register which) const {
        return local::LoadRegister(window.At(which));
    }
    void Spoil(local::Register which, std::uint32_t value) {
        local::StoreRegister(window.At(which), value);
    }
    /// The next datagram's number; -1 when there is none.
    int Next() {
        Envelope envelope;
        return port.Receive(envelope) == Status::kOk ? envelope.mad.header.base_version : -1;
    }
    int Taken() {
        Envelope envelope;
        return asic.Take(envelope) == Status::kOk ? envelope.mad.header.base_version : -1;
    }
    /// As after a reset: the epoch begins, the port is open again.
    void ExpectHealed() {
        EXPECT_EQ(port.Poll(), Status::kBusy);
        EXPECT_EQ(port.Poll(), Status::kOk);
        EXPECT_EQ(port.Send(Numbered(77)), Status::kOk);
        EXPECT_EQ(Taken(), 77);
        EXPECT_TRUE(asic.Give(Numbered(78)));
        EXPECT_EQ(Next(), 78);
    }
    [[nodiscard]] std::uint64_t Heard(Note note) const { return log.CountOf(note); }

    std::vector<std::uint32_t> memory = std::vector<std::uint32_t>(kShape.WindowBytes() / 4);
    local::MailboxWindow window = local::MailboxWindow::At(memory.data(), memory.size() * 4);
    Asic asic{window, kShape, kGuid};
    MailboxClock clock;
    MailboxWire wire;
    std::array<LogRecord, 64> records{};
    Log log{records};
    MailboxPort port{window, clock, &wire};
};

}  // namespace ember::testing
