// SPDX-License-Identifier: Apache-2.0
// EmberSM: a device that writes what it likes.
#include "tests/support/hostile_device.h"

#include <algorithm>
#include <vector>

namespace ember::testing {

using local::DeviceState;
using local::Register;

namespace {

constexpr local::Shape kShape{2, 3};
constexpr std::size_t kWords = kShape.WindowBytes() / sizeof(std::uint32_t);
constexpr std::size_t kHostFirst = static_cast<std::size_t>(Register::kControl) / 4;
constexpr std::size_t kHostLast = static_cast<std::size_t>(Register::kReceiveHead) / 4;
constexpr std::size_t kTransmitFirst = local::kRegisterBytes / 4;
constexpr std::size_t kReceiveFirst = kTransmitFirst + kShape.transmit() * local::kDescriptorWords;

class HandClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override { return now_us; }
    std::uint64_t now_us = 0;
};

class Play {
public:
    explicit Play(std::span<const std::uint8_t> script) : script_(script) {
        Store(Register::kMagic, local::kMailboxMagic);
        Store(Register::kVersion, local::kMajorVersion << 16U);
        Store(Register::kShape, kShape.word());
    }

    HostileDevice::Outcome Run() {
        if ((Next() & 3U) == 0) Scribble();  // Even before it is recognised.
        As([&] { is_open_ = port_.Open() == Status::kOk; });
        while (next_ < script_.size()) {  // Ends: every line takes an octet at least.
            const std::uint8_t line = Next();
            if (line % 8 == 6)
                Send();
            else if (line % 8 == 7)
                Receive(1U + (line >> 3U));
            else
                Meddle(line);
        }
        return outcome_;
    }

private:
    std::uint8_t Next() { return next_ < script_.size() ? script_[next_++] : std::uint8_t{0}; }
    std::uint32_t Next32() {
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            value = value << 8U | Next();
        }
        return value;
    }
    void Store(Register which, std::uint32_t value) {
        local::StoreRegister(window_.At(which), value);
    }
    [[nodiscard]] std::uint32_t Load(Register which) const {
        return local::LoadRegister(window_.At(which));
    }

    void Meddle(std::uint8_t line) {
        const std::uint32_t detail = line >> 3U;
        switch (line % 8) {
            case 0:
                Scribble();
                return;
            case 1:
                Store(Register::kState, std::uint32_t{Next()} << 16U | detail % 5);
                return;
            case 2:  // As a good device ends a reset, and begins to run.
                Store(Register::kResetDone, Load(Register::kResetRequest));
                epoch_ = epoch_ + 1;
                Store(Register::kState, epoch_ << 16U | 1U);
                As([&] { (void)port_.Poll(); });
                Store(Register::kState, epoch_ << 16U | 2U);
                Store(Register::kTransmitHead, 0);
                Store(Register::kReceiveTail, 0);
                return;
            case 3:
                Deliver(detail);
                return;
            case 4:
                Store(Register::kReceiveTail, Load(Register::kReceiveHead) + detail - 4);
                Store(Register::kTransmitHead, Load(Register::kTransmitTail) + Next() % 8 - 6);
                return;
            default:
                clock_.now_us += std::uint64_t{Next()} * 10'000;
        }
    }

    /// Anything, anywhere but in the words that only the host writes.
    void Scribble() {
        const std::size_t count = Next() % 16;
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t at = (Next() & 1U) != 0 ? Next() % 32 : Next32() % kWords;
            if (at >= kHostFirst && at <= kHostLast) at = 0;
            local::StoreRegister(window_.words[at], Next32());
        }
    }

    /// A descriptor with a content of its own, whose frame may be right.
    void Deliver(std::uint32_t how) {
        const std::uint32_t index = Load(Register::kReceiveHead) + (how & 3U);
        local::Descriptor fresh{};
        const std::size_t count = Next() % 20;
        for (std::size_t i = 0; i < count; ++i) {
            fresh[local::kLengthWord + i] = Next32();
        }
        if ((how & 4U) != 0) fresh[local::kLengthWord] = kMadOctets;
        if ((how & 8U) != 0) fresh[local::kPathWord] &= 0x00FF0F01;
        fresh[local::kSequenceWord] = local::SequenceOf(Load(Register::kState) >> 16U, index);
        fresh[local::kCheckWord] = (how & 16U) != 0 ? local::Checksum(fresh) : Next32();
        const auto slot = window_.Receive(kShape, index);
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            local::StoreOwned(slot[i], fresh[i]);
        }
    }

    void Send() {
        Envelope envelope;
        envelope.queue_pair = Next() & 1U;
        As([&] { (void)port_.Send(envelope); });
    }

    void Receive(std::uint32_t times) {
        for (std::uint32_t i = 0; i < times; ++i) {
            const std::uint64_t before = GoneOver();
            Envelope envelope;
            Status status = Status::kBusy;
            As([&] { status = port_.Receive(envelope); });
            outcome_.most_per_call = std::max(outcome_.most_per_call, GoneOver() - before);
            if (status != Status::kOk) return;
            ++outcome_.received;
            if (envelope.queue_pair > 1 || envelope.service_level > 15 ||
                envelope.remote_queue_pair > 0xFFFFFF || !is_open_) {
                outcome_.impossible = true;
            }
        }
    }
    [[nodiscard]] std::uint64_t GoneOver() const {
        const MailboxStatistics& counted = port_.statistics();
        return counted.received + counted.torn + counted.malformed + counted.returned;
    }

    /// The host does something, and touches nothing but what is the host's.
    template <typename Do>
    void As(Do act) {
        const std::vector<std::uint32_t> before(memory_.get(), memory_.get() + kWords);
        act();
        for (std::size_t i = 0; i < kWords; ++i) {
            const bool is_hosts =
                (i >= kHostFirst && i <= kHostLast) || (i >= kTransmitFirst && i < kReceiveFirst);
            if (!is_hosts && memory_[i] != before[i]) outcome_.wrote_elsewhere = true;
        }
    }

    std::span<const std::uint8_t> script_;
    std::size_t next_ = 0;
    std::unique_ptr<std::uint32_t[]> memory_ = std::make_unique<std::uint32_t[]>(kWords);
    local::MailboxWindow window_ =
        local::MailboxWindow::At(memory_.get(), kWords * sizeof(std::uint32_t));
    HandClock clock_;
    MailboxPort port_{window_, clock_, nullptr};
    HostileDevice::Outcome outcome_;
    std::uint32_t epoch_ = 0;
    bool is_open_ = false;
};

}  // namespace

HostileDevice::Outcome HostileDevice::Play(std::span<const std::uint8_t> script) {
    return testing::Play(script).Run();
}

}  // namespace ember::testing
