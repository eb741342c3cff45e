// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: the mailbox's driver against a device that writes what it likes.
//
// Goal:   the driver reads and writes nothing beside the window and nothing in it that is the
//         device's, goes over a bounded number of descriptors at a time, and lets nothing through
//         that no datagram can be.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/support/hostile_device.h"

namespace {

void Demand(bool promise, const char* what) {
    if (promise) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto outcome = ember::testing::HostileDevice::Play({data, size});
    Demand(!outcome.wrote_elsewhere, "what is the device's is not written");
    Demand(!outcome.impossible, "what no datagram can be is not let through");
    Demand(outcome.most_per_call <= ember::MailboxPort::kDropsPerCall + 1, "every call ends soon");
    return 0;
}
