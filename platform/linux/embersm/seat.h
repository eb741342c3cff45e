// SPDX-License-Identifier: Apache-2.0
// EmberSM: where the subnet manager of embersm sits.
#pragma once

#include <string>

#include "core/base/ids.h"
#include "core/platform.h"
#include "core/wire/bandwidth.h"
#include "platform/linux/embersm/options.h"
#include "platform/linux/embersm/sim_waiting.h"
#include "platform/linux/process/exit_status.h"
#include "platform/linux/process/main_loop.h"
#include "platform/local/mailbox_port.h"

namespace ember {

/// The parts that differ between a real port and a simulated fabric.
struct Outside {
    MadPort& port;
    const Clock& clock;
    Entropy& entropy;
    Waiting& waiting;
    Guid own_port;
    SimWaiting* simulated = nullptr;  ///< When the fabric is simulated.
    MailboxPort* mailbox = nullptr;   ///< When the port is a mailbox: tells the log of its faults.
};

/// A management port, with all that a subnet manager needs to live there. A board whose port is
/// none of seats.h's implements this and hands it to RunEmbersm().
class Seat {
public:
    /// Opens the port with the GUID `wanted`; kNoGuid: any. kWell: it is open. Else the complaint
    /// has been made; or `absent` has a sentence: there are ports, and none is the one wanted, or
    /// there is no device yet.
    [[nodiscard]] virtual ExitStatus Take(const Options& options, Guid wanted,
                                          std::string& absent) = 0;
    /// After Take() had only a sentence: there is no device yet, and it may come. False: none that
    /// comes would change what was said.
    [[nodiscard]] virtual bool may_come() const { return false; }
    /// Only after Take() said kWell. All that it refers to lives as long as the seat.
    [[nodiscard]] virtual Outside outside() = 0;
    /// How the devices of its subnet take limits of bandwidth, before Take() too; nullptr: they do
    /// not, and a configuration with limits is refused.
    [[nodiscard]] virtual const BandwidthCodec* codec() const { return nullptr; }
    /// Gives the port back.
    virtual void Leave() = 0;

protected:
    ~Seat() = default;
};

}  // namespace ember
