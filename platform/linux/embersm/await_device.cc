// SPDX-License-Identifier: Apache-2.0
// EmberSM: a start before the device that it needs.

#include "platform/linux/embersm/await_device.h"

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <poll.h>
#include <utility>

#include "platform/linux/process/heartbeat.h"
#include "platform/linux/system/clock.h"

namespace ember {

namespace {

constexpr std::uint64_t kLookEveryUs = 1'000'000;

/// Until it is time to look again. True: a signal ends the program.
bool Pause(const Signals& signals, Heartbeat& heartbeat, const LinuxClock& clock) {
    const std::uint64_t until_us = clock.NowUs() + kLookEveryUs;
    for (std::uint64_t now_us = clock.NowUs(); now_us < until_us; now_us = clock.NowUs()) {
        heartbeat.Beat(now_us);
        const std::uint64_t left_us = std::min(until_us - now_us, heartbeat.beat_within_us());
        pollfd heard{signals.descriptor(), POLLIN, 0};
        static_cast<void>(poll(&heard, 1, static_cast<int>(left_us / 1000 + 1)));
        if (signals.Take().end) return true;
    }
    return false;
}

}  // namespace

ExitStatus TakeWhenThere(Seat& seat,
                         const Options& options,
                         Guid wanted,
                         const Signals& signals,
                         const Supervision& supervision,
                         std::string& absent,
                         bool& is_ended) {
    ExitStatus taken = seat.Take(options, wanted, absent);
    if (absent.empty() || !seat.may_come()) return taken;
    if (options.once) return Complain(taken, std::exchange(absent, {}));
    Complain(ExitStatus::kWell, absent + "; waiting until there is one");
    Heartbeat heartbeat;
    const int pipe =
        supervision.heartbeat < 0  // That of the program's own heartbeat, which follows.
            ? -1
            : fcntl(supervision.heartbeat, F_DUPFD_CLOEXEC, 0);
    const std::string deaf = heartbeat.Open(pipe, supervision.beat_every_us);
    if (!deaf.empty()) return Complain(ExitStatus::kFile, deaf);
    const LinuxClock clock;
    while (!absent.empty() && seat.may_come()) {  // Ends with the device, or a signal.
        absent.clear();
        is_ended = Pause(signals, heartbeat, clock);
        if (is_ended) return ExitStatus::kWell;
        taken = seat.Take(options, wanted, absent);
    }
    return taken;
}

}  // namespace ember
