// SPDX-License-Identifier: Apache-2.0
// EmberSM: the main loop's sleep when the management port is a mailbox.
#pragma once

#include <cstdint>
#include <poll.h>
#include <span>

#include "platform/linux/process/main_loop.h"
#include "platform/local/linux/mapping.h"

namespace ember {

/// Sleeps on the mailbox's interrupt, let in before and seen after; what follows, a step, receives
/// until nothing is left.
class MailboxWaiting final : public Waiting {
public:
    MailboxWaiting(const Clock& clock, MailboxMapping& mapping)
        : mapping_(mapping), waiting_(clock, mapping.descriptor(), nullptr, nullptr) {}

    void WaitUntil(std::uint64_t deadline_us, std::uint64_t gather_us,
                   std::span<pollfd> descriptors) override {
        mapping_.Arm();
        waiting_.WaitUntil(deadline_us, gather_us, descriptors);
        mapping_.Acknowledge();
    }

private:
    MailboxMapping& mapping_;
    PortWaiting waiting_;
};

}  // namespace ember
