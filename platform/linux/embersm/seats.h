// SPDX-License-Identifier: Apache-2.0
// EmberSM: the seats that every embersm knows.
#pragma once

#include <optional>
#include <string>

#include "core/base/ids.h"
#include "platform/linux/embersm/mailbox_waiting.h"
#include "platform/linux/embersm/seat.h"
#include "platform/linux/embersm/sim_waiting.h"
#include "platform/linux/process/main_loop.h"
#include "platform/linux/system/clock.h"
#include "platform/linux/system/entropy.h"
#include "platform/local/linux/shared_mapping.h"
#include "platform/local/linux/uio_mapping.h"
#include "platform/local/mailbox_port.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_entropy.h"
#include "platform/umad/umad_port.h"

namespace ember {

/// A port of this machine, through libibumad.
class UmadSeat final : public Seat {
public:
    [[nodiscard]] ExitStatus Take(const Options& options, Guid wanted,
                                  std::string& absent) override;
    [[nodiscard]] bool may_come() const override { return has_no_device_; }
    [[nodiscard]] Outside outside() override;
    void Leave() override;

private:
    UmadPort port_;
    bool has_no_device_ = false;
    Guid own_port_ = kNoGuid;
    LinuxClock clock_;
    LinuxEntropy entropy_;
    std::optional<PortWaiting> waiting_;
};

/// The mailbox of the switch's own chip.
class MailboxSeat final : public Seat {
public:
    [[nodiscard]] ExitStatus Take(const Options& options, Guid wanted,
                                  std::string& absent) override;
    [[nodiscard]] Outside outside() override;
    void Leave() override;

private:
    UioMapping uio_;
    SharedMapping shared_;
    std::optional<MailboxPort> port_;
    LinuxClock clock_;
    LinuxEntropy entropy_;
    std::optional<MailboxWaiting> waiting_;
};

/// An end port of a fabric that is simulated in this process, in virtual time.
class SimSeat final : public Seat {
public:
    [[nodiscard]] ExitStatus Take(const Options& options, Guid wanted,
                                  std::string& absent) override;
    [[nodiscard]] Outside outside() override;
    /// All simulated fabrics have it.
    [[nodiscard]] static const BandwidthCodec* SimCodec();
    [[nodiscard]] const BandwidthCodec* codec() const override { return SimCodec(); }
    void Leave() override;

private:
    std::optional<sim::FabricSim> fabric_;
    sim::Attachment* port_ = nullptr;
    std::optional<sim::SimEntropy> entropy_;
    std::optional<SimWaiting> waiting_;
};

}  // namespace ember
