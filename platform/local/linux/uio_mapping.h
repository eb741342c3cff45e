// SPDX-License-Identifier: Apache-2.0
// EmberSM: a mailbox behind a device file of Linux's user-space I/O.
#pragma once

#include <string>

#include "platform/local/linux/descriptor.h"
#include "platform/local/linux/mapping.h"

namespace ember {

/// A device of Linux's UIO framework: map 0 is the window, read() tells of interrupts, write() lets
/// them in again. A driver whose interrupts need no letting in refuses the write, which is fine.
class UioMapping final : public MailboxMapping {
public:
    UioMapping() = default;

    /// Opens a device file such as /dev/uio0 and locks it. Uses the heap.
    [[nodiscard]] MailboxOpening Open(const std::string& device) {
        return Open(device, "/sys/class/uio");
    }
    /// As above, with another folder in the place of /sys/class/uio.
    [[nodiscard]] MailboxOpening Open(const std::string& device, const std::string& sysfs);

    [[nodiscard]] int descriptor() const override { return interrupts_.number(); }
    void Arm() override;
    void Acknowledge() override;
    [[nodiscard]] local::MailboxWindow window() const override {
        return local::MailboxWindow::At(memory_.address(), memory_.bytes());
    }
    [[nodiscard]] MailboxDoorbell* doorbell() override { return nullptr; }

    /// Does the rest of Open(), once device and sizes are known. `memory` may be another file than
    /// `interrupts`, which becomes this object's.
    [[nodiscard]] MailboxOpening Adopt(int memory, Descriptor interrupts, std::size_t bytes,
                                       const std::string& name);

private:
    Descriptor interrupts_;
    SharedMemory memory_;
    bool is_masked_ = true;  ///< The kernel masks an interrupt until it is let in again.
    bool needs_arming_ = true;
};

}  // namespace ember
