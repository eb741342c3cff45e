// SPDX-License-Identifier: Apache-2.0
// EmberSM: the other side of the mailbox: an emulated management ASIC, with its faults.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/platform.h"
#include "platform/local/mailbox_port.h"
#include "platform/local/registers.h"

namespace ember::testing {

/// The device end of a mailbox, written from its manual. The device belongs to one thread, which
/// may be another than the driver's: they share the window and nothing else.
class Asic {
public:
    /// Power on: identifies itself in the window and waits for the host.
    Asic(const local::MailboxWindow& window, local::Shape shape, Guid port_guid);

    /// The host wrote a register: looks at resets, kControl and what shall be sent.
    void Doorbell();

    /// The next datagram that the host wants sent. kBusy: there is none.
    Status Take(Envelope& envelope);
    /// Fields of a receive descriptor that no Envelope has.
    struct Arrival {
        std::uint8_t status = 0;
        std::uint8_t port = 1;
        std::uint16_t own_lid = 0;
    };
    /// A datagram that arrived. False: it is lost, because the ring is full or the device is not
    /// running.
    bool Give(const Envelope& envelope) { return Give(envelope, Arrival{}); }
    bool Give(const Envelope& envelope, const Arrival& arrival);

    /// The level of the interrupt line.
    [[nodiscard]] bool interrupt() const;
    [[nodiscard]] bool running() const { return state_ == local::DeviceState::kRunning; }
    [[nodiscard]] bool is_sm() const { return is_sm_; }
    [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
    [[nodiscard]] std::uint32_t doorbells() const { return doorbells_; }

    // Faults.
    /// The next doorbells are not heard.
    void LoseDoorbells(std::uint32_t count) { deaf_ = count; }
    enum class Tear : std::uint8_t {
        kNone,
        kHalf,      ///< The second half of the descriptor is that of the lap before.
        kSequence,  ///< The index moves on, and nothing was written.
    };
    /// The next descriptor of the receive ring is spoilt.
    void TearNext(Tear how) { tear_ = how; }
    /// The device resets itself, whatever is under way.
    void Reset();
    /// The device finds a fault of its own, and says so.
    void Break() { SetState(local::DeviceState::kBroken); }
    /// Nothing is done any more, not even a reset.
    void Die() { dead_ = true; }
    void SetEpoch(std::uint32_t epoch) { epoch_ = epoch; }

private:
    void SetState(local::DeviceState state);
    void Store(local::Register which, std::uint32_t value);
    [[nodiscard]] std::uint32_t Load(local::Register which) const;
    void Refuse();

    local::MailboxWindow window_;
    local::Shape shape_;
    local::DeviceState state_ = local::DeviceState::kResetting;
    std::uint32_t epoch_ = 0;
    std::uint32_t request_ = 0;
    std::uint32_t tail_ = 0;  ///< Of the transmit ring, as the last doorbell said.
    std::uint32_t taken_ = 0;
    std::uint32_t given_ = 0;
    std::uint32_t refused_ = 0;
    std::uint32_t overrun_ = 0;
    std::uint32_t doorbells_ = 0;
    std::uint32_t deaf_ = 0;
    Tear tear_ = Tear::kNone;
    bool is_sm_ = false;
    bool dead_ = false;
};

/// Carries datagrams between an ASIC and the fabric that it is in.
class AsicBridge {
public:
    AsicBridge(Asic& asic, MadPort& fabric) : asic_(asic), fabric_(fabric) {}

    /// Everything that can go on goes on. kDevice: the fabric is gone.
    Status Turn();

private:
    Asic& asic_;
    MadPort& fabric_;
    std::optional<Envelope> held_;  ///< Taken, and the fabric has no room for it yet.
};

/// A subnet manager's port over a mailbox in this process: driver, window, ASIC and bridge.
class BridgedPort final : public MadPort, private MailboxDoorbell {
public:
    BridgedPort(MadPort& fabric, const Clock& clock, local::Shape shape);

    Status Send(const Envelope& envelope) override { return port_.Send(envelope); }
    Status Receive(Envelope& envelope) override;

    /// The chip goes on, while the host is busy elsewhere.
    void TakeArrivals() { (void)bridge_.Turn(); }
    [[nodiscard]] Asic& asic() { return asic_; }
    [[nodiscard]] MailboxPort& port() { return port_; }

private:
    void Ring() override;

    std::vector<std::uint32_t> memory_;
    local::MailboxWindow window_;
    Asic asic_;
    AsicBridge bridge_;
    MailboxPort port_;
};

}  // namespace ember::testing
