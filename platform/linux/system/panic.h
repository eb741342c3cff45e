// SPDX-License-Identifier: Apache-2.0
// EmberSM: the last words of this incarnation.
#pragma once

namespace ember {

/// Where Panic() (core/base/assert.h) writes beside standard error: the log file's descriptor, or
/// -1. Panic() then calls abort(), so that the exit status is SIGABRT's and a core may be kept; the
/// service manager or the watchdog starts the next incarnation.
void SetPanicDescriptor(int descriptor);

}  // namespace ember
