// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a process on Linux comes to a mailbox.
#pragma once

#include <cstdint>
#include <string>

#include "platform/local/mailbox_port.h"
#include "platform/local/registers.h"

namespace ember {

/// Why a mailbox could not be opened, apart enough to give each its own exit status.
enum class MailboxFault : std::uint8_t {
    kNone,
    kNoDevice,      ///< There is no such device, or no answer from it.
    kNoPermission,  ///< This user may not open it.
    kOccupied,      ///< Another process holds it.
    kBroken,        ///< The device is there, and is no mailbox that can be used.
};

/// The outcome of an opening: a sentence for the operator, without a full stop, when it failed.
struct MailboxOpening {
    MailboxFault fault = MailboxFault::kNone;
    std::string sentence;
};

/// A mailbox in the memory of this process, and its interrupts behind a descriptor.
///
/// A caller that sleeps on the descriptor calls Arm() before, Acknowledge() after, and then
/// receives until nothing is left: interrupts are levels, so none is lost in between, and one too
/// many does no harm. Neither call blocks or takes memory from the heap.
class MailboxMapping {
public:
    /// Readable once the device has interrupted. -1 before it was opened.
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Lets the device interrupt again.
    virtual void Arm() = 0;
    /// The interrupt was seen.
    virtual void Acknowledge() = 0;
    /// Registers and rings; empty before it was opened.
    [[nodiscard]] virtual local::MailboxWindow window() const = 0;
    /// The doorbell that a MailboxPort has to ring; nullptr when the registers do it.
    [[nodiscard]] virtual MailboxDoorbell* doorbell() = 0;

protected:
    ~MailboxMapping() = default;
};

/// Opens `port`, which stands over this mapping, and waits until it has come out of its first
/// reset, two seconds at least. Otherwise the sentence says what is wrong with `name`.
[[nodiscard]] MailboxOpening OpenPort(MailboxPort& port, MailboxMapping& mapping,
                                      const std::string& name);

}  // namespace ember
