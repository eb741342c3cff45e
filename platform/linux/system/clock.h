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
/// things meanwhile.
class ThreadCpuClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override;
};

}  // namespace ember
