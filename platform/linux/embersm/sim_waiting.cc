// SPDX-License-Identifier: Apache-2.0
// EmberSM: how time passes on a simulated fabric.

#include "platform/linux/embersm/sim_waiting.h"

#include <algorithm>
#include <ctime>

#include "platform/linux/system/clock.h"

namespace ember {

namespace {

/// Virtual time is turned at most so far at once.
constexpr std::uint64_t kLongestTurnUs = 1000000;
/// While virtual time runs ahead, signals and clients are looked at so often.
constexpr std::uint64_t kLookEveryUs = 2000;
/// Keeping pace, the fabric's own events wait at most so long for their turn.
constexpr std::uint64_t kTickUs = 20000;

}  // namespace

void SimWaiting::KeepPace() {
    keeps_pace_ = true;
    host_began_us_ = LinuxClock().NowUs();
    sim_began_us_ = sim_.clock().NowUs();
}

void SimWaiting::WaitUntil(std::uint64_t deadline_us, std::uint64_t /*gather_us*/,
                           std::span<pollfd> descriptors) {
    const std::uint64_t now_us = sim_.clock().NowUs();
    std::uint64_t until_us = std::min(deadline_us, now_us + kLongestTurnUs);
    std::uint64_t sleep_us = 0;
    if (keeps_pace_ && deadline_us > now_us) {
        const std::uint64_t due_us = sim_began_us_ + (LinuxClock().NowUs() - host_began_us_);
        if (due_us <= now_us) sleep_us = std::min(kTickUs, until_us - now_us);
        until_us = std::min(until_us, std::max(due_us, now_us));
    }
    const std::uint64_t host_us = LinuxClock().NowUs();
    const bool looks = sleep_us > 0 || host_us >= others_due_us_;
    if (looks) others_due_us_ = host_us + kLookEveryUs;
    const timespec sleep{0, static_cast<long>(sleep_us * 1000U)};
    if (looks && ppoll(descriptors.data(), descriptors.size(), &sleep, nullptr) < 0) {
        for (pollfd& descriptor : descriptors) {
            descriptor.revents = 0;
        }
    }
    if (until_us > now_us) sim_.AdvanceToNextEvent(until_us);
}

}  // namespace ember
