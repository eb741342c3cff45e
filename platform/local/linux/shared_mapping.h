// SPDX-License-Identifier: Apache-2.0
// EmberSM: a mailbox in memory that is shared with the program that plays its device.
#pragma once

#include <string>

#include "platform/local/linux/descriptor.h"
#include "platform/local/linux/mapping.h"

namespace ember {

/// The message that the device's program sends to a host that connects to its socket.
struct SharedMailboxGreeting {
    static constexpr std::uint32_t kMagic = 0x4D485345;
    std::uint32_t magic = kMagic;
    // And beside it two descriptors: the memory, sealed against shrinking; an eventfd that the
    // device writes to interrupt.
};

/// A mailbox without hardware, for tests: memory and an eventfd, handed over through a socket of
/// the file system. The connection stands as long as the mapping, so that each side can see the
/// other go; the host rings by sending an octet.
///
/// Either side can change, at any moment, whether a descriptor blocks. So the eventfd is never
/// read: an epoll of our own tells its edges; and the bell says for each octet that it does not
/// wait.
class SharedMapping final : public MailboxMapping, private MailboxDoorbell {
public:
    SharedMapping() = default;

    /// Connects to the socket and maps what it is given, within two seconds. Uses the heap.
    [[nodiscard]] MailboxOpening Open(const std::string& socket_path);

    [[nodiscard]] int descriptor() const override { return edges_.number(); }
    void Arm() override {}
    void Acknowledge() override;
    [[nodiscard]] local::MailboxWindow window() const override {
        return local::MailboxWindow::At(memory_.address(), memory_.bytes());
    }
    [[nodiscard]] MailboxDoorbell* doorbell() override { return this; }

private:
    void Ring() override;

    Descriptor connection_;
    Descriptor interrupt_;
    Descriptor edges_;  ///< The epoll.
    SharedMemory memory_;
};

}  // namespace ember
