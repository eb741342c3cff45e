// SPDX-License-Identifier: Apache-2.0
// EmberSM: claims that the code relies upon.
#pragma once

namespace ember {

/// Ends this run of the subnet manager, because a claim of the code is false. The platform supplies
/// it: it records the claim and lets the watchdog restart the subnet manager. Forwarding tables
/// live in the switches, so traffic goes on during the restart and the sweep after it.
[[noreturn]] void Panic(const char* file, int line, const char* claim);

}  // namespace ember

/// States a claim that the code relies upon; calls Panic() when it is false. Assertions are on in
/// every build: a subnet manager whose state is wrong must not program switches, and a restart
/// costs one sweep and no traffic.
#define EMBER_ASSERT(claim)                                       \
    do {                                                          \
        if (!(claim)) ::ember::Panic(__FILE__, __LINE__, #claim); \
    } while (false)
