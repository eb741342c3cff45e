// SPDX-License-Identifier: Apache-2.0
// EmberSM: the machine's clock.
#pragma once

#include <cstdint>

#include "core/platform.h"

namespace ember {

/// CLOCK_MONOTONIC. Its zero is the machine's start, not ours: only differences mean anything.
class LinuxClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override;
};

/// Microseconds since 1970, UTC. May jump; for time stamps only.
[[nodiscard]] std::uint64_t WallTimeUs();

/// CLOCK_REALTIME in seconds, once it has been set: a machine without a battery wakes up in 1970.
class LinuxCalendar final : public Calendar {
public:
    [[nodiscard]] std::uint64_t UnixSeconds() const override;
};

/// CPU time that the calling thread has used: for measuring work on a machine that does other
/// things meanwhile. A single thread asks it.
///
/// The kernel counts CPU time, and to ask it costs a system call. Between two questions, which are
/// kReadEveryUs apart, the clock goes on with CLOCK_MONOTONIC, which costs none. So a difference
/// may be wrong by that much, and errors do not add up: what was counted for a thread that did not
/// run is taken from what follows.
class ThreadCpuClock final : public Clock {
public:
    static constexpr std::uint64_t kReadEveryUs = 200;

    [[nodiscard]] std::uint64_t NowUs() const override;

private:
    mutable std::uint64_t used_us_ = 0;   ///< As the kernel said last,
    mutable std::uint64_t asked_us_ = 0;  ///< at this time of CLOCK_MONOTONIC; 0: never.
    mutable std::uint64_t given_us_ = 0;
};

}  // namespace ember
