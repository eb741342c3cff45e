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

SeatTaking TakeWhenThere(Seat& seat, const SeatWish& wish) {
    SeatTaking taking;
    taking.status = seat.Take(wish.options, wish.port, taking.absent);
    if (taking.absent.empty() || !seat.may_come()) return taking;
    if (wish.options.once) {
        Complain(taking.status, std::exchange(taking.absent, {}));
        return taking;
    }
    Complain(ExitStatus::kWell, taking.absent + "; waiting until there is one");
    Heartbeat heartbeat;
    const int theirs = wish.supervision.heartbeat;  // Of the heartbeat of the program, later.
    const std::string deaf = heartbeat.Open(theirs < 0 ? -1 : fcntl(theirs, F_DUPFD_CLOEXEC, 0),
                                            wish.supervision.beat_every_us);
    if (!deaf.empty()) return {.status = Complain(ExitStatus::kFile, deaf)};
    const LinuxClock clock;
    while (!taking.absent.empty() && seat.may_come()) {  // Ends with the device, or a signal.
        taking.absent.clear();
        taking.is_ended = Pause(wish.signals, heartbeat, clock);
        if (taking.is_ended) return {.is_ended = true};
        taking.status = seat.Take(wish.options, wish.port, taking.absent);
    }
    return taking;
}

}  // namespace ember
