// SPDX-License-Identifier: Apache-2.0
// EmberSM: claims the code relies upon.
#pragma once

namespace ember {

/// Ends this incarnation of the subnet manager: the code no longer understands its own state.
/// Supplied by the platform; it records the claim and lets the watchdog start a new incarnation.
/// Forwarding tables live in the switches, so traffic goes on while that one sweeps.
[[noreturn]] void Panic(const char* file, int line, const char* claim);

}  // namespace ember

/// States what the code relies upon. On in every build: a subnet manager that no longer understands
/// its own state must stop programming switches, and a restart costs one sweep and no traffic.
#define EMBER_ASSERT(claim)                                       \
    do {                                                          \
        if (!(claim)) ::ember::Panic(__FILE__, __LINE__, #claim); \
    } while (false)
