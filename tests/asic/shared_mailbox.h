// SPDX-License-Identifier: Apache-2.0
// EmberSM: the giving end of a shared mailbox: makes the memory, and hands it to one host.
#pragma once

#include <string>

#include "platform/local/linux/descriptor.h"
#include "platform/local/registers.h"

namespace ember::testing {

/// Memory, two eventfds, and a socket at which a SharedMapping gets them.
class SharedMailbox {
public:
    SharedMailbox() = default;
    SharedMailbox(const SharedMailbox&) = delete;
    SharedMailbox& operator=(const SharedMailbox&) = delete;
    ~SharedMailbox();

    /// How it may be less than a mailbox.
    struct Flaws {
        bool unsealed = false;
        bool no_interrupt = false;
        std::uint32_t magic_change = 0;
    };
    /// Makes everything and listens. Empty, or what did not work.
    [[nodiscard]] std::string Listen(const std::string& path, std::size_t bytes);
    /// Waits for the host, for ever, and hands it the mailbox.
    [[nodiscard]] std::string Accept() { return Accept(Flaws{}); }
    [[nodiscard]] std::string Accept(const Flaws& flaws);

    [[nodiscard]] local::MailboxWindow window() const {
        return local::MailboxWindow::At(memory_.address(), memory_.bytes());
    }
    /// Readable after the host rang; hung up when it is gone.
    [[nodiscard]] int connection() const { return connection_.number(); }
    /// True when the host rang since the last call.
    [[nodiscard]] bool AnswerBell() const;
    void Interrupt() const;
    /// The device's end of the interrupt, for a device that is not kind.
    [[nodiscard]] int interrupt() const { return interrupt_.number(); }

private:
    std::string path_;
    Descriptor listener_;
    Descriptor connection_;
    Descriptor file_;
    Descriptor interrupt_;
    SharedMemory memory_;
};

}  // namespace ember::testing
