// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switch's own management port: resets, and what its device is watched for.

#include "platform/local/mailbox_port.h"

namespace ember {

using local::DeviceState;
using local::Register;

Status MailboxPort::Open() {
    EMBER_ASSERT(phase_ == Phase::kClosed);
    const std::size_t bytes = window_.words.size() * sizeof(local::Word);
    if (bytes < local::kRegisterBytes) return Status::kMalformed;
    if (Read(Register::kMagic) != local::kMailboxMagic) return Status::kAbsent;
    if (Read(Register::kVersion) >> 16U != local::kMajorVersion) return Status::kUnknown;
    // Read once: rings that change their size later change nothing here.
    shape_ = local::Shape::Of(Read(Register::kShape));
    if (!shape_.IsSound() || shape_.WindowBytes() > bytes) return Status::kMalformed;
    request_ = Read(Register::kResetRequest);
    last_overrun_ = Read(Register::kReceiveOverrun);
    last_refused_ = Read(Register::kTransmitRefused);
    AskForReset(clock_.NowUs());
    return Status::kOk;
}

void MailboxPort::Close() {
    if (phase_ != Phase::kClosed) Ring(Register::kControl, 0);
    phase_ = Phase::kGone;
}

void MailboxPort::SetInterrupts(std::uint32_t mask) {
    interrupts_ = mask;
    if (phase_ == Phase::kRunning) Ring(Register::kInterruptMask, interrupts_);
}

/// The answer of Send() and Receive() in this phase.
Status MailboxPort::Stand() const {
    if (phase_ == Phase::kRunning) return Status::kOk;
    return phase_ == Phase::kGone || phase_ == Phase::kClosed ? Status::kDevice : Status::kBusy;
}

Status MailboxPort::Poll() {
    if (phase_ == Phase::kResetting || phase_ == Phase::kStarting) Advance(clock_.NowUs());
    return Stand();
}

/// A reset under way: one look at the state, and on to what it allows.
void MailboxPort::Advance(std::uint64_t now_us) {
    const std::uint32_t state = local::LoadAcquire(window_.At(Register::kState));
    const std::uint32_t epoch = state >> 16U;
    const auto device = static_cast<DeviceState>(state & 0xFFFFU);
    const bool is_reset =
        device == DeviceState::kAwaitingHost && Read(Register::kResetDone) == request_;
    if (is_reset && epoch != 0 && (phase_ == Phase::kResetting || epoch != epoch_)) {
        if (phase_ == Phase::kStarting && !BearsOwnReset(now_us)) return;
        BeginEpoch(epoch, now_us);
        return;
    }
    if (phase_ == Phase::kStarting && device == DeviceState::kRunning && epoch == epoch_) {
        phase_ = Phase::kRunning;
        progress_us_ = now_us;
        rings_in_vain_ = 0;
        return;
    }
    if (now_us - waits_since_us_ >= kResetUs) {
        AskForReset(now_us);
    } else if (now_us - rung_us_ >= kStallUs) {
        RingAgain(now_us);
    }
}

/// The doorbell of a reset may be lost as any other. To write the same again asks for nothing new.
void MailboxPort::RingAgain(std::uint64_t now_us) {
    rung_us_ = now_us;
    ++statistics_.rings_again;
    if (phase_ == Phase::kResetting) {
        Ring(Register::kResetRequest, request_);
    } else {
        Ring(Register::kControl, epoch_ << 16U | local::kEnable | local::kIsSm);
    }
}

void MailboxPort::AskForReset(std::uint64_t now_us) {
    if (resets_in_vain_ >= kMostResets) {
        GiveUp(now_us);
        return;
    }
    ++resets_in_vain_;
    ++statistics_.asked_resets;
    ++request_;
    waits_since_us_ = rung_us_ = now_us;
    phase_ = Phase::kResetting;
    Ring(Register::kResetRequest, request_);
}

/// The device has reset itself, which is counted and noted. False: too often, and it is given up.
bool MailboxPort::BearsOwnReset(std::uint64_t now_us) {
    ++statistics_.device_resets;
    if (log_ != nullptr) {
        log_->WriteSparingly<Note::kMailboxReset>(now_us, transmit_tail_ - transmit_head_,
                                                  statistics_.device_resets);
    }
    if (own_resets_ == 0 || now_us - own_resets_since_us_ >= kOwnResetsUs) {
        own_resets_ = 0;
        own_resets_since_us_ = now_us;
    }
    ++own_resets_;
    if (own_resets_ < kMostResets) return true;
    GiveUp(now_us);
    return false;
}

void MailboxPort::GiveUp(std::uint64_t now_us) {
    phase_ = Phase::kGone;
    Write(Register::kInterruptMask, 0);
    if (log_ != nullptr) log_->Write<Note::kDeviceGone>(now_us, Status::kDevice);
}

/// The device is reset and waits: both indices are 0, and descriptors of the epochs before do not
/// count, because their sequence does not fit.
void MailboxPort::BeginEpoch(std::uint32_t epoch, std::uint64_t now_us) {
    epoch_ = epoch;
    transmit_tail_ = 0;
    transmit_head_ = 0;
    receive_head_ = 0;
    waits_since_us_ = rung_us_ = now_us;
    phase_ = Phase::kStarting;
    Write(Register::kTransmitTail, 0);
    Write(Register::kReceiveHead, 0);
    Write(Register::kInterruptMask, interrupts_);
    Ring(Register::kControl, epoch << 16U | local::kEnable | local::kIsSm);
}

/// Looks at all that the device says of itself. For when there is nothing to do, or no room.
void MailboxPort::Watch(std::uint64_t now_us) {
    const std::uint32_t state = Read(Register::kState);
    const auto device = static_cast<DeviceState>(state & 0xFFFFU);
    if (device == DeviceState::kBroken) {
        Contradict(Register::kState, state, now_us);
        return;
    }
    if (state >> 16U != epoch_ || device != DeviceState::kRunning) {
        if (!BearsOwnReset(now_us)) return;
        phase_ = Phase::kResetting;
        waits_since_us_ = rung_us_ = now_us;
        return;
    }
    WatchCounters(now_us);
    WatchTransmit(now_us);
    if (phase_ == Phase::kRunning) WatchReceive(now_us);
}

/// The device counts modulo 2^32 and from power on, so what counts is what was added.
void MailboxPort::WatchCounters(std::uint64_t now_us) {
    const std::uint32_t overrun = Read(Register::kReceiveOverrun);
    const std::uint32_t dropped = overrun - last_overrun_;
    last_overrun_ = overrun;
    statistics_.overrun += dropped;
    if (dropped != 0 && log_ != nullptr) {
        log_->WriteSparingly<Note::kMailboxOverrun>(now_us, dropped, statistics_.overrun);
    }
    const std::uint32_t refused = Read(Register::kTransmitRefused);
    const std::uint32_t senseless = refused - last_refused_;
    last_refused_ = refused;
    statistics_.refused += senseless;
    if (senseless != 0 && log_ != nullptr) {
        log_->WriteSparingly<Note::kMailboxRefused>(now_us, senseless, statistics_.refused);
    }
}

/// The transmit ring must move while something is in it: a doorbell may be lost, a device stuck.
void MailboxPort::WatchTransmit(std::uint64_t now_us) {
    const std::uint32_t head = local::LoadAcquire(window_.At(Register::kTransmitHead));
    if (transmit_tail_ - head > transmit_tail_ - transmit_head_) {  // Backwards, or past the tail.
        Contradict(Register::kTransmitHead, head, now_us);
        return;
    }
    if (head != transmit_head_ || head == transmit_tail_) {
        if (head != transmit_head_) resets_in_vain_ = own_resets_ = 0;
        transmit_head_ = head;
        progress_us_ = now_us;
        rings_in_vain_ = 0;
        return;
    }
    if (now_us - progress_us_ < kStallUs * (rings_in_vain_ + 1)) return;
    if (rings_in_vain_ >= kRingsAgain) {
        Contradict(Register::kTransmitHead, head, now_us);
        return;
    }
    ++rings_in_vain_;
    ++statistics_.rings_again;
    if (log_ != nullptr) {
        log_->WriteSparingly<Note::kMailboxStalled>(now_us, (now_us - progress_us_) / 1000,
                                                    statistics_.rings_again);
    }
    Ring(Register::kTransmitTail, transmit_tail_);
}

/// The next descriptor was not there. If the device says that it is, it was written badly.
void MailboxPort::WatchReceive(std::uint64_t now_us) {
    const std::uint32_t tail = local::LoadAcquire(window_.At(Register::kReceiveTail));
    const std::uint32_t waiting = tail - receive_head_;
    const std::uint32_t behind = receive_head_ - tail;  // We may be faster than its register.
    if (waiting == 0 || behind <= shape_.receive()) return;
    if (waiting > shape_.receive()) {
        Contradict(Register::kReceiveTail, tail, now_us);
        return;
    }
    if (!CopyNext()) DropTorn(now_us);  // Else it came between the two looks.
}

/// A value that cannot be: nothing of this epoch is believed any more.
void MailboxPort::Contradict(Register which, std::uint32_t value, std::uint64_t now_us) {
    if (log_ != nullptr) {
        log_->WriteSparingly<Note::kMailboxFaulty>(now_us, static_cast<std::uint32_t>(which), value,
                                                   transmit_tail_ - transmit_head_);
    }
    AskForReset(now_us);
}

}  // namespace ember
