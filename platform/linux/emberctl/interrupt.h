// SPDX-License-Identifier: Apache-2.0
// EmberSM: a signal to end is an error like others, so that what was begun is taken back.
#pragma once

#include <array>
#include <csignal>

namespace ember::ctl {

/// While one lives, SIGINT, SIGTERM and SIGHUP interrupt a call that waits, and do nothing else.
/// At most one lives at a time.
class Interrupt {
public:
    Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt();

    /// Throws Trouble(kRefused) if there was such a signal.
    static void Check();

private:
    static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

    std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace ember::ctl
