// SPDX-License-Identifier: Apache-2.0
// EmberSM: the machine's clock.

#include "platform/linux/system/clock.h"

#include <algorithm>
#include <ctime>

namespace ember {

namespace {

std::uint64_t ReadUs(clockid_t clock) {
    timespec now{};
    EMBER_ASSERT(clock_gettime(clock, &now) == 0);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000U +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000U;
}

}  // namespace

std::uint64_t LinuxClock::NowUs() const {
    return ReadUs(CLOCK_MONOTONIC);
}

std::uint64_t WallTimeUs() {
    return ReadUs(CLOCK_REALTIME);
}

std::uint64_t LinuxCalendar::UnixSeconds() const {
    constexpr std::uint64_t kNewYear2024 = 1'704'067'200;  // Nothing here is older.
    const std::uint64_t now_s = WallTimeUs() / 1'000'000U;
    return now_s < kNewYear2024 ? 0 : now_s;
}

std::uint64_t ThreadCpuClock::NowUs() const {
    const std::uint64_t now_us = ReadUs(CLOCK_MONOTONIC);
    if (asked_us_ == 0 || now_us - asked_us_ >= kReadEveryUs) {
        used_us_ = ReadUs(CLOCK_THREAD_CPUTIME_ID);
        asked_us_ = now_us;
    }
    given_us_ = std::max(given_us_, used_us_ + (now_us - asked_us_));
    return given_us_;
}

}  // namespace ember
