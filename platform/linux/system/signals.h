// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an operator says with kill(1).
#pragma once

#include "core/base/status.h"

namespace ember {

/// The meaning of the signals that have arrived.
struct SignalsHeard {
    bool end = false;          ///< TERM, INT.
    bool heavy_sweep = false;  ///< HUP, CONT; as OpenSM.
    bool reload = false;       ///< HUP; as OpenSM.
    bool reopen_log = false;   ///< USR1, after the log was rotated; as OpenSM.
};

/// Signals as data: blocked, and read from a descriptor by the main loop. SIGPIPE is ignored.
class Signals {
public:
    Signals() = default;
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    ~Signals();

    /// To be called before any thread is started, as threads inherit the mask.
    Status Open();
    [[nodiscard]] int descriptor() const { return fd_; }
    /// Takes what has arrived; never blocks.
    [[nodiscard]] SignalsHeard Take() const;

private:
    int fd_ = -1;
};

}  // namespace ember
