// SPDX-License-Identifier: Apache-2.0
// EmberSM: a start before the device that it needs.
#pragma once

#include <string>

#include "core/base/ids.h"
#include "platform/linux/embersm/options.h"
#include "platform/linux/embersm/seat.h"
#include "platform/linux/process/exit_status.h"
#include "platform/linux/process/supervisor.h"
#include "platform/linux/system/signals.h"

namespace ember {

/// The seat that is wanted, and the process that wants it.
struct SeatWish {
    const Options& options;
    Guid port = kNoGuid;  ///< As Seat::Take() has it.
    const Signals& signals;
    const Supervision& supervision;
};

/// The outcome of a SeatWish.
struct SeatTaking {
    ExitStatus status = ExitStatus::kWell;
    std::string absent{};   ///< As Seat::Take() has it.
    bool is_ended = false;  ///< A signal has ended the program before the device came.
};

/// Takes the seat, and where its device is not there yet (Seat::may_come()), as while a machine
/// boots or its driver is loaded anew, says so once and tries again every second, without end: a
/// subnet manager that gives up stays away until a person comes. Meanwhile it gives the signs of
/// life of a program that is well. With --once it does not wait.
[[nodiscard]] SeatTaking TakeWhenThere(Seat& seat, const SeatWish& wish);

}  // namespace ember
