// SPDX-License-Identifier: Apache-2.0
// EmberSM: the kernel's random numbers.

#include "platform/linux/system/entropy.h"

#include <cerrno>
#include <sys/random.h>

namespace ember {

std::uint64_t LinuxEntropy::Draw() {
    if (left_ == 0) {
        ssize_t got = -1;
        do {  // Ends: only a signal during early boot interrupts so short a read.
            got = getrandom(batch_.data(), sizeof(batch_), 0);
        } while (got < 0 && errno == EINTR);
        EMBER_ASSERT(got == static_cast<ssize_t>(sizeof(batch_)));
        left_ = kBatch;
    }
    return batch_[--left_];
}

}  // namespace ember
