// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switch's own management port: datagrams in and out of the rings.

#include "platform/local/mailbox_port.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ember {

using local::Register;

namespace {

/// The longest answer time that a descriptor can hold, in milliseconds.
constexpr std::uint32_t kMostAnswerMs = 0xFFFF;
constexpr std::uint32_t kQueuePairMask = 0xFFFFFF;
constexpr std::uint32_t kMaxServiceLevel = 15;

/// A datagram word by word, as it lies in memory.
using MadWords = std::array<std::uint32_t, kMadOctets / sizeof(std::uint32_t)>;

}  // namespace

std::uint32_t MailboxPort::Read(Register which) const {
    return local::LoadRegister(window_.At(which));
}

void MailboxPort::Write(Register which, std::uint32_t value) {
    local::StoreRegister(window_.At(which), value);
}

/// A register that the device shall look at now, behind all that was written or read before.
void MailboxPort::Ring(Register which, std::uint32_t value) {
    local::StoreRelease(window_.At(which), value);
    if (doorbell_ != nullptr) doorbell_->Ring();
}

Guid MailboxPort::port_guid() const {
    return Guid{std::uint64_t{Read(Register::kPortGuidHigh)} << 32U | Read(Register::kPortGuidLow)};
}

bool MailboxPort::link_is_up() const {
    return Read(Register::kLink) > 1;  // PortInfo:PortState, 1 is DOWN.
}

Status MailboxPort::Send(const Envelope& envelope) {
    const std::uint64_t now_us = clock_.NowUs();
    EMBER_TRY(Poll());
    if (transmit_tail_ - transmit_head_ >= shape_.transmit()) {
        Watch(now_us);
        EMBER_TRY(Stand());
        if (transmit_tail_ - transmit_head_ >= shape_.transmit()) {
            ++statistics_.ring_full;
            return Status::kBusy;
        }
    }
    if (transmit_tail_ == transmit_head_) progress_us_ = now_us;  // Nothing was to be taken.

    Describe(envelope);
    const std::span<local::Word, local::kDescriptorWords> slot =
        window_.Transmit(shape_, transmit_tail_);
    for (std::size_t i = local::kCheckWord; i < local::kDescriptorWords; ++i) {
        local::StoreOwned(slot[i], staged_[i]);
    }
    local::StoreRelease(slot[local::kSequenceWord], staged_[local::kSequenceWord]);
    ++transmit_tail_;
    ++statistics_.sent;
    Ring(Register::kTransmitTail, transmit_tail_);
    return Status::kOk;
}

/// Fills `staged_` from the envelope.
void MailboxPort::Describe(const Envelope& envelope) {
    using namespace local;
    const std::uint32_t answer_ms =
        std::min((envelope.answer_within_us + 999U) / 1000U, kMostAnswerMs);
    staged_.fill(0);
    staged_[kSequenceWord] = SequenceOf(epoch_, transmit_tail_);
    staged_[kLengthWord] = kMadOctets;
    staged_[kLidsWord] = Raw(envelope.peer);
    staged_[kRemoteQpWord] = envelope.remote_queue_pair & kQueuePairMask;
    staged_[kPathWord] = std::uint32_t{envelope.service_level} << 8U | envelope.queue_pair;
    staged_[kKeyWord] = answer_ms << 16U | envelope.p_key_index;
    const auto octets = std::bit_cast<MadWords>(envelope.mad);
    for (std::size_t i = 0; i < octets.size(); ++i) {
        staged_[kMadWord + i] = Little(octets[i]);
    }
    staged_[kCheckWord] = Checksum(staged_);
}

Status MailboxPort::Receive(Envelope& envelope) {
    for (std::uint32_t drops = 0; drops < kDropsPerCall; ++drops) {
        EMBER_TRY(Poll());
        if (!CopyNext()) {
            const std::uint32_t before = receive_head_;
            Watch(clock_.NowUs());
            EMBER_TRY(Stand());
            if (receive_head_ != before) continue;  // Dropped; another may stand behind it.
            return Status::kBusy;
        }
        if (staged_[local::kCheckWord] != local::Checksum(staged_)) {
            DropTorn(clock_.NowUs());
            continue;
        }
        const bool sensible = IsSensible();
        if (sensible) FillFrom(envelope);
        TookOne();
        if (!sensible) continue;
        ++statistics_.received;
        resets_in_vain_ = own_resets_ = 0;
        return Status::kOk;
    }
    return Status::kBusy;
}

/// Copies the next descriptor of the receive ring into `staged_`. False when it is not there yet.
bool MailboxPort::CopyNext() {
    const std::span<local::Word, local::kDescriptorWords> slot =
        window_.Receive(shape_, receive_head_);
    const std::uint32_t sequence = local::LoadAcquire(slot[local::kSequenceWord]);
    if (sequence != local::SequenceOf(epoch_, receive_head_)) return false;
    staged_[local::kSequenceWord] = sequence;
    for (std::size_t i = local::kCheckWord; i < local::kDescriptorWords; ++i) {
        staged_[i] = local::LoadOwned(slot[i]);
    }
    return true;
}

/// Whether `staged_`, which is whole, describes a management datagram that arrived here.
bool MailboxPort::IsSensible() {
    using namespace local;
    if (staged_[kPathWord] >> 24U != 0) {
        ++statistics_.returned;
        return false;
    }
    const std::uint32_t queue_pair = staged_[kPathWord] & 0xFFU;
    const std::uint32_t service_level = staged_[kPathWord] >> 8U & 0xFFU;
    const bool sensible = staged_[kLengthWord] == kMadOctets && queue_pair <= 1 &&
                          service_level <= kMaxServiceLevel &&
                          staged_[kRemoteQpWord] <= kQueuePairMask;
    if (!sensible) ++statistics_.malformed;
    return sensible;
}

void MailboxPort::FillFrom(Envelope& envelope) const {
    using namespace local;
    envelope.peer = Lid{static_cast<std::uint16_t>(staged_[kLidsWord] & 0xFFFFU)};
    envelope.queue_pair = static_cast<std::uint8_t>(staged_[kPathWord] & 0xFFU);
    envelope.service_level = static_cast<std::uint8_t>(staged_[kPathWord] >> 8U & 0xFFU);
    envelope.p_key_index = static_cast<std::uint16_t>(staged_[kKeyWord] & 0xFFFFU);
    envelope.remote_queue_pair = staged_[kRemoteQpWord];
    envelope.answer_within_us = 0;
    MadWords octets;
    for (std::size_t i = 0; i < octets.size(); ++i) {
        octets[i] = Little(staged_[kMadWord + i]);
    }
    envelope.mad = std::bit_cast<Mad>(octets);
}

void MailboxPort::DropTorn(std::uint64_t now_us) {
    ++statistics_.torn;
    if (log_ != nullptr) {
        log_->WriteSparingly<Note::kMailboxTorn>(now_us, statistics_.torn);
    }
    TookOne();
}

/// The descriptor goes back to the device, which looks when it needs one.
void MailboxPort::TookOne() {
    ++receive_head_;
    local::StoreRelease(window_.At(Register::kReceiveHead), receive_head_);
}

}  // namespace ember
