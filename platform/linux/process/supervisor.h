// SPDX-License-Identifier: Apache-2.0
// EmberSM: a parent that starts the subnet manager again when it dies or hangs.
#pragma once

#include <cstdint>

#include "platform/linux/process/watchdog.h"

namespace ember {

/// How a process came to its end.
struct Fate {
    enum class Kind : std::uint8_t {
        kNone,    ///< There was none before.
        kExit,    ///< By itself, with the status `number`.
        kSignal,  ///< By the signal `number`: a panic (SIGABRT), a crash, a kill.
        kHang,    ///< By us: it had given no sign of life for `number` seconds.
    };
    Kind kind = Kind::kNone;
    int number = 0;
};

/// The supervised process is told this when it begins.
struct Supervision {
    int heartbeat = -1;               ///< The end of a pipe to beat into; -1: not supervised.
    std::uint64_t beat_every_us = 0;  ///< So often at least.
    std::uint64_t restarts = 0;       ///< Processes before this one.
    Fate before;                      ///< The fate of the last of them.
};

/// Forks, and returns true in the child, which goes on to be the subnet manager and beats. The
/// parent stays here: it passes TERM, INT, HUP, CONT and USR1 on, and when the child dies, or has
/// not beaten for `hang_us`, it says so on standard error and forks again, after 0.1 s and twice as
/// long every time (30 s at most) until one has lived for a minute. Until its first beat a child
/// has a minute, or `hang_us` if that is longer. A child that hangs gets SIGABRT, for the sake of a
/// core, and two seconds later SIGKILL. When the parent dies the child gets SIGTERM. When a child
/// cannot be forked again, it is tried after the same pauses.
///
/// False, in the parent, when it is over, with the `status` to end with: the child ended with
/// status 0 to 2 or 7 to 11 (all went well, usage, --once), it could not even begin (another
/// status, and never a beat; the first fork failed), or the parent was told to end. With status 2
/// at once, and a sentence on standard error, when the environment has NOTIFY_SOCKET: a service
/// manager listens to one process, and that would be the parent, which says nothing to it.
///
/// A `watchdog` that is open is fed by the parent with the child's beats alone, and is disarmed
/// when it is over, but left counting while, and when, there is no process to be had.
///
/// To be called before there are threads, descriptors (but that of the watchdog) or handlers of
/// one's own.
[[nodiscard]] bool Supervise(std::uint64_t hang_us, Watchdog& watchdog, Supervision& supervision,
                             int& status);

}  // namespace ember
