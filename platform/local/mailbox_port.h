// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switch's own management port: a mailbox of two rings.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/log/log.h"
#include "core/platform.h"
#include "platform/local/registers.h"

namespace ember {

/// The bell to ring when a register was written, but for kReceiveHead. A device sees the write
/// itself and needs none; a program that stands behind shared memory has to be woken.
class MailboxDoorbell {
public:
    virtual void Ring() = 0;

protected:
    ~MailboxDoorbell() = default;
};

/// Counters of what the mailbox did, since Open().
struct MailboxStatistics {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t ring_full = 0;      ///< Sends put off because the transmit ring was full.
    std::uint64_t overrun = 0;        ///< Dropped by the device: the receive ring was full.
    std::uint64_t refused = 0;        ///< Of those sent, dropped by the device as senseless.
    std::uint64_t torn = 0;           ///< Descriptors whose sequence or checksum did not fit.
    std::uint64_t malformed = 0;      ///< Whole ones that no management datagram can have.
    std::uint64_t returned = 0;       ///< With another status than 0.
    std::uint64_t rings_again = 0;    ///< Doorbells rung again because nothing moved.
    std::uint64_t device_resets = 0;  ///< The device reset itself.
    std::uint64_t asked_resets = 0;   ///< We asked for one, that of Open() included.
};

/// A MadPort over a mailbox (registers.h; docs/mailbox.md is its manual), without an operating
/// system underneath.
///
/// Nothing that the device writes is believed before it was checked: a register is read once and
/// held against the ring it speaks of, a descriptor is copied once and judged by the copy. A value
/// that does not fit is dropped and counted, or ends in a reset; every loop ends by a number of our
/// own. A reset, the device's or one we ask for, loses what is in the rings, which the subnet
/// manager's retries make good. Meanwhile Send() and Receive() say kBusy. After kMostResets that we
/// asked for without a datagram taken or received they say kDevice, for good; and so after
/// kMostResets of the device's own within kOwnResetsUs, if nothing came through in between.
class MailboxPort final : public MadPort {
public:
    /// `window` and what the others refer to outlive the port. `doorbell` may be nullptr.
    MailboxPort(const local::MailboxWindow& window, const Clock& clock, MailboxDoorbell* doorbell)
        : window_(window), clock_(clock), doorbell_(doorbell) {}
    MailboxPort(const MailboxPort&) = delete;
    MailboxPort& operator=(const MailboxPort&) = delete;

    /// Recognises the device and asks it for a reset, which ends behind Poll(). kAbsent: there is
    /// no mailbox in the window; kUnknown: of a version that is not known here; kMalformed: its
    /// rings do not fit into the window. Only once.
    Status Open();

    /// Goes on with a reset, when one is under way. kOk: the port is open; kBusy: not yet; kDevice:
    /// it never will be. Send() and Receive() do the same, so this is for a caller that has nothing
    /// to send.
    Status Poll();

    /// Ends the epoch: the device lowers IsSM and stops. Afterwards kDevice.
    void Close();

    Status Send(const Envelope& envelope) override;
    Status Receive(Envelope& envelope) override;

    /// Which interrupts the device may raise: local::kArrival, local::kEvent or 0; both at first.
    void SetInterrupts(std::uint32_t mask);

    /// From now on what goes wrong is noted there too. The log outlives the port.
    void ReportTo(Log& log) { log_ = &log; }

    /// As the device says it at the moment. Only after Open().
    [[nodiscard]] Guid port_guid() const;
    [[nodiscard]] bool link_is_up() const;

    [[nodiscard]] const MailboxStatistics& statistics() const { return statistics_; }

    /// Without progress for so long the doorbell is rung again, in a reset too,
    static constexpr std::uint64_t kStallUs = 20'000;
    /// so often before the device is reset,
    static constexpr std::uint32_t kRingsAgain = 5;
    /// which it may take so long for,
    static constexpr std::uint64_t kResetUs = 250'000;
    /// so many times in a row.
    static constexpr std::uint32_t kMostResets = 20;
    /// A device that resets itself as often within so long will not stop it.
    static constexpr std::uint64_t kOwnResetsUs = 10'000'000;
    /// Descriptors that one Receive() drops at most.
    static constexpr std::uint32_t kDropsPerCall = 64;

private:
    enum class Phase : std::uint8_t {
        kClosed,
        kResetting,  ///< The device resets itself, asked or not.
        kStarting,   ///< The device was told the epoch.
        kRunning,
        kGone,
    };

    [[nodiscard]] std::uint32_t Read(local::Register which) const;
    void Write(local::Register which, std::uint32_t value);
    void Ring(local::Register which, std::uint32_t value);

    [[nodiscard]] Status Stand() const;
    void Advance(std::uint64_t now_us);
    void AskForReset(std::uint64_t now_us);
    void RingAgain(std::uint64_t now_us);
    [[nodiscard]] bool BearsOwnReset(std::uint64_t now_us);
    void GiveUp(std::uint64_t now_us);
    void BeginEpoch(std::uint32_t epoch, std::uint64_t now_us);
    void Watch(std::uint64_t now_us);
    void WatchCounters(std::uint64_t now_us);
    void WatchTransmit(std::uint64_t now_us);
    void WatchReceive(std::uint64_t now_us);
    void Contradict(local::Register which, std::uint32_t value, std::uint64_t now_us);

    void Describe(const Envelope& envelope);
    [[nodiscard]] bool CopyNext();
    [[nodiscard]] bool IsSensible();
    void FillFrom(Envelope& envelope) const;
    void DropTorn(std::uint64_t now_us);
    void TookOne();

    local::MailboxWindow window_;
    const Clock& clock_;
    MailboxDoorbell* doorbell_;
    Log* log_ = nullptr;
    local::Shape shape_{};
    Phase phase_ = Phase::kClosed;
    std::uint32_t epoch_ = 0;
    std::uint32_t request_ = 0;  ///< The value of kResetRequest.
    std::uint32_t resets_in_vain_ = 0;
    std::uint32_t own_resets_ = 0;  ///< The device's, in vain, since
    std::uint64_t own_resets_since_us_ = 0;
    std::uint64_t waits_since_us_ = 0;  ///< For the end of a reset.
    std::uint64_t rung_us_ = 0;         ///< When the device was told of it last.
    std::uint32_t interrupts_ = local::kArrival | local::kEvent;
    std::uint32_t transmit_tail_ = 0;
    std::uint32_t transmit_head_ = 0;  ///< As last read, and within the ring.
    std::uint64_t progress_us_ = 0;    ///< When the device last took something, or had nothing to.
    std::uint32_t rings_in_vain_ = 0;
    std::uint32_t receive_head_ = 0;
    std::uint32_t last_overrun_ = 0;
    std::uint32_t last_refused_ = 0;
    MailboxStatistics statistics_;
    local::Descriptor staged_{};  ///< The descriptor being written, or the copy of one received.
};

}  // namespace ember
