// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a process on Linux comes to a mailbox.

#include "platform/local/linux/mapping.h"

#include <poll.h>

namespace ember {

MailboxOpening OpenPort(MailboxPort& port, MailboxMapping& mapping, const std::string& name) {
    const Status status = port.Open();
    if (status == Status::kAbsent) {
        return {MailboxFault::kBroken, name + " is no mailbox: its first register is not EMBX"};
    }
    if (status == Status::kUnknown) {
        return {MailboxFault::kBroken, name + " is a mailbox of a version that is not known here"};
    }
    if (status != Status::kOk) {
        return {MailboxFault::kBroken, name + " is smaller than the rings that it says it has"};
    }
    // The device is asked every millisecond, for a reset has no interrupt that one could rely on.
    constexpr int kLooks = 2000;
    for (int i = 0; i < kLooks; ++i) {
        const Status now = port.Poll();
        if (now == Status::kOk) return {};
        if (now == Status::kDevice) break;
        mapping.Arm();
        pollfd wait{mapping.descriptor(), POLLIN, 0};
        poll(&wait, 1, 1);
        mapping.Acknowledge();
    }
    return {MailboxFault::kNoDevice, "the device behind " + name + " does not end its reset"};
}

}  // namespace ember
