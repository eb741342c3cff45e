// SPDX-License-Identifier: Apache-2.0
// EmberSM: the other side of the mailbox.
#include "tests/asic/asic.h"

#include <array>
#include <bit>

namespace ember::testing {

using local::DeviceState;
using local::Register;

namespace {

local::MailboxWindow Over(std::vector<std::uint32_t>& memory) {
    return local::MailboxWindow::At(memory.data(), memory.size() * sizeof(std::uint32_t));
}

}  // namespace

Asic::Asic(const local::MailboxWindow& window, local::Shape shape, Guid port_guid)
    : window_(window), shape_(shape) {
    Store(Register::kVersion, local::kMajorVersion << 16U);
    Store(Register::kShape, shape.word());
    Store(Register::kPortGuidHigh, static_cast<std::uint32_t>(Raw(port_guid) >> 32U));
    Store(Register::kPortGuidLow, static_cast<std::uint32_t>(Raw(port_guid)));
    Store(Register::kLink, 4);
    Reset();
    local::StoreRelease(window_.At(Register::kMagic), local::kMailboxMagic);
}

std::uint32_t Asic::Load(Register which) const {
    return local::LoadAcquire(window_.At(which));
}

void Asic::Store(Register which, std::uint32_t value) {
    local::StoreRelease(window_.At(which), value);
}

void Asic::SetState(DeviceState state) {
    state_ = state;
    Store(Register::kState, epoch_ << 16U | static_cast<std::uint32_t>(state));
}

void Asic::Reset() {
    SetState(DeviceState::kResetting);
    epoch_ = epoch_ >= 0xFFFF ? 1 : epoch_ + 1;
    is_sm_ = false;
    tail_ = taken_ = given_ = 0;
    Store(Register::kTransmitHead, 0);
    Store(Register::kReceiveTail, 0);
    request_ = Load(Register::kResetRequest);
    Store(Register::kResetDone, request_);
    SetState(DeviceState::kAwaitingHost);
}

void Asic::Doorbell() {
    ++doorbells_;
    if (dead_) return;
    if (deaf_ > 0) {
        --deaf_;
        return;
    }
    if (Load(Register::kResetRequest) != request_) Reset();
    const std::uint32_t control = Load(Register::kControl);
    const bool enabled = (control & local::kEnable) != 0 && control >> 16U == epoch_;
    if (state_ == DeviceState::kAwaitingHost && enabled) {
        is_sm_ = (control & local::kIsSm) != 0;
        SetState(DeviceState::kRunning);
    }
    if (running() && !enabled) Reset();
    if (running()) tail_ = Load(Register::kTransmitTail);
}

void Asic::Refuse() {
    Store(Register::kTransmitRefused, ++refused_);
}

Status Asic::Take(Envelope& envelope) {
    using namespace local;
    if (dead_ || !running()) return Status::kBusy;
    if (tail_ - taken_ > shape_.transmit()) {  // No driver says so.
        Refuse();
        taken_ = tail_;
    }
    while (taken_ != tail_) {  // Ends: each one is taken.
        const auto slot = window_.Transmit(shape_, taken_);
        Descriptor copy{};
        copy[kSequenceWord] = LoadAcquire(slot[kSequenceWord]);
        for (std::size_t i = 1; i < copy.size(); ++i) {
            copy[i] = LoadOwned(slot[i]);
        }
        const bool fits = copy[kSequenceWord] == SequenceOf(epoch_, taken_) &&
                          copy[kCheckWord] == Checksum(copy) && copy[kLengthWord] == kMadOctets;
        Store(Register::kTransmitHead, ++taken_);
        if (!fits) {
            Refuse();
            continue;
        }
        envelope.peer = Lid{static_cast<std::uint16_t>(copy[kLidsWord])};
        envelope.remote_queue_pair = copy[kRemoteQpWord];
        envelope.queue_pair = static_cast<std::uint8_t>(copy[kPathWord]);
        envelope.service_level = static_cast<std::uint8_t>(copy[kPathWord] >> 8U);
        envelope.p_key_index = static_cast<std::uint16_t>(copy[kKeyWord]);
        envelope.answer_within_us = (copy[kKeyWord] >> 16U) * 1000U;
        std::array<std::uint8_t, kMadOctets> octets{};
        for (std::size_t i = 0; i < octets.size(); ++i) {
            octets[i] = static_cast<std::uint8_t>(copy[kMadWord + i / 4] >> 8U * (i % 4));
        }
        envelope.mad = std::bit_cast<Mad>(octets);
        return Status::kOk;
    }
    return Status::kBusy;
}

bool Asic::Give(const Envelope& envelope, const Arrival& arrival) {
    using namespace local;
    if (dead_ || !running()) return false;
    if (given_ - Load(Register::kReceiveHead) >= shape_.receive()) {
        Store(Register::kReceiveOverrun, ++overrun_);
        return false;
    }
    Descriptor fresh{};
    fresh[kSequenceWord] = SequenceOf(epoch_, given_);
    fresh[kLengthWord] = kMadOctets;
    fresh[kLidsWord] = std::uint32_t{arrival.own_lid} << 16U | Raw(envelope.peer);
    fresh[kRemoteQpWord] = envelope.remote_queue_pair;
    fresh[kPathWord] = std::uint32_t{arrival.status} << 24U | std::uint32_t{arrival.port} << 16U |
                       std::uint32_t{envelope.service_level} << 8U | envelope.queue_pair;
    fresh[kKeyWord] = envelope.p_key_index;
    const auto octets = std::bit_cast<std::array<std::uint8_t, kMadOctets>>(envelope.mad);
    for (std::size_t i = 0; i < octets.size(); ++i) {
        fresh[kMadWord + i / 4] |= std::uint32_t{octets[i]} << 8U * (i % 4);
    }
    fresh[kCheckWord] = Checksum(fresh);

    const auto slot = window_.Receive(shape_, given_);
    const std::size_t words = tear_ == Tear::kHalf ? kDescriptorWords / 2 : kDescriptorWords;
    if (tear_ != Tear::kSequence) {
        for (std::size_t i = 1; i < words; ++i) {
            StoreOwned(slot[i], fresh[i]);
        }
        StoreRelease(slot[kSequenceWord], fresh[kSequenceWord]);
    }
    tear_ = Tear::kNone;
    Store(Register::kReceiveTail, ++given_);
    return true;
}

bool Asic::interrupt() const {
    const std::uint32_t mask = Load(Register::kInterruptMask);
    const bool arrived = running() && given_ != Load(Register::kReceiveHead);
    const bool event =
        state_ == DeviceState::kBroken || (!running() && Load(Register::kControl) >> 16U != epoch_);
    return ((mask & local::kArrival) != 0 && arrived) || ((mask & local::kEvent) != 0 && event);
}

Status AsicBridge::Turn() {
    Envelope envelope;
    while (held_ || asic_.Take(envelope) == Status::kOk) {  // Ends: the ring is finite.
        const Envelope& out = held_ ? *held_ : envelope;
        const Status status = fabric_.Send(out);
        if (status == Status::kDevice) return status;
        if (status == Status::kBusy) {
            if (!held_) held_ = envelope;
            break;
        }
        held_.reset();
    }
    constexpr int kMostAtOnce = 4096;
    for (int i = 0; i < kMostAtOnce; ++i) {
        const Status status = fabric_.Receive(envelope);
        if (status == Status::kDevice) return status;
        if (status != Status::kOk) break;
        (void)asic_.Give(envelope);  // A lost datagram is counted.
    }
    return Status::kOk;
}

BridgedPort::BridgedPort(MadPort& fabric, const Clock& clock, local::Shape shape)
    : memory_(shape.WindowBytes() / sizeof(std::uint32_t)),
      window_(Over(memory_)),
      asic_(window_, shape, Guid{0x0002C90300000001}),
      bridge_(asic_, fabric),
      port_(window_, clock, this) {
    EMBER_ASSERT(port_.Open() == Status::kOk);
}

void BridgedPort::Ring() {
    asic_.Doorbell();
    (void)bridge_.Turn();
}

Status BridgedPort::Receive(Envelope& envelope) {
    (void)bridge_.Turn();
    return port_.Receive(envelope);
}

}  // namespace ember::testing
